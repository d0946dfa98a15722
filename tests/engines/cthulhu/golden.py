"""Whole games as files: how they are recorded, and how they are played again.

A file holds the key of chance of each epoch, the steps from outside (moves, time-outs, leavings)
and what they led to.  Recipes name the bots that chose the steps when it was recorded; bots may change,
recorded steps do not.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.audience import Audience, fields_of, name_of
from engines.base import Batch, MovePlayed, Recorded, awaited, begin
from engines.chance import Chance, KeyedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu.setup import LETTER_OF
from engines.cthulhu.state import State
from tests.engines import golden_files

FOLDER = Path(__file__).parents[2] / "golden" / "cthulhu"
MOST_GAMES = 16


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a golden game was recorded, by the bots of its day; ``leaving``: after so many steps, who, why."""

    seed: int
    seats: int
    bot: str = "counting"
    declarations: str = "in_order"
    series: bool = False
    misses: int = 0  # every so many steps the time runs out
    ahead: int = 0  # every so many steps somebody not awaited moves, if it may
    leaving: dict[int, tuple[int, str]] = field(default_factory=dict)


RECIPES = {
    "all_lose": Recipe(seed=19, seats=3, declarations="any_order"),
    "reckoned": Recipe(seed=6, seats=4),
    "signs_found": Recipe(seed=6, seats=5, declarations="any_order", ahead=3),
    "rounds_over": Recipe(seed=20, seats=6, ahead=2),
    "cthulhu_revealed": Recipe(seed=1, seats=6, bot="random", declarations="none"),
    "sent_ahead": Recipe(seed=2, seats=5, ahead=2),
    "played_by_the_table": Recipe(seed=6, seats=4, bot="random", misses=2),
    "resigned": Recipe(
        seed=1, seats=5, ahead=2, leaving={3: (2, "resigned"), 7: (0, "removed"), 9: (4, "timeout")}
    ),
    "series": Recipe(seed=2, seats=4, series=True, ahead=4),
    "series_with_leavers": Recipe(
        seed=31,
        seats=3,
        bot="random",
        series=True,
        declarations="none",
        misses=5,
        leaving={4: (1, "resigned")},
    ),
    "series_deserted": Recipe(
        seed=10, seats=3, series=True, leaving={1: (0, "resigned"), 2: (1, "removed"), 3: (2, "resigned")}
    ),
}


def begun(file: dict[str, Any]) -> Batch[State]:
    """Return the game of a file, just begun."""
    state = GAME.empty(GAME.options(**file["options"]), file["seats"])
    batch = Batch(game=GAME, state=state, chance=_chance(file, 0), position=1)
    begin(batch)
    return batch


def take(batch: Batch[State], step: dict[str, Any], file: dict[str, Any]) -> None:
    """Play one step of a file, and begin the games of the series that follow."""
    epoch = engine.epoch(batch.state)
    golden_files.take(GAME, batch, step)
    while engine.epoch(batch.state) > epoch:
        epoch += 1
        batch.chance = _chance(file, epoch)
        begin(batch)


def result(file: dict[str, Any]) -> tuple[Batch[State], dict[str, Any]]:
    """Return the game of a file played again, and what its ``expected`` should be."""
    batch = begun(file)
    for step in file["steps"]:
        take(batch, step, file)
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    expected = {
        "outcome": dataclasses.asdict(outcome),
        "tokens": batch.state.tokens,
        "events": [told(recorded) for recorded in batch.events],
    }
    return batch, json.loads(json.dumps(expected))


def told(recorded: Recorded) -> list[Any]:
    """Return an event as a file tells it: its name and its fields, hidden items by their value."""
    event = recorded.event
    if isinstance(event, MovePlayed):
        params = dataclasses.asdict(event.move)
        kind = name_of(type(event.move))
        by = {"by_table": True} if event.by_table else {}
        fields = {"seat": event.seat, "window": event.window, "kind": kind, **params, **by}
        return ["table.move_played", fields]
    fields = {}
    for each in fields_of(type(event)):
        content = getattr(event, each.name)
        if each.audience is Audience.COMMITTED:
            content = _hidden(each.name, content)
        fields[each.name] = content
    return [f"{GAME.id}.{name_of(type(event))}", fields]


def afresh(name: str) -> dict[str, Any]:
    """Return the file of ``name`` with what its steps lead to now; one not there yet by its recipe."""
    path = FOLDER / f"{name}.json"
    file = json.loads(path.read_text("utf-8")) if path.exists() else _played(RECIPES[name])
    return {**file, "expected": result(file)[1]}


def written(file: dict[str, Any]) -> str:
    """Return the text of a file, one step and one event a line."""
    return golden_files.written(file, "tokens", json.dumps(file["expected"]["tokens"]))


def _played(recipe: Recipe) -> dict[str, Any]:
    """Return the keys and steps of a game played by a recipe."""
    file: dict[str, Any] = {
        "game": GAME.id,
        "rules_version": GAME.rules_version,
        "options": {"declarations": recipe.declarations, "series": recipe.series},
        "seats": recipe.seats,
        "keys": [(recipe.seed * 1000 + epoch).to_bytes(32, "big").hex() for epoch in range(MOST_GAMES)],
        "steps": [],
    }
    batch, chance = begun(file), KeyedChance(bytes.fromhex(file["keys"][0])[::-1])
    while awaited(GAME, batch.state):
        step = _step(recipe, batch.state, len(file["steps"]), chance)
        take(batch, step, file)
        file["steps"].append(step)
    file["keys"] = file["keys"][: engine.epoch(batch.state) + 1]
    return file


def _chance(file: dict[str, Any], epoch: int) -> Chance:
    return KeyedChance(bytes.fromhex(file["keys"][epoch]))


def _step(recipe: Recipe, state: State, number: int, chance: Chance) -> dict[str, Any]:
    if number in recipe.leaving:
        seat, reason = recipe.leaving[number]
        return {"leave": seat, "reason": reason}
    seat = awaited(GAME, state)[0]
    if recipe.misses and number % recipe.misses == 0:
        return {"timeout": [seat]}
    if recipe.ahead and number % recipe.ahead == 0:
        seat = _somebody_else(state, seat)
    legal = engine.legal_moves(state, seat)
    move = GAME.bots[recipe.bot](GAME.view(state, seat), legal, chance)
    return {"seat": seat, "kind": name_of(type(move)), "params": dataclasses.asdict(move)}


def _somebody_else(state: State, seat: int) -> int:
    """Return the last seat that may declare without being awaited, else ``seat``."""
    others = [each.seat for each in engine.to_act(state) if not each.awaited and not each.answered]
    return others[-1] if others else seat


def _hidden(name: str, items: Any) -> str:
    if name == "tokens":
        return " ".join(item.value.role for item in items)
    if name == "counts":
        return " ".join(
            "f" * each.value.futile + "s" * each.value.elder_signs + "c" * each.value.cthulhu
            for each in items
        )
    rows: dict[int, str] = {}
    for item in items:
        rows[item.value.seat] = rows.get(item.value.seat, "") + LETTER_OF[item.value.kind]
    return " ".join(rows.values())
