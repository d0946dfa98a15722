"""What staff and arbiters do is judged like all else: nothing of theirs comes unsaid, or at a wrong time."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from engines.registry import GAMES
from tables import interventions, messages
from tests.verify.mutants import chain, sign
from tests.verify.plays import HOUR, File, Play
from tests.verify.staffed import begun, by_both
from verify.forms import FORMS
from verify.transcript import judge

Event = dict[str, Any]


@pytest.fixture(scope="module")
def whole() -> File:
    """A table at which everything was done that staff and arbiters do, up to a result by ruling."""
    return by_both().file("full")


def replay(file: File) -> str:
    chain(file)
    sign(file)
    return str(judge(json.dumps(file).encode(), GAMES).report.replay)


def at(file: File, type_: str, which: int = 0) -> int:
    """Return the place of an event of a type."""
    return [place for place, each in enumerate(file["events"]) if each["type"] == type_][which]


def without(file: File, place: int) -> None:
    del file["events"][place]
    for position, event in enumerate(file["events"], start=1):
        event["seq"] = position


def test_what_staff_and_arbiters_do_is_proved(whole: File) -> None:
    assert replay(copy.deepcopy(whole)) == "proved"


def test_the_reasons_are_a_closed_list(whole: File) -> None:
    for type_ in ("table.ruling_made", "table.staff_peeked", "table.reinstated"):
        assert set(FORMS[type_][1]["reason"].__args__) == set(interventions.REASONS)
        file = copy.deepcopy(whole)
        file["events"][at(file, type_)]["public"]["reason"] = "because Ana asked for it"
        assert replay(file).startswith(
            f"FAILED at position {at(file, type_) + 1}: {type_}: Invalid enum value"
        )


@pytest.mark.parametrize(
    ("type_", "which", "told"),
    [
        ("table.ruling_made", 0, "nobody has decided on a pause"),
        ("table.ruling_made", 1, "nobody has decided to resume"),
        ("table.ruling_made", 2, "nobody has decided that"),
        ("table.ruling_made", 3, "nobody has decided that"),
        ("table.arbiter_named", 0, "there is no arbiter"),
        ("table.reinstated", 0, "clock.deadline_extended while the table is suspended"),
        ("clock.deadline_extended", 0, "where clock.deadline_extended should follow"),
        ("clock.time_added", 0, "where clock.time_added should follow"),
    ],
)
def test_what_is_left_out_is_found(whole: File, type_: str, which: int, told: str) -> None:
    file = copy.deepcopy(whole)
    without(file, at(file, type_, which))

    assert told in replay(file)


@pytest.mark.parametrize(
    ("type_", "change", "told"),
    [
        ("table.ruling_made", {"seat": 1}, "a ruling to pause about seat 1"),
        ("table.ruling_made", {"ruling": "annul"}, "where table.finished should follow"),
        ("table.staff_peeked", {"seat": 7}, "there is no seat 7 to look at"),
        ("table.reinstated", {"since": 5}, "it was suspended at"),
        ("clock.deadline_extended", {"since": 5}, "it was not suspended for so long"),
        ("clock.paused", {"until": 10**13}, "a ruling stops clocks for 30 days at most"),
        ("clock.time_added", {"added": 721 * HOUR}, "it adds"),
        ("clock.time_added", {"added": HOUR}, "left, it should be"),
        ("clock.time_added", {"turn": 1_000}, "of another turn"),
        ("table.finished", {"winners": [1]}, "others win than are first"),
        ("table.finished", {"places": [1, 3]}, "no places are [1, 3]"),
        ("table.finished", {"scores": [9, 1]}, "others win than are first"),
        ("table.finished", {"reason": "annulled"}, "[1, 1] follows"),
        ("table.suspended", {"reason": "dispute"}, "Invalid enum value"),
    ],
)
def test_what_is_told_otherwise_is_found(whole: File, type_: str, change: Event, told: str) -> None:
    file = copy.deepcopy(whole)
    file["events"][at(file, type_)]["public"].update(change)

    assert told in replay(file)


def test_what_is_ruled_is_done_at_once(whole: File) -> None:
    file = copy.deepcopy(whole)
    place = at(file, "table.ruling_made", 3)
    file["events"][place]["at"] -= 1

    assert replay(file) == f"FAILED at position {place + 2}: it was ruled, and is done at another time"


def _moves(table: Play) -> None:
    table._move()


def _expires(table: Play) -> None:
    table._expire()


def _is_paused(table: Play) -> None:
    table._say("staff", "pause")
    until = table.now + HOUR
    table.add(messages.Paused(reason="staff", seat=None, since=table.now, until=until), actor="staff")
    table._set_deadline()


@pytest.mark.parametrize("goes_on", [_moves, _expires, _is_paused])
def test_a_table_that_is_suspended_stands_still(goes_on: Callable[[Play], None]) -> None:
    table = begun()
    table.add(interventions.Suspended(reason="unresolved"))
    assert replay(table.file("public")).startswith("not provable")
    goes_on(table)

    assert "while the table is suspended" in replay(table.file("public"))


def test_whoever_deletes_an_account_leaves_a_suspended_table() -> None:
    table = begun()
    table.add(interventions.Suspended(reason="unresolved"))
    table._leave(1, "resigned")

    assert replay(table.file("full")) == "proved"


def test_whoever_holds_a_seat_is_no_arbiter() -> None:
    table = begun()
    (holder, _) = table.table.holders
    assert holder is not None
    table.add(interventions.ArbiterNamed(arbiter=holder.pseudonym), actor="staff")

    assert replay(table.file("public")).endswith("somebody known arbitrates")
