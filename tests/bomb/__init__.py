"""Bomb: the probe, but for a rule that fails whenever somebody's time is up."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from engines.base import Game
from engines.chance import Chance
from tests import probe
from tests.probe.state import State


def explode(_state: State, _seat: int, _chance: Chance) -> NoReturn:
    """Fail, as no rule should."""
    raise ZeroDivisionError("bomb")


GAME: Game[State] = replace(probe.GAME, id="bomb", default_move=explode)
