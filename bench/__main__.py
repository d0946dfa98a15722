"""``python -m bench``: every figure in one run, against its goal."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from bench import crypto, engine
from bench.measure import DISTURBED, Figure, Wrong, machine
from stack.errors import StackError

PURE: dict[str, Callable[..., list[Figure]]] = {"engine": engine.run, "crypto": crypto.run}
STORED = ("append", "growth", "proof", "verify", "http")
COLOURS = {"aim": "green", "met": "green", "MISSED": "bold red", "below aim": "yellow"}


def main() -> int:
    """Run the benchmarks asked for; return 1 when a goal was missed or something failed."""
    options = _options()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    started = time.monotonic()
    wanted = options.only or [*PURE, *STORED]
    console.print(f"{machine()}; load {os.getloadavg()[0]:.2f}")
    figures: list[Figure] = []
    for name in wanted:
        if name in PURE:
            figures += _told(console, name, partial(PURE[name], quick=options.quick))
    if stored := [name for name in wanted if name in STORED]:
        try:
            figures += _stored(console, stored, quick=options.quick)
        except (StackError, Wrong) as error:
            Console(stderr=True).print(str(error), markup=False)
            return 1
    console.print(_table(figures))
    console.print(
        f"{time.monotonic() - started:.0f} s.  A run of which other processes took more than "
        f"{DISTURBED:.0%} of the machine was repeated, a few times at most; foreign = their median share."
    )
    if options.json:
        told = [{**asdict(each), "verdict": each.verdict} for each in figures]
        Path(options.json).write_bytes(orjson.dumps({"machine": machine(), "figures": told}))
    missed = [each.name for each in figures if each.verdict == "MISSED"]
    if missed:
        console.print(f"[bold red]missed[/]: {'; '.join(missed)}")
    return 1 if missed else 0


def _stored(console: Console, names: Sequence[str], *, quick: bool) -> list[Figure]:
    """Run the benchmarks that need a database and a server, on a durable one of their own."""
    from bench import server

    figures: list[Figure] = []
    with server.running() as running:
        from bench import append, growth, http, proof, verify

        runs: dict[str, Callable[..., list[Figure]]] = {
            "append": append.run,
            "growth": growth.run,
            "proof": proof.run,
            "verify": verify.run,
            "http": http.run,
        }
        for name in names:
            figures += _told(console, name, partial(runs[name], running, quick=quick))
    return figures


def _told(console: Console, name: str, run: Callable[[], list[Figure]]) -> list[Figure]:
    with console.status(f"{name} ..."):
        figures = run()
    for each in figures:
        console.print(f"  {each.name}: {each.figure}  {each.ratio} {each.verdict}", markup=False)
    return figures


def _table(figures: Sequence[Figure]) -> Table:
    table = Table(show_lines=True)
    for title in ("what", "method", "figure", "ratio", "goal", "verdict", "foreign"):
        table.add_column(title)
    for each in figures:
        foreign = "" if each.foreign is None else f"{each.foreign:.0%}"
        if each.foreign is not None and each.foreign > DISTURBED:
            foreign += " disturbed"
        colour = COLOURS.get(each.verdict, "none")
        verdict = f"[{colour}]{each.verdict}[/]" if each.verdict else ""
        table.add_row(each.name, each.method, each.figure, each.ratio, each.goal.told(), verdict, foreign)
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the server.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a smoke test, not a result")
    parser.add_argument(
        "--only", action="append", choices=[*PURE, *STORED], metavar="NAME", help=", ".join([*PURE, *STORED])
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
