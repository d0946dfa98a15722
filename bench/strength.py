"""``python -m bench.strength``: how often each bot of a game wins, against each of the weaker ones.

One bot plays one seat, by turns each of them, or all seats of one role; another one plays all others.
Then the weaker bot plays in its place, with the same cards: what that wins, chance and the others gave it.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import sqrt
from random import Random
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.measure import NO_GOAL, Goal, machine
from bench.plays import Act, Setting, batch_of, bots_play, do, key_of
from bench.spread import spread
from engines.base import Game, Move
from engines.chance import KeyedChance
from engines.registry import GAMES

ROLES = {"cthulhu": ("investigator", "cultist")}
"""By game: the roles, as its state tells them, whose seats win and lose together."""
SECOND = 1.0
"""No move of a bot should take longer on one core."""
AT_ONCE = 10
"""So many games are one task of a process."""
SURE = 1.96
"""Standard errors on either side of a rate: 95 % of such intervals hold the truth."""

ALONE = "one seat"


class Match(NamedTuple):
    """A bot in some place, a weaker one that plays there for comparison, and who plays all the others."""

    game: str
    bot: str
    rival: str
    others: str
    place: str = ALONE  # or a role: all its seats

    def told(self) -> str:
        """Return who plays whom."""
        return f"{self.game}: {self.bot} as {self.place} among {self.others}"


GOALS = {Match("reafan", "searcher", "greedy", "greedy"): Goal(must=0.6)}
BY_NATURE = {
    Match("cthulhu", "counting", "random", "random", "cultist"): "random investigators heed no lie and tell"
    " no truth, so that every card of another seat is as likely as the next to be Cthulhu: nothing to gain",
    Match("cthulhu", "counting", "random", "random"): "nobody heeds its words or tells it the truth,"
    " so that every card of another seat is as likely as the next to be a sign, or Cthulhu: nothing to gain",
}
"""Where counting need not win more than chance does, and why."""


@dataclass(slots=True)
class Tally:
    """What a bot won in its place, and what the other one did there in the same games."""

    games: int = 0
    wins: int = 0
    in_its_place: int = 0
    both: int = 0
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def add(self, other: Tally) -> None:
        """Add the games of another tally."""
        self.games += other.games
        self.wins += other.wins
        self.in_its_place += other.in_its_place
        self.both += other.both
        self.moves += other.moves
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)

    def gain(self) -> tuple[float, float]:
        """Return the bounds, at 95 %, of how much more often it wins than the other one in its place."""
        mean = (self.wins - self.in_its_place) / self.games
        differing = (self.wins + self.in_its_place - 2 * self.both) / self.games
        half = SURE * sqrt((differing - mean * mean) / self.games)
        return mean - half, mean + half


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
    """Return every bot of each game against every one named before it, in each place."""
    return [
        Match(name, bot, rival, others, place)
        for name in names
        for rival, bot in combinations(GAMES[name].bots, 2)
        for place in (*ROLES.get(name, ()), ALONE)
        for others in ((rival, bot) if name in ROLES else (rival,))
    ]


def contest(match: Match, numbers: Sequence[int]) -> Tally:
    """Play the games of ``numbers``; the seat, and the number of seats, go with the number."""
    game = GAMES[match.game]
    tally = Tally()
    for number in numbers:
        # The same deal for each seat; but all seats of a role play one game, so that each needs its own.
        whim = Random(f"strength {number // max(game.seats) if match.place == ALONE else number}")  # noqa: S311
        chosen = Setting(game=game, seats=whim.choice(game.seats), options=game.options())
        key, seats = _deal(match, chosen, number, whim)
        clock = Clock()
        has_won = _wins(chosen, key, seats, (match.bot, match.others), clock)
        had_won = _wins(chosen, key, seats, (match.rival, match.others), Clock())
        tally.games += 1
        tally.wins += has_won
        tally.in_its_place += had_won
        tally.both += has_won and had_won
        tally.moves += len(clock.moves)
        tally.seconds += sum(clock.moves)
        tally.slowest = max(tally.slowest, *clock.moves, 0.0)
    return tally


def _deal(match: Match, chosen: Setting, number: int, whim: Random) -> tuple[int, list[int]]:
    """Return a key of chance, and the seats of the place: the one whose turn it is, or all of the role.

    Where all have one role there are no sides, and another deal is drawn.
    """
    while True:
        key = whim.randrange(1 << 62)
        if match.place == ALONE:
            return key, [number % chosen.seats]
        batch = batch_of(chosen, KeyedChance(key_of(key)))
        do(batch, Act(what="begin"))
        seats = [seat for seat in range(chosen.seats) if batch.state.roles[seat] == match.place]
        if 0 < len(seats) < chosen.seats:
            return key, seats


def _wins(chosen: Setting, key: int, seats: list[int], bots: tuple[str, str], clock: Clock) -> bool:
    """Play one game, the first of ``bots`` in ``seats``; tell whether they have won."""
    game: Game[Any] = chosen.game
    batch = batch_of(chosen, KeyedChance(key_of(key)))
    chances = [KeyedChance(key_of(key + 1 + each)) for each in range(chosen.seats)]

    def choose(mover: int, legal: Sequence[Move]) -> Move | None:
        is_ours = mover in seats
        view = game.view(batch.state, mover)
        began = time.process_time()
        move = game.bots[bots[0] if is_ours else bots[1]](view, legal, chances[mover])
        if is_ours:
            clock.moves.append(time.process_time() - began)
        return move

    do(batch, Act(what="begin"))
    return seats[0] in bots_play(batch, choose).winners


# The command


def main() -> int:
    """Play all matches of the games asked for; return 1 when a goal was missed."""
    options = _options()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    console.print(f"{machine()}; seed {options.seed}, {options.games:,} games a match")
    table = Table(
        "game", "bot", "as", "among", "wins", "95 %", "in its place", "gain, 95 %", "goal", "ms (slowest)"
    )
    remarks: list[str] = []
    missed: list[str] = []
    for match in matches(options.game or list(GAMES)):
        tally = _told(console, match, options)
        low, high = interval(tally.wins, tally.games)
        least, most = tally.gain()
        rate, goal = tally.wins / tally.games, GOALS.get(match, NO_GOAL)
        in_its_place = f"{match.rival} {tally.in_its_place / tally.games:.1%}"
        if match in BY_NATURE:
            remarks.append(f"{match.told()} {rate:.1%}, {in_its_place}: {BY_NATURE[match]}")
        elif least <= 0:
            missed.append(f"{match.told()} does not clearly win more than {match.rival}")
        if goal.verdict(rate) == "MISSED":
            missed.append(f"{match.told()} wins too rarely")
        if tally.slowest > SECOND:
            missed.append(f"{match.told()} thinks too long")
        table.add_row(
            match.game,
            match.bot,
            match.place,
            match.others,
            f"{rate:.1%}",
            f"{low:.1%} to {high:.1%}",
            in_its_place,
            f"{least:+.1%} to {most:+.1%}",
            f"{goal.told()} {goal.verdict(rate)}".strip(),
            f"{1e3 * tally.seconds / tally.moves:.2f} ({1e3 * tally.slowest:.0f})",
        )
    console.print(table)
    for each in remarks:
        console.print(f"[bold]by nature[/]: {each}")
    for each in missed:
        console.print(f"[bold red]missed[/]: {each}")
    return 1 if missed else 0


def _told(console: Console, match: Match, options: argparse.Namespace) -> Tally:
    columns = (
        TextColumn("{task.description:50}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
    )
    tally = Tally()
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        bar = progress.add_task(match.told(), total=options.games, rate="")
        parts = spread(
            partial(contest, match),
            seed=options.seed,
            games=options.games,
            at_once=AT_ONCE,
            jobs=options.jobs,
        )
        for part in parts:
            tally.add(part)
            progress.update(bar, completed=tally.games, rate=f"{tally.wins / tally.games:.1%}")
    return tally


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
