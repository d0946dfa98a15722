"""The catalogue: one line per game."""

from __future__ import annotations

from typing import Any

from engines import arrecife, cthulhu, reafan
from engines.base import Game

_GAMES: tuple[Game[Any], ...] = (
    reafan.GAME,
    arrecife.GAME,
    cthulhu.GAME,
)
GAMES: dict[str, Game[Any]] = {game.id: game for game in _GAMES}
