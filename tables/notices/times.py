"""When a notice is mailed, by the wishes of its receiver: pure arithmetic in the player's own zone.

Moments are milliseconds of database time.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from tables import clock
from tables.clock import QuietHours
from tables.notices.words import zone_of

GATHER_MS = clock.MINUTE_MS
"""A mail waits so long: what happens meanwhile comes with it, and a turn played at once needs none."""


def mail_at(mode: str, now: int, *, zone: str, quiet: QuietHours | None, daily_at: int) -> int | None:
    """Return when a notice of ``now`` is to be mailed; None: never.

    ``mode`` is ``immediate``, ``hourly``, ``daily`` (when clocks in ``zone`` show ``daily_at``) or
    ``never``.  Nothing is mailed in quiet hours but what was asked for at that hour.
    """
    match mode:
        case "immediate":
            return clock.out_of_quiet(now + GATHER_MS, quiet)
        case "hourly":
            return clock.out_of_quiet((now // clock.HOUR_MS + 1) * clock.HOUR_MS, quiet)
        case "daily":
            return next_daily(now, zone, daily_at)
    return None


def next_daily(now: int, zone: str, hour: int) -> int:
    """Return the first moment after ``now`` at which clocks in ``zone`` show ``hour``, once a day.

    An hour that is skipped comes when the clocks are put forward, one that comes twice counts once.
    """
    tz = zone_of(zone)
    today = datetime.fromtimestamp(now / 1000, UTC).astimezone(tz).date()
    for days in range(4):
        shown = datetime.combine(today + timedelta(days=days), time(hour), tzinfo=tz)
        if (moment := round(shown.timestamp() * 1000)) > now:
            return moment
    raise AssertionError("within four days every hour is shown once")
