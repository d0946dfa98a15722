"""A table beside its game, as the headers of its log tell it, and what its own events may say.

It knows seats, turns and deadlines, and no rule of a game.  It reads the public part of headers
alone, so it shares no code with the server that wrote them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from events.codec import Header


@dataclass(slots=True)
class Table:
    """A table after some event.

    ``status`` is ``between`` from the opening of an epoch to the reveal of the last one's seed;
    ``turn`` is 0 before the start; ``drawn`` counts the draws of the epoch so far.
    """

    status: str = "new"
    settings: dict[str, Any] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    abandoned: set[int] = field(default_factory=set)
    turn: int = 0
    deadline_at: int | None = None
    epoch: int = 0
    drawn: int = 0

    def note(self, header: Header) -> str | None:
        """Take an event of ``TYPES`` in; return why it cannot be, or None."""
        statuses, note = TYPES[header.type]
        if self.status not in statuses:
            return f"{header.type} while the table is {self.status}"
        return note(self, header)

    def note_move(self, header: Header) -> str | None:
        """Return why a move cannot be, or None."""
        seat = header.public["seat"]
        if self.status != "playing":
            return f"a move while the table is {self.status}"
        if seat not in self.holders:
            return f"a move of seat {seat}, which nobody has taken"
        if header.actor == "table":
            return None
        if header.actor != f"seat:{seat}":
            return f"{header.actor} moves for seat {seat}"
        if seat in self.abandoned:
            return f"seat {seat} moves after it was left for good"
        return self.why_late(header)

    def why_late(self, header: Header) -> str | None:
        """Return how an act of a seat comes after its time, or None: the expiry must come first."""
        if self.deadline_at is None or header.at < self.deadline_at:
            return None
        return f"{header.actor} acts at {header.at}, the turn has expired at {self.deadline_at}"


def _opened(table: Table, _header: Header) -> str | None:
    table.status = "open"
    return None


def _settings_chosen(table: Table, header: Header) -> str | None:
    table.settings = header.public
    return None


def _seat_taken(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    if seat in table.holders or not 0 <= seat < table.settings["seats"]:
        return f"seat {seat} is not free"
    table.holders[seat] = header.public["holder"]
    return None


def _seat_left(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    return None if table.holders.pop(seat, None) is not None else f"nobody holds seat {seat}"


def _closed(table: Table, _header: Header) -> str | None:
    table.status = "closed"
    return None


def _started(table: Table, header: Header) -> str | None:
    public = header.public
    table.status = "playing"
    for name in ("game", "rules_version", "options"):
        if public[name] != table.settings[name]:
            return f"it starts with another {name} than was chosen"
    seats = table.settings["seats"]
    if len(table.holders) != seats or public["seats"] != [table.holders[seat] for seat in range(seats)]:
        return "it starts with others than those who sit there"
    return None


def _seat_abandoned(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    if seat in table.abandoned or seat not in table.holders:
        return f"seat {seat} cannot be left"
    table.abandoned.add(seat)
    return table.why_late(header) if header.public["reason"] == "resigned" else None


def _finished(table: Table, _header: Header) -> str | None:
    table.status, table.deadline_at = "finished", None
    return None


def _epoch_opened(table: Table, header: Header) -> str | None:
    table.status, table.drawn = "between", 0
    table.epoch += 1
    epoch = header.public["epoch"]
    return None if epoch == table.epoch else f"epoch {epoch} opens, {table.epoch} is next"


def _seed_revealed(table: Table, header: Header) -> str | None:
    """The seed of the epoch that is over: the one before, between two games of a series."""
    over = table.epoch - (table.status == "between")
    table.status = "playing" if table.status == "between" else "over"
    epoch = header.public["epoch"]
    return None if epoch == over else f"the seed of epoch {epoch} is revealed, epoch {over} is over"


def _deadline_set(table: Table, header: Header) -> str | None:
    """Clocks may give more time than was chosen (quiet hours), never less."""
    table.turn, table.deadline_at = header.public["turn"], header.public["deadline_at"]
    seconds, due = table.settings["clock_seconds"], table.deadline_at
    if (due is None) != (seconds is None):
        return "its deadline does not fit the clock that was chosen"
    if due is not None and due < header.at + seconds * 1000:
        return "the turn is shorter than the clock that was chosen"
    return None


def _expired(table: Table, header: Header) -> str | None:
    turn, due = header.public["turn"], header.public["deadline_at"]
    if (turn, due) != (table.turn, table.deadline_at) or due is None:
        return f"turn {turn} with deadline {due} expires, turn {table.turn} with {table.deadline_at} is open"
    if not due <= header.public["decided_at"] <= header.at:
        return "it expires before its deadline, or before that was seen"
    return None


_Note = Callable[[Table, Header], str | None]

TYPES: dict[str, tuple[tuple[str, ...], _Note]] = {
    "table.opened": (("new",), _opened),
    "table.settings_chosen": (("open",), _settings_chosen),
    "table.seat_taken": (("open",), _seat_taken),
    "table.seat_left": (("open",), _seat_left),
    "table.closed": (("open",), _closed),
    "table.started": (("open",), _started),
    "table.seat_abandoned": (("playing",), _seat_abandoned),
    "table.finished": (("playing",), _finished),
    "table.epoch_opened": (("playing",), _epoch_opened),
    "table.seed_revealed": (("between", "finished"), _seed_revealed),
    "clock.deadline_set": (("playing",), _deadline_set),
    "clock.expired": (("playing",), _expired),
}
"""The closed list of a table's own events, moves aside: when each may come, and what it does."""
