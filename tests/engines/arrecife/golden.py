"""Whole games as files: how they are recorded, and how they are played again.

A file holds the key of chance, the steps from outside (moves, time-outs, leavings) and what
they led to.  Recipes name the bot that chose the steps when it was recorded.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.arrecife import GAME, engine
from engines.arrecife.messages import RoundResolved
from engines.arrecife.state import State
from engines.audience import fields_of, name_of
from engines.base import Batch, MovePlayed, Recorded, awaited, begin
from engines.chance import Chance, KeyedChance
from tests.engines import golden_files

FOLDER = Path(__file__).parents[2] / "golden" / "arrecife"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a golden game was recorded; ``leaves`` says who goes before which step, and why."""

    seed: int
    seats: int
    policy: str = "random"
    options: dict[str, Any] = field(default_factory=dict)
    misses: int = 0  # every so many steps the time of all who are awaited runs out
    leaves: dict[int, tuple[int, str]] = field(default_factory=dict)


QUICK = {"starting_hp": 10}
FIERCE = QUICK | {"ram_effect": "flip_sign", "bite_damage": 5}
RECIPES = {
    "three": Recipe(seed=36, seats=3, options={"talk": "open"}),
    "four_readers": Recipe(seed=2, seats=4, policy="reader", options={"starting_hp": 15}),
    "five_in_fixed_order": Recipe(seed=69, seats=5, options=QUICK | {"card_order": "fixed"}),
    "six_with_fierce_worms": Recipe(seed=44, seats=6, options=FIERCE),
    "seven_readers": Recipe(seed=10, seats=7, policy="reader", options=QUICK | {"bite_damage": 1}),
    "straight_from_five": Recipe(seed=11, seats=5, options=QUICK),
    "sea_in_the_duel": Recipe(seed=55, seats=3, options=QUICK),
    "sea_from_three_alive": Recipe(seed=51, seats=4, options=QUICK),
    "max_rounds": Recipe(seed=24, seats=5, options={"starting_hp": 60, "max_rounds": 10}),
    "max_rounds_shared": Recipe(seed=189, seats=4, options={"max_rounds": 10}),
    "played_by_the_table": Recipe(seed=15, seats=5, options=QUICK, misses=4),
    "resigned": Recipe(seed=6, seats=3, leaves={13: (2, "resigned"), 20: (0, "resigned")}),
    "removed_and_worm": Recipe(
        seed=17, seats=5, options=QUICK, leaves={7: (2, "resigned"), 40: (3, "removed")}
    ),
    "only_leavers": Recipe(seed=361, seats=4, options=QUICK, leaves={7: (2, "resigned")}),
    "reckoned": Recipe(seed=818, seats=4, options=QUICK),
}


def begun(options: dict[str, Any], seats: int, key: str) -> Batch[State]:
    """Return a game just begun under the key of a file."""
    state = GAME.empty(GAME.options(**options), seats)
    batch = Batch(game=GAME, state=state, chance=KeyedChance(bytes.fromhex(key)), position=1)
    begin(batch)
    return batch


def result(file: dict[str, Any]) -> tuple[Batch[State], dict[str, Any]]:
    """Return the game of a file played again, and what its ``expected`` should be."""
    batch = begun(file["options"], file["seats"], file["key"])
    for step in file["steps"]:
        golden_files.take(GAME, batch, step)
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    events = [recorded.event for recorded in batch.events]
    expected = {
        "outcome": dataclasses.asdict(outcome),
        "hp": [event.hp for event in events if isinstance(event, RoundResolved)],
        "events": [told(recorded) for recorded in batch.events],
    }
    return batch, json.loads(json.dumps(expected))


def told(recorded: Recorded) -> list[Any]:
    """Return an event as a file tells it: its name and its fields, a sealed move by its value."""
    event = recorded.event
    if isinstance(event, MovePlayed):
        by = {"by_table": True} if event.by_table else {}
        params = dataclasses.asdict(event.move)
        kind = name_of(type(event.move))
        return [
            "table.move_played",
            {"seat": event.seat, "window": event.window, "kind": kind, **params, **by},
        ]
    fields = {each.name: getattr(event, each.name) for each in fields_of(type(event))}
    return [f"{GAME.id}.{name_of(type(event))}", fields]


def record(recipe: Recipe) -> dict[str, Any]:
    """Return a fresh file by a recipe."""
    key = recipe.seed.to_bytes(32, "big").hex()
    file: dict[str, Any] = {
        "game": GAME.id,
        "rules_version": GAME.rules_version,
        "options": recipe.options,
        "seats": recipe.seats,
        "key": key,
        "steps": [],
    }
    batch = begun(recipe.options, recipe.seats, key)
    chance = KeyedChance(bytes.fromhex(key)[::-1])
    while awaited(GAME, batch.state):
        step = _step(recipe, batch.state, len(file["steps"]), chance)
        golden_files.take(GAME, batch, step)
        file["steps"].append(step)
    file["expected"] = result(file)[1]
    return file


def written(file: dict[str, Any]) -> str:
    """Return the text of a file, one step, one round and one event a line."""
    return golden_files.written(file, "hp", golden_files.lines(file["expected"]["hp"], "   "))


def _step(recipe: Recipe, state: State, number: int, chance: Chance) -> dict[str, Any]:
    if number in recipe.leaves:
        seat, reason = recipe.leaves[number]
        return {"leave": seat, "reason": reason}
    seats = awaited(GAME, state)
    if recipe.misses and number % recipe.misses == recipe.misses - 1:
        return {"timeout": list(seats)}
    seat = seats[chance.below(len(seats), "test")]
    move = GAME.bots[recipe.policy](GAME.view(state, seat), engine.legal_moves(state, seat), chance)
    return {"seat": seat, "kind": name_of(type(move)), "params": dataclasses.asdict(move)}
