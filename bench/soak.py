"""``python -m bench.soak``: random games of every title, at any moment left, timed out or forsaken.

Each game must always wait for somebody who can move, end with a consistent outcome, read back from
its log to the same state, and be decided alike again; some of them by interpreters of other hash seeds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from bench.plays import Act, Habits, Log, Setting, batch_of, do, games, key_of, setting
from bench.spread import spread
from engines.base import Batch, Game, Outcome, awaited
from engines.chance import KeyedChance
from engines.errors import RuleViolation
from engines.registry import GAMES

ROOT = Path(__file__).parents[1]
HASH_SEEDS = ("0", "1", "4242")
SAMPLE = 25
"""So many games of a title are decided again under each hash seed."""
AT_ONCE = 50
"""So many games are one task of a process."""
CALM = 0.25
"""So often a game is played without anybody missing a turn or leaving."""


class Unsound(Exception):
    """A promise of the contract is broken: what, in a sentence."""


def soaked(game: Game[Any], seed: int) -> tuple[int, str]:
    """Play and examine the game of ``seed``; return its number of acts and a digest of its events.

    Raises Unsound, and whatever the engine itself raises.
    """
    chosen, habits = _drawn(game, seed)
    gone: set[int] = set()
    acts: list[Act] = []
    for batch, act, _ in games(
        chosen, seed, absence=habits.absence, leaving=habits.leaving, going_away=habits.going_away
    ):
        acts.append(act)
        gone |= {act.seat} if act.what == "leave" else set()
        _check_state(chosen, batch, gone)
    outcome = game.outcome(batch.state)
    _check_outcome(chosen, outcome, gone)
    digest = _check_log(chosen, batch)
    again = batch_of(chosen, KeyedChance(key_of(seed)))
    try:
        for act in acts:
            do(again, act)
    except RuleViolation as refused:
        raise Unsound(f"decided again from the same key, a move is refused: {refused.code}") from refused
    if again.events != batch.events:
        raise Unsound("decided again from the same key, it went otherwise")
    return len(acts), digest


def digest_of(game: Game[Any], seeds: Sequence[int]) -> str:
    """Return a digest of all events of the games of ``seeds``."""
    digest = hashlib.sha256()
    for seed in seeds:
        digest.update(soaked(game, seed)[1].encode())
    return digest.hexdigest()


def check_hash_seeds(names: Sequence[str], seed: int, count: int) -> None:
    """Play the same games in an interpreter for each hash seed.  Raises Unsound when they differ."""
    command = [sys.executable, "-m", "bench.soak", "--digest", "--seed", str(seed), "--games", str(count)]
    command += [part for name in names for part in ("--game", name)]
    told = {}
    for hash_seed in HASH_SEEDS:
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)  # noqa: S603
        if done.returncode:
            raise Unsound(f"under PYTHONHASHSEED={hash_seed}: {done.stderr.strip()}")
        told[hash_seed] = done.stdout
    if len(set(told.values())) > 1:
        raise Unsound(f"events depend on PYTHONHASHSEED: {told}")


def _drawn(game: Game[Any], seed: int) -> tuple[Setting, Habits]:
    """Return the setting and the habits of the game of ``seed``."""
    whim = Random(f"soak {seed}")  # noqa: S311
    chosen = setting(game, whim)
    if whim.random() < CALM:
        return chosen, Habits()
    return chosen, Habits(
        absence=whim.choice((0.02, 0.3)),
        leaving=whim.choice((0.0, 0.003, 0.03)),
        going_away=whim.choice((0.0, 0.01)),
    )


def _check_state(chosen: Setting, batch: Batch[Any], gone: set[int]) -> None:
    game, state = chosen.game, batch.state
    if draws := batch.chance.taken():
        raise Unsound(f"draws that no event carries: {draws}")
    waited_for = awaited(game, state)
    if game.outcome(state) is not None:
        if game.to_act(state) or any(game.legal_moves(state, seat) for seat in range(chosen.seats)):
            raise Unsound("the game is over, and somebody may move")
        return
    if not waited_for:
        raise Unsound("stuck: the game goes on, and nobody is awaited")
    if any(each.at_once for each in game.to_act(state)):
        raise Unsound("stuck: what is played at once has not been played")
    for seat in waited_for:
        if not game.legal_moves(state, seat):
            raise Unsound(f"stuck: seat {seat} is awaited and has no legal move")
    if stray := gone.intersection(waited_for):
        raise Unsound(f"seats {sorted(stray)} have left for good, and are awaited")


def _check_outcome(chosen: Setting, outcome: Outcome | None, gone: set[int]) -> None:
    if outcome is None:
        raise Unsound("the game has no outcome")
    places, winners = outcome.places, outcome.winners
    if len(places) != chosen.seats or not (outcome.scores is None or len(outcome.scores) == chosen.seats):
        raise Unsound(f"not one place and one score a seat: {outcome}")
    if any(place != 1 + sum(other < place for other in places) for place in places):
        raise Unsound(f"places do not follow one another: {outcome}")
    if list(winners) != sorted(set(winners)) or any(places[seat] != 1 for seat in winners):
        raise Unsound(f"a winner is not first: {outcome}")
    if gone.intersection(winners):
        raise Unsound(f"somebody who left has won: {outcome}")
    if outcome.reason not in _reasons(chosen.game.package):
        raise Unsound(f"a reason without words: {outcome.reason}")


@cache
def _reasons(package: str) -> frozenset[str]:
    return frozenset(json.loads((files(package) / "names.json").read_text("utf-8"))["reasons"])


def _check_log(chosen: Setting, batch: Batch[Any]) -> str:
    """Store all events as JSON, read them back and fold them; return a digest of what was stored."""
    log, digest = Log(chosen.game), hashlib.sha256()
    state = chosen.game.empty(chosen.options, chosen.seats)
    for recorded in batch.events:
        header = log.add(recorded)
        digest.update(repr(header).encode())
        event = log.event(header)
        if event != recorded.event:
            raise Unsound(f"event {recorded.position} is read back otherwise: {event}")
        state = chosen.game.evolve(state, event, recorded.position)
    if state != batch.state:
        raise Unsound("folded from the log, the state is another")
    return digest.hexdigest()


# The command


def main() -> int:
    """Soak the games asked for; return 1 when one of them failed."""
    options = _options()
    names = options.game or list(GAMES)
    if options.digest:
        for name in names:
            print(name, digest_of(GAMES[name], range(options.seed, options.seed + options.games)))  # noqa: T201
        return 0
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(f"seed {options.seed}: {options.games:,} games of each of {', '.join(names)}")
    table = Table("game", "games", "acts", "games/s", "failed")
    failures: list[str] = []
    for name in names:
        count, acts, failed, seconds = _soak(console, name, options)
        failures += failed
        table.add_row(
            name,
            f"{count:,}",
            f"{acts:,}",
            f"{count / seconds:,.0f}",
            f"[{'red' if failed else 'green'}]{len(failed)}[/]",
        )
    try:
        with console.status("the same games under three hash seeds ..."):
            check_hash_seeds(names, options.seed, min(SAMPLE, options.games))
    except Unsound as error:
        failures.append(str(error))
    console.print(table)
    for each in failures[:10]:
        console.print(each, markup=False, style="red")
    hashes = ", ".join(HASH_SEEDS)
    verdict = f"{len(failures)} failed" if failures else f"all sound, and alike under PYTHONHASHSEED {hashes}"
    console.print(f"seed {options.seed}: {verdict}")
    return 1 if failures else 0


def _soak(console: Console, name: str, options: argparse.Namespace) -> tuple[int, int, list[str], float]:
    """Return the number of games played, of acts in them, what failed, and the seconds taken."""
    began = time.monotonic()
    count = acts = 0
    failures: list[str] = []
    columns = (
        TextColumn("{task.description:9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
    )
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        bar = progress.add_task(name, total=options.games, rate="")
        results = spread(
            partial(_part, name), seed=options.seed, games=options.games, at_once=AT_ONCE, jobs=options.jobs
        )
        for played, done, failed in results:
            count, acts, failures = count + played, acts + done, failures + failed
            rate = f"{count / (time.monotonic() - began):,.0f} games/s"
            progress.update(
                bar, completed=count, rate=f"{rate}, {len(failures)} failed" if failures else rate
            )
    return count, acts, failures, time.monotonic() - began


def _part(name: str, seeds: range) -> tuple[int, int, list[str]]:
    """Soak the games of ``seeds``; return how many, their acts, and what failed with how to repeat it."""
    acts = 0
    failures = []
    for seed in seeds:
        try:
            acts += soaked(GAMES[name], seed)[0]
        except Exception as error:
            where = "" if isinstance(error, Unsound) else traceback.format_exc()
            again = f"python -m bench.soak --game {name} --games 1 --seed {seed}"
            failures.append(f"{again}\n  {type(error).__name__}: {error}\n{where}")
    return len(seeds), acts, failures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.soak", description="Play random games and examine them."
    )
    parser.add_argument("--games", type=int, default=20_000, help="how many of each title")
    parser.add_argument("--game", action="append", choices=list(GAMES), help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="of the first game")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--digest", action="store_true", help="print a digest of each title, nothing else")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
