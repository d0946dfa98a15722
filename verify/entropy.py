"""What players have added to the chance of an epoch: all commitments, then all reveals, then the first draw.

Source: transcript format ``ttx v1``, Randomness, and Offline verification, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from events import canonical
from events.audit import Finding
from events.codec import Header

POLICIES = ("players", "players_strict")
"""Those under which players add to chance."""
_VOID = ("seat_left", "seat_replaced", "seat_abandoned")
"""Before the closing, the commitment of the seat goes with its holder."""
CHOSEN = "chosen"
"""That of a sandbox: whoever opened it may have chosen the seed."""


@dataclass(slots=True)
class Entropy:
    """What went into the mix of an epoch, by seat; None where a seat added nothing.

    ``withheld`` are the seats that committed, and whose reveal is not there.
    """

    values: list[bytes | None]
    withheld: list[int] = field(default_factory=list)

    @property
    def present(self) -> list[int]:
        """The seats that have a part in the chance, ascending."""
        return [seat for seat, value in enumerate(self.values) if value is not None]

    @property
    def missing(self) -> list[int]:
        """The seats that have none, ascending."""
        return [seat for seat, value in enumerate(self.values) if value is None]


class _Gathering:
    """The commitments and reveals of an epoch, as they come."""

    def __init__(self, tid: bytes, epoch: int, seats: int, findings: list[Finding]) -> None:
        self._tid, self._epoch, self._seats, self._findings = tid, epoch, seats, findings
        self._commits: dict[int, Any] = {}
        self._values: dict[int, bytes] = {}
        self._closed: list[Any] | None = None
        self._told_missing: set[int] = set()
        self._has_drawn = False

    def take(self, header: Header) -> None:
        """Take an event in, and note what is wrong with it."""
        public, seat = header.public, header.public.get("seat")
        name = header.type.removeprefix("table.")
        if name in _VOID and self._closed is None:
            self._commits.pop(_number(seat), None)
        why = None
        if name in ("entropy_committed", "seating_closed", "entropy_revealed", "entropy_missing"):
            why = getattr(self, f"_{name}")(public)
            if _number(public.get("epoch")) != self._epoch:
                why = f"{header.type} of epoch {public.get('epoch')}, {self._epoch} is open"
            elif self._has_drawn:
                why = f"{header.type} behind the first draw"
        elif header.draws and not self._has_drawn:
            self._has_drawn, why = True, self._why_no_draw()
        if why is not None:
            self._findings.append(Finding(header.seq, why))

    def result(self) -> Entropy:
        """Return what there is."""
        values = [self._values.get(seat) for seat in range(self._seats)]
        withheld = [each for each in self._closed or () if values[each : each + 1] == [None]]
        return Entropy(values, withheld)

    def _entropy_committed(self, public: dict[str, Any]) -> str | None:
        seat = _number(public.get("seat"))
        if self._closed is not None:
            return f"seat {seat} commits after seating was closed"
        if seat in self._commits:
            return f"seat {seat} commits twice"
        self._commits[seat] = public.get("commit")
        return None

    def _seating_closed(self, public: dict[str, Any]) -> str | None:
        if self._closed is not None:
            return "seating is closed twice"
        told = public.get("seats")
        self._closed = sorted({_number(each) for each in told}) if isinstance(told, list) else []
        stand = sorted(self._commits)
        return None if self._closed == stand else f"the commitments of the seats {stand} stand"

    def _entropy_revealed(self, public: dict[str, Any]) -> str | None:
        seat = _number(public.get("seat"))
        if self._closed is None:
            return f"seat {seat} reveals before seating was closed"
        if seat not in self._closed or seat in self._values:
            return f"seat {seat} reveals twice, or has not committed"
        value = _unhex(public.get("entropy"))
        if len(value) != 32 or self._commit(seat, value) != self._commits.get(seat):
            return f"what seat {seat} reveals does not fit its commitment"
        self._values[seat] = value
        return None

    def _entropy_missing(self, public: dict[str, Any]) -> str | None:
        told = public.get("seats")
        self._told_missing = {_number(each) for each in told} if isinstance(told, list) else set()
        return None

    def _why_no_draw(self) -> str | None:
        if self._closed is None:
            return "the first draw, before seating was closed"
        absent = {seat for seat in range(self._seats) if seat not in self._values}
        if absent == self._told_missing:
            return None
        return f"the entropy of the seats {sorted(absent)} is missing, and the log says otherwise"

    def _commit(self, seat: int, value: bytes) -> str | None:
        if not 0 <= seat < self._seats:
            return None
        return canonical.entropy_commit(self._tid, self._epoch, seat, value).hex()


def gathered(
    tid: bytes, epoch: int, headers: Sequence[Header], seats: int, findings: list[Finding]
) -> Entropy:
    """Return what players added to the chance of an epoch, of which these are the headers.

    What is wrong is noted in ``findings``.
    """
    gathering = _Gathering(tid, epoch, seats, findings)
    for header in headers:
        gathering.take(header)
    return gathering.result()


def words(policy: str, epoch: int, given: Entropy) -> list[str]:
    """Return whose chance it was, of an epoch whose draws are proved, in lines."""
    if not given.present:
        when = "that game began" if epoch else "anyone sat down"
        alone = f"every draw follows from a seed that the server fixed before {when}"
        return [alone if policy == "server" else f"{alone}; no seat added anything"]
    added = _seats(given.present)
    told = [
        f"every draw follows from the server's seed and what {added} added, all sealed before any was shown"
    ]
    if given.withheld:
        who = _seats(given.withheld)
        told.append(
            f"{who} sealed something and did not show it, or was not heard: who knew the seed may have"
        )
        told.append("chosen that, and could steer no further without all of the others")
    else:
        told.append(f"nobody could steer it but the server and {added} together")
    if nothing := [seat for seat in given.missing if seat not in given.withheld]:
        told.append(f"{_seats(nothing)} added nothing")
    return told


def _seats(seats: Sequence[int]) -> str:
    *first, last = map(str, seats)
    return f"seats {', '.join(first)} and {last}" if first else f"seat {last}"


def _number(value: Any) -> int:
    return value if type(value) is int else -1


def _unhex(value: Any) -> bytes:
    try:
        return bytes.fromhex(value) if isinstance(value, str) and value == value.lower() else b""
    except ValueError:
        return b""
