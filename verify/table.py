"""A table beside its game, as the headers of its log tell it, of which its own events say more.

It knows seats, turns, clocks and votes, and no rule of a game.  It reads the public part of headers
alone, so it shares no code with the server that wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from events.codec import Header

DAY_MS = 86_400_000
FOLLOWS = {
    "pause": "clock.paused",
    "resume": "clock.resumed",
    "extend": "clock.time_added",
    "remove": "table.seat_abandoned",
    "adjudicate": "table.finished",
    "annul": "table.finished",
}
"""What a ruling is followed by."""


@dataclass(slots=True)
class Table:
    """A table after some event.

    ``status`` is ``between`` from the opening of an epoch to the reveal of the last one's seed;
    ``turn`` is 0 before the start; ``drawn`` counts the draws of the epoch so far.  ``clocks`` tells
    what each awaited seat had left at ``clocked_at``, ``lapsed`` whose time has run out since,
    ``moved`` who has moved in the open turn, and perhaps is awaited no more;
    ``returns`` how often the holder of a seat has come back to it;
    ``passed`` is a motion that was carried by the event before, ``dropped`` the seat of one that is over
    because another gets the seat.  ``is_stale``: something has changed the clocks, which must be set anew;
    ``may_reset``: something has happened behind which they may, within a turn.
    ``known`` are the pseudonyms given so far, ``missing`` the seats that have not said to be there.
    Of what players add to chance: ``committed`` and ``revealed`` are seats, ``contributors`` those of the
    closed seating, ``entropy_until`` when the time is over; ``full_at`` when the table first asked for it.
    ``is_break``: it is asked for between two games; ``owes`` what must come next for it, and ``gave_up``
    that there will be no game without it.
    ``ruling`` is the event before, if it was one; ``made_good`` since when a suspension is to be made good.
    """

    status: str = "new"
    policy: str = "server"
    settings: dict[str, Any] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    bots: dict[int, str | None] = field(default_factory=dict)
    abandoned: set[int] = field(default_factory=set)
    opened_at: int = 0
    presence: set[int] | None = None
    presence_until: int = 0
    turn: int = 0
    deadline_at: int | None = None
    clocks: dict[int, int] = field(default_factory=dict)
    clocked_at: int = 0
    banks: list[int] = field(default_factory=list)
    lapsed: set[int] = field(default_factory=set)
    pauses: list[dict[str, Any]] = field(default_factory=list)
    moved: set[int] = field(default_factory=set)
    strikes: dict[int, int] = field(default_factory=dict)
    returns: dict[int, int] = field(default_factory=dict)
    seeking: set[int] = field(default_factory=set)
    vote: dict[str, Any] | None = None
    votes: int = 0
    ayes: set[int] = field(default_factory=set)
    noes: set[int] = field(default_factory=set)
    passed: dict[str, Any] | None = None
    dropped: int | None = None
    is_stale: bool = False
    may_reset: bool = False
    known: set[str] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)
    suspended_at: int | None = None
    made_good: int | None = None
    arbiter: str | None = None
    ruling: dict[str, Any] | None = None
    ruled_at: int = 0
    credited_until: int = 0
    moved_at: int = 0
    epoch: int = 0
    drawn: int = 0
    committed: set[int] = field(default_factory=set)
    revealed: set[int] = field(default_factory=set)
    contributors: set[int] | None = None
    entropy_until: int | None = None
    full_at: int | None = None
    is_break: bool = False
    owes: tuple[str, ...] = ()
    gave_up: bool = False

    def vote_about(self, seat: int) -> int | None:
        """Return the number of the open vote to replace the holder of a seat."""
        if self.vote is None or (self.vote["motion"], self.vote["seat"]) != ("replace", seat):
            return None
        number: int = self.vote["vote"]
        return number

    def note_move(self, header: Header) -> str | None:
        """Return why a move cannot be, or None."""
        seat = header.public["seat"]
        if self.status != "playing":
            return f"a move while the table is {self.status}"
        if seat not in self.holders:
            return f"a move of seat {seat}, which nobody has taken"
        self.moved.add(seat)
        if header.actor == "table":
            return None
        if self.suspended_at is not None:
            return "a move while the table is suspended"
        if (owed := self.owed) is not None:
            return f"a move, where {' or '.join(owed)} should follow"
        if header.actor != f"seat:{seat}":
            return f"{header.actor} moves for seat {seat}"
        if seat in self.abandoned:
            return f"seat {seat} moves after it was left for good"
        self.moved_at = header.at
        if self.bots.get(seat) is None:
            self.strikes[seat] = 0
            self.seeking.discard(seat)
        return self.why_late(header)

    def why_late(self, header: Header) -> str | None:
        """Return how an act of a seat comes after its time, or None: the expiry must come first."""
        if self.deadline_at is None or header.at < self.deadline_at or self.suspended_at is not None:
            return None
        return f"{header.actor} acts at {header.at}, the turn has expired at {self.deadline_at}"

    @property
    def owed(self) -> tuple[str, ...] | None:
        """What must come next.

        What was ruled; the decision of a vote that is clear, what it has carried, clocks set anew, what
        entropy leads to.
        """
        if self.ruling is not None:
            return (FOLLOWS[self.ruling["ruling"]],)
        if self.made_good is not None:
            return ("clock.deadline_extended",)
        if self.vote and (len(self.ayes) >= self.vote["needed"] or self.is_lost(self.vote)):
            return ("table.vote_decided",)
        if self.dropped is not None:
            return ("table.seat_replaced",)
        if self.is_stale and self.status == "playing":
            return ("clock.deadline_set", "clock.paused", "clock.resumed")
        if self.owes:
            return self.owes
        if self.passed is None:
            return None
        if self.passed["motion"] == "replace" and self.passed["seat"] not in self.persons():
            return None
        return (
            {"abandon": "table.finished", "pause": "clock.paused"}.get(
                self.passed["motion"], "table.seat_replaced"
            ),
        )

    def drop_entropy(self, seat: int) -> None:
        """Forget what a holder who is gone has committed to; behind the closing it stays missing."""
        if self.contributors is None:
            self.committed.discard(seat)

    def persons(self) -> set[int]:
        """Return the seats that persons hold and have not left for good."""
        return {seat for seat in self.holders if self.bots.get(seat) is None} - self.abandoned

    def absentees(self, seats: Iterable[int]) -> list[int]:
        """Return those of the seats whose time-outs in a row make the table's rule decide, ascending."""
        most = self.settings["max_timeouts"]
        late = {seat for seat in seats if self.strikes.get(seat, 0) >= most} & self.persons()
        return sorted(late - self.seeking if self.settings["absentee"] == "open" else late)

    def stopped(self, seat: int, since: int, until: int) -> int:
        """Return for how long of a span the clock of a seat stood still."""
        spans = sorted(
            (max(since, each["since"]), min(until, each["until"]))
            for each in self.pauses
            if each["seat"] in (None, seat)
        )
        total, reached = 0, since
        for begins, ends in spans:
            total += max(0, ends - max(begins, reached))
            reached = max(reached, ends)
        return total

    def left(self, seat: int, at: int) -> int:
        """Return what the clock of an awaited seat has left at a moment."""
        ran = at - self.clocked_at - self.stopped(seat, self.clocked_at, at)
        return max(0, self.clocks[seat] - max(0, ran))

    def is_lost(self, vote: dict[str, Any]) -> bool:
        most: int = len(vote["seats"]) - vote["needed"]
        return len(self.noes) > most
