"""Recorded games: played again from outside, and folded again from their events."""

from __future__ import annotations

import dataclasses
import json
import re
from functools import reduce
from typing import Any

import pytest

from engines.arrecife import GAME
from engines.arrecife.messages import ENDINGS, SETTLING, VERDICTS
from engines.audience import name_of

from . import golden


@pytest.fixture(params=sorted(golden.RECIPES))
def file(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return one recorded game, written anew first when that is asked for."""
    path = golden.FOLDER / f"{request.param}.json"
    if request.config.getoption("--regenerate-golden", default=False):
        path.write_text(golden.written(golden.record(golden.RECIPES[request.param])), encoding="utf-8")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_a_recorded_game_played_again_gives_the_same_hp_events_and_outcome(file: dict[str, Any]) -> None:
    _, again = golden.result(file)
    assert (file["game"], file["rules_version"]) == (GAME.id, GAME.rules_version)
    assert again["hp"] == file["expected"]["hp"]
    assert again["events"] == file["expected"]["events"]
    assert again["outcome"] == file["expected"]["outcome"]


def test_the_events_of_a_recorded_game_fold_to_the_state_that_was_decided(file: dict[str, Any]) -> None:
    batch, _ = golden.result(file)
    empty = GAME.empty(GAME.options(**file["options"]), file["seats"])
    folded = reduce(lambda state, each: GAME.evolve(state, each.event, each.position), batch.events, empty)
    assert folded == batch.state


def test_the_reckoning_by_hand_agrees_with_the_recorded_rounds() -> None:
    file = json.loads((golden.FOLDER / "reckoned.json").read_text(encoding="utf-8"))
    table = (golden.FOLDER / "reckoned.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table if line.startswith("| ")][1:]
    rounds = rounds_of(file)

    assert len(rows) == len(rounds)
    for row, told in zip(rows, rounds, strict=True):
        number, amulet, *cards, worm, majority, big, minority, small, players, follows, hp = row
        assert (int(number), int(amulet)) == (told["round"], told["amulet"])
        assert [set(word) for word in cards] == [set(told["cards"].get(seat, "")) for seat in range(4)]
        assert worm == told["worm"]
        assert numbers(majority) == told["majority"]
        assert numbers(minority) == told["minority"]
        assert int(big.split(": ")[1]) == told["majority_sum"]
        assert int(small.split(": ")[1]) == told["minority_sum"]
        assert int(players) == told["hands"]
        assert ("rebound" in follows) == told["is_rebound"]
        assert numbers(hp) == told["hp"]


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split()]


def rounds_of(file: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what was recorded of each round: its resolution, with the cards and the ability."""
    rounds: list[dict[str, Any]] = []
    for name, fields in file["expected"]["events"]:
        if name == "arrecife.round_began":
            rounds.append({"amulet": fields["amulet"], "cards": {}, "worm": ""})
        elif name == "arrecife.round_resolved":
            rounds[-1] |= fields
        elif name == "table.move_played" and fields["kind"] == "ability":
            rounds[-1]["worm"] = f"{fields['ability']} {fields['target']}"
        elif name == "table.move_played":
            cards = rounds[-1]["cards"]
            cards[fields["seat"]] = cards.get(fields["seat"], "") + fields["card"]
    return rounds


def test_every_way_of_ending_every_size_option_verdict_and_event_is_recorded() -> None:
    files = [json.loads(path.read_text(encoding="utf-8")) for path in golden.FOLDER.glob("*.json")]
    assert len(files) == len(golden.RECIPES)
    assert {file["expected"]["outcome"]["reason"] for file in files} == set(ENDINGS)
    assert {file["seats"] for file in files} == set(GAME.seats)
    assert {name for file in files for name in file["options"]} == {
        each.name for each in dataclasses.fields(GAME.options)
    }
    told = {name for file in files for name, _ in file["expected"]["events"]}
    assert told == {f"{GAME.id}.{name_of(event)}" for event in GAME.events} | {"table.move_played"}
    rounds = [each for file in files for each in rounds_of(file) if "verdict" in each]
    assert {each["verdict"] for each in rounds} == set(VERDICTS)
    assert {each["settled_by"] for each in rounds} == set(SETTLING)
    assert {True, False} == {each["is_rebound"] for each in rounds}


def test_a_golden_file_of_an_option_is_played_away_from_its_default() -> None:
    for path in golden.FOLDER.glob("*.json"):
        options = json.loads(path.read_text(encoding="utf-8"))["options"]
        assert all(getattr(GAME.options(), name) != value for name, value in options.items()), path
        assert re.fullmatch(r"[a-z_]+\.json", path.name)
