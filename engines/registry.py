"""The catalogue: one line per game."""

from __future__ import annotations

from typing import Any

from engines import arrecife, cthulhu, reafan
from engines.base import Game

GAMES: dict[str, Game[Any]] = {game.id: game for game in (reafan.GAME, cthulhu.GAME, arrecife.GAME)}
