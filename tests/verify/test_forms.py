"""What a table tells of itself is judged too: the closed forms of its events, and when each may come.

Every forgery is chained and signed anew, so that nothing but the annex of tables refuses it.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engines.registry import GAMES
from tests.verify.mutants import chain, sign
from tests.verify.plays import File, Play, played
from verify import forms, lifecycle
from verify.transcript import judge

ANNEX = json.loads((Path(__file__).parents[2] / "tables" / "annex-v1.json").read_text("utf-8"))["events"]


@pytest.fixture(scope="module")
def whole() -> File:
    """A whole game at which everything happened that happens at tables."""
    return played("arrecife", 4).file("full")


def replay(file: File) -> str:
    chain(file)
    sign(file)
    judgement = judge(json.dumps(file).encode(), GAMES)
    assert judgement.receipts.status == judgement.report.integrity.status == "proved"
    return str(judgement.report.replay)


def first(file: File, type_: str) -> dict[str, Any]:
    return next(each for each in file["events"] if each["type"] == type_)


def test_the_forms_are_those_of_the_annex() -> None:
    assert forms.FORMS.keys() == ANNEX.keys()
    for type_, (actors, fields) in forms.FORMS.items():
        assert list(actors) == ANNEX[type_]["actor"], type_
        assert list(fields) == ANNEX[type_]["public"], type_


def test_whatever_has_a_form_has_its_time() -> None:
    assert {*lifecycle.TYPES, "table.move_played"} == forms.FORMS.keys()


def test_a_whole_game_is_proved(whole: File) -> None:
    assert replay(copy.deepcopy(whole)) == "proved"


@pytest.mark.parametrize(
    ("type_", "change", "told"),
    [
        ("table.opened", {"actor": "seat:1"}, "table.opened by seat:1"),
        ("table.started", {"actor": "staff"}, "table.started by staff"),
        ("table.seat_taken", {"actor": "seat:1"}, "seat:1 takes seat 0"),
        ("table.settings_chosen", {"schema": 2}, "table.settings_chosen: schema 2 is not known"),
        ("table.seat_taken", {"schema": 3}, "table.seat_taken: schema 3 is not known"),
        ("table.seat_taken", {"draws": [[0, "amulet"]]}, "it hides, hands over, opens or draws something"),
    ],
)
def test_an_event_of_the_table_in_another_form_is_found(
    whole: File, type_: str, change: dict[str, Any], told: str
) -> None:
    file = copy.deepcopy(whole)
    first(file, type_).update(change)

    assert told in replay(file)


@pytest.mark.parametrize(
    ("type_", "change"),
    [
        ("table.seat_taken", {"note": "hello"}),
        ("table.seat_taken", {"seat": False}),
        ("table.seat_taken", {"holder": "ana"}),
        ("table.opened", {"seed_policy": None}),
        ("table.settings_chosen", {"vacations": 1}),
        ("clock.deadline_set", {"banks": [True]}),
    ],
)
def test_an_event_of_the_table_that_tells_something_else_is_found(
    whole: File, type_: str, change: dict[str, Any]
) -> None:
    file = copy.deepcopy(whole)
    first(file, type_)["public"].update(change)

    assert replay(file).startswith(f"FAILED at position {first(file, type_)['seq']}: ")


def repeat(file: File, type_: str) -> None:
    """Let the first event of a type happen twice; all references move along."""
    at = file["events"].index(first(file, type_)) + 1
    file["events"].insert(at, copy.deepcopy(file["events"][at - 1]))
    for position, event in enumerate(file["events"], start=1):
        event["seq"] = position
        for ref in [*event["opens"], *event["assigns"]]:
            ref[0] += ref[0] > at
    for opening in file["openings"]:
        opening["seq"] += opening["seq"] > at


@pytest.mark.parametrize("type_", ["table.opened", "table.settings_chosen", "clock.deadline_set"])
def test_what_happens_once_is_found_where_it_happens_twice(whole: File, type_: str) -> None:
    file = copy.deepcopy(whole)
    repeat(file, type_)

    assert replay(file).startswith(f"FAILED at position {first(file, type_)['seq'] + 1}: ")


def test_a_pseudonym_sits_in_one_seat(whole: File) -> None:
    file = copy.deepcopy(whole)
    one, other = [each for each in file["events"] if each["type"] == "table.seat_taken"][:2]
    other["public"]["holder"] = one["public"]["holder"]
    first(file, "table.started")["public"]["seats"][1] = one["public"]["holder"]

    assert replay(file) == f"FAILED at position {other['seq']}: somebody known takes a seat"


def test_all_that_follows_from_a_decision_happens_at_its_time(whole: File) -> None:
    file = copy.deepcopy(whole)
    file["events"][-1]["at"] += 1

    told = replay(file)

    assert told.endswith("table.seed_revealed: at is not that of what it follows from")


def test_a_bank_without_a_clock_is_found() -> None:
    found = (each for seed in range(50) if _has_no_clock(each := Play("reafan", seed)))
    file = next(found).file("public")
    assert replay(copy.deepcopy(file)).startswith("not provable")
    first(file, "clock.deadline_set")["public"]["banks"] = [0, 0]

    assert replay(file).endswith("a clock that was not chosen")


def _has_no_clock(play: Play) -> bool:
    settings = play.table.settings
    return settings is not None and settings.clock.kind == "none"
