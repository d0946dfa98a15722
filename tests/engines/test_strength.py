"""The contests of bots: who meets whom, in which seats, and what a rate may be worth."""

from __future__ import annotations

import pytest

from bench.strength import contest, interval, matches
from engines.registry import GAMES


def test_every_bot_meets_every_one_named_before_it() -> None:
    found = matches(["reafan"])
    assert found == [
        ("reafan", "greedy", "random"),
        ("reafan", "searcher", "random"),
        ("reafan", "searcher", "greedy"),
    ]
    assert {name for name, _, _ in matches(list(GAMES))} == set(GAMES)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"), [(50, 100, 0.404, 0.596), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0)]
)
def test_an_interval_is_that_of_wilson(wins: int, games: int, low: float, high: float) -> None:
    """By hand from the formula, at 1.96 standard errors."""
    assert interval(wins, games) == pytest.approx((low, high), abs=0.001)


@pytest.mark.parametrize("name", GAMES)
def test_a_bot_against_itself_wins_what_it_wins_in_its_own_place(name: str) -> None:
    tally = contest((name, "random", "random"), range(12))
    assert tally.games == 12
    assert tally.wins == tally.in_its_place
    assert tally.moves > 0
