"""The contests of bots: who meets whom, in which seats, and what a rate may be worth."""

from __future__ import annotations

import pytest

from bench.strength import Match, Tally, contest, interval, matches
from engines.registry import GAMES


def test_every_bot_meets_every_one_named_before_it() -> None:
    assert matches(["reafan"]) == [
        Match("reafan", "greedy", "random", "random"),
        Match("reafan", "searcher", "random", "random"),
        Match("reafan", "searcher", "greedy", "greedy"),
    ]
    assert {each.game for each in matches(list(GAMES))} == set(GAMES)


def test_a_game_with_roles_is_played_in_each_role_and_alone_among_both_bots() -> None:
    found = [(each.place, each.others) for each in matches(["cthulhu"])]
    places = ("investigator", "cultist", "one seat")
    assert found == [(place, others) for place in places for others in ("random", "counting")]


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"), [(50, 100, 0.404, 0.596), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0)]
)
def test_an_interval_is_that_of_wilson(wins: int, games: int, low: float, high: float) -> None:
    """By hand from the formula, at 1.96 standard errors."""
    assert interval(wins, games) == pytest.approx((low, high), abs=0.001)


def test_a_gain_is_that_of_pairs_of_games() -> None:
    """By hand: of 100 games 30 only by the one, 10 only by the other: 0.2 and 1.96 * sqrt(0.36 / 100)."""
    tally = Tally(games=100, wins=50, in_its_place=30, both=20)
    assert tally.gain() == pytest.approx((0.2 - 0.1176, 0.2 + 0.1176))


@pytest.mark.parametrize("name", GAMES)
def test_a_bot_against_itself_wins_what_it_wins_in_its_own_place(name: str) -> None:
    tally = contest(Match(name, "random", "random", "random"), range(12))
    assert tally.games == 12
    assert tally.wins == tally.in_its_place == tally.both
    assert tally.gain() == (0, 0)
    assert tally.moves > 0


def test_all_seats_of_a_role_are_one_place_and_every_deal_has_both_roles() -> None:
    both = [
        contest(Match("cthulhu", "random", "random", "random", role), range(12))
        for role in ("investigator", "cultist")
    ]
    assert sum(each.wins for each in both) == 12
