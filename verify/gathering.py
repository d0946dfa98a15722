"""When players may add to the chance of a game, and what must follow: each event is taken in, or objected to.

Whether what they reveal is what they had committed to, ``entropy`` judges.
"""

from __future__ import annotations

from events.codec import Header
from verify.entropy import POLICIES
from verify.table import DAY_MS, Table

STRICT = "players_strict"


def why_of_another(table: Table, header: Header) -> str | None:
    """Return why nothing can be added here, or not to the epoch that an event names; None if it can."""
    epoch = header.public["epoch"]
    if table.policy not in POLICIES:
        return f"{header.type}, and players add nothing to chance here"
    if table.status == "playing" and not table.is_break:
        return f"{header.type} while a game runs"
    return None if epoch == table.epoch else f"{header.type} of epoch {epoch}, {table.epoch} is open"


def asked(table: Table, header: Header) -> str | None:
    """The seats have time to commit: not if all have, before the start."""
    was_asked, table.entropy_until = table.entropy_until is not None, header.public["until"]
    table.full_at = header.at
    is_full = len(table.holders) == table.settings["seats"]
    table.may_reset, table.owes = table.status == "playing", ()
    if (why := why_of_another(table, header)) is not None:
        return why
    if was_asked or table.contributors is not None or not is_full:
        return "it asks for entropy again, or before it is full"
    if table.status == "open" and not _uncommitted(table):
        return "it asks for entropy, and all have committed"
    return _why_until(table, header)


def committed(table: Table, header: Header) -> str | None:
    """A seat commits, once."""
    seat = header.public["seat"]
    has_committed = seat in table.committed
    table.committed.add(seat)
    if table.entropy_until is not None and not _uncommitted(table):
        table.owes = ("table.seating_closed",)
    if (why := why_of_another(table, header)) is not None:
        return why
    if header.actor != f"seat:{seat}" or seat not in table.persons():
        return f"{header.actor} commits for seat {seat}"
    if has_committed or table.contributors is not None:
        return f"seat {seat} commits again, or after seating was closed"
    if table.status == "playing" and table.entropy_until is None:
        return f"seat {seat} commits before it is asked to"
    return _why_late(table, header)


def closed(table: Table, header: Header) -> str | None:
    """Nobody commits any more; those who have may reveal."""
    seats, until = sorted(table.committed & table.persons()), table.entropy_until
    was_closed, table.contributors = table.contributors is not None, set(header.public["seats"])
    table.full_at = header.at if table.full_at is None else table.full_at
    table.entropy_until = header.public["until"]
    _go_on(table)
    if (why := why_of_another(table, header)) is not None:
        return why
    if was_closed or len(table.holders) < table.settings["seats"]:
        return "seating is closed twice, or before the table is full"
    if _uncommitted(table) and (table.policy == STRICT or until is None or header.at < until):
        return f"the seats {_uncommitted(table)} may still commit, or must"
    if header.public["seats"] != seats:
        return f"the seats {seats} have committed"
    return _why_until(table, header)


def revealed(table: Table, header: Header) -> str | None:
    """A seat reveals, once; with the last one the game begins."""
    seat = header.public["seat"]
    has_revealed = seat in table.revealed
    table.revealed.add(seat)
    _go_on(table)
    if (why := why_of_another(table, header)) is not None:
        return why
    if header.actor != f"seat:{seat}" or seat not in table.persons():
        return f"{header.actor} reveals for seat {seat}"
    if has_revealed or table.contributors is None or seat not in table.contributors:
        return f"seat {seat} reveals again, or nothing that it had committed to"
    return _why_late(table, header)


def missing(table: Table, header: Header) -> str | None:
    """Seats add nothing: nothing more may be waited for; a strict table gives up where they could have."""
    told, until, contributors = header.public["seats"], table.entropy_until, table.contributors
    given_up = ("table.closed",) if table.status == "open" else ("table.finished",)
    if (why := why_of_another(table, header)) is not None:
        return why
    is_late = until is not None and header.at >= until
    if contributors is None:
        table.owes, table.gave_up = given_up, True
        is_right = table.policy == STRICT and is_late and told and told == _uncommitted(table)
        return None if is_right else "somebody may still commit, or need not"
    absent = _missing(table)
    could = contributors | table.persons()
    table.gave_up = table.policy == STRICT and bool(could & set(absent))
    table.owes = given_up if table.gave_up else _begins(table)
    if told != absent:
        return f"the entropy of the seats {absent} is missing"
    return None if is_late or not _unrevealed(table) else f"the seats {_unrevealed(table)} may still reveal"


def epoch_begun(table: Table, header: Header) -> str | None:
    """The next game of a series begins."""
    why = why_of_another(table, header) or why_not_ready(table)
    table.is_break, table.entropy_until, table.owes = False, None, ()
    return why


def why_not_ready(table: Table) -> str | None:
    """Return why a game cannot begin: not all who add to its chance have, or were found missing."""
    if table.policy not in POLICIES or table.owes == _begins(table):
        return None
    return "it begins, and not all that players add to its chance is there, or told to be missing"


def _go_on(table: Table) -> None:
    table.owes = ()
    if not _unrevealed(table):
        table.owes = ("table.entropy_missing",) if _missing(table) else _begins(table)


def _begins(table: Table) -> tuple[str, ...]:
    return ("table.started",) if table.status == "open" else ("table.epoch_begun",)


def _missing(table: Table) -> list[int]:
    return [seat for seat in range(table.settings["seats"]) if seat not in table.revealed]


def _uncommitted(table: Table) -> list[int]:
    return sorted(table.persons() - table.committed)


def _unrevealed(table: Table) -> list[int]:
    return sorted(((table.contributors or set()) & table.persons()) - table.revealed)


def _why_late(table: Table, header: Header) -> str | None:
    is_late = table.entropy_until is not None and header.at >= table.entropy_until
    return f"{header.actor} adds to chance after its time" if is_late else None


def _why_until(table: Table, header: Header) -> str | None:
    clock = table.settings["clock"]
    seconds = clock["seconds"] or clock["initial"]
    span = DAY_MS if seconds is None else min(DAY_MS, seconds * 1000)
    return None if header.public["until"] == header.at + span else "it waits too long, or not long enough"
