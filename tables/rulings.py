"""What staff and arbiters decide at a running table: said first, by whom and why, and then done.

Each is an event that players see, and none edits what was recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.base import Outcome
from tables import clock, gathering, lifecycle
from tables.errors import AlreadyResigned, BadField, NoDeadline
from tables.hosting import Host
from tables.interventions import RulingMade, TimeAdded
from tables.messages import Resumed

MOST_HOURS = 720
"""How long a pause is at most, and how much time an extension may leave to anybody."""


def pause(host: Host, by: str, reason: str, *, hours: int) -> None:
    """Stop all clocks.  Raises TableNotPlaying."""
    lifecycle.require_playing(host.table)
    _say(host, by, "pause", reason)
    host.pause("staff", hours * clock.HOUR_MS, actor="staff")


def resume(host: Host, by: str, reason: str) -> bool:
    """End the pauses by ruling that last; return whether there was one.  A game that is over has none."""
    paused = [each for each in host.table.pauses if each.reason == "staff" and each.until > host.now]
    for each in paused:
        _say(host, by, "resume", reason)
        host.add(Resumed(reason="staff", seat=None, since=each.since), actor="staff")
        host.set_deadline()
    return bool(paused)


def extend(host: Host, by: str, reason: str, *, hours: int) -> None:
    """Give whoever is awaited so much more time.

    Raises TableNotPlaying, NoDeadline; BadField where somebody would have more than the longest turn lasts,
    however often it is extended.
    """
    table = host.table
    lifecycle.require_playing(table)
    if table.deadline_at is None:
        raise NoDeadline()
    left = (
        clock.time_left(each.left, table.clocked_at, host.now, table.stops(each.seat))
        for each in table.clocks
    )
    most = (MOST_HOURS * clock.HOUR_MS - max(left)) // clock.HOUR_MS
    if hours > most:
        raise BadField(pointer="#/hours", code="out_of_range", wanted=f"..{max(0, most)}")
    _say(host, by, "extend", reason)
    host.add(TimeAdded(turn=host.table.turn, added=hours * clock.HOUR_MS), actor="staff")
    host.set_deadline()


def remove(host: Host, by: str, reason: str, *, seat: int) -> None:
    """Remove a player for good.  Raises TableNotPlaying, AlreadyResigned; BadField for no seat."""
    lifecycle.require_playing(host.table)
    if not 0 <= seat < len(host.table.holders):
        raise no_seat(len(host.table.holders))
    if seat in host.table.abandoned:
        raise AlreadyResigned()
    _say(host, by, "remove", reason, seat=seat)
    host.leave(seat, "removed", actor="staff")
    gathering.go_on_without(host)


def adjudicate(host: Host, by: str, reason: str, *, places: Sequence[int]) -> None:
    """End the game with the place of each seat, 1 for the winners, equal ones shared.

    Raises TableNotPlaying; BadField for places that cannot be, as 1, 1, 2.
    """
    lifecycle.require_playing(host.table)
    if len(places) != len(host.table.holders):
        raise BadField(pointer="#/places", code="bad_length", wanted=str(len(host.table.holders)))
    if any(place != 1 + sum(each < place for each in places) for place in places):
        raise BadField(pointer="#/places", code="bad_format")
    _say(host, by, "adjudicate", reason)
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    host.finish(Outcome(winners=winners, places=tuple(places), scores=None, reason="adjudicated"))


def annul(host: Host, by: str, reason: str) -> None:
    """End the game without a result.  Raises TableNotPlaying."""
    lifecycle.require_playing(host.table)
    _say(host, by, "annul", reason)
    host.abandon("annulled")


def no_seat(seats: int) -> BadField:
    """Return the refusal of a seat that a table does not have."""
    return BadField(pointer="#/seat", code="out_of_range", wanted=f"0..{seats - 1}")


def _say(host: Host, by: str, ruling: str, reason: str, seat: int | None = None) -> None:
    host.add(RulingMade(by=by, ruling=ruling, seat=seat, reason=reason), actor="staff")
