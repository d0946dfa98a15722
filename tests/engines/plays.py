"""The driver of ``bench.plays`` for every game, the probe included."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any

import pytest

from bench.plays import (
    ACTED_ON,
    TID,
    Act,
    Log,
    Setting,
    batch_of,
    bots_play,
    do,
    games,
    key_of,
    next_chance,
    setting,
)
from engines.base import Game
from engines.registry import GAMES
from tests import probe

__all__ = [
    "ACTED_ON",
    "ALL_GAMES",
    "TID",
    "Act",
    "Log",
    "Setting",
    "batch_of",
    "bots_play",
    "do",
    "games",
    "key_of",
    "long_but_the_probe",
    "next_chance",
    "setting",
    "streams",
]

ALL_GAMES: list[Game[Any]] = [*GAMES.values(), probe.GAME]

long_but_the_probe = pytest.mark.parametrize(
    "game",
    [probe.GAME, *(pytest.param(game, marks=pytest.mark.long) for game in GAMES.values())],
    ids=lambda game: game.id,
)


def streams() -> str:
    """Return a digest of games of every title, always the same."""
    digest = hashlib.sha256()
    for game in ALL_GAMES:
        for seed in range(3):
            log = Log(game)
            chosen = setting(game, Random(seed))
            *_, (batch, _, _) = games(chosen, seed, absence=0.2, leaving=0.02)
            for recorded in batch.events:
                digest.update(repr(log.add(recorded)).encode())
    return digest.hexdigest()
