"""Looking for what is due: one table a transaction, so that none can block the others.

Celery and the daemon both sweep; whoever comes first resolves a turn, the other finds nothing.
Source: clocks.md, "Sweep".
"""

from __future__ import annotations

import logging
import time
import uuid

from django.db import connection, transaction

from tables import aside, hosting, outages, rows
from tables.errors import ClockInDoubt
from tables.expiry import expire
from tables.interventions import Suspended
from tables.notices import announcing
from tables.operations import metrics

logger = logging.getLogger(__name__)

MOST_TABLES = 200
MOST_SECONDS = 3.0
BACKOFF_SECONDS = (1, 5, 30, 120, 600)

_LIMITS = """
SELECT set_config('lock_timeout', '2s', true), set_config('statement_timeout', '5s', true),
  set_config('idle_in_transaction_session_timeout', '5s', true)
"""
_CLAIM = """
SELECT id FROM tables_table
WHERE due_at <= to_timestamp(now_ms() / 1000.0) AND suspended_at IS NULL
  AND (next_attempt_at IS NULL OR next_attempt_at <= to_timestamp(now_ms() / 1000.0))
ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_BEGIN = """
INSERT INTO tables_heartbeat (driver, started_at, handled, oldest_overdue_ms, monotonic_ms, boot, jumped)
SELECT %s, to_timestamp(now_ms() / 1000.0), 0, coalesce(max(now_ms() - extract(epoch FROM due_at) * 1000), 0),
  %s, %s, false
FROM tables_table WHERE due_at <= to_timestamp(now_ms() / 1000.0) AND suspended_at IS NULL
ON CONFLICT (driver) DO UPDATE SET started_at = excluded.started_at,
  oldest_overdue_ms = excluded.oldest_overdue_ms, monotonic_ms = excluded.monotonic_ms, boot = excluded.boot
"""
_END = """
UPDATE tables_heartbeat SET ended_at = to_timestamp(now_ms() / 1000.0), handled = %s WHERE driver = %s
"""
_JUMPED = "UPDATE tables_heartbeat SET jumped = true WHERE NOT jumped"
_FAILED = """
UPDATE tables_table SET expiry_attempts = expiry_attempts + 1,
  next_attempt_at = to_timestamp(now_ms() / 1000.0) + make_interval(secs => %s),
  suspended_at = CASE WHEN expiry_attempts + 1 >= %s THEN to_timestamp(now_ms() / 1000.0) END
WHERE id = %s RETURNING suspended_at IS NOT NULL
"""


def sweep(driver: str) -> int:
    """Resolve what is due until nothing is left, or time or number run out; return how many.

    ``driver`` names who looks, for the heartbeat.  Nothing is resolved while the clock is in doubt.
    """
    try:
        outages.note_gap(*outages.look())
    except ClockInDoubt:
        with connection.cursor() as cursor:
            cursor.execute(_JUMPED)
        logger.critical("the database's clock has jumped: nothing expires until `manage.py trust_clock`")
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, [driver, outages.monotonic_ms(), outages.boot()])
    handled = 0
    until = time.monotonic() + MOST_SECONDS
    while handled < MOST_TABLES and time.monotonic() < until and _sweep_one():
        handled += 1
    with connection.cursor() as cursor:
        cursor.execute(_END, [handled, driver])
    metrics.swept(driver, handled)
    return handled


def _sweep_one() -> bool:
    """Resolve what has been due for longest; return whether there was anything."""
    table_id: uuid.UUID | None = None
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_LIMITS)
            cursor.execute(_CLAIM)
            if (row := cursor.fetchone()) is None:
                return False
            table_id = row[0]
            host = hosting.peek(table_id, lock=True)
            if hosting.is_overdue(host):
                expire(host)
                host.save()
            else:  # the row names another end than the log: it would be the first to be claimed for ever
                rows.save(host)
    except ClockInDoubt:
        return False
    except Exception:
        if table_id is None:
            raise
        logger.exception("what is due could not be resolved", extra={"table": table_id})
        _count_failure(table_id)
    return True


def _count_failure(table_id: uuid.UUID) -> None:
    """Put a table off that cannot be resolved, each time for longer; suspend it in the end, and say so."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT expiry_attempts FROM tables_table WHERE id = %s", [table_id])
        attempts = cursor.fetchone()[0]
        wait = BACKOFF_SECONDS[min(attempts, len(BACKOFF_SECONDS) - 1)]
        cursor.execute(_FAILED, [wait, len(BACKOFF_SECONDS), table_id])
        if cursor.fetchone()[0]:
            _tell_suspension(table_id)
            announcing.announce_aside(table_id, "suspended")
            logger.critical("suspended: what is due failed too often", extra={"table": table_id})


def _tell_suspension(table_id: uuid.UUID) -> None:
    """Let the log know that a table is suspended; it is, even where its log cannot take that in."""
    try:
        with transaction.atomic():
            aside.append(table_id, Suspended(reason="unresolved"), actor="table")
    except Exception:
        logger.exception("suspended, and the log does not say so", extra={"table": table_id})
