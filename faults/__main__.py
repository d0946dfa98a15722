"""``python -m faults``: one drill on an installation of its own, and the verdict."""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
import time
from types import FrameType

from rich.console import Console

from faults import drills
from faults.report import show
from faults.session import Options
from stack.__main__ import told

TABLES = {"kills": 60, "calm": drills.CALM_TABLES, "races": 0, "valkey": 60, "rabbitmq": 60}
SECONDS = {"kills": 180, "calm": 150, "races": 60, "valkey": 60, "rabbitmq": 60}


def main() -> int:
    """Run the drill asked for; return 1 when a goal was missed or something failed."""
    signal.signal(signal.SIGTERM, _interrupted)
    options = _options()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    return told(lambda: _run(options, console))


def _run(options: Options, console: Console) -> int:
    began = time.monotonic()
    console.print(f"drill {options.drill}, seed {options.seed}")
    report = drills.DRILLS[options.drill](options, console)
    show(report, console)
    verdict = "[green]all goals met[/]"
    if report.missed:
        verdict = f"[bold red]missed[/]: {', '.join(report.missed)}"
    elif report.short:
        verdict = f"[yellow]passed, but short[/]: {', '.join(report.short)}"
    console.print(f"{verdict}; drill {options.drill}, seed {options.seed}, {time.monotonic() - began:.0f} s")
    console.print(f"History and logs: .data/faults/{options.drill}-{options.seed}", markup=False)
    return 1 if report.missed else 0


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="python -m faults", description="Crash safety, under load.")
    parser.add_argument("--drill", choices=list(drills.DRILLS), default="kills")
    parser.add_argument("--seconds", type=_positive, help="how long the load lasts; kills: 180")
    parser.add_argument("--seed", type=int, help="repeats a schedule; drawn when left out")
    parser.add_argument("--rate", type=_positive, default=20.0, help="commands a second of all players")
    parser.add_argument("--tables", type=_tables, help="tables with short clocks; kills: 60, calm: 1000")
    parser.add_argument("--without-daemon", action="store_true", help="Celery alone sweeps and relays")
    given = parser.parse_args()
    return Options(
        drill=given.drill,
        seed=secrets.randbelow(1_000_000) if given.seed is None else given.seed,
        seconds=given.seconds or SECONDS[given.drill],
        rate=given.rate,
        tables=TABLES[given.drill] if given.tables is None else given.tables,
        without=("daemon",) if given.without_daemon else (),
    )


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("more than 0, and a day at most")
    return value


def _tables(text: str) -> int:
    count = int(text)
    if not 16 <= count <= 20_000:
        raise argparse.ArgumentTypeError("from 16, so that every player has some, to 20,000")
    return count


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
