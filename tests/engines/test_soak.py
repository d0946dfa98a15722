"""The soak, on a few games of each title; and that it bites when a promise of the contract is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from bench.plays import Setting, games
from bench.soak import Unsound, check_hash_seeds, soaked
from engines.base import Game
from engines.registry import GAMES
from tests import probe

every_game = pytest.mark.parametrize("game", [*GAMES.values(), probe.GAME], ids=lambda game: game.id)


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.long)])
@every_game
def test_many_random_games_hold_every_promise(game: Game[Any], count: int) -> None:
    for seed in range(count):
        soaked(game, seed)


def test_events_do_not_depend_on_the_hash_seed() -> None:
    check_hash_seeds(list(GAMES), seed=0, count=3)


@every_game
def test_who_is_away_answers_nothing_any_more(game: Game[Any]) -> None:
    chosen = Setting(game=game, seats=game.seats[0], options=game.options())
    acts = [act for _, act, _ in games(chosen, 1, going_away=1.0)]
    assert {act.what for act in acts[chosen.seats * 4 :]} <= {"time_out"}


# Broken games


def stuck(game: Game[Any]) -> Game[Any]:
    return replace(game, to_act=lambda state: () if state.turn > 3 else game.to_act(state))


def without_moves(game: Game[Any]) -> Game[Any]:
    return replace(game, legal_moves=lambda _state, _seat: ())


def of_two_minds(game: Game[Any]) -> Game[Any]:
    """A game whose first draw is another each time."""
    times = count()

    def start(batch: Any) -> None:
        for _ in range(next(times)):
            batch.chance.below(2, "whim")
        game.start(batch)

    return replace(game, start=start)


def won_by_nobody_first(game: Game[Any]) -> Game[Any]:
    def outcome(state: Any) -> Any:
        found = game.outcome(state)
        return found and replace(found, places=tuple(2 for _ in found.places))

    return replace(game, outcome=outcome)


def remembering(game: Game[Any]) -> Game[Any]:
    """A game whose state depends on how often it has been told."""
    times = count()

    def evolve(state: Any, event: Any, position: int) -> Any:
        after = game.evolve(state, event, position)
        return replace(after, discards=(str(next(times)),))

    return replace(game, evolve=evolve)


@pytest.mark.parametrize(
    ("broken", "finding"),
    [
        (stuck, "nobody is awaited"),
        (without_moves, "has no legal move"),
        (of_two_minds, "decided again"),
        (won_by_nobody_first, "places do not follow"),
        (remembering, "folded from the log"),
    ],
)
def test_it_finds_a_broken_promise(broken: Callable[[Game[Any]], Game[Any]], finding: str) -> None:
    with pytest.raises(Unsound, match=finding):
        soaked(broken(GAMES["reafan"]), 1)
