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
    """A table after some event.  ``turn`` is 0 before the start; ``drawn`` counts the draws so far."""

    status: str = "new"
    settings: dict[str, Any] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    abandoned: set[int] = field(default_factory=set)
    turn: int = 0
    deadline_at: int | None = None
    drawn: int = 0

    def note(self, header: Header) -> str | None:
        """Take an event of ``TYPES`` in; return why it cannot be, or None."""
        status, note = TYPES[header.type]
        if self.status != status:
            return f"{header.type} while the table is {self.status}"
        return note(self, header.public, header.at)


def _opened(table: Table, _public: dict[str, Any], _at: int) -> str | None:
    table.status = "open"
    return None


def _settings_chosen(table: Table, public: dict[str, Any], _at: int) -> str | None:
    table.settings = public
    return None


def _seat_taken(table: Table, public: dict[str, Any], _at: int) -> str | None:
    seat = public["seat"]
    if seat in table.holders or not 0 <= seat < table.settings["seats"]:
        return f"seat {seat} is not free"
    table.holders[seat] = public["holder"]
    return None


def _seat_left(table: Table, public: dict[str, Any], _at: int) -> str | None:
    seat = public["seat"]
    return None if table.holders.pop(seat, None) is not None else f"nobody holds seat {seat}"


def _closed(table: Table, _public: dict[str, Any], _at: int) -> str | None:
    table.status = "closed"
    return None


def _started(table: Table, public: dict[str, Any], _at: int) -> str | None:
    table.status = "playing"
    for name in ("game", "rules_version", "options"):
        if public[name] != table.settings[name]:
            return f"it starts with another {name} than was chosen"
    seats = table.settings["seats"]
    if len(table.holders) != seats or public["seats"] != [table.holders[seat] for seat in range(seats)]:
        return "it starts with others than those who sit there"
    return None


def _seat_abandoned(table: Table, public: dict[str, Any], _at: int) -> str | None:
    seat = public["seat"]
    if seat in table.abandoned or seat not in table.holders:
        return f"seat {seat} cannot be left"
    table.abandoned.add(seat)
    return None


def _finished(table: Table, _public: dict[str, Any], _at: int) -> str | None:
    table.status, table.deadline_at = "finished", None
    return None


def _seed_revealed(table: Table, _public: dict[str, Any], _at: int) -> str | None:
    table.status = "over"
    return None


def _deadline_set(table: Table, public: dict[str, Any], at: int) -> str | None:
    """Clocks may give more time than was chosen (quiet hours), never less."""
    table.turn, table.deadline_at = public["turn"], public["deadline_at"]
    seconds, due = table.settings["clock_seconds"], table.deadline_at
    if (due is None) != (seconds is None):
        return "its deadline does not fit the clock that was chosen"
    if due is not None and due < at + seconds * 1000:
        return "the turn is shorter than the clock that was chosen"
    return None


def _expired(table: Table, public: dict[str, Any], at: int) -> str | None:
    turn, due = public["turn"], public["deadline_at"]
    if (turn, due) != (table.turn, table.deadline_at) or due is None:
        return f"turn {turn} with deadline {due} expires, turn {table.turn} with {table.deadline_at} is open"
    if not due <= public["decided_at"] <= at:
        return "it expires before its deadline, or before that was seen"
    return None


TYPES: dict[str, tuple[str, Callable[[Table, dict[str, Any], int], str | None]]] = {
    "table.opened": ("new", _opened),
    "table.settings_chosen": ("open", _settings_chosen),
    "table.seat_taken": ("open", _seat_taken),
    "table.seat_left": ("open", _seat_left),
    "table.closed": ("open", _closed),
    "table.started": ("open", _started),
    "table.seat_abandoned": ("playing", _seat_abandoned),
    "table.finished": ("playing", _finished),
    "table.seed_revealed": ("finished", _seed_revealed),
    "clock.deadline_set": ("playing", _deadline_set),
    "clock.expired": ("playing", _expired),
}
"""The closed list of a table's own events, moves aside: when each may come, and what it does."""
