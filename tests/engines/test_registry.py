"""The registry: games by id under their newest rules, and every earlier version behind them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.registry import GAMES, newest
from tests import probe, probe_v2


@pytest.mark.parametrize("games", [(probe.GAME, probe_v2.GAME), (probe_v2.GAME, probe.GAME)])
def test_the_highest_version_is_the_newest_in_whatever_order_they_come(games: tuple) -> None:
    found = newest(games)["probe"]
    assert (found.rules_version, found.package) == (2, "tests.probe_v2")
    assert found.under(1) is probe.GAME
    assert found.under(2) is found
    assert found.under(3) is None


def test_what_has_been_joined_can_be_joined_with_more() -> None:
    third = replace(probe.GAME, rules_version=3)
    found = newest((*newest((probe.GAME, third)).values(), probe_v2.GAME))["probe"]
    assert [each.rules_version for each in (found, *found.earlier)] == [3, 2, 1]


def test_a_version_is_registered_once() -> None:
    with pytest.raises(ValueError, match="two games probe of rules version 1"):
        newest((probe.GAME, replace(probe.GAME)))


def test_games_keep_their_order() -> None:
    assert list(newest((*GAMES.values(), probe.GAME))) == [*GAMES, "probe"]
