"""How reliably a player answers: the share of the last 100 awaited turns that were played in time."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import connection

from tables import entropy
from tables.hosting import Host
from tables.models import AwaitedTurn

TURNS = 100
FEWEST = 10
"""Who has answered fewer turns is not judged yet."""

_NOTE = """
INSERT INTO tables_awaitedturn (player_id, table_id, turn, in_time)
SELECT player_id, table_id, %s, %s FROM tables_tenure
WHERE table_id = %s AND seat = ANY(%s) AND until IS NULL AND player_id IS NOT NULL
  AND (%s OR NOT EXISTS (SELECT FROM tables_vacation AS v WHERE v.player_id = tables_tenure.player_id
    AND v.since <= to_timestamp(now_ms() / 1000.0) AND to_timestamp(now_ms() / 1000.0) < v.until))
ON CONFLICT DO NOTHING
"""


def note(host: Host, seats: Sequence[int], *, in_time: bool) -> None:
    """Write down that persons answered the open turn, or that their time ran out; who is away is excused.

    At a sandbox nothing counts.
    """
    if host.table.fairness == entropy.CHOSEN:
        return
    persons = [seat for seat in seats if seat in host.table.persons()]
    if persons and host.table.deadline_at is not None:
        with connection.cursor() as cursor:
            cursor.execute(_NOTE, [host.table.turn, in_time, host.id, persons, in_time])


def of(player_id: uuid.UUID) -> int | None:
    """Return a player's reliability in per cent, rounded down; None: not enough turns yet."""
    last = (
        AwaitedTurn.objects.filter(player=player_id).order_by("-id").values_list("in_time", flat=True)[:TURNS]
    )
    turns = list(last)
    return None if len(turns) < FEWEST else 100 * sum(turns) // len(turns)
