"""``make mutations``: 200 genuine transcripts and 10,000 that lie, judged in Python and in JavaScript.

A genuine one must be proved by both, as far as its view allows; no lie may be accepted.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.verify.judging import OF_A_TABLE, Tally, differences, tally

T = TypeVar("T")


def main() -> int:
    """Judge as many as asked for; return 1 when a verifier is wrong."""
    options = _options()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(f"seed {options.seed}: {options.genuine} genuine transcripts, {options.mutants:,} mutants")
    began = time.monotonic()
    wrong, found = [], Tally()
    with ProcessPoolExecutor(options.jobs) as pool, _bar(console) as progress:
        count, bar = 0, progress.add_task("genuine", total=options.genuine)
        for told, files in _results(pool, differences, _seeds(options.seed, options.genuine // 4 + 1)):
            wrong += told
            count += files
            progress.update(bar, completed=min(count, options.genuine))
        bar = progress.add_task("mutants", total=options.mutants)
        for part in _results(pool, tally, _seeds(options.seed, -(-options.mutants // OF_A_TABLE))):
            found.add(part)
            progress.update(bar, completed=sum(found.kinds.values()))
    console.print(_table(found))
    for line in [*wrong, *(f"accepted: {each}" for each in found.accepted), *found.differences]:
        console.print(f"  {line}", style="red", markup=False)
    console.print(
        f"{count} genuine transcripts, {len(wrong)} judged otherwise; {sum(found.kinds.values()):,} mutants, "
        f"{len(found.accepted)} accepted, {len(found.differences)} judged otherwise by JavaScript;"
        f" {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong or found.accepted or found.differences else 0


def _results(pool: ProcessPoolExecutor, task: Callable[[int], T], seeds: Sequence[int]) -> Iterator[T]:
    for future in as_completed([pool.submit(task, seed) for seed in seeds]):
        yield future.result()


def _seeds(first: int, count: int) -> Sequence[int]:
    return range(first, first + count)


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description:<8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def _table(found: Tally) -> Table:
    table = Table("refused by", "mutants", "kind", "mutants")
    refused, kinds = found.refused.most_common(), found.kinds.most_common()
    for row in range(max(len(refused), len(kinds))):
        cells = [
            cell
            for column in (refused, kinds)
            for cell in ((column[row][0], f"{column[row][1]:,}") if row < len(column) else ("", ""))
        ]
        table.add_row(*cells)
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.verify.mutations", description="Judge transcripts, genuine and forged."
    )
    parser.add_argument("--genuine", type=int, default=200, help="how many genuine transcripts at least")
    parser.add_argument("--mutants", type=int, default=10_000, help="how many that lie")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="of the first table")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
