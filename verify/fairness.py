"""Whether all chance follows from the seeds that the log commits to, epoch by epoch.

An epoch is one game of a series, from the commitment to its seed to the next such commitment.
Source: transcript format ``ttx v1``, Randomness.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from events import canonical
from events.audit import Finding
from events.codec import Header
from verify import entropy
from verify.entropy import Entropy

EPOCH_OPENED = "table.epoch_opened"
EPOCH_BEGUN = "table.epoch_begun"
SEED_REVEALED = "table.seed_revealed"

MOST_SEATS = 65_535
"""The mix has two bytes for their number."""
_TELL_SEATS = ("table.settings_chosen", "table.started")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(slots=True)
class Chance:
    """What the log tells of an epoch's chance; ``doubt`` says why ``seed`` and ``key`` are not there.

    ``since`` is the position of its ``commit``, ``until`` that of the next epoch's, if there is one.
    """

    epoch: int
    since: int
    commit: str | None
    until: int | None = None
    seed: bytes = b""
    key: bytes = b""
    entropy: Entropy = field(default_factory=lambda: Entropy([]))
    doubt: str | None = None
    findings: list[Finding] = field(default_factory=list)

    def covers(self, position: int) -> bool:
        """Whether the event at a position belongs to the epoch."""
        return self.since <= position and (self.until is None or position < self.until)


def examine(tid: bytes, headers: Sequence[Header], seeds: Mapping[int, bytes]) -> list[Chance]:
    """Return every epoch with the key of its draws.

    Checked are commitments, what players reveal, and the numbers of draws.

    A seed is taken from ``seeds`` or from the log, whichever fits the commitment.
    """
    chances, revealed = _epochs(headers)
    policy, seats = policy_of(headers), _seats(headers)
    for chance in chances:
        if headers and (chance.commit is None or not _HASH.fullmatch(chance.commit)):
            chance.findings.append(Finding(chance.since, "the commitment to the seed is no hash"))
        known = [(chance.since, seeds[chance.epoch])] if chance.epoch in seeds else []
        _find_seed(tid, chance, known + revealed[chance.epoch])
        has_lied = bool(chance.findings)
        chance.entropy = Entropy([None] * seats)
        if policy in entropy.POLICIES:
            own = [each for each in headers if chance.covers(each.seq)]
            chance.entropy = entropy.gathered(tid, chance.epoch, own, seats, chance.findings)
        whose = f" of epoch {chance.epoch}" if len(chances) > 1 else ""
        if headers and policy not in ("server", entropy.CHOSEN, *entropy.POLICIES):
            chance.doubt = f"seeds of the policy {policy!r} are not known to this verifier"
        elif not chance.seed:
            why = "no seed fits the commitment" if has_lied else "the seed{} is not published yet"
            chance.doubt = why.format(whose)
        else:
            mixed = canonical.NO_TABLE if policy == entropy.CHOSEN else tid
            chance.key = canonical.stream_key(mixed, chance.epoch, chance.seed, chance.entropy.values)
    return chances


def policy_of(headers: Sequence[Header]) -> str:
    """Return who has a part in the chance of a table, as its genesis tells."""
    return (_text(headers[0], "seed_policy") if headers else None) or ""


def _epochs(headers: Sequence[Header]) -> tuple[list[Chance], list[list[tuple[int, bytes]]]]:
    """Return the epochs, and for each the seeds published of it with their positions."""
    chances = [Chance(0, 1, _text(headers[0], "seed_commit") if headers else None)]
    revealed: list[list[tuple[int, bytes]]] = [[]]
    following = 0  # the number of the next draw
    for header in headers:
        chance, epoch = chances[-1], header.public.get("epoch")
        if header.type == EPOCH_OPENED:
            chance.until = header.seq
            chance = Chance(len(chances), header.seq, _text(header, "seed_commit"))
            if type(epoch) is not int or epoch != chance.epoch:
                chance.findings.append(Finding(header.seq, f"epoch {epoch} opens, {chance.epoch} is next"))
            chances.append(chance)
            revealed.append([])
            following = 0
        elif header.type == SEED_REVEALED:
            if type(epoch) is int and 0 <= epoch < len(chances):
                revealed[epoch].append((header.seq, _unhex(_text(header, "seed"))))
            else:
                chance.findings.append(Finding(header.seq, f"the seed of epoch {epoch}, which is not open"))
        for n, label in header.draws:
            if n != following:
                what = f"draw {n} ({label}) stands where {following} should"
                chance.findings.append(Finding(header.seq, what))
            following = n + 1
    return chances, revealed


def _find_seed(tid: bytes, chance: Chance, candidates: Sequence[tuple[int, bytes]]) -> None:
    """Take the seed that fits the commitment; any other is blamed on its position."""
    for position, seed in candidates:
        if len(seed) == 32 and canonical.seed_commit(tid, chance.epoch, seed).hex() == chance.commit:
            chance.seed = seed
        else:
            whose = "known here" if position == chance.since else "published"
            chance.findings.append(Finding(position, f"the seed {whose} does not fit the commitment"))


def _seats(headers: Sequence[Header]) -> int:
    """Return the number of seats that the mix counts: the start names them, and the settings before it."""
    told = {header.type: header.public.get("seats") for header in headers if header.type in _TELL_SEATS}
    seats = told.get("table.started", told.get("table.settings_chosen"))
    if isinstance(seats, list):
        return len(seats)
    return seats if type(seats) is int and 0 <= seats <= MOST_SEATS else 0


def _text(header: Header, name: str) -> str | None:
    value = header.public.get(name)
    return value if isinstance(value, str) else None


def _unhex(text: str | None) -> bytes:
    try:
        return bytes.fromhex(text or "")
    except ValueError:
        return b""
