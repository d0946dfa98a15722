"""Whether a notice is still true, asked when it is told and again when it is mailed."""

from __future__ import annotations

import uuid
from typing import Any

from events import store
from events.codec import read_header
from tables.folding import stream_of
from tables.models import LastRead, Offer, Table, Tenure, Vacation

Facts = dict[str, Any]

LATER_MS = 600_000
"""How long a reminder waits for a table that is suspended before it asks again."""


def is_current(what: str, player_id: uuid.UUID, table: Table, facts: Facts, now: int) -> bool:
    """Tell whether there is still something to be told.  A turn that was played is no news."""
    match what:
        case "your_turn" | "reminder":
            return is_open(table, facts) and _holds(player_id, table, facts["seat"])
        case "message":
            marks = LastRead.objects.filter(player=player_id, table=table)
            return (marks.values_list("position", flat=True).first() or 0) < int(facts["said"])
        case "invited":
            return Offer.objects.filter(player=player_id, table=table, seat=facts["seat"]).exists()
        case "presence_asked":
            return table.status == "open" and now < facts["until"]
        case "vote_called":
            return (
                table.status == "playing" and now < facts["until"] and not _is_decided(table, facts["vote"])
            )
        case "paused" | "staff_paused" | "away":
            return table.status == "playing" and now < facts["until"]
        case "sought" | "sought_you":
            return table.status == "playing" and facts["sought"] in table.seeking
        case "resumed" | "staff_resumed" | "back":
            return table.status == "playing"
        case "vacation_ends":
            ends = Vacation.objects.filter(player=player_id).values_list("until", flat=True)
            return any(round(each.timestamp() * 1000) == facts["until"] for each in ends)
    return True


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
