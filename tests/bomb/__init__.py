"""Bomb: the probe, but for a rule that fails whenever somebody's time is up, and a bot that never answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from engines.base import Game, Move
from engines.chance import Chance
from tests import probe
from tests.probe.state import State
from tests.probe.view import View


def explode(_state: State, _seat: int, _chance: Chance) -> NoReturn:
    """Fail, as no rule should."""
    raise ZeroDivisionError("bomb")


def ponder(_view: View, _legal: Sequence[Move], _chance: Chance) -> NoReturn:
    """Think, and come to no end."""
    while True:
        time.sleep(1)


GAME: Game[State] = replace(
    probe.GAME, id="bomb", default_move=explode, bots={"ponder": ponder, **probe.GAME.bots}
)
