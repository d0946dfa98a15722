"""Recorded games: played again from outside, and folded again from their events."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import pytest

from engines.audience import name_of
from engines.cthulhu import GAME
from engines.cthulhu.messages import ENDINGS, LEAVING, SERIES_OVER

from . import golden, slow

LETTER = {"f": "futile", "s": "elder_sign", "c": "cthulhu"}


@pytest.fixture(params=sorted(golden.RECIPES))
def file(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return one recorded game, what it leads to written anew first when that is asked for."""
    path = golden.FOLDER / f"{request.param}.json"
    if request.config.getoption("--regenerate-golden", default=False):
        path.write_text(golden.written(golden.afresh(request.param)), encoding="utf-8")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_a_recorded_game_played_again_gives_the_same_events_and_outcome(file: dict[str, Any]) -> None:
    _, again = golden.result(file)
    assert (file["game"], file["rules_version"]) == (GAME.id, GAME.rules_version)
    assert again == file["expected"]


def test_the_events_of_a_recorded_game_fold_to_the_state_that_was_decided(file: dict[str, Any]) -> None:
    batch, _ = golden.result(file)
    empty = GAME.empty(GAME.options(**file["options"]), file["seats"])
    folded = reduce(lambda state, each: GAME.evolve(state, each.event, each.position), batch.events, empty)
    assert folded == batch.state


def test_a_recorded_game_ended_as_a_slow_second_reading_says(file: dict[str, Any]) -> None:
    """Read from the file alone."""
    reveals: list[slow.Reveal] = []
    rows: list[str] = []
    for name, fields in file["expected"]["events"]:
        match name:
            case "cthulhu.roles_dealt":
                reveals = []
            case "cthulhu.cards_laid":
                rows = fields["cards"].split()
            case "cthulhu.card_revealed":
                kind = LETTER[rows[fields["target"]][fields["place"]]]
                reveals.append((fields["seat"], fields["target"], fields["place"], kind))
            case "cthulhu.game_ended":
                assert fields["reason"] == slow.how_it_ended(file["seats"], reveals)


def test_the_reckoning_by_hand_agrees_with_the_recorded_game() -> None:
    file = json.loads((golden.FOLDER / "reckoned.json").read_text(encoding="utf-8"))
    table = (golden.FOLDER / "reckoned.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table if line.startswith("| ")][1:]
    batch, _ = golden.result(file)
    steps = [
        (f"seat {step['seat']}", said(step["kind"], step["params"]), str(active))
        for step, active in zip(file["steps"], active_after(file), strict=True)
    ]
    assert [(f"seat {row[2]}", row[3], row[6]) for row in rows] == steps

    reveals = [row for row in rows if row[4]]
    letters = [LETTER_WORD[each.letter] for each in batch.state.reveals]
    assert [row[4] for row in reveals] == letters
    assert [int(row[5]) for row in reveals] == [letters[: n + 1].count("sign") for n in range(len(letters))]
    assert [int(row[1]) for row in reveals] == [slow.round_of(n, 4) for n in range(len(letters))]


LETTER_WORD = {"f": "futile", "s": "sign", "c": "Cthulhu"}


def said(kind: str, params: dict[str, int]) -> str:
    """Return a move as the table by hand words it."""
    if kind == "investigate":
        return f"reveals {params['target']}.{params['place']}"
    return f"declares {params['elder_signs']} and {params['cthulhu']}"


def active_after(file: dict[str, Any]) -> list[int]:
    """Return the seat that is active after each step."""
    batch = golden.begun(file)
    found = []
    for step in file["steps"]:
        golden.take(batch, step, file)
        found.append(batch.state.active)
    return found


def test_every_way_of_ending_every_seat_count_option_and_event_is_recorded() -> None:
    files = [json.loads(path.read_text(encoding="utf-8")) for path in golden.FOLDER.glob("*.json")]
    assert len(files) == len(golden.RECIPES)
    assert {file["seats"] for file in files} == set(GAME.seats)
    assert {file["options"]["declarations"] for file in files} == {"in_order", "any_order", "none"}
    events = [(name, fields) for file in files for name, fields in file["expected"]["events"]]
    assert {file["expected"]["outcome"]["reason"] for file in files} == {*ENDINGS, SERIES_OVER}
    assert {fields["reason"] for name, fields in events if name == "cthulhu.game_ended"} == set(ENDINGS)
    sides = {fields["side"] for name, fields in events if name == "cthulhu.game_ended"}
    assert sides == {"investigators", "cultists", None}
    assert {fields["reason"] for name, fields in events if name == "cthulhu.seat_left"} == set(LEAVING)
    told = {name for name, _ in events}
    assert told == {f"{GAME.id}.{name_of(event)}" for event in GAME.events} | {"table.move_played"}
