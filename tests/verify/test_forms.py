"""What a table tells of itself is judged too: the closed forms of its events, and when each may come.

Every forgery is chained and signed anew, so that nothing but the annex of tables refuses it.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from engines.registry import GAMES
from events.audit import LAST_TIME
from tables.shapes import ClockChoice, NewTable
from tests.verify.mutants import chain, sign
from tests.verify.plays import File, Habits, Play, played
from verify import forms, lifecycle
from verify.transcript import judge

ANNEX = json.loads((Path(__file__).parents[2] / "tables" / "annex-v1.json").read_text("utf-8"))["events"]


NO_CLOCK = {"kind": "none", "seconds": None, "initial": None, "increment": None, "cap": None}


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


def test_closed_sets_of_values_are_those_of_the_annex() -> None:
    for type_, (_, fields) in forms.FORMS.items():
        for name, value in ANNEX[type_]["values"].items():
            if isinstance(value, list):
                assert list(get_args(fields[name])) == value, (type_, name)


def test_numbers_are_bounded_as_tables_are_opened() -> None:
    """Source: the shape of a new table and of its clock, and the annex."""
    _, fields = forms.FORMS["table.settings_chosen"]
    asked = get_type_hints(NewTable, include_extras=True)
    assert _bounds(asked["seats"]) == _bounds(fields["seats"])
    assert _bounds(asked["max_timeouts"])[1] <= _bounds(fields["max_timeouts"])[1]
    clocks = {
        each.__struct_config__.tag: get_type_hints(each, include_extras=True)
        for each in get_args(fields["clock"])
    }
    chosen = get_type_hints(ClockChoice, include_extras=True)
    assert list(clocks) == list(get_args(get_args(chosen["kind"])[0]))
    for kind, has in {"per_turn": ["seconds"], "budget": ["initial", "increment", "cap"], "none": []}.items():
        assert [name for name, hint in clocks[kind].items() if hint is not type(None)] == has
        for name in has:
            (least, most), at_the_api = _bounds(clocks[kind][name]), _bounds(chosen[name])
            assert (least <= at_the_api[0], most) == (True, at_the_api[1])


def _bounds(hint: Any) -> tuple[int, int]:
    """Return the least and the greatest number of a type, None aside."""
    bare = hint if hasattr(hint, "__metadata__") else get_args(hint)[0]
    found = [
        each
        for part in (bare, *get_args(bare))
        for each in getattr(part, "__metadata__", ())
        if each.ge is not None
    ]
    return found[0].ge, found[0].le


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
        ("table.settings_chosen", {"clock": {**NO_CLOCK, "kind": "x"}}),
        ("table.settings_chosen", {"clock": {**NO_CLOCK, "kind": "per_turn", "seconds": 0}}),
        ("table.settings_chosen", {"clock": {**NO_CLOCK, "seconds": 60}}),
        ("table.settings_chosen", {"visibility": "x" * 900}),
        ("table.settings_chosen", {"starts": "nonsense"}),
        ("table.settings_chosen", {"absentee": "zz"}),
        ("table.settings_chosen", {"max_timeouts": 2**52}),
        ("table.settings_chosen", {"seats": 21}),
        ("table.seat_taken", {"bot": "x" * 41}),
        ("clock.deadline_set", {"deadline_at": LAST_TIME + 1}),
    ],
)
def test_an_event_of_the_table_that_tells_something_else_is_found(
    whole: File, type_: str, change: dict[str, Any]
) -> None:
    file = copy.deepcopy(whole)
    first(file, type_)["public"].update(change)

    assert replay(file).startswith(f"FAILED at position {first(file, type_)['seq']}: ")


def test_a_log_begins_under_the_id_of_a_key(whole: File) -> None:
    file = copy.deepcopy(whole)
    first(file, "table.opened")["public"]["kid"] = "nonsense"
    chain(file)

    judgement = judge(json.dumps(file).encode(), GAMES)

    assert str(judgement.report.replay).startswith("FAILED at position 1: ")


def test_a_bot_is_one_of_the_games() -> None:
    file = Play("reafan", 900, fairness="server").file("full")
    taken = [each for each in file["events"] if each["type"] == "table.seat_taken"][-1]
    taken["actor"], taken["public"]["bot"] = "table", "zz"

    assert replay(file) == f"FAILED at position {taken['seq']}: zz is none of the game's bots"


def settings_of(file: File) -> list[dict[str, Any]]:
    """Return where a file tells what is played: in the settings, and at the start."""
    return [each["public"] for each in file["events"] if "options" in each["public"]]


@pytest.mark.parametrize(
    ("game", "options", "told"),
    [
        ("reafan", {"blind": True}, "the options are ['blind', 'on_timeout'], reafan has ['on_timeout']"),
        ("reafan", {"on_timeout": "never"}, "the option on_timeout cannot be never"),
        ("arrecife", {"starting_hp": 61}, "the option starting_hp cannot be 61"),
        ("arrecife", {"bite_damage": 0}, "the option bite_damage cannot be 0"),
        ("arrecife", {"max_rounds": True}, "the option max_rounds cannot be True"),
        ("cthulhu", {"series": 1}, "the option series cannot be 1"),
    ],
)
def test_options_are_those_of_the_game(game: str, options: dict[str, Any], told: str) -> None:
    file = Play(game, 902).play(most=3).file("public")
    assert len(settings_of(file)) == 2
    for each in settings_of(file):
        each["options"].update(options)

    assert replay(file) == f"FAILED at position 2: {told}"


def test_every_option_is_told() -> None:
    file = Play("arrecife", 903).play(most=3).file("public")
    for each in settings_of(file):
        del each["options"]["talk"]

    assert replay(file).startswith("FAILED at position 2: the options are ")


def test_a_game_is_played_by_as_many_as_it_takes() -> None:
    file = Play("reafan", 904, fairness="server").file("public", 2)
    file["events"][1]["public"]["seats"] = 3

    assert replay(file) == "FAILED at position 2: reafan is not played by 3"


def test_of_a_game_that_is_not_known_any_bot_may_stand_in() -> None:
    file = next(file for file in map(_whole, range(50)) if _has_stand_in(file))
    data = json.dumps(file).encode()
    others = {name: game for name, game in GAMES.items() if name != "reafan"}

    assert judge(data, GAMES).is_proved
    assert judge(data, others).report.replay.status == "not_provable"


def _whole(seed: int) -> File:
    return Play("reafan", seed).play(Habits(absence=0.1)).file("full")


def _has_stand_in(file: File) -> bool:
    return any(each["type"] == "table.seat_replaced" for each in file["events"])


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
