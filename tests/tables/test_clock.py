"""The arithmetic of time, by worked dates, by properties, and against slow walks that need no thought.

Source: clocks.md.  Moments in the examples are written with their offset from UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import clock
from tables.clock import QuietHours, Span, credit, due, out_of_quiet, running, time_left, vacation_until

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR

MADRID = "Europe/Madrid"
SANTIAGO = "America/Santiago"
BUENOS_AIRES = "America/Argentina/Buenos_Aires"
LORD_HOWE = "Australia/Lord_Howe"
APIA = "Pacific/Apia"

CHANGES = [  # zone, last time shown before the change, and the first one after it
    (MADRID, "2026-03-29T02:00+01:00", "2026-03-29T03:00+02:00"),
    (MADRID, "2026-10-25T03:00+02:00", "2026-10-25T02:00+01:00"),
    (SANTIAGO, "2026-04-05T00:00-03:00", "2026-04-04T23:00-04:00"),
    (SANTIAGO, "2026-09-06T00:00-04:00", "2026-09-06T01:00-03:00"),
    (BUENOS_AIRES, "2007-12-30T00:00-03:00", "2007-12-30T01:00-02:00"),
    (BUENOS_AIRES, "2008-03-16T00:00-02:00", "2008-03-15T23:00-03:00"),
    (BUENOS_AIRES, "2008-10-19T00:00-03:00", "2008-10-19T01:00-02:00"),
    (BUENOS_AIRES, "2009-03-15T00:00-02:00", "2009-03-14T23:00-03:00"),
    (LORD_HOWE, "2026-04-05T02:00+11:00", "2026-04-05T01:30+10:30"),
    (LORD_HOWE, "2026-10-04T02:00+10:30", "2026-10-04T02:30+11:00"),
    (APIA, "2011-12-30T00:00-10:00", "2011-12-31T00:00+14:00"),
    (APIA, "2012-04-01T04:00+14:00", "2012-04-01T03:00+13:00"),
    (APIA, "2012-09-30T03:00+13:00", "2012-09-30T04:00+14:00"),
]


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def night(zone: str, hours: str) -> QuietHours:
    """Quiet hours from text: ``23:00-08:00``."""
    start, end = (int(each[:2]) * 60 + int(each[3:]) for each in hours.split("-"))
    return clock.check_quiet(zone, start, end)


# --- Quiet hours ---


@pytest.mark.parametrize(("zone", "before", "after"), CHANGES)
def test_the_clocks_of_the_world_change_when_these_tests_think_so(zone: str, before: str, after: str) -> None:
    moment = at(after)
    assert at(before) == moment
    shown = datetime.fromtimestamp(moment // 1000, ZoneInfo(zone))
    assert shown.isoformat(timespec="minutes") == after
    last = datetime.fromtimestamp(moment // 1000 - 1, ZoneInfo(zone))
    assert last.utcoffset() == datetime.fromisoformat(before).utcoffset() != shown.utcoffset()


@pytest.mark.parametrize(
    ("zone", "hours", "moment", "moved"),
    [
        # an ordinary night: both ends
        (MADRID, "23:00-08:00", "2026-06-10T22:59:59.999+02:00", "2026-06-10T22:59:59.999+02:00"),
        (MADRID, "23:00-08:00", "2026-06-10T23:00+02:00", "2026-06-11T08:00+02:00"),
        (MADRID, "23:00-08:00", "2026-06-11T07:59:59.999+02:00", "2026-06-11T08:00+02:00"),
        (MADRID, "23:00-08:00", "2026-06-11T08:00+02:00", "2026-06-11T08:00+02:00"),
        (MADRID, "13:30-16:00", "2026-06-11T15:00+02:00", "2026-06-11T16:00+02:00"),  # a siesta
        (MADRID, "14:00-00:00", "2026-06-11T15:00+02:00", "2026-06-12T00:00+02:00"),
        # the night of a change lasts an hour less or more, and ends at 8 on the wall
        (MADRID, "23:00-08:00", "2026-03-28T23:00+01:00", "2026-03-29T08:00+02:00"),
        (MADRID, "23:00-08:00", "2026-10-24T23:00+02:00", "2026-10-25T08:00+01:00"),
        # it begins in the hour that is missing, ends in it, begins and ends in it
        (MADRID, "02:30-08:00", "2026-03-29T01:59+01:00", "2026-03-29T01:59+01:00"),
        (MADRID, "02:30-08:00", "2026-03-29T03:00+02:00", "2026-03-29T08:00+02:00"),
        (MADRID, "23:00-02:30", "2026-03-29T01:59+01:00", "2026-03-29T03:00+02:00"),
        (MADRID, "23:00-02:30", "2026-03-29T03:00+02:00", "2026-03-29T03:00+02:00"),
        (MADRID, "02:15-02:45", "2026-03-29T03:00+02:00", "2026-03-29T03:00+02:00"),
        # it begins in the hour that comes twice: with the first, without a break in the second
        (MADRID, "02:30-08:00", "2026-10-25T02:29+02:00", "2026-10-25T02:29+02:00"),
        (MADRID, "02:30-08:00", "2026-10-25T02:30+02:00", "2026-10-25T08:00+01:00"),
        (MADRID, "02:30-08:00", "2026-10-25T02:10+01:00", "2026-10-25T08:00+01:00"),
        # it ends in it: with the second; and it ends just before it, once
        (MADRID, "23:00-02:30", "2026-10-25T02:45+02:00", "2026-10-25T02:30+01:00"),
        (MADRID, "23:00-02:00", "2026-10-25T01:59+02:00", "2026-10-25T02:00+02:00"),
        (MADRID, "23:00-02:00", "2026-10-25T02:00+01:00", "2026-10-25T02:00+01:00"),
        (MADRID, "23:00-03:00", "2026-10-25T02:00+02:00", "2026-10-25T03:00+01:00"),
        # changes at midnight: the date itself begins late, or the last hour comes twice
        (SANTIAGO, "00:30-09:00", "2026-09-06T01:00-03:00", "2026-09-06T09:00-03:00"),
        (SANTIAGO, "22:00-00:30", "2026-09-05T23:00-04:00", "2026-09-06T01:00-03:00"),
        (SANTIAGO, "22:00-00:30", "2026-09-06T01:00-03:00", "2026-09-06T01:00-03:00"),
        (SANTIAGO, "23:30-08:00", "2026-04-04T23:30-03:00", "2026-04-05T08:00-04:00"),
        (SANTIAGO, "23:30-08:00", "2026-04-04T23:10-04:00", "2026-04-05T08:00-04:00"),
        (SANTIAGO, "20:00-23:30", "2026-04-04T23:40-03:00", "2026-04-04T23:30-04:00"),
        (BUENOS_AIRES, "22:00-00:30", "2008-10-18T22:00-03:00", "2008-10-19T01:00-02:00"),
        (BUENOS_AIRES, "21:00-23:30", "2008-03-15T23:00-02:00", "2008-03-15T23:30-03:00"),
        (BUENOS_AIRES, "23:00-08:00", "2026-03-15T00:00-03:00", "2026-03-15T08:00-03:00"),  # no change now
        # half an hour
        (LORD_HOWE, "22:00-02:15", "2026-10-03T22:00+10:30", "2026-10-04T02:30+11:00"),
        (LORD_HOWE, "02:15-08:00", "2026-10-04T02:30+11:00", "2026-10-04T08:00+11:00"),
        (LORD_HOWE, "01:45-08:00", "2026-04-05T01:35+10:30", "2026-04-05T08:00+10:30"),
        (LORD_HOWE, "22:00-01:45", "2026-04-05T01:50+11:00", "2026-04-05T01:45+10:30"),
        # 30 December 2011 did not exist: two nights are one
        (APIA, "22:00-07:00", "2011-12-29T22:00-10:00", "2011-12-31T07:00+14:00"),
        (APIA, "22:00-07:00", "2011-12-31T00:00+14:00", "2011-12-31T07:00+14:00"),
        (APIA, "01:00-09:00", "2011-12-29T23:59-10:00", "2011-12-29T23:59-10:00"),
        (APIA, "01:00-09:00", "2011-12-31T00:00+14:00", "2011-12-31T00:00+14:00"),
        (APIA, "20:00-00:00", "2011-12-29T23:00-10:00", "2011-12-31T00:00+14:00"),
        # leap day, and the end of the year
        (MADRID, "23:00-08:00", "2028-02-28T23:30+01:00", "2028-02-29T08:00+01:00"),
        (MADRID, "23:00-08:00", "2028-02-29T23:30+01:00", "2028-03-01T08:00+01:00"),
        (MADRID, "23:00-08:00", "2026-12-31T23:30+01:00", "2027-01-01T08:00+01:00"),
    ],
)
def test_a_moment_in_quiet_hours_moves_to_their_end(zone: str, hours: str, moment: str, moved: str) -> None:
    """clocks.md, quiet hours: the wall clock of the player decides."""
    assert out_of_quiet(at(moment), night(zone, hours)) == at(moved)


def test_without_quiet_hours_no_moment_moves() -> None:
    assert out_of_quiet(at("2026-06-10T03:00+02:00"), None) == at("2026-06-10T03:00+02:00")


@pytest.mark.parametrize(
    ("zone", "start", "end"),
    [
        ("Europe/Atlantis", 0, 60),
        ("europe/madrid", 0, 60),
        ("", 0, 60),
        ("../../etc/passwd", 0, 60),
        ("/usr/share/zoneinfo/Europe/Madrid", 0, 60),
        ("Europe", 0, 60),
        ("right/Europe/Madrid", 0, 60),
        ("localtime", 0, 60),
        ("a\0b", 0, 60),
        (MADRID, 60, 60),
        (MADRID, 0, 601),
        (MADRID, 1380, 541),
        (MADRID, 60, 0),
        (MADRID, -1, 60),
        (MADRID, 1380, 1440),
    ],
)
def test_quiet_hours_nowhere_of_no_length_or_over_ten_hours_are_refused(
    zone: str, start: int, end: int
) -> None:
    with pytest.raises(ValueError, match=r"zone|quiet hours"):
        clock.check_quiet(zone, start, end)


def test_quiet_hours_last_ten_hours_at_most() -> None:
    assert clock.check_quiet(MADRID, 0, 600) == QuietHours(MADRID, 0, 600)
    assert clock.check_quiet(MADRID, 1380, 540) == QuietHours(MADRID, 1380, 540)
    with pytest.raises(ValueError, match="quiet hours"):
        QuietHours(MADRID, 1380, 541)


@pytest.mark.parametrize("moment", [-1, 10**15])
def test_a_moment_out_of_this_era_is_refused(moment: int) -> None:
    with pytest.raises(ValueError, match="era"):
        out_of_quiet(moment, QuietHours(MADRID, 0, 60))


def test_stored_quiet_hours_of_a_place_unknown_here_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no such time zone"):
        out_of_quiet(0, QuietHours("Europe/Atlantis", 0, 60))


# --- Quiet hours, against a walk minute by minute ---

_BACK, _AHEAD = 3, 6  # days that are walked around a change


@cache
def _walls(zone: str, change: int) -> list[datetime]:
    """What the wall shows at each minute around the change."""
    first = datetime.fromtimestamp(change // 1000, UTC) - timedelta(days=_BACK)
    minutes = range((_BACK + _AHEAD) * 1440)
    return [(first + timedelta(minutes=each)).astimezone(ZoneInfo(zone)) for each in minutes]


def _quiet_minutes(quiet: QuietHours, change: int) -> set[int]:
    """Slowly: the minutes since 1970, around the change, that are quiet.

    A minute belongs to a night if the wall shows a time of it; a night has no holes.
    """
    nights: dict[int, list[int]] = {}
    for minute, wall in enumerate(_walls(quiet.zone, change), change // MINUTE - _BACK * 1440):
        shown = wall.hour * 60 + wall.minute
        evening = quiet.start <= shown and (shown < quiet.end or quiet.end < quiet.start)
        morning = shown < quiet.end < quiet.start
        if evening or morning:
            nights.setdefault(wall.toordinal() - morning, []).append(minute)
    return {minute for each in nights.values() for minute in range(each[0], each[-1] + 1)}


@st.composite
def nights_of_change(draw: st.DrawFn) -> tuple[QuietHours, int]:
    """Quiet hours, often with an end near to the times that are missing or come twice, and the change."""
    zone, before, _ = draw(st.sampled_from(CHANGES))
    shown = int(before[11:13]) * 60 + int(before[14:16])
    length = draw(st.integers(1, clock.MOST_QUIET_MINUTES))
    near = draw(st.integers(-100, 100) | st.sampled_from([-60, -30, 0, 30, 60]) | st.integers(-720, 720))
    start = (shown + near - draw(st.sampled_from([0, length]))) % 1440
    return clock.check_quiet(zone, start, (start + length) % 1440), at(before)


around = st.integers(-3 * HOUR, 3 * HOUR) | st.integers(-40 * HOUR, 40 * HOUR)


@given(nights_of_change(), around)
@settings(max_examples=200, deadline=None)
def test_out_of_quiet_is_where_a_walk_by_minutes_ends(drawn: tuple[QuietHours, int], offset: int) -> None:
    quiet, change = drawn
    moment = change + offset
    minutes = _quiet_minutes(quiet, change)
    walked = moment
    while walked // MINUTE in minutes:
        walked = (walked // MINUTE + 1) * MINUTE

    assert out_of_quiet(moment, quiet) == walked


any_moment = st.integers(at("1990-01-01T00:00Z"), at("2060-01-01T00:00Z"))


@given(
    st.sampled_from([MADRID, SANTIAGO, BUENOS_AIRES, LORD_HOWE, APIA, "Africa/Casablanca", "Asia/Kathmandu"]),
    st.integers(0, 1439),
    st.integers(1, clock.MOST_QUIET_MINUTES),
    any_moment,
)
def test_what_is_moved_is_never_earlier_nor_quiet_nor_moved_again(
    zone: str, start: int, length: int, moment: int
) -> None:
    quiet = QuietHours(zone, start, (start + length) % 1440)
    moved = out_of_quiet(moment, quiet)

    assert moved >= moment
    assert out_of_quiet(moved, quiet) == moved
    shown = datetime.fromtimestamp(moved // 1000, ZoneInfo(zone))
    assert (shown.hour * 60 + shown.minute - start) % 1440 >= length


# --- What runs, what is left, and when it is due ---


def spans(last: int) -> st.SearchStrategy[list[Span]]:
    span = st.tuples(st.integers(0, last), st.integers(0, last)).map(lambda pair: (min(pair), max(pair)))
    return st.lists(span, max_size=5)


def _stopped(moment: int, stops: Sequence[Span]) -> bool:
    return any(begins <= moment < ends for begins, ends in stops)


@given(st.integers(0, 60), st.integers(0, 60), spans(60))
def test_what_runs_is_what_a_walk_counts(since: int, length: int, stops: list[Span]) -> None:
    until = since + length
    walked = sum(not _stopped(moment, stops) for moment in range(since, until))

    assert running(since, until, stops) == walked


@given(st.integers(0, 60), st.integers(0, 60), spans(60))
def test_a_turn_is_due_where_a_walk_runs_out_of_time(opened: int, left: int, stops: list[Span]) -> None:
    walked, remains = opened, left
    while remains or _stopped(walked, stops):
        remains -= not _stopped(walked, stops)
        walked += 1

    assert due(opened, left, stops, None) == walked


@given(
    nights_of_change(),
    st.integers(-24 * 60, 24 * 60),
    st.integers(0, 30 * 60),
    spans(60 * 60),
)
@settings(max_examples=200, deadline=None)
def test_a_turn_is_due_where_a_walk_by_minutes_leaves_stops_and_quiet_hours(
    drawn: tuple[QuietHours, int], offset: int, left: int, stops: list[Span]
) -> None:
    """clocks.md, quiet hours: they move the deadline and do not stop the clock."""
    quiet, change = drawn
    opened = change // MINUTE + offset
    stops = [(opened + begins - 600, opened + ends - 600) for begins, ends in stops]
    minutes = _quiet_minutes(quiet, change)
    walked, remains = opened, left
    while remains or _stopped(walked, stops) or walked in minutes:
        remains -= bool(remains) and not _stopped(walked, stops)
        walked += 1

    in_ms = [(begins * MINUTE, ends * MINUTE) for begins, ends in stops]
    assert due(opened * MINUTE, left * MINUTE, in_ms, quiet) == walked * MINUTE


MONTH = 30 * DAY
week_stops = spans(MONTH)
any_quiet = st.none() | st.builds(
    lambda zone, start, length: QuietHours(zone, start, (start + length) % 1440),
    st.sampled_from([MADRID, SANTIAGO, LORD_HOWE]),
    st.integers(0, 1439),
    st.integers(1, clock.MOST_QUIET_MINUTES),
)
lengths = st.integers(0, MONTH)


def _from(start: int, stops: Sequence[Span]) -> list[Span]:
    return [(start + begins, start + ends) for begins, ends in stops]


@given(any_moment, lengths, week_stops, any_quiet)
def test_no_turn_is_due_in_a_stop_or_in_quiet_hours(
    opened: int, left: int, stops: list[Span], quiet: QuietHours | None
) -> None:
    stops = _from(opened, stops)
    due_at = due(opened, left, stops, quiet)

    assert due_at >= opened + left
    assert not _stopped(due_at, stops)
    assert out_of_quiet(due_at, quiet) == due_at
    assert time_left(left, opened, due_at, stops) == 0


@given(any_moment, lengths, week_stops, any_quiet, st.floats(0, 1))
def test_a_wait_in_two_parts_is_as_long_as_in_one(
    opened: int, left: int, stops: list[Span], quiet: QuietHours | None, part: float
) -> None:
    """What a restart computes from the time left is what was computed when the turn opened."""
    stops = _from(opened, stops)
    due_at = due(opened, left, stops, quiet)
    between = opened + int((due_at - opened) * part)

    assert due(between, time_left(left, opened, between, stops), stops, quiet) == due_at


@given(any_moment, lengths, lengths, week_stops, any_quiet)
def test_more_time_is_never_due_earlier(
    opened: int, left: int, more: int, stops: list[Span], quiet: QuietHours | None
) -> None:
    stops = _from(opened, stops)
    assert due(opened, left, stops, quiet) <= due(opened, left + more, stops, quiet)


@given(lengths, st.integers(0, MONTH), st.integers(0, MONTH), week_stops, week_stops)
def test_time_left_never_rises_whatever_is_paused(
    left: int, one: int, other: int, stops: list[Span], more: list[Span]
) -> None:
    """clocks.md, vacation: a pause or a vacation that begins now gives nothing back."""
    now, later = sorted((one, other))
    before = time_left(left, 0, now, stops)
    begun_now = [*stops, *((max(begins, now), max(ends, now)) for begins, ends in more)]

    assert 0 <= before <= left
    assert time_left(left, 0, now, begun_now) == before
    assert time_left(left, 0, later, begun_now) <= before


@given(st.integers(0, 60), st.integers(0, 60), spans(60), st.randoms(use_true_random=False))
def test_stops_may_come_in_any_order_and_in_pieces(
    left: int, now: int, stops: list[Span], random: Random
) -> None:
    pieces = [piece for a, b in stops for piece in ((a, (a + b) // 2), ((a + b) // 2, b))]
    random.shuffle(pieces)

    assert due(0, left, pieces, None) == due(0, left, stops, None)
    assert time_left(left, 0, now, pieces) == time_left(left, 0, now, stops)


def test_a_clock_that_runs_out_as_a_pause_begins_ends_with_the_pause() -> None:
    assert due(100, 50, [(150, 200)], None) == 200
    assert due(100, 50, [(150, 200), (200, 220), (210, 230)], None) == 230
    assert due(100, 50, [(151, 200)], None) == 150
    assert due(100, 0, [], None) == 100
    assert due(100, 0, [(50, 100)], None) == 100
    assert due(100, 0, [(100, 101)], None) == 101


def test_a_vacation_that_ends_at_night_lets_the_player_sleep() -> None:
    """A day is left on 1 July at noon, and the vacation begins a minute before it is over."""
    away = (at("2026-07-02T11:59+02:00"), at("2026-07-09T23:30+02:00"))
    quiet = night(MADRID, "23:00-08:00")
    minute_after = at("2026-07-09T23:31+02:00")

    assert due(at("2026-07-01T12:00+02:00"), DAY, [away], None) == minute_after
    assert due(at("2026-07-01T12:00+02:00"), DAY, [away], quiet) == at("2026-07-10T08:00+02:00")


def test_stops_and_nights_in_turn_are_all_left_behind() -> None:
    """Out of the night into a pause, out of the pause into the next night."""
    pause = (at("2026-07-02T08:00+02:00"), at("2026-07-02T23:00+02:00"))
    moved = due(at("2026-07-01T23:30+02:00"), 0, [pause], night(MADRID, "23:00-08:00"))

    assert moved == at("2026-07-03T08:00+02:00")


def test_a_deadline_a_year_away_falls_at_the_same_time_of_the_wall_or_not_at_all() -> None:
    quiet = night(SANTIAGO, "23:00-08:00")
    opened = at("2027-03-01T12:00-03:00")

    assert due(opened, 366 * DAY, [], quiet) == at("2028-03-01T12:00-03:00")  # over 29 February
    assert due(opened, 366 * DAY - 5 * HOUR, [], quiet) == at("2028-03-01T08:00-03:00")
    assert due(opened, 180 * DAY - 4 * HOUR, [], quiet) == at("2027-08-28T08:00-04:00")  # 07:00 on the wall


def test_a_turn_of_a_day_over_a_change_lasts_a_day() -> None:
    """24 h are 24 h: only nights go by the wall."""
    assert due(at("2026-03-28T20:00+01:00"), DAY, [], None) == at("2026-03-29T21:00+02:00")
    assert due(at("2026-12-31T20:00+01:00"), DAY, [], None) == at("2027-01-01T20:00+01:00")
    assert due(at("2028-02-28T20:00+01:00"), DAY, [], None) == at("2028-02-29T20:00+01:00")


def test_a_reading_from_before_the_clock_started_takes_nothing_away() -> None:
    assert time_left(500, 1000, 900, [(0, 950)]) == 500


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda: running(2, 1, []),
        lambda: running(0, 9, [(5, 4)]),
        lambda: due(0, -1, [], None),
        lambda: due(0, 1, [(5, 4)], None),
        lambda: time_left(-1, 0, 1, []),
        lambda: clock.fischer(-1, 0, 0),
        lambda: clock.fischer(0, -1, 0),
        lambda: clock.fischer(0, 0, -1),
        lambda: clock.reminder_at(2, 1),
        lambda: clock.jumped(0, 2, 0, 1),
        lambda: credit(2, [(100_000, 1)]),
        lambda: clock.vacation_left([], "Europe/Atlantis", 0),
    ],
)
def test_nonsense_is_refused(nonsense: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        nonsense()


# --- Banks and reminders ---


def test_a_move_adds_to_the_bank_up_to_its_cap() -> None:
    assert clock.fischer(100, 30, 200) == 130
    assert clock.fischer(180, 30, 200) == 200
    assert clock.fischer(0, 30, 20) == 20


def test_a_bank_above_its_cap_is_neither_cut_nor_filled() -> None:
    """An initial bank may be larger than the cap."""
    assert clock.fischer(300, 30, 200) == 300


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_a_move_never_costs_time_and_never_fills_a_bank_over_its_cap(
    bank: int, increment: int, cap: int
) -> None:
    after = clock.fischer(bank, increment, cap)

    assert bank <= after <= bank + increment
    assert after == bank or after <= cap


def test_a_reminder_comes_when_a_fifth_is_left_but_ten_minutes_before_the_end() -> None:
    assert clock.reminder_at(0, 5 * DAY) == 4 * DAY
    assert clock.reminder_at(1000, 1000 + 50 * MINUTE) == 1000 + 40 * MINUTE
    assert clock.reminder_at(0, 30 * MINUTE) == 20 * MINUTE
    assert clock.reminder_at(0, 10 * MINUTE + 1) == 1
    assert clock.reminder_at(0, 10 * MINUTE) is None
    assert clock.reminder_at(7, 7) is None


# --- Vacations ---


def madrid(begins: str, ends: str) -> Span:
    """From one midnight of Madrid in winter to another."""
    return at(f"{begins}T00:00+01:00"), at(f"{ends}T00:00+01:00")


def ends(starts: str, wanted: str | None, *earlier: Span, zone: str = MADRID) -> str:
    """The end of a vacation, as Madrid writes it."""
    until = vacation_until(at(starts), None if wanted is None else at(wanted), earlier, zone)
    return datetime.fromtimestamp(until // 1000, ZoneInfo(MADRID)).isoformat(timespec="minutes")


def test_a_vacation_ends_as_wished_and_after_14_days_at_the_latest() -> None:
    """clocks.md, vacation: at most 14 in a row."""
    assert ends("2026-07-01T12:00+02:00", "2026-07-08T09:00+02:00") == "2026-07-08T09:00+02:00"
    assert ends("2026-07-01T12:00+02:00", "2026-08-08T09:00+02:00") == "2026-07-15T12:00+02:00"
    assert ends("2026-07-01T12:00+02:00", None) == "2026-07-15T12:00+02:00"


def test_a_year_has_30_days_of_vacation() -> None:
    taken = [madrid("2026-01-05", "2026-01-19"), madrid("2026-02-01", "2026-02-15")]

    assert clock.vacation_left(taken, MADRID, at("2026-12-01T00:00+01:00")) == 2 * DAY
    assert ends("2026-12-01T00:00+01:00", None, *taken) == "2026-12-03T00:00+01:00"
    taken.append(madrid("2026-12-01", "2026-12-03"))
    assert clock.vacation_left(taken, MADRID, at("2026-12-31T23:59+01:00")) == 0
    assert clock.vacation_left(taken, MADRID, at("2027-01-01T00:00+01:00")) == 30 * DAY
    with pytest.raises(ValueError, match="no vacation is left"):
        ends("2026-12-10T00:00+01:00", "2026-12-11T00:00+01:00", *taken)
    taken.append(madrid("2026-06-01", "2026-06-02"))  # more than there was is not owed
    assert clock.vacation_left(taken, MADRID, at("2026-06-01T00:00+02:00")) == 0


def test_a_vacation_across_the_year_end_is_charged_to_both_years() -> None:
    taken = [madrid("2026-01-05", "2026-01-19"), madrid("2026-02-01", "2026-02-12")]  # 25 days
    new = madrid("2026-12-28", "2027-01-11")

    assert ends("2026-12-28T00:00+01:00", None, *taken) == "2027-01-11T00:00+01:00"
    assert clock.vacation_left([*taken, new], MADRID, new[0]) == DAY
    assert clock.vacation_left([*taken, new], MADRID, new[1]) == 20 * DAY


def test_a_vacation_ends_before_the_year_when_the_old_year_has_too_little_left() -> None:
    taken = [madrid("2026-01-05", "2026-01-19"), madrid("2026-02-01", "2026-02-15")]  # 28 days

    assert ends("2026-12-28T00:00+01:00", None, *taken) == "2026-12-30T00:00+01:00"
    assert ends("2026-12-30T00:00+01:00", None, *taken) == "2027-01-13T00:00+01:00"  # just enough


def test_days_booked_in_the_new_year_count_when_a_vacation_reaches_into_it() -> None:
    booked = [madrid("2027-02-01", "2027-02-15"), madrid("2027-03-01", "2027-03-15")]  # 28 days

    assert ends("2026-12-28T00:00+01:00", None, *booked) == "2027-01-03T00:00+01:00"


def test_the_year_ends_where_the_player_lives() -> None:
    """At 23:30 UTC it is next year in Madrid, and this year in Santiago."""
    moment = at("2026-12-31T23:30Z")
    taken = [(at("2026-12-20T00:00Z"), at("2026-12-27T00:00Z"))]

    assert clock.vacation_left(taken, MADRID, moment) == 30 * DAY
    assert clock.vacation_left(taken, SANTIAGO, moment) == 23 * DAY


def test_vacations_that_alternate_with_single_days_are_one_row() -> None:
    first = madrid("2026-11-01", "2026-11-11")
    end_of_row = "2026-11-15T00:00+01:00"

    assert ends("2026-11-11T00:00+01:00", None, first) == end_of_row
    assert ends("2026-11-11T23:59+01:00", None, first) == end_of_row
    assert ends("2026-11-12T00:00+01:00", None, first) == "2026-11-26T00:00+01:00"  # a whole day free
    hours = [(first[0], first[0] + HOUR)]
    for _ in range(13):  # an hour, and 23 without
        starts = hours[-1][1] + 23 * HOUR
        hours.append((starts, vacation_until(starts, starts + HOUR, hours, MADRID)))
    with pytest.raises(ValueError, match="no vacation is left"):
        vacation_until(hours[-1][1] + 23 * HOUR, None, hours, MADRID)


def test_a_vacation_does_not_join_one_that_is_booked_unless_both_fit_in_a_row() -> None:
    booked = madrid("2026-11-20", "2026-11-30")

    assert ends("2026-11-16T00:00+01:00", None, booked) == "2026-11-20T00:00+01:00"
    assert ends("2026-11-15T00:00+01:00", None, booked) == "2026-11-19T00:00+01:00"
    with pytest.raises(ValueError, match="no vacation is left"):
        ends("2026-11-19T12:00+01:00", None, madrid("2026-11-20", "2026-12-04"))


def test_nobody_begins_a_vacation_while_on_vacation_or_one_that_is_over() -> None:
    with pytest.raises(ValueError, match="on vacation already"):
        ends("2026-11-05T00:00+01:00", None, madrid("2026-11-01", "2026-11-11"))
    with pytest.raises(ValueError, match="after it starts"):
        ends("2026-11-05T00:00+01:00", "2026-11-05T00:00+01:00")


def _is_allowed(vacations: Sequence[Span], zone: str) -> bool:
    """Slowly: no two overlap, no row is too long, no year has too much."""
    in_order = sorted(vacations)
    if any(later[0] < earlier[1] for earlier, later in pairwise(in_order)):
        return False
    rows = [in_order[0]]
    for begins, until in in_order[1:]:
        if begins - rows[-1][1] < DAY:
            rows[-1] = (rows[-1][0], until)
        else:
            rows.append((begins, until))
    if any(until - begins > 14 * DAY for begins, until in rows):
        return False
    used: dict[int, int] = {}
    for begins, until in in_order:
        moment = begins
        while moment < until:  # by hours: no zone of the tests begins a year within one
            step = min(until, (moment // HOUR + 1) * HOUR)
            year = datetime.fromtimestamp(moment // 1000, ZoneInfo(zone)).year
            used[year] = used.get(year, 0) + step - moment
            moment = step
    return max(used.values()) <= 30 * DAY


@given(
    st.sampled_from([MADRID, SANTIAGO]),
    st.lists(
        st.tuples(st.integers(0, 100 * 24), st.none() | st.integers(1, 20 * 24 * 60)), min_size=1, max_size=10
    ),
)
@settings(max_examples=100, deadline=None)
def test_whatever_is_asked_for_in_any_order_each_vacation_is_as_long_as_allowed(
    zone: str, asked: list[tuple[int, int | None]]
) -> None:
    """Not a millisecond more: also where the next is booked, and across the end of the year."""
    taken: list[Span] = []
    for hour, minutes in asked:
        starts = at("2026-11-01T00:00Z") + hour * HOUR
        wanted = None if minutes is None else starts + minutes * MINUTE
        try:
            until = vacation_until(starts, wanted, taken, zone)
        except ValueError:
            assert not _is_allowed([*taken, (starts, starts + 1)], zone)
            continue
        assert until == wanted or not _is_allowed([*taken, (starts, until + 1)], zone)
        taken.append((starts, until))
        assert _is_allowed(taken, zone)


# --- Jumps and outages ---


def test_a_clock_that_jumps_by_over_30_seconds_is_noticed_in_both_directions() -> None:
    """clocks.md, jump guard."""
    assert not clock.jumped(5_000_000, 70, 5_001_000, 1_070)
    assert not clock.jumped(5_000_000, 70, 5_031_000, 1_070)
    assert clock.jumped(5_000_000, 70, 5_031_001, 1_070)
    assert not clock.jumped(5_000_000, 70, 4_971_000, 1_070)
    assert clock.jumped(5_000_000, 70, 4_970_999, 1_070)
    assert not clock.jumped(5_000_000, 70, 5_000_000 + DAY, 70 + DAY)  # a long sleep is no jump


def test_a_deadline_that_fell_while_we_were_down_gains_the_length_of_the_outage() -> None:
    """clocks.md, outage credit: the outage is a stop."""
    down = (10 * HOUR, 12 * HOUR)

    for due_at in (10 * HOUR, 11 * HOUR, 12 * HOUR - 1):
        assert credit(due_at, [down]) == down
        assert due(0, due_at, [down], None) == due_at + 2 * HOUR


def test_a_deadline_outside_of_every_outage_gains_nothing() -> None:
    down = (10 * HOUR, 12 * HOUR)

    assert credit(12 * HOUR, [down]) is None
    assert credit(10 * HOUR - 1, [down]) is None
    assert credit(11 * HOUR, []) is None


def test_a_gap_of_up_to_a_minute_is_no_outage_even_beside_another() -> None:
    assert credit(30_000, [(0, 60_000)]) is None
    assert credit(30_000, [(0, 60_001)]) == (0, 60_001)
    assert credit(30_000, [(0, 60_000), (60_000, 120_000)]) is None


def test_gaps_that_overlap_are_one_outage() -> None:
    assert credit(5 * HOUR, [(5 * HOUR, 7 * HOUR), (4 * HOUR, 6 * HOUR)]) == (4 * HOUR, 7 * HOUR)
    assert credit(5 * HOUR, [(8 * HOUR, 9 * HOUR), (4 * HOUR, 6 * HOUR)]) == (4 * HOUR, 6 * HOUR)


def test_of_a_long_outage_a_day_is_made_good() -> None:
    assert credit(HOUR, [(0, DAY)]) == (0, DAY)
    assert credit(HOUR, [(0, 30 * HOUR)]) == (0, DAY)
    assert credit(29 * HOUR, [(0, 30 * HOUR)]) == (0, DAY)
    assert credit(29 * HOUR, [(0, 30 * HOUR)], 20 * HOUR) == (20 * HOUR, DAY)
    assert credit(29 * HOUR, [(0, 30 * HOUR)], DAY) is None


@given(st.integers(0, 2 * DAY), st.integers(0, 2 * DAY), spans(3 * DAY))
def test_a_crash_never_gives_more_time_than_it_lasted(opened: int, left: int, gaps: list[Span]) -> None:
    """Nor a part of it that was over when the turn opened, nor more than a day; and time left never rises."""
    due_at = opened + left
    outage = credit(due_at, gaps)

    assert (outage is None) == (not _stopped(due_at, [gap for gap in gaps if gap[1] - gap[0] > MINUTE]))
    stops = [] if outage is None else [outage]
    gained = due(opened, left, stops, None) - due_at
    assert 0 <= gained <= DAY
    assert gained <= 3 * DAY - running(0, 3 * DAY, [(max(a, opened), max(b, opened)) for a, b in gaps])
    assert time_left(left, opened, due_at, stops) <= left
    if outage is not None and outage[1] - outage[0] < DAY:
        assert due_at + gained >= outage[1]  # nobody is out of time while we are down
