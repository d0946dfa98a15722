"""The life of a table, and what its own events may say: each is taken in, with why it cannot be.

It reads the public part of headers alone, so it shares no code with the server that wrote them.
"""

from __future__ import annotations

from collections.abc import Callable

from events.codec import Header
from verify import clocks, gathering, interventions
from verify.entropy import POLICIES
from verify.table import DAY_MS, Table

LOBBY_MS, PRESENCE_MS, VOTE_MS, IDLE_MS = 7 * DAY_MS, DAY_MS, 3 * DAY_MS, 180 * DAY_MS


def note(table: Table, header: Header) -> str | None:
    """Take an event of ``TYPES`` in; return why it cannot be, or None."""
    statuses, take_in = TYPES[header.type]
    if table.status not in statuses:
        return f"{header.type} while the table is {table.status}"
    if table.suspended_at is not None and header.type not in interventions.WHILE_SUSPENDED:
        return f"{header.type} while the table is suspended"
    if (owed := table.owed) is not None and header.type not in owed:
        table.ruling = table.made_good = None
        return f"{header.type}, where {' or '.join(owed)} should follow"
    is_late = table.ruling is not None and header.at != table.ruled_at
    why = take_in(table, header)
    if header.type != "table.vote_decided":
        table.passed = table.dropped = None
    if header.type != "table.ruling_made":
        table.ruling = None
    return "it was ruled, and is done at another time" if is_late and why is None else why


def _opened(table: Table, header: Header) -> str | None:
    table.status, table.opened_at, table.policy = "open", header.at, header.public["seed_policy"]
    return None


def _settings_chosen(table: Table, header: Header) -> str | None:
    table.settings = header.public
    return None if header.seq == 2 else "settings are chosen once, when the table has been opened"


def _seat_taken(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    if seat in table.holders or not 0 <= seat < table.settings["seats"]:
        return f"seat {seat} is not free"
    table.holders[seat], table.bots[seat] = header.public["holder"], header.public["bot"]
    is_new, table.known = header.public["holder"] not in table.known, table.known | {header.public["holder"]}
    if table.presence is not None:
        table.presence.add(seat)
    if table.policy == gathering.STRICT and header.public["bot"] is not None:
        return "a bot takes a seat, and adds nothing to chance"
    if header.actor != (f"seat:{seat}" if header.public["bot"] is None else "table"):
        return f"{header.actor} takes seat {seat}"
    return None if is_new else "somebody known takes a seat"


def _seat_left(table: Table, header: Header) -> str | None:
    seat, reason = header.public["seat"], header.public["reason"]
    if header.actor != ("table" if reason == "absent" else f"seat:{seat}"):
        return f"{header.actor} gives seat {seat} back"
    if reason == "absent" and seat not in table.missing:
        return f"seat {seat} was not missing"
    table.missing.discard(seat)
    table.drop_entropy(seat)
    table.entropy_until = table.full_at = None
    if table.contributors is not None:
        return f"seat {seat} is given back after seating was closed"
    return None if table.holders.pop(seat, None) is not None else f"nobody holds seat {seat}"


def _presence_asked(table: Table, header: Header) -> str | None:
    table.presence = {seat for seat in table.holders if table.bots[seat] is not None}
    table.presence_until = header.public["until"]
    if len(table.holders) < table.settings["seats"] or header.at - table.opened_at <= DAY_MS:
        return "it asks who is there before it is full, or before it has waited long"
    return (
        None if table.presence_until == header.at + PRESENCE_MS else "it waits too long, or not long enough"
    )


def _presence_confirmed(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    if table.presence is None or seat not in table.holders or header.actor != f"seat:{seat}":
        return f"{header.actor} says that seat {seat} is there"
    table.presence.add(seat)
    return None


def _presence_lapsed(table: Table, header: Header) -> str | None:
    missing = sorted(table.holders.keys() - (table.presence or ()))
    was_asked, table.presence, table.missing = table.presence is not None, None, set(missing)
    if not was_asked or header.at < table.presence_until:
        return "the time to say who is there is not over"
    return None if header.public["seats"] == missing else f"the seats {missing} have not said to be there"


def _closed(table: Table, header: Header) -> str | None:
    table.status = "closed"
    if header.public["reason"] == "entropy_missing":
        return None if table.gave_up else "no entropy is missing"
    if header.public["reason"] == "expired":
        is_late = header.at >= table.opened_at + LOBBY_MS and table.entropy_until is None
        return None if is_late else "it has not waited for long enough"
    return "persons are still there" if table.persons() else None


def _started(table: Table, header: Header) -> str | None:
    public = header.public
    why_not_ready, table.owes, table.entropy_until = gathering.why_not_ready(table), (), None
    table.status, table.moved_at = "playing", header.at
    clock = table.settings["clock"]
    for name in ("game", "rules_version", "options"):
        if public[name] != table.settings[name]:
            return f"it starts with another {name} than was chosen"
    seats = table.settings["seats"]
    table.banks = [clock["initial"] * 1000] * seats if clock["kind"] == "budget" else []
    if len(table.holders) != seats or public["seats"] != [table.holders[seat] for seat in range(seats)]:
        return "it starts with others than those who sit there"
    if table.presence is not None and table.presence != set(table.holders):
        return "it starts before everybody has said to be there"
    if table.presence is None and (table.full_at or header.at) - table.opened_at > DAY_MS:
        return "it starts without having asked who is there"
    return why_not_ready


def _forked(table: Table, header: Header) -> str | None:
    """What goes over from the other table; the seats left for good there are so here."""
    table.abandoned = set(header.public["abandoned"])
    return "it goes on from elsewhere, and has begun" if table.turn or table.drawn else None


def _seat_abandoned(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    if seat in table.abandoned or seat not in table.holders:
        return f"seat {seat} cannot be left"
    table.abandoned.add(seat)
    table.seeking.discard(seat)
    if header.public["reason"] == "removed" and not interventions.is_ruled(table, "remove", seat):
        return f"nobody has decided to remove seat {seat}"
    return table.why_late(header) if header.public["reason"] == "resigned" else None


def _seat_replaced(table: Table, header: Header) -> str | None:
    public = header.public
    seat, bot, reason = public["seat"], public["bot"], public["reason"]
    by_vote = table.passed is not None and (table.passed["motion"], table.passed["seat"]) == ("replace", seat)
    allowed = {
        "absent": seat in table.absentees([seat]) and table.settings["absentee"] == "bot",
        "voted": by_vote,
        "taken_over": seat in table.seeking,
        "returned": seat in table.seeking,
    }
    is_new, table.known = public["holder"] not in table.known, table.known | {public["holder"]}
    table.holders[seat], table.bots[seat] = public["holder"], bot
    table.strikes[seat] = 0
    table.drop_entropy(seat)
    table.pauses = [each for each in table.pauses if each["seat"] != seat]
    if bot is None:
        table.seeking.discard(seat)
    else:
        table.seeking.add(seat)
    if bot is None or table.banks:
        had_clock = table.clocks.pop(seat, None) is not None
        table.is_stale, table.may_reset = had_clock and seat not in table.moved, True
    if table.banks:
        table.banks[seat] = _bank_of_new(table, seat, reason)
    table.returns[seat] = {"taken_over": 0, "returned": table.returns.get(seat, 0) + 1}.get(
        reason, table.returns.get(seat, 0)
    )
    if not allowed.get(reason, False) or (bot is None) != (reason in ("taken_over", "returned")):
        return f"seat {seat} cannot be {reason}"
    if not is_new or header.actor != (f"seat:{seat}" if bot is None else "table"):
        return "another does it, or somebody known"
    return table.why_late(header) if bot is None else None


def _bank_of_new(table: Table, seat: int, reason: str) -> int:
    """Return what is in the bank of whoever has just got a seat."""
    whole: int = table.settings["clock"]["initial"] * 1000
    if reason == "returned":
        return whole // 10 >> table.returns.get(seat, 0)
    return max(table.banks[seat], whole if reason == "taken_over" else whole // 10)


def _replacement_sought(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    is_due = table.settings["absentee"] == "open" and seat in table.absentees([seat])
    table.seeking.add(seat)
    return None if is_due else f"seat {seat} is no absentee's"


def _vote_called(table: Table, header: Header) -> str | None:
    public = header.public
    was_open, table.vote, table.votes = table.vote is not None, public, table.votes + 1
    table.ayes, table.noes = {public["by"]}, set()
    motion = public["motion"]
    voters = sorted(table.persons() - ({public["seat"]} if motion == "replace" else set()))
    count = len(voters)
    needed = {"pause": count, "abandon": -(-2 * count // 3)}.get(motion, count // 2 + 1)
    if was_open or public["vote"] != table.votes:
        return f"vote {public['vote']} is called, {table.votes} is next"
    if public["seats"] != voters or public["by"] not in voters or header.actor != f"seat:{public['by']}":
        return f"{voters} may vote, and call a vote"
    if motion not in ("abandon", "replace", "pause") or (motion == "pause") != (
        public["seconds"] is not None
    ):
        return f"nobody can vote on {motion}"
    if motion == "pause" and not 3_600 <= public["seconds"] <= 1_209_600:
        return "a pause is an hour to 14 days long"
    if motion == "replace" and (count < 2 or public["seat"] not in table.persons()):
        return f"seat {public['seat']} cannot be replaced by vote"
    if (public["needed"], public["until"]) != (needed, header.at + VOTE_MS):
        return f"{needed} must be in favour, within 3 days"
    return table.why_late(header)


def _vote_cast(table: Table, header: Header) -> str | None:
    public, vote = header.public, table.vote
    seat = public["seat"]
    if vote is None or public["vote"] != vote["vote"] or header.actor != f"seat:{seat}":
        return f"{header.actor} votes, and cannot"
    if seat not in table.persons() & set(vote["seats"]) or seat in table.ayes | table.noes:
        return f"seat {seat} has voted, or may not"
    (table.ayes if public["in_favour"] else table.noes).add(seat)
    return table.why_late(header) if header.at < vote["until"] else "the vote is over"


def _vote_decided(table: Table, header: Header) -> str | None:
    vote, table.vote = table.vote, None
    if vote is None or header.public["vote"] != vote["vote"]:
        return "no such vote is open"
    passed = len(table.ayes) >= vote["needed"]
    is_clear = passed or table.is_lost(vote)
    table.passed = vote if passed else None
    if header.public["passed"] != passed:
        return f"{len(table.ayes)} are in favour, {vote['needed']} must be"
    if not is_clear and header.at < vote["until"]:
        table.dropped = vote["seat"]
        return None if vote["motion"] == "replace" else "the vote is not over"
    return None


def _finished(table: Table, header: Header) -> str | None:
    reason, clock = header.public["reason"], table.settings["clock"]
    table.status, table.deadline_at, table.vote, table.owes = "finished", None, None, ()
    table.suspended_at = None
    if reason == "abandoned_entropy" and not table.gave_up:
        return "no entropy is missing"
    if reason == "abandoned_by_vote" and (table.passed is None or table.passed["motion"] != "abandon"):
        return "nobody has voted to abandon the game"
    if reason == "abandoned_idle" and (clock["kind"] != "none" or header.at < table.moved_at + IDLE_MS):
        return "it has not been silent for long enough"
    return interventions.why_not_over(table, header.public)


def _epoch_opened(table: Table, header: Header) -> str | None:
    table.status, table.drawn = "between", 0
    table.epoch += 1
    table.is_break = table.policy in POLICIES
    table.committed, table.revealed, table.contributors = set(), set(), None
    epoch = header.public["epoch"]
    return None if epoch == table.epoch else f"epoch {epoch} opens, {table.epoch} is next"


def _seed_revealed(table: Table, header: Header) -> str | None:
    """The seed of the epoch that is over: the one before, between two games of a series."""
    over = table.epoch - (table.status == "between")
    table.status = "playing" if table.status == "between" else "over"
    epoch = header.public["epoch"]
    return None if epoch == over else f"the seed of epoch {epoch} is revealed, epoch {over} is over"


_Note = Callable[[Table, Header], str | None]

TYPES: dict[str, tuple[tuple[str, ...], _Note]] = {
    "table.opened": (("new",), _opened),
    "table.settings_chosen": (("open",), _settings_chosen),
    "table.seat_taken": (("open",), _seat_taken),
    "table.seat_left": (("open",), _seat_left),
    "table.presence_asked": (("open",), _presence_asked),
    "table.presence_confirmed": (("open",), _presence_confirmed),
    "table.presence_lapsed": (("open",), _presence_lapsed),
    "table.entropy_asked": (("open", "playing"), gathering.asked),
    "table.entropy_committed": (("open", "playing"), gathering.committed),
    "table.seating_closed": (("open", "playing"), gathering.closed),
    "table.entropy_revealed": (("open", "playing"), gathering.revealed),
    "table.entropy_missing": (("open", "playing"), gathering.missing),
    "table.closed": (("open",), _closed),
    "table.started": (("open",), _started),
    "table.forked": (("playing",), _forked),
    "table.seat_abandoned": (("playing",), _seat_abandoned),
    "table.seat_replaced": (("playing",), _seat_replaced),
    "table.replacement_sought": (("playing",), _replacement_sought),
    "table.vote_called": (("playing",), _vote_called),
    "table.vote_cast": (("playing",), _vote_cast),
    "table.vote_decided": (("playing",), _vote_decided),
    "table.finished": (("playing",), _finished),
    "table.epoch_opened": (("playing",), _epoch_opened),
    "table.epoch_begun": (("playing",), gathering.epoch_begun),
    "table.seed_revealed": (("between", "finished"), _seed_revealed),
    "table.suspended": (("open", "playing"), interventions.suspended),
    "table.reinstated": (("open", "playing"), interventions.reinstated),
    "table.staff_peeked": (("playing",), interventions.staff_peeked),
    "table.arbiter_named": (("open", "playing"), interventions.arbiter_named),
    "table.ruling_made": (("playing",), interventions.ruling_made),
    "clock.deadline_set": (("playing",), clocks.deadline_set),
    "clock.expired": (("playing",), clocks.expired),
    "clock.paused": (("playing",), clocks.paused),
    "clock.resumed": (("playing",), clocks.resumed),
    "clock.deadline_extended": (("open", "playing"), clocks.deadline_extended),
    "clock.time_added": (("playing",), interventions.time_added),
}
"""The closed list of a table's own events, moves aside: when each may come, and what it does."""
