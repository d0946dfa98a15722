"""Whether the clock can be trusted, and the times in which nobody looked at deadlines.

No player loses a turn by either.  Source: clocks.md, "Clocks and outages".
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

from django.db import connection

from tables import clock, messages
from tables.errors import ClockInDoubt
from tables.hosting import Host

_BEATS = """
SELECT now_ms(), floor(extract(epoch FROM started_at) * 1000)::bigint,
  floor(extract(epoch FROM coalesce(ended_at, started_at)) * 1000)::bigint, monotonic_ms, boot, jumped
FROM tables_heartbeat WHERE driver <> 'verifier'
"""
_NOTE = """
INSERT INTO tables_outage (since, until) VALUES (to_timestamp(%s / 1000.0), to_timestamp(%s / 1000.0))
"""
_NOTED = """
SELECT floor(extract(epoch FROM since) * 1000)::bigint, ceil(extract(epoch FROM until) * 1000)::bigint
FROM tables_outage WHERE until > to_timestamp(%s / 1000.0) ORDER BY since
"""


def monotonic_ms() -> int:
    """Return this host's own clock in one ``boot``: nobody can set it, and it runs while the host sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000)
    return int(time.monotonic() * 1000)


@cache
def boot() -> str:
    """Return what this run of the host is called; empty where the host does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def look() -> tuple[int, int | None]:
    """Return what time it is, and since when nobody has looked at deadlines (None: nobody ever has).

    Raises ClockInDoubt while the database's clock does not fit the hosts' own: it has been set, and
    nothing may expire by it until an operator says so.
    """
    mono = monotonic_ms()
    with connection.cursor() as cursor:
        cursor.execute(_BEATS)
        beats = cursor.fetchall()
        if not beats:
            cursor.execute("SELECT now_ms()")
            return int(cursor.fetchone()[0]), None
    now = beats[0][0]
    own = [(mono_then, started) for _, started, _, mono_then, run, _ in beats if run == boot() != ""]
    mono_then, started = max((each for each in own if each[0] <= mono), default=(mono, now))
    if any(has_jumped for *_, has_jumped in beats) or clock.jumped(started, mono_then, now, mono):
        raise ClockInDoubt()
    return now, max(ended for _, _, ended, *_ in beats)


def note_gap(now: int, last: int | None) -> None:
    """Write down that nobody looked at deadlines for a while, if that is so."""
    if last is not None and now - last > clock.OUTAGE_MS:
        with connection.cursor() as cursor:
            cursor.execute(_NOTE, [last, now])


def make_good(host: Host) -> bool:
    """Extend what is due, a turn, a vote or a question to the seats, if that moment fell into an outage.

    Returns whether it did.  Decided here, by whoever comes to the overdue table first: a sweep or a
    request.  Raises ClockInDoubt.
    """
    table = host.table
    ends = (
        table.deadline_at,
        table.vote.called.until if table.vote else None,
        table.presence.until if table.presence else None,
        table.entropy.until,
    )
    if table.due_at is None or table.due_at not in ends:
        return False
    counted_until = table.credited_until
    if table.due_at == table.deadline_at:
        counted_until = max(counted_until, table.clocked_at)
    now, last = look()
    with connection.cursor() as cursor:
        cursor.execute(_NOTED, [counted_until])
        gaps = cursor.fetchall()
    if last is not None:
        gaps.append((last, now))
    since, until = clock.credit(table.due_at, gaps, counted_until) or (0, 0)
    if since >= min(until, host.now):  # what is left of the outage is younger than the command
        return False
    until = min(until, host.now)
    host.add(messages.DeadlineExtended(turn=table.turn, reason="outage", since=since, until=until))
    if table.clocks:
        host.set_deadline(credit=until - since)
    return True
