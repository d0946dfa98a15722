"""Whether a notice is still true, asked when it is told and again when it is mailed."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from events import store
from events.codec import read_header
from tables import hosting
from tables.folding import stream_of
from tables.models import Arbiter, LastRead, Offer, Table, Tenure, Vacation

Facts = dict[str, Any]

LATER_MS = 600_000
"""How long a reminder waits for a table that is suspended before it asks again."""


def is_current(what: str, player_id: uuid.UUID, table: Table, facts: Facts, now: int) -> bool:
    """Tell whether there is still something to be told.  A turn that was played is no news."""
    if (holds := _OF_TABLE.get(what)) is not None:
        return holds(table, facts, now)
    match what:
        case "your_turn" | "reminder":
            return is_open(table, facts) and _holds(player_id, table, facts["seat"])
        case "entropy_asked" | "entropy_awaited":
            return _adds(player_id, table, facts, is_closed=what == "entropy_awaited")
        case "message":
            marks = LastRead.objects.filter(player=player_id, table=table)
            return (marks.values_list("position", flat=True).first() or 0) < int(facts["said"])
        case "invited":
            return Offer.objects.filter(player=player_id, table=table, seat=facts["seat"]).exists()
        case "arbiter_asked":
            asked = Arbiter.objects.filter(table=table, player=player_id, since__isnull=True)
            return table.status in ("open", "playing") and asked.exists()
        case "vacation_ends":
            ends = Vacation.objects.filter(player=player_id).values_list("until", flat=True)
            return any(round(each.timestamp() * 1000) == facts["until"] for each in ends)
    return True


def _plays(table: Table, _facts: Facts, _now: int) -> bool:
    return table.status == "playing"


def _lasts(table: Table, facts: Facts, now: int) -> bool:
    return table.status == "playing" and now < facts["until"]


def _is_asked(table: Table, facts: Facts, now: int) -> bool:
    return table.status == "open" and now < facts["until"]


def _adds(player_id: uuid.UUID, table: Table, facts: Facts, *, is_closed: bool) -> bool:
    """Tell whether a player is still asked to commit, or (``is_closed``) to reveal, before a game."""
    state = hosting.peek(table.id).table
    given, seats = state.entropy, Tenure.objects.filter(table=table, player=player_id, until__isnull=True)
    if (state.epoch, given.is_closed, state.is_gathering) != (facts["epoch"], is_closed, True):
        return False
    done = given.values if is_closed else given.commits
    return any(not done[seat] for seat in seats.values_list("seat", flat=True))


def _is_voted(table: Table, facts: Facts, now: int) -> bool:
    return _lasts(table, facts, now) and not _is_decided(table, facts["vote"])


def _is_sought(table: Table, facts: Facts, _now: int) -> bool:
    return table.status == "playing" and facts["sought"] in table.seeking


def _runs(table: Table, _facts: Facts, now: int) -> bool:
    """Tell whether the clocks run, a pause being over: not while another lasts."""
    return table.status == "playing" and not _is_paused(table, now)


def _is_suspended(table: Table, _facts: Facts, _now: int) -> bool:
    return table.suspended_at is not None


_OF_TABLE: dict[str, Callable[[Table, Facts, int], bool]] = {
    "presence_asked": _is_asked,
    "vote_called": _is_voted,
    "paused": _lasts,
    "staff_paused": _lasts,
    "away": _lasts,
    "resumed": _runs,
    "staff_resumed": _runs,
    "back": _plays,
    "sought": _is_sought,
    "sought_you": _is_sought,
    "suspended": _is_suspended,
}
"""What the table alone decides, whoever is told."""


def _is_paused(table: Table, now: int) -> bool:
    """Tell whether the clocks of all stand still, for another pause than the one that is over."""
    pauses = hosting.peek(table.id).table.pauses
    return any(each.seat is None and each.since <= now < each.until for each in pauses)


def _is_decided(table: Table, vote: int) -> bool:
    """Tell whether a vote of a table is over."""
    last = store.last_of_type(stream_of(table.id), "table.vote_decided")
    return last is not None and read_header(last.header).public["vote"] >= vote


def is_open(table: Table, facts: Facts) -> bool:
    """Tell whether a table still waits for a seat at a turn."""
    return (table.status, table.turn) == ("playing", facts["turn"]) and facts["seat"] in table.awaited


def until_of(what: str, table: Table, facts: Facts) -> int | None:
    """Return the end that a notice tells of: a deadline as it now is, None where that is over."""
    if what not in ("your_turn", "reminder"):
        return facts.get("until")
    if table.deadline_at is None or not is_open(table, facts):
        return None
    return round(table.deadline_at.timestamp() * 1000)


def put_off(what: str, table: Table, facts: Facts, now: int) -> tuple[int, Facts] | None:
    """Return when to ask again about a reminder whose time has not come, for the clock stood; else None."""
    if what != "reminder" or not is_open(table, facts):
        return None
    if table.suspended_at is not None:
        return now + LATER_MS, facts
    deadline = until_of(what, table, facts)
    if deadline is None or deadline <= facts["until"]:
        return None
    return now + deadline - int(facts["until"]), {**facts, "until": deadline}


def _holds(player_id: uuid.UUID, table: Table, seat: int) -> bool:
    return Tenure.objects.filter(table=table, seat=seat, player=player_id, until__isnull=True).exists()
