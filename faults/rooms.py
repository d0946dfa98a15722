"""Tables with short clocks, opened in this process, for the API's shortest is a minute.

The one place of the rig that knows how a table's clock is written down and which column says when
somebody must look.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import DatabaseError, connections, transaction

from faults.checker import Overdue
from tables import lobby
from tables.commands import join
from tables.shapes import ClockChoice, Join, NewTable

GAME = "longplay"  # never ends; a time-out takes a step
STRIKES = 1_000_000  # more than a run has: nobody leaves a table for its time-outs
LEAST_SECONDS = 1  # a run has three minutes; sandboxes would do, but count for nobody
_OVERDUE = """
SELECT id::text, extract(epoch FROM to_timestamp(now_ms() / 1000.0) - deadline_at) FROM tables_table
WHERE status = 'playing' AND deadline_at <= to_timestamp(now_ms() / 1000.0) - make_interval(secs => %s)
"""
_SUSPENDED = "SELECT id::text FROM tables_table WHERE suspended_at IS NOT NULL"
_HEARTBEAT = "SELECT extract(epoch FROM clock_timestamp() - ended_at) FROM tables_heartbeat WHERE driver = %s"
_SEATS = """
SELECT table_id::text, player_id FROM tables_tenure WHERE table_id = ANY(%s::uuid[]) ORDER BY table_id, seat
"""


def open_room(players: tuple[uuid.UUID, uuid.UUID], seconds: int) -> str:
    """Open a table of two with ``seconds`` for each turn, and begin; return its id."""
    body = NewTable(game=GAME, clock=ClockChoice(kind="per_turn", seconds=seconds), max_timeouts=STRIKES)
    with transaction.atomic():
        host = lobby.open_table(players[0], body, least_seconds=LEAST_SECONDS)
    join(players[1], host.id, Join())
    return str(host.id)


def open_rooms(pairs: Sequence[tuple[uuid.UUID, uuid.UUID]], seconds: Sequence[int]) -> list[str]:
    """Open a table for each pair, the nth with the nth of ``seconds``."""

    def run(part: int) -> list[str]:
        try:
            own = list(zip(pairs, seconds, strict=True))[part::2]
            return [open_room(*each) for each in own]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        return [room for rooms in pool.map(run, range(2)) for room in rooms]


def seats_of(tables: Sequence[str]) -> list[tuple[str, uuid.UUID]]:
    """Return who sits at which table, by table and seat."""
    return [(table, player) for table, player in rows(_SEATS, [list(tables)])]


def overdue(seconds: float) -> list[Overdue]:
    """Return the tables whose deadline has passed for longer, the suspended ones included."""
    return [Overdue(table=table, seconds=float(late)) for table, late in rows(_OVERDUE, [seconds])]


def suspended() -> list[str]:
    """Return the tables whose clock is stopped because their turns could not be resolved."""
    return [table for (table,) in rows(_SUSPENDED, [])]


def heartbeat(driver: str) -> float | None:
    """Return how many seconds ago a driver has ended a sweep; None when it never has, or nobody can tell."""
    try:
        found = rows(_HEARTBEAT, [driver])
    except DatabaseError:
        return None
    return float(found[0][0]) if found and found[0][0] is not None else None


def await_heartbeat(driver: str, *, patience: float) -> float | None:
    """Return the seconds until a driver has ended a sweep that began after now; None: it has not in time."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < patience:
        ago = heartbeat(driver)
        if ago is not None and ago < waited:
            return waited
        time.sleep(0.1)
    return None


def rows(query: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
    """Return what a query answers on a new connection, for the server of an older one may be gone."""
    connections["default"].close()
    with connections["default"].cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
