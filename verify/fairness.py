"""Whether all chance follows from the seed that the log commits to.

Source: transcript format ``ttx v1``, Randomness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from events import canonical
from events.audit import Finding
from events.codec import Header

EPOCH = 0
"""A table plays one game so far."""


@dataclass(slots=True)
class Chance:
    """What the log tells of an epoch's chance; ``doubt`` says why ``seed`` and ``key`` are not there."""

    seed: bytes = b""
    key: bytes = b""
    doubt: str | None = None
    findings: list[Finding] = field(default_factory=list)


def examine(tid: bytes, headers: Sequence[Header], seeds: Mapping[int, bytes]) -> Chance:
    """Return the key of all draws; checked are the commitment and the numbers of the draws.

    A seed is taken from ``seeds`` or from the log, whichever fits the commitment.
    """
    chance = Chance(findings=_check_numbers(headers))
    commit = _text(headers[0], "seed_commit") if headers else None
    fitting = None
    for position, seed in _candidates(headers, seeds):
        if len(seed) == 32 and canonical.seed_commit(tid, EPOCH, seed).hex() == commit:
            fitting = seed
        else:
            whose = "known here" if position == 1 else "published"
            chance.findings.append(Finding(position, f"the seed {whose} does not fit the commitment"))
    if headers and (policy := _text(headers[0], "seed_policy")) != "server":
        chance.doubt = f"seeds of the policy {policy!r} are not known to this verifier"
    elif fitting is None:
        chance.doubt = "no seed fits the commitment" if chance.findings else "the seed is not published yet"
    else:
        chance.seed = fitting
        chance.key = canonical.stream_key(tid, EPOCH, fitting, [None] * _seats(headers))
    return chance


def _candidates(headers: Sequence[Header], seeds: Mapping[int, bytes]) -> list[tuple[int, bytes]]:
    """Return every seed of the epoch with the position to blame if it is wrong."""
    published = [header for header in headers if header.type == "table.seed_revealed"]
    return [
        *([(1, seeds[EPOCH])] if EPOCH in seeds else []),
        *((header.seq, _unhex(_text(header, "seed"))) for header in published),
    ]


def _check_numbers(headers: Sequence[Header]) -> list[Finding]:
    """Return the draws that are not numbered 0, 1, 2 ... through the epoch."""
    findings, following = [], 0
    for header in headers:
        for n, label in header.draws:
            if n != following:
                findings.append(Finding(header.seq, f"draw {n} ({label}) stands where {following} should"))
            following = n + 1
    return findings


def _seats(headers: Sequence[Header]) -> int:
    """Return the number of seats that the mix counts; the start names them."""
    started = next((header for header in headers if header.type == "table.started"), None)
    seats = started.public.get("seats") if started else None
    return len(seats) if isinstance(seats, list) else 0


def _text(header: Header, name: str) -> str | None:
    value = header.public.get(name)
    return value if isinstance(value, str) else None


def _unhex(text: str | None) -> bytes:
    try:
        return bytes.fromhex(text or "")
    except ValueError:
        return b""
