"""The rules alone: random games in one thread, legal moves listed at every turn."""

from __future__ import annotations

import random
import statistics
from typing import Any

from bench.measure import NO_GOAL, Figure, Goal, undisturbed, warm_up
from engines import base
from engines.base import Batch, Game
from engines.chance import KeyedChance
from engines.registry import GAMES

GOALS = {  # games a second
    "reafan": Goal(must=120),
    "cthulhu": Goal(aim=1_000),
    "arrecife": Goal(aim=150),
}
SEATS = {"cthulhu": 5, "arrecife": 5}
"""At how many seats a game is measured; the fewest where none is named."""


def run(*, quick: bool) -> list[Figure]:
    """Return the figure of every game of the registry."""
    return [_figure(game, quick=quick) for game in GAMES.values()]


def seats_of(game: Game[Any]) -> int:
    """Return the number of seats at which a game is measured."""
    return SEATS.get(game.id, game.seats[0])


def random_game(game: Game[Any], number: int) -> tuple[int, Any]:
    """Play one game at random; return its number of moves and its last state."""
    whim = random.Random(number)  # noqa: S311
    chance = KeyedChance(number.to_bytes(32, "big"))
    state = game.empty(game.options(), seats_of(game))
    batch = Batch(game=game, state=state, chance=chance, position=1)
    base.begin(batch)
    moves = 0
    while seats := base.awaited(game, batch.state):
        seat = seats[0]
        move = whim.choice(game.legal_moves(batch.state, seat))
        batch = Batch(game=game, state=batch.state, chance=chance, position=batch.position)
        base.play(batch, seat, move)
        moves += 1
    return moves, batch.state


def _figure(game: Game[Any], *, quick: bool) -> Figure:
    count, rounds = (30, 3) if quick else (120, 7)
    warm_up(lambda: random_game(game, 0), 0.3 if quick else 1.0)
    moves = statistics.mean(random_game(game, number)[0] for number in range(count))

    def play() -> None:
        for number in range(count):
            random_game(game, number)

    watches = [undisturbed(play) for _ in range(rounds)]
    per_second = statistics.median(count / watch.cpu for watch in watches)
    by_clock = statistics.median(count / watch.wall for watch in watches)
    return Figure(
        name=f"random games of {game.id}, {seats_of(game)} seats",
        method=f"one thread, legal moves listed every turn; {rounds} x {count} games, by CPU time",
        figure=f"{per_second:,.0f} games/s ({by_clock:,.0f} by the clock), {moves:.0f} moves each, "
        f"{1e6 / per_second / moves:,.0f} µs a move",
        value=per_second,
        unit="games/s",
        goal=GOALS.get(game.id, NO_GOAL),
        foreign=statistics.median(watch.foreign or 0.0 for watch in watches),
    )
