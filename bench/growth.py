"""What a move costs as its table grows: time, statements and rows must not grow with it."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from bench.matches import Match, two_players
from bench.measure import Figure, Goal, microseconds, watching
from stack.temporary import Running
from tables import playing

SIZES = {10: 2, 100: 5, 1000: 20}  # events of a table, and how many moves it is used for


@dataclass(slots=True)
class Sample:
    """What one move cost."""

    wall: float = 0.0
    cpu: float = 0.0
    statements: int = 0
    rows: int = 0


@dataclass(slots=True)
class Counter:
    """Counts the statements of a block and the rows that they returned or changed."""

    statements: int = 0
    rows: int = 0
    texts: list[str] = field(default_factory=list)

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        self.statements += 1
        self.rows += max(0, context["cursor"].rowcount)
        self.texts.append(sql)
        return result


def run(_running: Running, *, quick: bool) -> list[Figure]:
    """Return time, statements and rows by size of the table, and the same for a whole game of Reafan."""
    rounds = 10 if quick else 60
    with watching() as watch:
        samples = _by_size(rounds)
        game = _whole_game()
    foreign = watch.foreign
    smallest, largest = samples[min(SIZES)], samples[max(SIZES)]
    wall, cpu = ({size: _median(found, what) for size, found in samples.items()} for what in ("wall", "cpu"))
    statements = {size: max(each.statements for each in found) for size, found in samples.items()}
    rows = {size: max(each.rows for each in found) for size, found in samples.items()}
    ratio = statistics.median(big.cpu / small.cpu for small, big in zip(smallest, largest, strict=True))
    sizes = " / ".join(f"{size:,}" for size in SIZES)
    return [
        Figure(
            name=f"a move at {sizes} events",
            method=f"through the commands, no HTTP; {rounds} interleaved moves each; CPU of this process",
            figure=f"{_slashed(cpu)} CPU, {_slashed(wall)} in all",
            value=ratio,
            unit="ratio",
            ratio=f"{ratio:.2f} x",
            goal=Goal(1.3, at_least=False),
            foreign=foreign,
        ),
        Figure(
            name="statements and rows of that move",
            method="as the database driver counts them, BEGIN and COMMIT left out",
            figure=f"{_counts(statements)} statements, {_counts(rows)} rows",
            value=max(max(counts.values()) / max(1, counts[min(SIZES)]) for counts in (statements, rows)),
            unit="ratio",
            goal=Goal(1.0, at_least=False),
        ),
        Figure(
            name="a move of reafan",
            method=f"the same way, a whole game of {len(game)} moves",
            figure=f"{microseconds(_median(game, 'cpu'))} CPU, {microseconds(_median(game, 'wall'))} in all, "
            f"{statistics.median(each.statements for each in game):.0f} statements, "
            f"{statistics.median(each.rows for each in game):.0f} rows",
            value=_median(game, "wall"),
            unit="s",
            foreign=foreign,
        ),
    ]


def _by_size(rounds: int) -> dict[int, list[Sample]]:
    """Return samples by size, taken in turn so that a disturbance hits all of them."""
    players, whim = two_players(), random.Random(1)  # noqa: S311
    tables = {
        size: [Match("longplay", players) for _ in range(-(-rounds // moves))]
        for size, moves in SIZES.items()
    }
    for size, matches in tables.items():
        for match in matches:
            match.play(whim, upto=size)
    samples: dict[int, list[Sample]] = {size: [] for size in SIZES}
    for number in range(rounds):
        for size, moves in SIZES.items():
            samples[size].append(_sample(tables[size][number // moves], whim))
    return samples


def _whole_game() -> list[Sample]:
    match, whim = Match("reafan", two_players()), random.Random(2)  # noqa: S311
    samples = []
    while match.next_move(whim) is not None:
        samples.append(_sample(match, whim))
    return samples


def _sample(match: Match, whim: random.Random) -> Sample:
    found = match.next_move(whim)
    assert found is not None  # noqa: S101
    player, move = found
    counter = Counter()
    counting: AbstractContextManager[None] = connection.execute_wrapper(counter)
    with counting:
        cpu, wall = time.process_time(), time.perf_counter()
        playing.play_move(player, match.id, **move)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Sample(wall, cpu, counter.statements, counter.rows)


def _median(samples: list[Sample], what: str) -> float:
    return float(statistics.median(getattr(each, what) for each in samples))


def _slashed(seconds: dict[int, float]) -> str:
    return " / ".join(f"{value * 1e3:.2f}" for value in seconds.values()) + " ms"


def _counts(counts: dict[int, int]) -> str:
    return " / ".join(str(count) for count in counts.values())
