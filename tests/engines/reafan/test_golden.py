"""Recorded games: played again from outside, and folded again from their events."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import pytest

from engines.audience import name_of
from engines.reafan import GAME
from engines.reafan.messages import ENDINGS

from . import golden


@pytest.fixture(params=sorted(golden.RECIPES))
def file(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return one recorded game, written anew first when that is asked for."""
    path = golden.FOLDER / f"{request.param}.json"
    if request.config.getoption("--regenerate-golden", default=False):
        path.write_text(golden.written(golden.record(request.param)), encoding="utf-8")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_a_recorded_game_played_again_gives_the_same_points_events_and_outcome(file: dict[str, Any]) -> None:
    _, again = golden.result(file)
    assert (file["game"], file["rules_version"], file["seats"]) == (GAME.id, GAME.rules_version, 2)
    assert again["points"] == file["expected"]["points"]
    assert again["events"] == file["expected"]["events"]
    assert again["outcome"] == file["expected"]["outcome"]


def test_the_events_of_a_recorded_game_fold_to_the_state_that_was_decided(file: dict[str, Any]) -> None:
    batch, _ = golden.result(file)
    empty = GAME.empty(GAME.options(**file["options"]), 2)
    folded = reduce(lambda state, each: GAME.evolve(state, each.event, each.position), batch.events, empty)
    assert folded == batch.state


def test_the_reckoning_by_hand_agrees_with_the_recorded_points() -> None:
    file = json.loads((golden.FOLDER / "reckoned.json").read_text(encoding="utf-8"))
    table = (golden.FOLDER / "reckoned.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table if line.startswith("| ")][1:]

    assert [int(row[-1]) for row in rows] == file["expected"]["points"]
    assert [int(row[1]) for row in rows] == [step["seat"] for step in file["steps"]]
    for row, step in zip(rows[2:], file["steps"][2:], strict=True):
        assert row[2].startswith(step["params"]["card"])
        assert f"({step['params']['x']}, {step['params']['y']})" in row[2]


def test_every_way_of_ending_and_every_event_is_recorded() -> None:
    files = [json.loads(path.read_text(encoding="utf-8")) for path in golden.FOLDER.glob("*.json")]
    assert len(files) == len(golden.RECIPES)
    assert {file["expected"]["outcome"]["reason"] for file in files} == set(ENDINGS)
    told = {name for file in files for name, _ in file["expected"]["events"]}
    assert told == {f"{GAME.id}.{name_of(event)}" for event in GAME.events} | {"table.move_played"}
