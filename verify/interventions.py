"""What staff and arbiters may do at a table: each returns why its event cannot be, or None, and takes it in.

What they decide is said first, by whom and why, and the next event does it: nothing of theirs comes unsaid.
"""

from __future__ import annotations

from typing import Any

from events.codec import Header
from verify.table import Table

ENDINGS = {"adjudicated": "adjudicate", "annulled": "annul"}
"""By which ruling a game ends so."""
WHILE_SUSPENDED = (
    "table.reinstated",
    "table.staff_peeked",
    "table.arbiter_named",
    "table.ruling_made",
    "table.seat_left",
    "table.closed",
    "table.seat_abandoned",
    "table.epoch_opened",
    "table.entropy_asked",
    "table.finished",
    "table.seed_revealed",
    "clock.deadline_set",
)
"""What may happen at a table that is suspended: staff act, and whoever deletes an account leaves."""
LONGEST_MS = 720 * 3_600_000
"""How long a pause, or an extension, by ruling is at most."""


def is_ruled(table: Table, ruling: str, seat: int | None = None) -> bool:
    """Tell whether the event before was this ruling."""
    said = table.ruling
    return said is not None and (said["ruling"], said["seat"]) == (ruling, seat)


def suspended(table: Table, header: Header) -> str | None:
    """It stands still from now on."""
    table.suspended_at = header.at
    return None


def reinstated(table: Table, header: Header) -> str | None:
    """It goes on; a suspension that could not be recorded is told of here alone."""
    since, known, table.suspended_at = header.public["since"], table.suspended_at, None
    is_asking = table.presence is not None or table.entropy_until is not None
    if (table.status == "playing" or is_asking) and since < header.at:
        table.made_good = since
    if known is not None and since != known:
        return f"it was suspended at {known}, not at {since}"
    return None if since <= header.at else "it was suspended later"


def staff_peeked(table: Table, header: Header) -> str | None:
    """Staff look: that nobody else has looked, no log can tell."""
    seat = header.public["seat"]
    return None if seat is None or seat in table.holders else f"there is no seat {seat} to look at"


def arbiter_named(table: Table, header: Header) -> str | None:
    """Another arbitrates, or nobody; never a holder of a seat."""
    arbiter, had = header.public["arbiter"], table.arbiter
    table.arbiter = arbiter
    if (arbiter is None) == (had is None):
        return "there is an arbiter already" if arbiter else "there was no arbiter"
    if arbiter is None:
        return None
    is_new, table.known = arbiter not in table.known, table.known | {arbiter}
    return None if is_new else "somebody known arbitrates"


def ruling_made(table: Table, header: Header) -> str | None:
    """Something is decided, and follows."""
    public = header.public
    seat, ruling = public["seat"], public["ruling"]
    table.ruling, table.ruled_at = public, header.at
    if public["by"] == "arbiter" and table.arbiter is None:
        return "there is no arbiter"
    if (seat is None) == (ruling == "remove"):
        return f"a ruling to {ruling} about seat {seat}"
    if table.suspended_at is not None and ruling not in ENDINGS.values():
        return f"a ruling to {ruling} while the table is suspended"
    return None


def time_added(table: Table, header: Header) -> str | None:
    """The clocks that run have more time; their ends are set next."""
    added = header.public["added"]
    for seat in table.clocks:
        table.clocks[seat] = table.left(seat, header.at) + added
    table.clocked_at = header.at
    table.is_stale, table.may_reset = bool(table.clocks), True
    if not is_ruled(table, "extend"):
        return "nobody has decided that"
    if header.public["turn"] != table.turn or table.deadline_at is None:
        return "it adds to the time of another turn, or of one without a deadline"
    return None if 0 < added <= LONGEST_MS else f"it adds {added} ms"


def why_not_over(table: Table, public: dict[str, Any]) -> str | None:
    """Return why a game cannot end by ruling as it does, or None; also of one that ends otherwise."""
    ruling = ENDINGS.get(public["reason"])
    if ruling is None:
        return None
    if not is_ruled(table, ruling):
        return "nobody has decided that"
    places, seats = public["places"], table.settings["seats"]
    if ruling == "annul":
        is_void = (public["winners"], places, public["scores"]) == ([], [1] * seats, None)
        return None if is_void else "somebody wins a game that was annulled"
    if len(places) != seats or any(place != 1 + sum(each < place for each in places) for place in places):
        return f"no places are {places}"
    first = [seat for seat, place in enumerate(places) if place == 1]
    return None if (public["winners"], public["scores"]) == (first, None) else "others win than are first"
