"""When a mail is sent, by the player's own clock, also where that is put forward or back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tables.clock import QuietHours
from tables.notices.times import GATHER_MS, mail_at, next_daily


def ms(text: str) -> int:
    """Return a moment; without an offset it is UTC."""
    found = datetime.fromisoformat(text)
    return round((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)


@pytest.mark.parametrize(
    ("zone", "hour", "now", "then"),
    [
        ("UTC", 8, "2026-06-01T07:59:59", "2026-06-01T08:00+00:00"),
        ("UTC", 8, "2026-06-01T08:00", "2026-06-02T08:00+00:00"),
        ("Europe/Madrid", 8, "2026-03-28T12:00", "2026-03-29T08:00+02:00"),  # put forward in that night
        ("Europe/Madrid", 8, "2026-10-24T12:00", "2026-10-25T08:00+01:00"),  # put back in that night
        ("Europe/Madrid", 2, "2026-03-28T12:00", "2026-03-29T03:00+02:00"),  # 2:00 is skipped
        ("Europe/Madrid", 2, "2026-10-24T12:00", "2026-10-25T02:00+02:00"),  # 2:00 comes twice
        ("Europe/Madrid", 2, "2026-10-25T02:30+02:00", "2026-10-26T02:00+01:00"),  # and counts once
        ("Europe/Madrid", 2, "2026-10-25T02:30+01:00", "2026-10-26T02:00+01:00"),
        ("America/Havana", 0, "2026-03-07T12:00", "2026-03-08T01:00-04:00"),  # midnight is skipped
        ("Pacific/Auckland", 8, "2026-06-01T21:00", "2026-06-03T08:00+12:00"),
        ("Asia/Kathmandu", 8, "2026-06-01T00:00", "2026-06-01T08:00+05:45"),
        ("Nowhere/Here", 8, "2026-06-01T00:00", "2026-06-01T08:00+00:00"),
    ],
)
def test_the_daily_mail_comes_when_the_players_clock_shows_its_hour(
    zone: str, hour: int, now: str, then: str
) -> None:
    assert next_daily(ms(now), zone, hour) == ms(then)


def test_each_day_of_a_year_has_one_daily_mail() -> None:
    for hour in range(24):
        now, days = ms("2026-01-01T00:00+01:00") - 1, set()
        while (now := next_daily(now, "Europe/Madrid", hour)) < ms("2027-01-01T00:00+01:00"):
            days.add(now)
        assert len(days) == 365, hour


@pytest.mark.parametrize(
    ("mode", "now", "then"),
    [
        ("immediate", "2026-06-01T12:00", "2026-06-01T12:01"),
        ("immediate", "2026-06-01T23:30", "2026-06-02T06:00"),
        ("hourly", "2026-06-01T12:00", "2026-06-01T13:00"),
        ("hourly", "2026-06-01T12:59", "2026-06-01T13:00"),
        ("hourly", "2026-06-01T22:59", "2026-06-02T06:00"),
        ("daily", "2026-06-01T12:59", "2026-06-02T05:00"),
    ],
)
def test_nothing_is_mailed_in_quiet_hours_but_what_is_asked_for_then(mode: str, now: str, then: str) -> None:
    quiet = QuietHours("Europe/Madrid", 60, 8 * 60)  # 23:00 to 6:00 UTC in summer

    assert mail_at(mode, ms(now), zone="Europe/Madrid", quiet=quiet, daily_at=7) == ms(then)


def test_never_is_never() -> None:
    assert mail_at("never", ms("2026-06-01T12:00"), zone="UTC", quiet=None, daily_at=7) is None
    assert GATHER_MS == 60_000
