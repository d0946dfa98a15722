"""Whole games as files: how they are recorded, and how they are played again.

A file holds the key of chance, the steps from outside (moves, time-outs, leavings) and what
they led to.  Recipes name the bots that chose the steps when it was recorded.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.audience import Audience, fields_of, name_of
from engines.base import Batch, MovePlayed, Recorded, awaited, begin
from engines.chance import Chance, KeyedChance
from engines.reafan import GAME, engine
from engines.reafan.board import open_cells_after
from engines.reafan.messages import Place
from engines.reafan.scoring import points
from engines.reafan.state import State
from tests.engines import golden_files

FOLDER = Path(__file__).parents[2] / "golden" / "reafan"
Policy = Callable[[State, int, Sequence[Any], Chance], Any]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a golden game was recorded; ``last`` replaces the step after ``length`` steps."""

    seed: int
    policy: str = "greedy"
    on_timeout: str = "auto"
    takes: tuple[bool, bool] = (False, False)
    length: int = 1000
    last: dict[str, Any] | None = None
    misses: int = 0  # every so many steps the time runs out


RECIPES = {
    "deck_out": Recipe(seed=3, takes=(True, True)),
    "first_reached": Recipe(seed=7, takes=(False, True)),
    "timeout": Recipe(seed=5, on_timeout="forfeit", length=20, last={"timeout": "mover"}),
    "resigned": Recipe(seed=6, length=31, last={"leave": 0, "reason": "resigned"}),
    "resigned_in_the_mulligan": Recipe(seed=7, length=1, last={"leave": 1, "reason": "resigned"}),
    "removed": Recipe(seed=8, length=12, last={"leave": 1, "reason": "removed"}),
    "played_by_the_table": Recipe(seed=9, policy="random", misses=3),
    "kings_shown": Recipe(seed=9249, policy="random", length=6, last={"leave": 0, "reason": "resigned"}),
    "closed_board": Recipe(seed=166, policy="closing"),
    "reckoned": Recipe(seed=67, policy="closing_for_points"),
}


def begun(options: dict[str, Any], key: str) -> Batch[State]:
    """Return a game just begun under the key of a file."""
    state = GAME.empty(GAME.options(**options), 2)
    batch = Batch(game=GAME, state=state, chance=KeyedChance(bytes.fromhex(key)), position=1)
    begin(batch)
    return batch


def result(file: dict[str, Any]) -> tuple[Batch[State], dict[str, Any]]:
    """Return the game of a file played again, and what its ``expected`` should be."""
    batch = begun(file["options"], file["key"])
    gained = []
    for step in file["steps"]:
        before = batch.state.scores
        golden_files.take(GAME, batch, step)
        gained.append(sum(batch.state.scores) - sum(before))
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    expected = {
        "outcome": dataclasses.asdict(outcome),
        "points": gained,
        "events": [told(recorded) for recorded in batch.events],
    }
    return batch, json.loads(json.dumps(expected))


def told(recorded: Recorded) -> list[Any]:
    """Return an event as a file tells it: its name and its fields, hidden items by their value."""
    event = recorded.event
    if isinstance(event, MovePlayed):
        params = dataclasses.asdict(event.move)
        kind = name_of(type(event.move))
        return ["table.move_played", {"seat": event.seat, "window": event.window, "kind": kind, **params}]
    fields: dict[str, Any] = {}
    for each in fields_of(type(event)):
        content = getattr(event, each.name)
        if each.audience is Audience.COMMITTED:
            content = " ".join(item.value.card for item in content)
        fields[each.name] = content
    return [f"{GAME.id}.{name_of(type(event))}", fields]


def record(name: str) -> dict[str, Any]:
    """Return a fresh file by the recipe of ``name``."""
    recipe = RECIPES[name]
    options = {"on_timeout": recipe.on_timeout}
    key = recipe.seed.to_bytes(32, "big").hex()
    file: dict[str, Any] = {
        "game": GAME.id,
        "rules_version": GAME.rules_version,
        "options": options,
        "seats": 2,
        "key": key,
        "steps": [],
    }
    batch, chance = begun(options, key), KeyedChance(bytes.fromhex(key)[::-1])
    while seats := awaited(GAME, batch.state):
        step = _step(recipe, batch.state, seats[0], len(file["steps"]), chance)
        golden_files.take(GAME, batch, step)
        file["steps"].append(step)
    file["expected"] = result(file)[1]
    return file


def written(file: dict[str, Any]) -> str:
    """Return the text of a file, one step and one event a line."""
    return golden_files.written(file, "points", json.dumps(file["expected"]["points"]))


def closing(state: State, _seat: int, legal: Sequence[Any], chance: Chance) -> Any:
    """Choose a play that leaves the fewest open cells."""
    return _best(legal, [-_room_after(state, move) for move in legal], chance)


def closing_for_points(state: State, _seat: int, legal: Sequence[Any], chance: Chance) -> Any:
    """Choose a play by the points and by the open cells that it leaves."""
    return _best(legal, [2 * _points(state, move) - 3 * _room_after(state, move) for move in legal], chance)


def by_bot(name: str) -> Policy:
    """Return a bot as a policy."""
    return lambda state, seat, legal, chance: GAME.bots[name](GAME.view(state, seat), legal, chance)


POLICIES: dict[str, Policy] = {
    "closing": closing,
    "closing_for_points": closing_for_points,
    "greedy": by_bot("greedy"),
    "random": by_bot("random"),
}


def _step(recipe: Recipe, state: State, seat: int, number: int, chance: Chance) -> dict[str, Any]:
    if number == recipe.length and recipe.last:
        return {"timeout": [seat]} if "timeout" in recipe.last else recipe.last
    if recipe.misses and number % recipe.misses == 0:
        return {"timeout": [seat]}
    legal = engine.legal_moves(state, seat)
    if state.mover is None:
        move = legal[recipe.takes[seat]]
    else:
        move = POLICIES[recipe.policy](state, seat, legal, chance)
    return {"seat": seat, "kind": name_of(type(move)), "params": dataclasses.asdict(move)}


def _best(legal: Sequence[Any], worth: list[int], chance: Chance) -> Any:
    best = [move for move, each in zip(legal, worth, strict=True) if each == max(worth)]
    return best[chance.below(len(best), "test")]


def _room_after(state: State, move: Any) -> int:
    if not isinstance(move, Place):
        return len(state.open_cells)
    cell = move.x, move.y
    return len(open_cells_after(state.open_cells, {**state.board, cell: move.card}, cell))


def _points(state: State, move: Any) -> int:
    if not hasattr(move, "x"):
        return 0
    cell = move.x, move.y
    return sum(points({**state.board, cell: move.card}, cell))
