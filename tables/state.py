"""What the events of a table make of it: data, and small questions about it.

Times are milliseconds of database time.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.base import Outcome
from tables import entropy
from tables.clock import DAY_MS, Span
from tables.entropy import NO_ENTROPY, Entropy
from tables.messages import SeatTime, SettingsChosen, VoteCalled

LOBBY_MS = 7 * DAY_MS
"""How long a table may wait for players."""
IDLE_MS = 180 * DAY_MS
"""A game without deadlines is over after so long without a move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a seat; ``bot`` is empty for a person."""

    pseudonym: str
    bot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time in which the clock of a seat, or (None) of everybody, stands still."""

    reason: str
    seat: int | None
    since: int
    until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The question whether everybody is there: until when it stands, who has answered."""

    until: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """An open vote, and the seats for and against."""

    called: VoteCalled
    ayes: tuple[int, ...]
    noes: tuple[int, ...] = ()

    @property
    def verdict(self) -> bool | None:
        """Whether the motion has passed; None while both are possible."""
        if len(self.ayes) >= self.called.needed:
            return True
        return False if len(self.noes) > len(self.called.seats) - self.called.needed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """A table as its events tell it, but for the state of its game.

    ``abandoned`` are the seats left for good, ``drawn`` the draws that the epoch has used, ``at`` the
    time of the last event, ``moved_at`` that of the last move.  ``clocks`` are as they were at
    ``clocked_at``; ``lapsed`` the seats whose time has run out since.  ``strikes`` counts for each
    seat the turns in a row that ran out, ``returns`` how often its holder has come back, ``seeking`` are
    the seats that others may take over; outages up to ``credited_until`` have been made good.
    ``suspended_at`` is since when it is suspended, by the log.  ``is_dealing`` from the beginning of a game
    to its first turn.  ``fairness`` says whether players add ``entropy`` to the chance of an epoch.
    """

    status: str = "open"
    fairness: str = entropy.SERVER
    entropy: Entropy = NO_ENTROPY
    settings: SettingsChosen | None = None
    holders: tuple[Holder | None, ...] = ()
    abandoned: tuple[int, ...] = ()
    opened_at: int = 0
    presence: Presence | None = None
    turn: int = 0
    deadline_at: int | None = None
    clocks: tuple[SeatTime, ...] = ()
    clocked_at: int = 0
    banks: tuple[int, ...] = ()
    lapsed: tuple[int, ...] = ()
    pauses: tuple[Pause, ...] = ()
    credited_until: int = 0
    suspended_at: int | None = None
    strikes: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    seeking: tuple[int, ...] = ()
    vote: Vote | None = None
    votes: int = 0
    moved_at: int = 0
    epoch: int = 0
    drawn: int = 0
    is_dealing: bool = False
    at: int = 0
    outcome: Outcome | None = None

    @property
    def due_at(self) -> int | None:
        """When time brings something about next: what, ``expiry`` knows."""
        if self.status == "open" and self.settings:
            if self.entropy.until is not None:
                return self.entropy.until
            return self.presence.until if self.presence else self.opened_at + LOBBY_MS
        if self.status != "playing" or self.settings is None:
            return None
        idle = self.moved_at + IDLE_MS if self.settings.clock.kind == "none" else None
        vote = self.vote.called.until if self.vote else None
        ends = (self.deadline_at, vote, idle, self.entropy.until)
        return min((each for each in ends if each is not None), default=None)

    @property
    def is_over(self) -> bool:
        """Whether nothing happens here any more: its game has ended, or it was closed without one."""
        return self.status not in ("open", "playing")

    @property
    def is_gathering(self) -> bool:
        """Whether a game waits for what its players add to its chance."""
        return self.entropy.until is not None

    def free_seats(self) -> list[int]:
        """Return the seats that nobody holds, ascending."""
        return [seat for seat, holder in enumerate(self.holders) if holder is None]

    def persons(self) -> list[int]:
        """Return the seats that a person holds and has not left for good, ascending."""
        held = (seat for seat, holder in enumerate(self.holders) if holder and not holder.bot)
        return [seat for seat in held if seat not in self.abandoned]

    def stops(self, seat: int) -> list[Span]:
        """Return when the clock of a seat stands still."""
        return [(each.since, each.until) for each in self.pauses if each.seat in (None, seat)]
