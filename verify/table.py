"""A table beside its game, as the headers of its log tell it, and what its own events may say.

It knows seats, turns, clocks and votes, and no rule of a game.  It reads the public part of headers
alone, so it shares no code with the server that wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from events.codec import Header

DAY_MS = 86_400_000
LOBBY_MS, PRESENCE_MS, VOTE_MS, IDLE_MS = 7 * DAY_MS, DAY_MS, 3 * DAY_MS, 180 * DAY_MS


@dataclass(slots=True)
class Table:
    """A table after some event.

    ``status`` is ``between`` from the opening of an epoch to the reveal of the last one's seed;
    ``turn`` is 0 before the start; ``drawn`` counts the draws of the epoch so far.  ``clocks`` tells
    what each awaited seat had left at ``clocked_at``, ``lapsed`` whose time has run out since;
    ``passed`` is a motion that was carried by the event before, ``dropped`` the seat of one that is over
    because another gets the seat.  ``is_stale``: something has changed the clocks, which must be set anew;
    ``may_reset``: something has happened behind which they may, within a turn.
    ``known`` are the pseudonyms given so far, ``missing`` the seats that have not said to be there.
    """

    status: str = "new"
    settings: dict[str, Any] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    bots: dict[int, str | None] = field(default_factory=dict)
    abandoned: set[int] = field(default_factory=set)
    opened_at: int = 0
    presence: set[int] | None = None
    presence_until: int = 0
    turn: int = 0
    deadline_at: int | None = None
    clocks: dict[int, int] = field(default_factory=dict)
    clocked_at: int = 0
    banks: list[int] = field(default_factory=list)
    lapsed: set[int] = field(default_factory=set)
    pauses: list[dict[str, Any]] = field(default_factory=list)
    strikes: dict[int, int] = field(default_factory=dict)
    seeking: set[int] = field(default_factory=set)
    vote: dict[str, Any] | None = None
    votes: int = 0
    ayes: set[int] = field(default_factory=set)
    noes: set[int] = field(default_factory=set)
    passed: dict[str, Any] | None = None
    dropped: int | None = None
    is_stale: bool = False
    may_reset: bool = False
    known: set[str] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)
    credited_until: int = 0
    moved_at: int = 0
    epoch: int = 0
    drawn: int = 0

    def note(self, header: Header) -> str | None:
        """Take an event of ``TYPES`` in; return why it cannot be, or None."""
        statuses, note = TYPES[header.type]
        if self.status not in statuses:
            return f"{header.type} while the table is {self.status}"
        if (owed := self.owed) is not None and header.type not in owed:
            return f"{header.type}, where {' or '.join(owed)} should follow"
        why = note(self, header)
        if header.type != "table.vote_decided":
            self.passed = self.dropped = None
        return why

    def vote_about(self, seat: int) -> int | None:
        """Return the number of the open vote to replace the holder of a seat."""
        if self.vote is None or (self.vote["motion"], self.vote["seat"]) != ("replace", seat):
            return None
        number: int = self.vote["vote"]
        return number

    def note_move(self, header: Header) -> str | None:
        """Return why a move cannot be, or None."""
        seat = header.public["seat"]
        if self.status != "playing":
            return f"a move while the table is {self.status}"
        if seat not in self.holders:
            return f"a move of seat {seat}, which nobody has taken"
        if header.actor == "table":
            return None
        if (owed := self.owed) is not None:
            return f"a move, where {' or '.join(owed)} should follow"
        if header.actor != f"seat:{seat}":
            return f"{header.actor} moves for seat {seat}"
        if seat in self.abandoned:
            return f"seat {seat} moves after it was left for good"
        self.moved_at = header.at
        if self.bots.get(seat) is None:
            self.strikes[seat] = 0
            self.seeking.discard(seat)
        return self.why_late(header)

    def why_late(self, header: Header) -> str | None:
        """Return how an act of a seat comes after its time, or None: the expiry must come first."""
        if self.deadline_at is None or header.at < self.deadline_at:
            return None
        return f"{header.actor} acts at {header.at}, the turn has expired at {self.deadline_at}"

    @property
    def owed(self) -> tuple[str, ...] | None:
        """What must come next: the decision of a vote that is clear, what it has carried, clocks set anew."""
        if self.vote and (len(self.ayes) >= self.vote["needed"] or self.is_lost(self.vote)):
            return ("table.vote_decided",)
        if self.dropped is not None:
            return (_REPLACED,)
        if self.is_stale and self.status == "playing":
            return ("clock.deadline_set", "clock.paused", "clock.resumed")
        if self.passed is None:
            return None
        if self.passed["motion"] == "replace" and self.passed["seat"] not in self.persons():
            return None
        return ({"abandon": "table.finished", "pause": "clock.paused"}.get(self.passed["motion"], _REPLACED),)

    def persons(self) -> set[int]:
        """Return the seats that persons hold and have not left for good."""
        return {seat for seat in self.holders if self.bots.get(seat) is None} - self.abandoned

    def absentees(self, seats: Iterable[int]) -> list[int]:
        """Return those of the seats whose time-outs in a row make the table's rule decide, ascending."""
        most = self.settings["max_timeouts"]
        late = {seat for seat in seats if self.strikes.get(seat, 0) >= most} & self.persons()
        return sorted(late - self.seeking if self.settings["absentee"] == "open" else late)

    def stopped(self, seat: int, since: int, until: int) -> int:
        """Return for how long of a span the clock of a seat stood still."""
        spans = sorted(
            (max(since, each["since"]), min(until, each["until"]))
            for each in self.pauses
            if each["seat"] in (None, seat)
        )
        total, reached = 0, since
        for begins, ends in spans:
            total += max(0, ends - max(begins, reached))
            reached = max(reached, ends)
        return total

    def left(self, seat: int, at: int) -> int:
        """Return what the clock of an awaited seat has left at a moment."""
        ran = at - self.clocked_at - self.stopped(seat, self.clocked_at, at)
        return max(0, self.clocks[seat] - max(0, ran))

    def is_lost(self, vote: dict[str, Any]) -> bool:
        most: int = len(vote["seats"]) - vote["needed"]
        return len(self.noes) > most


def _opened(table: Table, header: Header) -> str | None:
    table.status, table.opened_at = "open", header.at
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
    if header.public["reason"] == "expired":
        return None if header.at >= table.opened_at + LOBBY_MS else "it has not waited for long enough"
    return "persons are still there" if table.persons() else None


def _started(table: Table, header: Header) -> str | None:
    public = header.public
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
    if table.presence is None and header.at - table.opened_at > DAY_MS:
        return "it starts without having asked who is there"
    return None


def _seat_abandoned(table: Table, header: Header) -> str | None:
    seat = header.public["seat"]
    if seat in table.abandoned or seat not in table.holders:
        return f"seat {seat} cannot be left"
    table.abandoned.add(seat)
    table.seeking.discard(seat)
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
    table.pauses = [each for each in table.pauses if each["seat"] != seat]
    if bot is None:
        table.seeking.discard(seat)
        table.is_stale, table.may_reset = table.clocks.pop(seat, None) is not None, True
    else:
        table.seeking.add(seat)
    if table.banks:
        whole = table.settings["clock"]["initial"] * 1000
        table.banks[seat] = max(table.banks[seat], whole if reason == "taken_over" else whole // 10)
    if not allowed.get(reason, False) or (bot is None) != (reason in ("taken_over", "returned")):
        return f"seat {seat} cannot be {reason}"
    if not is_new or header.actor != (f"seat:{seat}" if bot is None else "table"):
        return "another does it, or somebody known"
    return table.why_late(header) if bot is None else None


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
    table.status, table.deadline_at, table.vote = "finished", None, None
    if reason == "abandoned_by_vote" and (table.passed is None or table.passed["motion"] != "abandon"):
        return "nobody has voted to abandon the game"
    if reason == "abandoned_idle" and (clock["kind"] != "none" or header.at < table.moved_at + IDLE_MS):
        return "it has not been silent for long enough"
    return None


def _epoch_opened(table: Table, header: Header) -> str | None:
    table.status, table.drawn = "between", 0
    table.epoch += 1
    epoch = header.public["epoch"]
    return None if epoch == table.epoch else f"epoch {epoch} opens, {table.epoch} is next"


def _seed_revealed(table: Table, header: Header) -> str | None:
    """The seed of the epoch that is over: the one before, between two games of a series."""
    over = table.epoch - (table.status == "between")
    table.status = "playing" if table.status == "between" else "over"
    epoch = header.public["epoch"]
    return None if epoch == over else f"the seed of epoch {epoch} is revealed, epoch {over} is over"


def _deadline_set(table: Table, header: Header) -> str | None:
    """Quiet hours, which the log does not tell, may give a seat more time than its clock, never less."""
    public, clock, at = header.public, table.settings["clock"], header.at
    is_same, before = public["turn"] == table.turn, table.deadline_at
    told = {each["seat"]: each for each in public["clocks"]}
    has_answered = bool(table.banks) and bool(table.clocks.keys() - told.keys())
    is_idle, table.may_reset = is_same and not table.may_reset and not has_answered, False
    banks = _banks_after(table, clock, told.keys() if is_same else (), at)
    expected = {}
    for seat in told:
        fresh = (banks[seat] if banks else (clock["seconds"] or 0) * 1000) if clock["kind"] != "none" else 0
        expected[seat] = table.left(seat, at) if is_same and seat in table.clocks else fresh
    due = {seat: _due(table, seat, at, left) for seat, left in expected.items()}
    latest = {seat: _due(table, seat, at, left + DAY_MS) for seat, left in expected.items()}
    table.is_stale = False
    table.turn, table.deadline_at = public["turn"], public["deadline_at"]
    table.clocks, table.clocked_at = {seat: each["left"] for seat, each in told.items()}, at
    table.banks = list(public["banks"])
    table.lapsed = table.lapsed if is_same else set()
    table.pauses = [each for each in table.pauses if each["until"] > at]
    if is_idle:
        return "the clocks are set anew, and nothing has changed them"
    if clock["kind"] == "none":
        is_none = not told and not table.banks and public["deadline_at"] is None
        return None if is_none else "a clock that was not chosen"
    if public["banks"] != banks:
        return f"the banks are {public['banks']}, {banks} is left"
    for seat, each in told.items():
        if each["left"] != expected[seat]:
            return f"seat {seat} has {each['left']} left, it should be {expected[seat]}"
        if each["due_at"] < due[seat]:
            return f"the time of seat {seat} is shorter than its clock"
        if each["due_at"] > latest[seat]:
            return f"the time of seat {seat} is longer than its clock and a night"
    last = max((each["due_at"] for each in told.values()), default=at)
    kept = max(last, before or 0) if is_same and banks else last
    return None if public["deadline_at"] in (last, kept) else "the deadline is not the last of the seats'"


def _banks_after(table: Table, clock: dict[str, Any], awaited: Iterable[int], at: int) -> list[int]:
    """Return the banks once those who are awaited no more have been charged, and have gained."""
    banks, awaited = list(table.banks), set(awaited)
    for seat in table.clocks if banks else ():
        left = table.left(seat, at)
        if seat in table.lapsed:
            banks[seat] = 0
        elif seat in awaited:
            banks[seat] = left
        else:
            gained = left + clock["increment"] * 1000
            banks[seat] = min(gained, max(clock["cap"] * 1000, left))
    return banks


def _due(table: Table, seat: int, at: int, left: int) -> int:
    """Return the earliest moment at which ``left`` has run out, pauses between not counted."""
    due = at + left
    while (later := at + left + table.stopped(seat, at, due)) > due:
        due = later
    return due


def _expired(table: Table, header: Header) -> str | None:
    turn, due = header.public["turn"], header.public["deadline_at"]
    table.lapsed = set(header.public["seats"])
    for seat in header.public["seats"]:
        table.strikes[seat] = table.strikes.get(seat, 0) + 1
    if (turn, due) != (table.turn, table.deadline_at) or due is None:
        return f"turn {turn} with deadline {due} expires, turn {table.turn} with {table.deadline_at} is open"
    if not due <= header.public["decided_at"] <= header.at:
        return "it expires before its deadline, or before that was seen"
    return None


def _paused(table: Table, header: Header) -> str | None:
    public = header.public
    vote, seat, reason = table.passed, public["seat"], public["reason"]
    table.pauses.append(public)
    table.is_stale, table.may_reset = bool(table.clocks), True
    if public["until"] <= public["since"] or header.actor != ("staff" if reason == "staff" else "table"):
        return f"{header.actor} stops clocks for {public['until'] - public['since']} ms"
    if reason == "agreement":
        span = (header.at, header.at + (vote or {"seconds": 0})["seconds"] * 1000) if vote else None
        is_agreed = vote is not None and vote["motion"] == "pause" and seat is None
        return (
            None if is_agreed and (public["since"], public["until"]) == span else "nobody has agreed to that"
        )
    if reason == "vacation":
        is_short = public["until"] - public["since"] <= 14 * DAY_MS
        is_one = table.settings["vacations"] and seat in table.persons() and is_short
        return None if is_one else f"seat {seat} has no vacation here"
    return None if reason == "staff" and seat is None else f"nobody is paused for {reason}"


def _resumed(table: Table, header: Header) -> str | None:
    key = (header.public["reason"], header.public["seat"], header.public["since"])
    known = [each for each in table.pauses if (each["reason"], each["seat"], each["since"]) == key]
    table.is_stale, table.may_reset = bool(table.clocks), True
    table.pauses = [each for each in table.pauses if each not in known]
    ended = [{**each, "until": header.at} for each in known if each["since"] < header.at]
    table.pauses += ended
    return None if known else "nothing was paused so"


def _deadline_extended(table: Table, header: Header) -> str | None:
    public, ends = header.public, [table.deadline_at]
    if table.vote is not None:
        ends.append(table.vote["until"])
        table.vote = {**table.vote, "until": table.vote["until"] + public["until"] - public["since"]}
    if table.presence is not None:
        ends.append(table.presence_until)
        table.presence_until += public["until"] - public["since"]
    by = {"suspension": "staff", "outage": "table"}.get(public["reason"])
    is_new, table.credited_until = public["since"] >= table.credited_until, public["until"]
    table.is_stale, table.may_reset = bool(table.clocks), True
    table.pauses.append({"reason": public["reason"], "seat": None, **_span(public)})
    if public["turn"] != table.turn or not public["since"] < public["until"] <= header.at:
        return "another turn is extended, or by what has not been"
    if header.actor != by:
        return f"{header.actor} extends a deadline for {public['reason']}"
    if public["reason"] == "outage" and not any(
        due is not None and public["since"] <= due <= header.at for due in ends
    ):
        return "no deadline fell into the outage"
    if public["reason"] == "outage" and (not is_new or public["until"] - public["since"] > DAY_MS):
        return "an outage is made good twice, or for longer than a day"
    return None


def _span(public: dict[str, Any]) -> dict[str, int]:
    return {"since": public["since"], "until": public["until"]}


_Note = Callable[[Table, Header], str | None]
_REPLACED = "table.seat_replaced"

TYPES: dict[str, tuple[tuple[str, ...], _Note]] = {
    "table.opened": (("new",), _opened),
    "table.settings_chosen": (("open",), _settings_chosen),
    "table.seat_taken": (("open",), _seat_taken),
    "table.seat_left": (("open",), _seat_left),
    "table.presence_asked": (("open",), _presence_asked),
    "table.presence_confirmed": (("open",), _presence_confirmed),
    "table.presence_lapsed": (("open",), _presence_lapsed),
    "table.closed": (("open",), _closed),
    "table.started": (("open",), _started),
    "table.seat_abandoned": (("playing",), _seat_abandoned),
    "table.seat_replaced": (("playing",), _seat_replaced),
    "table.replacement_sought": (("playing",), _replacement_sought),
    "table.vote_called": (("playing",), _vote_called),
    "table.vote_cast": (("playing",), _vote_cast),
    "table.vote_decided": (("playing",), _vote_decided),
    "table.finished": (("playing",), _finished),
    "table.epoch_opened": (("playing",), _epoch_opened),
    "table.seed_revealed": (("between", "finished"), _seed_revealed),
    "clock.deadline_set": (("playing",), _deadline_set),
    "clock.expired": (("playing",), _expired),
    "clock.paused": (("playing",), _paused),
    "clock.resumed": (("playing",), _resumed),
    "clock.deadline_extended": (("open", "playing"), _deadline_extended),
}
"""The closed list of a table's own events, moves aside: when each may come, and what it does."""
