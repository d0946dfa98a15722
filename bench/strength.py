"""``python -m bench.strength``: how often each bot of a game wins, against each of the weaker ones.

One bot plays one seat, by turns each of them, with the seats that win and lose with it; the other bot
plays all others, and then that seat too, with the same cards: what it wins there chance gave it.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import sqrt
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.measure import NO_GOAL, Goal, machine
from bench.plays import Act, Setting, batch_of, do, key_of
from engines.base import Game, awaited
from engines.chance import KeyedChance
from engines.registry import GAMES

GOALS = {("reafan", "searcher", "greedy"): Goal(must=0.6)}
SIDES: dict[str, Callable[[Any, int], Any]] = {"cthulhu": lambda state, seat: state.roles[seat]}
"""By game: what the seats have in common that win and lose together."""
SECOND = 1.0
"""No move of a bot should take longer on one core."""
AT_ONCE = 10
"""So many games are one task of a process."""
SURE = 1.96
"""Standard errors on either side of a rate: 95 % of such intervals hold the truth."""

Match = tuple[str, str, str]
"""A game, a bot, and the bot that it plays against."""


@dataclass(slots=True)
class Tally:
    """What a bot did in one seat, and what the other one did in its place."""

    games: int = 0
    wins: int = 0
    in_its_place: int = 0
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def add(self, other: Tally) -> None:
        """Add the games of another tally."""
        self.games += other.games
        self.wins += other.wins
        self.in_its_place += other.in_its_place
        self.moves += other.moves
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)


@dataclass(slots=True)
class Clock:
    """The CPU seconds of each move of one bot."""

    moves: list[float] = field(default_factory=list)


def interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate.  Source: Wilson 1927, score interval."""
    rate, square = wins / games, SURE * SURE
    middle = (rate + square / (2 * games)) / (1 + square / games)
    half = SURE * sqrt(rate * (1 - rate) / games + square / (4 * games * games)) / (1 + square / games)
    return middle - half, middle + half


def matches(names: Sequence[str]) -> list[Match]:
    """Return every bot of each game against every one named before it in the game."""
    return [(name, bot, rival) for name in names for rival, bot in combinations(GAMES[name].bots, 2)]


def contest(match: Match, numbers: Sequence[int]) -> Tally:
    """Play the games of ``numbers``; the seat, and the number of seats, go with the number."""
    name, bot, rival = match
    game = GAMES[name]
    tally = Tally()
    for number in numbers:
        whim = Random(f"strength {number // max(game.seats)}")  # noqa: S311  the same deal for each seat
        chosen = Setting(game=game, seats=whim.choice(game.seats), options=game.options())
        seat, key = number % chosen.seats, whim.randrange(1 << 62)
        clock = Clock()
        tally.games += 1
        tally.wins += _wins(chosen, key, seat, (bot, rival), clock)
        tally.in_its_place += _wins(chosen, key, seat, (rival, rival), Clock())
        tally.moves += len(clock.moves)
        tally.seconds += sum(clock.moves)
        tally.slowest = max(tally.slowest, *clock.moves, 0.0)
    return tally


def _wins(chosen: Setting, key: int, seat: int, bots: tuple[str, str], clock: Clock) -> bool:
    """Play one game, the first of ``bots`` on the side of ``seat``; tell whether that seat has won."""
    game: Game[Any] = chosen.game
    side_of: Callable[[Any, int], Any] = SIDES.get(game.id, _alone)
    batch = batch_of(chosen, KeyedChance(key_of(key)))
    chances = [KeyedChance(key_of(key + 1 + each)) for each in range(chosen.seats)]
    do(batch, Act(what="begin"))
    while (outcome := game.outcome(batch.state)) is None:
        mover = awaited(game, batch.state)[0]
        is_ours = side_of(batch.state, mover) == side_of(batch.state, seat)
        view, legal = game.view(batch.state, mover), game.legal_moves(batch.state, mover)
        began = time.process_time()
        move = game.bots[bots[0] if is_ours else bots[1]](view, legal, chances[mover])
        if is_ours:
            clock.moves.append(time.process_time() - began)
        do(batch, Act(what="move", seat=mover, move=move))
    return seat in outcome.winners


def _alone(_state: Any, seat: int) -> int:
    return seat


# The command


def main() -> int:
    """Play all matches of the games asked for; return 1 when a goal was missed."""
    options = _options()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 130)
    console.print(f"{machine()}; seed {options.seed}, {options.games:,} games a match")
    table = Table(
        "game", "bot", "against", "wins", "95 % interval", "the other in its place", "goal", "ms a move"
    )
    missed: list[str] = []
    for match in matches(options.game or list(GAMES)):
        tally = _told(console, match, options)
        rate = tally.wins / tally.games
        low, high = interval(tally.wins, tally.games)
        goal = GOALS.get(match, NO_GOAL)
        if goal.verdict(rate) == "MISSED":
            missed.append("{}: {} wins too rarely against {}".format(*match))
        if tally.slowest > SECOND:
            missed.append("{}: {} thinks too long against {}".format(*match))
        pace = f"{1e3 * tally.seconds / tally.moves:.2f} (slowest {1e3 * tally.slowest:.0f})"
        verdict = f"{goal.told()} {goal.verdict(rate)}".strip()
        place = f"{tally.in_its_place / tally.games:.1%}"
        table.add_row(*match, f"{rate:.1%}", f"{low:.1%} to {high:.1%}", place, verdict, pace)
    console.print(table)
    for each in missed:
        console.print(f"[bold red]missed[/]: {each}")
    return 1 if missed else 0


def _told(console: Console, match: Match, options: argparse.Namespace) -> Tally:
    name, bot, rival = match
    columns = (
        TextColumn("{task.description:32}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
    )
    tally = Tally()
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        bar = progress.add_task(f"{name}: {bot} against {rival}", total=options.games, rate="")
        for part in _parts(match, options):
            tally.add(part)
            progress.update(bar, completed=tally.games, rate=f"{tally.wins / tally.games:.1%}")
    return tally


def _parts(match: Match, options: argparse.Namespace) -> Iterator[Tally]:
    end = options.seed + options.games
    parts = [range(first, min(first + AT_ONCE, end)) for first in range(options.seed, end, AT_ONCE)]
    if options.jobs == 1:
        yield from map(partial(contest, match), parts)
        return
    with ProcessPoolExecutor(options.jobs) as pool:
        for future in as_completed([pool.submit(contest, match, part) for part in parts]):
            yield future.result()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.strength", description="Compare the bots of each game."
    )
    parser.add_argument("--games", type=int, default=1_000, help="how many a match")
    parser.add_argument("--game", action="append", choices=list(GAMES), help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="of the first game")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
