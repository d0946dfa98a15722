"""From the outbox into the lists of the players: each row once, in order for a table and a receiver.

A row is judged and done in one transaction, so there is nothing to repeat after a crash.  What cannot
be done is put off, each time for longer, and holds up no other table and no other player.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from typing import Any, NamedTuple

from django.db import connection, transaction

from tables import hosting
from tables.clock import moment
from tables.models import Mailbox, Notice, Player, Table
from tables.notices import checks, choices
from tables.notices.words import NOTICES

logger = logging.getLogger(__name__)

MOST_SECONDS = 5.0
BACKOFF_SECONDS = (1, 5, 30, 120, 600)

_NEXT = """
SELECT id, table_id, position, audience, detail FROM tables_outbox AS o
WHERE kind = 'notice' AND done_at IS NULL AND next_attempt_at <= (SELECT to_timestamp(now_ms() / 1000.0))
  AND NOT EXISTS (
    SELECT FROM tables_outbox AS e
    WHERE e.table_id = o.table_id AND e.audience = o.audience AND e.kind = 'notice' AND e.done_at IS NULL
      AND (e.position, e.next_attempt_at) < (o.position, o.next_attempt_at)
      AND (e.attempts > 0 OR e.next_attempt_at <= (SELECT to_timestamp(now_ms() / 1000.0))))
ORDER BY next_attempt_at, position LIMIT 1 FOR UPDATE OF o SKIP LOCKED
"""
_DONE = "UPDATE tables_outbox SET done_at = clock_timestamp() WHERE id = %s"
_LATER = """
UPDATE tables_outbox SET next_attempt_at = to_timestamp(%s / 1000.0), detail = %s, attempts = 0 WHERE id = %s
"""
_FAILED = """
UPDATE tables_outbox SET attempts = attempts + 1,
  next_attempt_at = to_timestamp(now_ms() / 1000.0)
    + make_interval(secs => (%s::int[])[least(attempts + 1, %s)])
WHERE id = %s
"""


class _Row(NamedTuple):
    """A row of the outbox."""

    id: uuid.UUID
    table_id: uuid.UUID
    position: int
    audience: str
    detail: dict[str, Any]


def deliver() -> int:
    """Tell what is due until nothing is left or time runs out; return how many rows were looked at."""
    done = 0
    until = time.monotonic() + MOST_SECONDS
    while time.monotonic() < until and _deliver_one():
        done += 1
    return done


def _deliver_one() -> bool:
    row: _Row | None = None
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_NEXT)
            if (found := cursor.fetchone()) is None:
                return False
            row = _Row(found[0], found[1], found[2], found[3], json.loads(found[4]))
            later = _judge(row)
            if later is None:
                cursor.execute(_DONE, [row.id])
            else:
                cursor.execute(_LATER, [later[0], json.dumps(later[1]), row.id])
    except Exception:
        if row is None:
            raise
        logger.exception("table %s: notice %s failed", row.table_id, row.id)
        with connection.cursor() as cursor:
            cursor.execute(_FAILED, [list(BACKOFF_SECONDS), len(BACKOFF_SECONDS), row.id])
    return True


def _judge(row: _Row) -> tuple[int, dict[str, Any]] | None:
    """Tell a player what is still true; return when to ask again instead, and with what, or None."""
    player_id = uuid.UUID(row.audience.removeprefix("player:"))
    if not Player.objects.filter(id=player_id).exists():
        return None
    now = hosting.now_ms()
    what, facts = row.detail["what"], {k: v for k, v in row.detail.items() if k != "what"}
    table = Table.objects.get(id=row.table_id)
    if not checks.is_current(what, player_id, table, facts, now):
        return None
    if (later := checks.put_off(what, table, facts, now)) is not None:
        return later[0], {"what": what, **later[1]}
    _add(row, player_id, what, facts, now)
    return None


def _add(row: _Row, player_id: uuid.UUID, what: str, facts: dict[str, Any], now: int) -> None:
    """Add a notice to the end of a player's list; of a table's messages only one is unread at a time."""
    kind = NOTICES[what].kind
    Mailbox.objects.get_or_create(player_id=player_id)
    mailbox = Mailbox.objects.select_for_update(of=("self",)).select_related("player").get(player=player_id)
    own = mailbox.notices.filter(number__gt=mailbox.read_upto, table=row.table_id)
    if kind == "message" and own.filter(kind=kind).exists():
        return
    mail_at = choices.mail_at(mailbox, kind, row.table_id, now)
    mailbox.last_number += 1
    Notice.objects.create(
        id=row.id,
        mailbox=mailbox,
        table_id=row.table_id,
        number=mailbox.last_number,
        kind=kind,
        what=what,
        facts=facts,
        created_at=moment(now),
        mail_at=None if mail_at is None else moment(mail_at),
    )
    mailbox.save(update_fields=["last_number"])
