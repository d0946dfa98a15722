"""The benchmarks' own arithmetic, and their game; what they measure is not measured here."""

from __future__ import annotations

import pytest

from bench import engine, longplay
from bench.measure import Goal, percentile
from engines.registry import GAMES


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(0.84, "met"), (0.85, "aim"), (0.59, "MISSED"), (0.6, "met")],
)
def test_a_rate_is_judged_by_what_it_must_and_should_reach(value: float, verdict: str) -> None:
    assert Goal(0.6, 0.85).verdict(value) == verdict


@pytest.mark.parametrize(("value", "verdict"), [(20.1, "MISSED"), (20.0, "met")])
def test_a_cost_is_judged_from_above(value: float, verdict: str) -> None:
    assert Goal(20, at_least=False).verdict(value) == verdict


def test_what_has_no_goal_has_no_verdict() -> None:
    assert Goal().verdict(1.0) == ""


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(each) for each in range(1, 101)]

    assert [percentile(values, share) for share in (0.5, 0.95, 0.99, 1.0)] == [51, 96, 100, 100]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_a_random_game_ends(game: object) -> None:
    moves, state = engine.random_game(game, 1)  # type: ignore[arg-type]

    assert moves > 0
    assert state.turn > 1


def test_the_long_game_is_as_long_as_it_is_asked_to_be() -> None:
    state = longplay.GAME.empty(longplay.Options(steps=3), 2)
    assert longplay.GAME.outcome(state) is None
    for seat in (0, 1, 0):
        state = longplay.GAME.evolve(state, longplay.Stepped(seat=seat, width=2, walked=2), 1)

    assert longplay.GAME.to_act(state) == ()
    assert longplay.GAME.outcome(state) is not None
