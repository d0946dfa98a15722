"""Reads from the database what the checker judges: effects of calls, decisions of turns, hashes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
from django.db import connection

from faults.checker import Decision, Effect
from faults.players import move_mark

_EVENTS = """
SELECT substr(stream, 7), position, type, at, encode(hash, 'hex'), header FROM events_event
WHERE starts_with(stream, 'table-') ORDER BY stream, position
"""
_OPENED = "SELECT title FROM tables_table WHERE title <> ''"
_PLAYERS = "SELECT pseudonym, player_id::text FROM tables_tenure WHERE player_id IS NOT NULL"


@dataclass(slots=True)
class Evidence:
    """All that the log of an installation says about the calls and turns of a run."""

    effects: list[Effect] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    heads: dict[tuple[str, int], str] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)


def collect(*, prepared: set[str]) -> Evidence:
    """Read everything; the rig itself, not a player, has opened the tables of ``prepared``."""
    found = Evidence()
    with connection.cursor() as cursor:
        cursor.execute(_PLAYERS)
        reading = _Reading(found, players=dict(cursor.fetchall()), prepared=prepared)
        cursor.execute(_EVENTS)
        for table, position, kind, at, head, header in cursor.fetchall():
            found.heads[table, position] = head
            found.tables.add(table)
            reading.take(table, position, kind, at, orjson.loads(bytes(header)))
        cursor.execute(_OPENED)
        found.effects += [
            Effect(kind="open", table="", mark=title, position=1) for (title,) in cursor.fetchall()
        ]
    return found


class _Reading:
    """Follows each table through its log: which seats are bots', which turn is open until when."""

    def __init__(self, found: Evidence, *, players: dict[str, str], prepared: set[str]) -> None:
        self._found, self._players, self._prepared = found, players, prepared
        self._bots: set[tuple[str, int]] = set()
        self._due: dict[tuple[str, int], int | None] = {}
        self._turn: dict[str, int] = {}

    def take(self, table: str, position: int, kind: str, at: int, header: dict[str, Any]) -> None:
        public = header["public"]
        if kind in ("table.seat_taken", "table.seat_replaced"):
            self._seated(table, position, kind, public)
        elif kind == "clock.expired":
            self._expired(table, public)
        elif kind.startswith("clock.") and "deadline_at" in public:
            self._turn[table] = turn = public.get("turn", self._turn.get(table, 0))
            self._due[table, turn] = public["deadline_at"]
        elif kind == "table.move_played" and header["actor"] != "table":
            self._moved(table, position, at, public)

    def _seated(self, table: str, position: int, kind: str, public: dict[str, Any]) -> None:
        seat, player = public["seat"], self._players.get(public["holder"], "")
        (self._bots.add if public["bot"] else self._bots.discard)((table, seat))
        joined = kind == "table.seat_taken" and seat > 0 and not public["bot"]
        if joined and table not in self._prepared:  # seat 0 is taken by opening
            self._found.effects.append(Effect(kind="join", table=table, mark=player, position=position))

    def _expired(self, table: str, public: dict[str, Any]) -> None:
        turn = public["turn"]
        due = max(public["deadline_at"], self._due.get((table, turn)) or 0)
        self._found.decisions += [
            Decision(table=table, turn=turn, seat=seat, how="time-out", at=public["decided_at"], due=due)
            for seat in public["seats"]
        ]

    def _moved(self, table: str, position: int, at: int, public: dict[str, Any]) -> None:
        seat, window = public["seat"], public["window"]
        due = self._due.get((table, window))
        self._found.decisions.append(
            Decision(table=table, turn=window, seat=seat, how="move", at=at, due=due)
        )
        if (table, seat) not in self._bots:
            mark = move_mark(seat, window, public["kind"])
            self._found.effects.append(Effect(kind="move", table=table, mark=mark, position=position))
