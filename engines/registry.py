"""The catalogue: one line for each version of the rules of each game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engines import arrecife, cthulhu, reafan
from engines.base import Game


def newest(games: Iterable[Game[Any]]) -> dict[str, Game[Any]]:
    """Return games by id, each under its newest rules, with all ``earlier`` ones, the latest first.

    Ids keep the order in which they first come.  Raises ValueError where two have both id and version.
    """
    versions: dict[str, dict[int, Game[Any]]] = {}
    for game in (each for one in games for each in (one, *one.earlier)):
        of_game = versions.setdefault(game.id, {})
        if of_game.setdefault(game.rules_version, game) is not game:
            raise ValueError(f"there are two games {game.id} of rules version {game.rules_version}")
    return {name: _joined(of_game) for name, of_game in versions.items()}


def _joined(versions: dict[int, Game[Any]]) -> Game[Any]:
    last, *before = (versions[each] for each in sorted(versions, reverse=True))
    return replace(last, earlier=tuple(before)) if before or last.earlier else last


GAMES: dict[str, Game[Any]] = newest(
    (
        reafan.GAME,
        arrecife.GAME,
        cthulhu.GAME,
    )
)
