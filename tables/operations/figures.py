"""How late this installation is, in numbers: what health, metrics and the doctor all read.

Timed by ``now_ms()``, as whoever writes these rows does, but for the deeds of the outbox: those by the
clock of the database itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

STALE_SECONDS: Final = 10
OUTBOX_SECONDS: Final = 60
WEBHOOK_SECONDS: Final = 60
OVERDUE_SECONDS: Final = 10
VERIFIED_SECONDS: Final = 2 * 24 * 3600

VERIFIER: Final = "verifier"
"""The name under which whoever proves all tables leaves a heartbeat."""

_BEATS = """
SELECT driver, (now_ms() / 1000.0 - extract(epoch FROM coalesce(ended_at, started_at)))::float8, jumped
FROM tables_heartbeat
"""
_OUTBOX = """
SELECT count(*), coalesce(max(extract(epoch FROM now - since)), 0)::float8 FROM (
  SELECT to_timestamp(now_ms() / 1000.0) AS now, next_attempt_at - make_interval(secs => (
    SELECT coalesce(sum(wait), 0) FROM unnest(%s::int[]) WITH ORDINALITY AS w (wait, n) WHERE n <= attempts
  )) AS since
  FROM tables_outbox WHERE done_at IS NULL AND kind = 'notice'
  UNION ALL
  SELECT clock_timestamp(), next_attempt_at - make_interval(secs => %s * attempts * (attempts + 1) / 2)
  FROM tables_outbox WHERE done_at IS NULL AND kind <> 'notice'
) waiting WHERE since <= now
"""
"""Each attempt has put a row off for longer than the last, so ``since`` is when it was first due."""
_WEBHOOKS = """
SELECT count(*), coalesce(max(now_ms() / 1000.0 - extract(epoch FROM d.next_attempt_at)), 0)::float8
FROM tables_webhookdelivery AS d JOIN tables_webhookendpoint AS e ON e.id = d.endpoint_id
WHERE d.status = 'pending' AND d.attempts = 0 AND e.failing_since IS NULL
  AND d.next_attempt_at <= to_timestamp(now_ms() / 1000.0)
  AND NOT EXISTS (
    SELECT FROM tables_webhookdelivery AS b WHERE b.endpoint_id = d.endpoint_id AND b.table_id = d.table_id
      AND b.status = 'pending' AND b.id < d.id AND b.attempts > 0)
"""
"""What waits for a receiver that fails is no fault of this installation."""
_OVERDUE = """
SELECT count(*), coalesce(max(now_ms() / 1000.0 - extract(epoch FROM due_at)), 0)::float8
FROM tables_table WHERE due_at <= to_timestamp(now_ms() / 1000.0) AND suspended_at IS NULL
"""
_SUSPENDED = "SELECT count(*) FROM tables_table WHERE suspended_at IS NOT NULL"
_NOT_PROVED = "SELECT count(*) FROM tables_table WHERE verdict = 'failed'"
_VERIFIED = """
INSERT INTO tables_heartbeat
  (driver, started_at, ended_at, handled, oldest_overdue_ms, monotonic_ms, boot, jumped)
SELECT %s, now, now, %s, 0, 0, '', false FROM to_timestamp(now_ms() / 1000.0) AS now
ON CONFLICT (driver) DO UPDATE SET started_at = excluded.started_at, ended_at = excluded.ended_at,
  handled = excluded.handled
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Ages in seconds; ``beats`` gives for each driver how long ago its last sweep ended."""

    beats: Mapping[str, float]
    has_jumped: bool  # the clock of the database was set, and nothing expires until it is trusted again
    outbox_rows: int
    outbox_age: float  # of the row that has been due for longest, 0 where none is
    webhook_rows: int
    webhook_age: float  # of the webhook that has waited for its first attempt for longest
    overdue_tables: int
    overdue_age: float  # of the table that has been overdue for longest
    suspended_tables: int
    unproved_tables: int  # finished games whose log was verified and did not hold


def look(cursor: Any) -> Figures:
    """Return the figures of this moment, read through a cursor of Django or psycopg."""
    from tables.notices.delivering import BACKOFF_SECONDS
    from tables.relay import LEASE_SECONDS

    cursor.execute(_BEATS)
    found = cursor.fetchall()
    beats = {driver: max(age, 0.0) for driver, age, _ in found}
    cursor.execute(_OUTBOX, [list(BACKOFF_SECONDS), LEASE_SECONDS])
    outbox_rows, outbox_age = cursor.fetchone()
    cursor.execute(_WEBHOOKS)
    webhook_rows, webhook_age = cursor.fetchone()
    cursor.execute(_OVERDUE)
    overdue_tables, overdue_age = cursor.fetchone()
    cursor.execute(_SUSPENDED)
    (suspended,) = cursor.fetchone()
    cursor.execute(_NOT_PROVED)
    (unproved,) = cursor.fetchone()
    return Figures(
        beats=beats,
        has_jumped=any(jumped for *_, jumped in found),
        outbox_rows=outbox_rows,
        outbox_age=max(outbox_age, 0.0),
        webhook_rows=webhook_rows,
        webhook_age=max(webhook_age, 0.0),
        overdue_tables=overdue_tables,
        overdue_age=max(overdue_age, 0.0),
        suspended_tables=suspended,
        unproved_tables=unproved,
    )


def verified(tables: int) -> None:
    """Note that every table has just been proved, for health to tell how long ago that was."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_VERIFIED, [VERIFIER, tables])
