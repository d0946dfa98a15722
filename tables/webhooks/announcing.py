"""Which endpoints are to be told of what a command has added to a log: deliveries, in its transaction.

Only types and positions of events are read, and who is awaited, so that a delivery exists by public facts
alone.  Its id follows from what it tells, so that the same thing is told to the same endpoint once.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from django.db import connection

from tables.shapes import WEBHOOK_TYPES

if TYPE_CHECKING:
    from tables.hosting import Host

TURN: Final = "turn.awaited"
CHANGED: Final = "table.changed"
CHALLENGE: Final = "endpoint.challenge"

_TELL = """
INSERT INTO tables_webhookdelivery (message, endpoint_id, table_id, position, type, occurred_at, status,
  attempts, again, next_attempt_at, error)
SELECT md5(concat_ws(' ', e.id, %(table)s::text, w.type, w.once))::uuid, e.id, %(table)s,
  least(w.position, t.until), w.type, n.at, 'pending', 0, false, n.at, ''
FROM to_timestamp(%(now)s / 1000.0) AS n (at),
  unnest(%(types)s::text[], %(positions)s::int[], %(onces)s::int[], %(sinces)s::int[],
    %(seats)s::int[]) WITH ORDINALITY AS w (type, position, once, since, seat, nth)
  JOIN tables_tenure AS t ON t.table_id = %(table)s AND t.player_id IS NOT NULL
    AND (t.until IS NULL OR t.until >= w.since)
    AND (w.seat IS NULL OR (w.seat = t.seat AND t.until IS NULL))
  JOIN tables_webhookendpoint AS e ON e.player_id = t.player_id
    AND e.status = 'active' AND w.type = ANY(e.types)
ORDER BY w.nth
FOR KEY SHARE OF e SKIP LOCKED
ON CONFLICT (message) DO NOTHING
"""
"""To the endpoints of who holds a seat, or has lost it just now: up to there.  One that is just being
deleted is left out: no move fails, nor waits, for it."""


class _News(NamedTuple):
    """Something to be told to who holds a seat, or did at the position ``since``; or to ``seat`` alone.

    ``once`` tells it from others of its type.
    """

    type: str
    position: int
    once: int
    since: int
    seat: int | None = None


def announce(host: Host) -> None:
    """Write down which endpoints are to be told of a table's new events."""
    _tell(host.id, host.now, list(_news(host)))


def announce_aside(table_id: uuid.UUID, position: int, at: int) -> None:
    """Write down which endpoints are to be told of an event, at ``position``, that is beside the game."""
    _tell(table_id, at, [_News(CHANGED, position, position, position)])


def _news(host: Host) -> Iterator[_News]:
    """Yield what the new events are told as, in their order."""
    turn_at = None
    for position, event in enumerate(host.new, host.first):
        if event.type in WEBHOOK_TYPES:
            yield _News(event.type, position, position, position)
        elif event.type == "clock.deadline_set":
            turn_at = position
    if turn_at is not None and host.table.status == "playing":
        for seat in host.awaited():
            yield _News(TURN, turn_at, host.table.turn, turn_at, seat)
    yield _News(CHANGED, host.version, host.version, host.first)


def _tell(table_id: uuid.UUID, now: int, news: Sequence[_News]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            _TELL,
            {
                "table": table_id,
                "now": now,
                "types": [each.type for each in news],
                "positions": [each.position for each in news],
                "onces": [each.once for each in news],
                "sinces": [each.since for each in news],
                "seats": [each.seat for each in news],
            },
        )
