"""Looking for overdue turns: one table a transaction, so that none can block the others.

Celery and the daemon both sweep; whoever comes first resolves a turn, the other finds nothing.
Source: clocks.md, "Sweep".
"""

from __future__ import annotations

import logging
import time
import uuid

from django.db import connection, transaction

from tables import hosting
from tables.expiry import expire

logger = logging.getLogger(__name__)

MOST_TABLES = 200
MOST_SECONDS = 3.0
BACKOFF_SECONDS = (1, 5, 30, 120, 600)

_CLAIM = """
SELECT id FROM tables_table
WHERE deadline_at <= to_timestamp(now_ms() / 1000.0) AND NOT suspended
  AND (next_attempt_at IS NULL OR next_attempt_at <= to_timestamp(now_ms() / 1000.0))
ORDER BY deadline_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_BEGIN = """
INSERT INTO tables_heartbeat (driver, started_at, handled, oldest_overdue_ms)
VALUES (%s, clock_timestamp(), 0, %s)
ON CONFLICT (driver) DO UPDATE SET started_at = excluded.started_at,
  oldest_overdue_ms = excluded.oldest_overdue_ms
"""
_END = "UPDATE tables_heartbeat SET ended_at = clock_timestamp(), handled = %s WHERE driver = %s"
_OLDEST = """
SELECT coalesce(max(now_ms() - extract(epoch FROM deadline_at) * 1000), 0)::bigint FROM tables_table
WHERE deadline_at <= to_timestamp(now_ms() / 1000.0) AND NOT suspended
"""
_FAILED = """
UPDATE tables_table SET expiry_attempts = expiry_attempts + 1,
  next_attempt_at = to_timestamp(now_ms() / 1000.0) + make_interval(secs => %s),
  suspended = expiry_attempts + 1 >= %s
WHERE id = %s RETURNING suspended
"""


def sweep(driver: str) -> int:
    """Resolve overdue turns until none is left, or time or number run out; return how many.

    ``driver`` names who looks, for the heartbeat.
    """
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST)
        cursor.execute(_BEGIN, [driver, cursor.fetchone()[0]])
    handled = 0
    until = time.monotonic() + MOST_SECONDS
    while handled < MOST_TABLES and time.monotonic() < until and _sweep_one():
        handled += 1
    with connection.cursor() as cursor:
        cursor.execute(_END, [handled, driver])
    return handled


def _sweep_one() -> bool:
    """Resolve the turn that has been overdue for longest; return whether there was one."""
    table_id: uuid.UUID | None = None
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_CLAIM)
            if (row := cursor.fetchone()) is None:
                return False
            table_id = row[0]
            host = hosting.peek(table_id, lock=True)
            if hosting.is_overdue(host):
                expire(host)
                host.save()
    except Exception:
        if table_id is None:
            raise
        logger.exception("table %s: its overdue turn could not be resolved", table_id)
        _count_failure(table_id)
    return True


def _count_failure(table_id: uuid.UUID) -> None:
    """Put a table off that cannot be resolved, each time for longer; suspend it in the end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT expiry_attempts FROM tables_table WHERE id = %s", [table_id])
        attempts = cursor.fetchone()[0]
        wait = BACKOFF_SECONDS[min(attempts, len(BACKOFF_SECONDS) - 1)]
        cursor.execute(_FAILED, [wait, len(BACKOFF_SECONDS), table_id])
        if cursor.fetchone()[0]:
            logger.critical("table %s is suspended: its overdue turn failed too often", table_id)
