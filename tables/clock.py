"""Pure arithmetic of time: deadlines, banks, quiet hours, vacations, reminders and outages.

It is always told what time it is, and knows no table and no row.  Moments are milliseconds of
database time since 1970, lengths are milliseconds, and spans are half open.  A stop is a span in
which a clock stands: a pause, a vacation, an outage.  Nonsense is refused with ValueError.
Source: clocks.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

Span = tuple[int, int]
"""[from, until): the first moment inside and the first one after."""

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

MOST_QUIET_MINUTES = 600
LEAST_REMINDER_MS = 10 * MINUTE_MS
VACATION_YEAR_MS = 30 * DAY_MS
VACATION_RUN_MS = 14 * DAY_MS
JUMP_MS = 30_000
OUTAGE_MS = 60_000
MOST_CREDIT_MS = DAY_MS

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  wall time and UTC are kept naive here: see _shown
_MS = timedelta(milliseconds=1)
_DAY = timedelta(days=1)
_MINUTES_OF_DAY = 24 * 60
_LATEST = (datetime(9999, 1, 1) - _EPOCH) // _MS  # noqa: DTZ001
_NOWHERE = frozenset({"Factory", "localtime"})  # listed beside the zones, but no place of a player


@dataclass(frozen=True, slots=True)
class QuietHours:
    """The hours of a player's night, in minutes after local midnight; they may pass midnight.

    They belong to the night of the date on which they begin.
    """

    zone: str  # IANA name
    start: int  # the first minute inside, 0 to 1439
    end: int  # the first minute after, 0 to 1439

    def __post_init__(self) -> None:
        if not (0 <= self.start < _MINUTES_OF_DAY and 0 <= self.end < _MINUTES_OF_DAY):
            raise ValueError("quiet hours begin and end within a day")
        if not 0 < (self.end - self.start) % _MINUTES_OF_DAY <= MOST_QUIET_MINUTES:
            raise ValueError(f"quiet hours last 1 to {MOST_QUIET_MINUTES} minutes")


def check_quiet(zone: str, start: int, end: int) -> QuietHours:
    """Return the quiet hours that a player asks for.

    Raises ValueError for a zone that is not in the list (capitals count), and for hours of no
    length or over ten.
    """
    if zone not in _zones():
        raise ValueError("no such time zone")
    return QuietHours(zone, start, end)


def out_of_quiet(moment: int, quiet: QuietHours | None) -> int:
    """Return ``moment``, or the end of the quiet hours in which it lies.  None: never quiet.

    The player's wall clock decides.  A night begins when the clock first shows its start, and
    ends when it last showed a time before its end: between the two an hour that comes twice is
    quiet both times, and the night is one.  A start or an end that is skipped counts as the
    moment of the skip, so hours that are skipped as a whole are no night at all.
    """
    if quiet is None:
        return moment
    tz = _zone(quiet.zone)
    today = _local(moment, tz).date()
    for night in (today - _DAY, today, today + _DAY):  # a skipped day joins two nights: go on
        begins, ends = _night(night, quiet, tz)
        if begins <= moment < ends:
            moment = ends
    return moment


def running(since: int, until: int, stops: Sequence[Span]) -> int:
    """Return how much of [since, until) lies in no stop.  Stops may overlap, in any order."""
    if until < since:
        raise ValueError("time runs forwards")
    stopped = sum(_overlap(stop, (since, until)) for stop in _union(stops))
    return until - since - stopped


def time_left(left: int, at: int, now: int, stops: Sequence[Span]) -> int:
    """Return what remains at ``now`` of the ``left`` that a clock had at ``at``, from 0 to ``left``.

    A ``now`` before ``at`` takes nothing away.  Quiet hours move a deadline and stop no clock, so
    a clock may show 0 for the rest of the night.
    """
    if left < 0:
        raise ValueError("no clock has less than nothing")
    return max(0, left - running(at, max(at, now), stops))


def due(at: int, left: int, stops: Sequence[Span], quiet: QuietHours | None) -> int:
    """Return when a seat whose clock has ``left`` at ``at`` is out of time.

    That is after ``left`` of running time, or at the first moment from then on that lies in no
    stop and in no quiet hours.  So a clock that runs out as a stop begins ends with the stop.
    """
    if left < 0:
        raise ValueError("no clock has less than nothing")
    union = _union(stops)
    for begins, ends in union:
        runs = max(0, begins - at)
        if left < runs:
            break
        if at < ends:
            at, left = ends, left - runs
    return _out_of_all(at + left, union, quiet)


def fischer(bank: int, increment: int, cap: int) -> int:
    """Return a bank after a move of its owner: up to ``cap``; a bank above it is not cut."""
    if min(bank, increment, cap) < 0:
        raise ValueError("no clock has less than nothing")
    return min(bank + increment, max(cap, bank))


def reminder_at(opened_at: int, due_at: int) -> int | None:
    """Return when a fifth of the time is left, or ten minutes if that is more.

    None: there are no more than ten minutes in all.
    """
    if due_at < opened_at:
        raise ValueError("a turn is due after it opens")
    if due_at - opened_at <= LEAST_REMINDER_MS:
        return None
    return due_at - max((due_at - opened_at) // 5, LEAST_REMINDER_MS)


def vacation_left(year_spans: Sequence[Span], zone: str, at: int) -> int:
    """Return what is left of the vacation of the calendar year, in ``zone``, in which ``at`` lies.

    ``year_spans`` are the player's vacations, taken and booked; what lies in other years is free.
    """
    tz = _zone(zone)
    return _vacation_left(year_spans, _year(_local(at, tz).year, tz))


def vacation_until(starts_at: int, wanted_until: int | None, earlier: Sequence[Span], zone: str) -> int:
    """Return when a vacation that starts at ``starts_at`` ends; ``wanted_until`` None: as late as may be.

    ``earlier`` are the player's other vacations, also those booked ahead.  The end is cut to what
    each calendar year has left and to 14 days in a row.  A row goes on until there is a whole day
    without vacation, and days between its parts count, so alternating does not stretch it.  The
    end leaves a booked vacation alone: where both do not fit in a row, a whole day lies between.

    Raises ValueError when nothing is left, and when the player is on vacation at ``starts_at``.
    """
    if wanted_until is not None and wanted_until <= starts_at:
        raise ValueError("a vacation ends after it starts")
    others = _union(earlier)
    if any(begins <= starts_at < ends for begins, ends in others):
        raise ValueError("on vacation already")
    last = _row_end(starts_at, others)
    ends_at = last if wanted_until is None else min(wanted_until, last)
    tz = _zone(zone)
    year = _local(starts_at, tz).year
    for span in (_year(year, tz), _year(year + 1, tz)):
        used_up = max(starts_at, span[0]) + _vacation_left(others, span)
        if used_up < span[1]:
            ends_at = min(ends_at, used_up)
    if ends_at <= starts_at:
        raise ValueError("no vacation is left")
    return ends_at


def jumped(wall_before: int, mono_before: int, wall: int, mono: int) -> bool:
    """Tell whether the database's clock advanced by over 30 s more or less than the driver's own.

    The monotonic readings are two of one run of one driver, oldest first: others do not compare.
    """
    if mono < mono_before:
        raise ValueError("a monotonic clock runs forwards")
    return abs((wall - wall_before) - (mono - mono_before)) > JUMP_MS


def credit(due_at: int, gaps: Sequence[Span], counted_until: int = 0) -> Span | None:
    """Return the outage into which a deadline fell, as a time that does not count; None: into none.

    ``gaps`` are the heartbeat's; those of up to 60 s are not outages, even side by side.  Overlapping
    ones are one outage; of a longer one the first 24 h are made good, whenever in it the deadline was,
    and nothing up to ``counted_until``, when the clocks were set.
    """
    for begins, ends in _union(gap for gap in gaps if not 0 <= gap[1] - gap[0] <= OUTAGE_MS):
        if begins <= due_at < ends:
            since, until = max(begins, counted_until), min(ends, begins + MOST_CREDIT_MS)
            return (since, until) if since < until else None
    return None


def _union(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, without empty ones, joined where they overlap or touch."""
    joined: list[Span] = []
    for begins, ends in sorted(spans):
        if ends < begins:
            raise ValueError("a span ends after it begins")
        if begins == ends:
            continue
        if joined and begins <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], ends))
        else:
            joined.append((begins, ends))
    return joined


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _out_of_all(moment: int, union: Sequence[Span], quiet: QuietHours | None) -> int:
    """Return the first moment from ``moment`` on in no span, of spans in order, and in no quiet hours."""
    for begins, ends in union:
        moment = out_of_quiet(moment, quiet)
        if begins <= moment < ends:
            moment = ends
    return out_of_quiet(moment, quiet)


def _row_end(starts_at: int, others: Sequence[Span]) -> int:
    """Return when a vacation must end at the latest for the 14 days in a row and for those booked ahead."""
    row_began = starts_at
    for begins, ends in reversed(others):
        if ends <= starts_at and row_began - ends < DAY_MS:
            row_began = begins
    latest = row_began + VACATION_RUN_MS
    booked = [span for span in others if span[0] > starts_at]
    if not booked:
        return latest
    next_begins, row_ends = booked[0]
    for begins, ends in booked[1:]:
        if begins - row_ends < DAY_MS:
            row_ends = ends
    return min(latest, next_begins if row_ends <= latest else next_begins - DAY_MS)


def _vacation_left(spans: Sequence[Span], year: Span) -> int:
    return max(0, VACATION_YEAR_MS - sum(_overlap(span, year) for span in _union(spans)))


def _night(night: date, quiet: QuietHours, tz: ZoneInfo) -> Span:
    """Return the quiet hours that begin on ``night``; an empty span when they are skipped."""
    midnight = datetime.combine(night, time())
    start = midnight + timedelta(minutes=quiet.start)
    end = midnight + timedelta(minutes=quiet.end, days=int(quiet.end < quiet.start))
    return _shown(start, tz, fold=0)[0], _shown(end - _MS, tz, fold=1)[1]


def _year(year: int, tz: ZoneInfo) -> Span:
    first, after = (_shown(datetime(each, 1, 1), tz, fold=0)[0] for each in (year, year + 1))  # noqa: DTZ001
    return first, after


def _shown(wall: datetime, tz: ZoneInfo, *, fold: int) -> Span:
    """Return the first (fold 0) or last (fold 1) millisecond at which clocks in ``tz`` show ``wall``.

    When they never do, for they are put forward over it: the empty span at that moment.
    """
    before, after = (wall.replace(tzinfo=tz, fold=each).utcoffset() or timedelta() for each in (0, 1))
    if before < after:  # PEP 495: so it is in a gap, and only there
        around = range((wall - after - _EPOCH) // _MS, (wall - before - _EPOCH) // _MS + 1)
        skip = around[bisect_left(around, after, key=lambda each: _offset(each, tz))]
        return skip, skip
    moment = (wall - (after if fold else before) - _EPOCH) // _MS
    return moment, moment + 1


def _offset(moment: int, tz: ZoneInfo) -> timedelta:
    return _local(moment, tz).utcoffset() or timedelta()


def _local(moment: int, tz: ZoneInfo) -> datetime:
    if not 0 <= moment < _LATEST:
        raise ValueError("not a moment of this era")
    return tz.fromutc((_EPOCH + moment * _MS).replace(tzinfo=tz))


def zone_or_utc(name: str) -> str:
    """Return a zone, or UTC for one that this machine has no data of: another may have had, or an older."""
    return name if name in _zones() else "UTC"


def _zone(name: str) -> ZoneInfo:
    if name not in _zones():
        raise ValueError("no such time zone")
    return ZoneInfo(name)


@cache
def _zones() -> frozenset[str]:
    """Return the names of all zones.  A name is looked up here before it becomes part of a path."""
    return frozenset(available_timezones()) - _NOWHERE


def moment(milliseconds: int) -> datetime:
    """Return a time of the database as an aware UTC datetime."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def milliseconds(moment: datetime) -> int:
    """Return an aware time in milliseconds since 1970."""
    return round(moment.timestamp() * 1000)
