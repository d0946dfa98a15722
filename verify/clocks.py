"""What the clocks of a table may do: each returns why its event cannot be, or None, and takes it in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from events.codec import Header
from verify.interventions import LONGEST_MS, is_ruled
from verify.table import DAY_MS, Table


def deadline_set(table: Table, header: Header) -> str | None:
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
    table.lapsed, table.moved = (table.lapsed, table.moved) if is_same else (set(), set())
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
    if not told:
        is_break = table.is_break and public["deadline_at"] is None
        return None if is_break else "nobody has a clock, and somebody is awaited"
    last = max(each["due_at"] for each in told.values())
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


def expired(table: Table, header: Header) -> str | None:
    """Time has run out for seats: not before the deadline that was set."""
    turn, due = header.public["turn"], header.public["deadline_at"]
    table.lapsed = set(header.public["seats"])
    for seat in header.public["seats"]:
        table.strikes[seat] = table.strikes.get(seat, 0) + 1
    if (turn, due) != (table.turn, table.deadline_at) or due is None:
        return f"turn {turn} with deadline {due} expires, turn {table.turn} with {table.deadline_at} is open"
    if not due <= header.public["decided_at"] <= header.at:
        return "it expires before its deadline, or before that was seen"
    return None


def paused(table: Table, header: Header) -> str | None:
    """Clocks stop: by agreement, for a vacation, or by staff."""
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
    is_decided = reason == "staff" and seat is None and is_ruled(table, "pause")
    if public["until"] - public["since"] > LONGEST_MS:
        return "a ruling stops clocks for 30 days at most"
    return None if is_decided and public["since"] == header.at else "nobody has decided on a pause"


def resumed(table: Table, header: Header) -> str | None:
    """A pause ends early."""
    key = (header.public["reason"], header.public["seat"], header.public["since"])
    known = [each for each in table.pauses if (each["reason"], each["seat"], each["since"]) == key]
    table.is_stale, table.may_reset = bool(table.clocks), True
    table.pauses = [each for each in table.pauses if each not in known]
    ended = [{**each, "until": header.at} for each in known if each["since"] < header.at]
    table.pauses += ended
    if header.public["reason"] == "staff" and not is_ruled(table, "resume"):
        return "nobody has decided to resume"
    return None if known else "nothing was paused so"


def deadline_extended(table: Table, header: Header) -> str | None:
    """A deadline is later, by what an outage or a suspension has lasted."""
    public, ends = header.public, [table.deadline_at]
    if table.vote is not None:
        ends.append(table.vote["until"])
        table.vote = {**table.vote, "until": table.vote["until"] + public["until"] - public["since"]}
    if table.presence is not None:
        ends.append(table.presence_until)
        table.presence_until += public["until"] - public["since"]
    if table.entropy_until is not None:
        ends.append(table.entropy_until)
        table.entropy_until += public["until"] - public["since"]
    by = {"suspension": "staff", "outage": "table"}.get(public["reason"])
    is_new, table.credited_until = public["since"] >= table.credited_until, public["until"]
    made_good, table.made_good = table.made_good, None
    table.is_stale, table.may_reset = bool(table.clocks), True
    table.pauses.append({"reason": public["reason"], "seat": None, **_span(public)})
    if public["turn"] != table.turn or not public["since"] < public["until"] <= header.at:
        return "another turn is extended, or by what has not been"
    if header.actor != by:
        return f"{header.actor} extends a deadline for {public['reason']}"
    if public["reason"] == "suspension" and (public["since"], public["until"]) != (made_good, header.at):
        return "it was not suspended for so long"
    if public["reason"] == "outage" and not any(
        due is not None and public["since"] <= due <= header.at for due in ends
    ):
        return "no deadline fell into the outage"
    if public["reason"] == "outage" and (not is_new or public["until"] - public["since"] > DAY_MS):
        return "an outage is made good twice, or for longer than a day"
    return None


def _span(public: dict[str, Any]) -> dict[str, int]:
    return {"since": public["since"], "until": public["until"]}
