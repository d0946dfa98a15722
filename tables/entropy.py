"""What players add to the chance of a game, seat by seat: sealed first, then shown.  Pure.

Everybody commits before anybody reveals, and the server has committed to its seed before both; so who
sees what the others have added can change nothing any more, but for keeping silent, which shows.
Source: transcript format ``ttx v1``, Randomness.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from tables.clock import DAY_MS
from tables.messages import Clock, EntropyAsked, EntropyCommitted, EntropyRevealed, SeatingClosed

SERVER, PLAYERS, STRICT = "server", "players", "players_strict"
CHOSEN = "chosen"
"""The policy of a sandbox: whoever opened it may have chosen the seed, so its chance proves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entropy:
    """What the seats have added to the chance of an epoch, in hex; empty where there is nothing.

    ``until`` is when the time for commitments, or once ``is_closed`` for reveals, is over; None while
    nobody is asked.  ``seats`` are those whose reveals are in the mix, or missing in it.
    """

    commits: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()
    until: int | None = None
    is_closed: bool = False

    def mixed(self) -> list[bytes | None]:
        """Return what goes into the mix, an entry a seat, None where it is missing."""
        return [bytes.fromhex(each) if each else None for each in self.values]

    def uncommitted(self, persons: Collection[int]) -> tuple[int, ...]:
        """Return those of ``persons`` that have not committed."""
        return tuple(seat for seat in persons if not self.commits[seat])

    def unrevealed(self, persons: Collection[int]) -> tuple[int, ...]:
        """Return those of ``persons`` whose reveal is still waited for."""
        return tuple(seat for seat in self.seats if seat in persons and not self.values[seat])

    def missing(self) -> tuple[int, ...]:
        """Return the seats that have added nothing."""
        return tuple(seat for seat, value in enumerate(self.values) if not value)

    def without(self, seat: int) -> Entropy:
        """Return it without the commitment of a holder who is gone; once closed it stands, unrevealed."""
        if self.is_closed:
            return self
        return replace(self, commits=_with(self.commits, seat, ""))

    def after(self, event: EntropyAsked | EntropyCommitted | SeatingClosed | EntropyRevealed) -> Entropy:
        """Return it after an event."""
        match event:
            case EntropyAsked(until=until):
                return replace(self, until=until)
            case EntropyCommitted(seat=seat, commit=commit):
                return replace(self, commits=_with(self.commits, seat, commit))
            case SeatingClosed(seats=seats, until=until):
                return replace(self, seats=seats, until=until, is_closed=True)
            case EntropyRevealed(seat=seat, entropy=entropy):
                return replace(self, values=_with(self.values, seat, entropy))


NO_ENTROPY = Entropy()


def is_added(fairness: str) -> bool:
    """Tell whether players add to the chance of a table."""
    return fairness in (PLAYERS, STRICT)


def nothing(seats: int) -> Entropy:
    """Return what there is before anybody has committed."""
    return Entropy(commits=("",) * seats, values=("",) * seats)


def span(clock: Clock) -> int:
    """Return how long, in milliseconds, commitments and then reveals are waited for.

    As long as a turn or a bank at first lasts, a day at most.
    """
    seconds = clock.seconds or clock.initial
    return DAY_MS if seconds is None else min(DAY_MS, seconds * 1000)


def _with(all_: tuple[str, ...], seat: int, value: str) -> tuple[str, ...]:
    return (*all_[:seat], value, *all_[seat + 1 :])
