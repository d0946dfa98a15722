"""The drills: what is done to an installation under load, and the goals that it must meet meanwhile."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from rich.console import Console

from faults import races, session
from faults.checker import percentile
from faults.kills import FAULTS, Killer, available, schedule
from faults.rabbit import Rabbit
from faults.report import Line, Report, lines_of
from faults.session import Options, Session
from stack import valkey

CALM_P99 = 1.5  # seconds
CALM_TABLES = 1000
BACK_WITHIN = 5.0  # seconds from the broker's answer to a sweep by Celery
VALKEY_RESTARTS, RABBIT_RESTARTS = 6, 3


def kills(options: Options, console: Console) -> Report:
    """Kill processes by the seeded schedule, under load."""
    planned = schedule(options.seed, options.seconds, available(options.without))
    with session.running(options, console) as run:
        _seat(run)
        killer = Killer(run.found, planned, options.seed, run.history.strikes)
        killer.start()
        try:
            run.wait(options.seconds, lambda: f"{sum(killer.done.values())} kills, the last: {killer.last}")
        finally:
            killer.stop()
        killer.join()
        judged = run.judge(run.rest())
    done, wanted = sum(killer.done.values()), len(planned)
    lines = [
        Line("kills", f"{done}: {_counted(killer.done)}", f"{wanted}", done == wanted),
        *lines_of(judged, options),
    ]
    return Report(lines, judged)


def calm(options: Options, console: Console) -> Report:
    """Kill nothing: how late are time-outs at 1,000 live tables?"""
    with session.running(options, console) as run:
        run.prepare(session.clocks(options.tables, 30, 90, options.seed))
        run.play(run.prepared[::2])
        run.wait(options.seconds)
        judged = run.judge(run.rest())
    p99 = percentile(judged.lateness, 0.99)
    lines = [
        Line("lateness, p99", f"{p99:.2f} s at {options.tables} tables", f"< {CALM_P99} s", p99 < CALM_P99),
        *lines_of(judged, options),
    ]
    return Report(lines, judged)


def race(options: Options, console: Console) -> Report:
    """Send moves at the very moment of their deadlines."""
    with session.running(options, console) as run:
        run.prepare([races.SECONDS] * races.TABLES)
        won = races.run(run)
        judged = run.judge(run.rest())
    count = sum(won.values())
    lines = [
        Line("races", f"{count:,}: {_counted(won)}", f"{races.RACES:,}", count >= races.RACES),
        Line(
            "won by the move",
            f"{won['move'] / max(1, count):.0%}",
            "10 % to 90 %",
            0.1 <= won["move"] / max(1, count) <= 0.9,
        ),
        *lines_of(judged, options, is_loaded=False),
    ]
    return Report(lines, judged)


def valkey_restarts(options: Options, console: Console) -> Report:
    """Kill Valkey again and again, every other time with the loss of its data (F14, F16)."""
    whim = Random(options.seed)  # noqa: S311  repeatable on purpose
    with session.running(options, console) as run:
        _seat(run)

        def restart(number: int) -> None:
            killed = run.found.main_of("valkey")
            FAULTS["Valkey"].strike(run.found, whim)
            if number % 2:
                _empty(run.found.where.data / "valkey")  # before the supervisor starts it again
            _until(lambda: run.found.main_of("valkey") not in (None, killed))
            _until(lambda: valkey.answers(run.found.where))

        waits = _restarted(run, restart, VALKEY_RESTARTS)
        judged = run.judge(run.rest())
    return Report([_recovery("Valkey", waits), *lines_of(judged, options)], judged)


def rabbit_restarts(options: Options, console: Console) -> Report:
    """Run on RabbitMQ, and kill it again and again (F18)."""
    with Rabbit.running(console) as rabbit, session.running(options, console, broker_url=rabbit.url) as run:
        _seat(run)
        waits = _restarted(run, lambda _number: rabbit.restart(), RABBIT_RESTARTS)
        queues = rabbit.queues()
        judged = run.judge(run.rest())
    wanted = {"default": "quorum", "deadlines": "quorum"}
    kinds = {name: queues.get(name, "none") for name in wanted}
    lines = [
        _recovery("RabbitMQ", waits),
        Line(
            "queues", ", ".join(f"{name}: {kind}" for name, kind in kinds.items()), "quorum", kinds == wanted
        ),
        *lines_of(judged, options),
    ]
    return Report(lines, judged)


DRILLS: dict[str, Callable[[Options, Console], Report]] = {
    "kills": kills,
    "calm": calm,
    "races": race,
    "valkey": valkey_restarts,
    "rabbitmq": rabbit_restarts,
}


def _seat(run: Session) -> None:
    """Open tables of 2 to 5 seconds a turn, half of them left to their clocks, and play at the others."""
    run.prepare(session.clocks(run.options.tables, 2, 5, run.options.seed))
    run.play(run.prepared[::2])


def _restarted(run: Session, restart: Callable[[int], None], times: int) -> list[float | None]:
    """Restart a broker so many times; return the seconds from its answer to Celery's next sweep."""
    from faults import rooms

    waits: list[float | None] = []
    pause = max(2.0, run.options.seconds / times / 2)
    run.wait(pause)
    for number in range(times):
        restart(number)
        waits.append(rooms.await_heartbeat("celery", patience=30))
        run.say(f"  restart {number + 1}: Celery sweeps again {_told(waits[-1])} after the broker's answer")
        run.wait(pause)
    return waits


def _recovery(broker: str, waits: Sequence[float | None]) -> Line:
    met = all(each is not None and each <= BACK_WITHIN for each in waits)
    told = ", ".join(_told(each) for each in waits)
    return Line(f"{broker} back to a sweep by Celery", told, f"≤ {BACK_WITHIN:g} s each", met)


def _told(wait: float | None) -> str:
    return "never" if wait is None else f"{wait:.1f} s"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _empty(folder: Path) -> None:
    """Delete all that a folder holds; what goes by itself meanwhile is gone as well."""
    for part in folder.iterdir():
        with suppress(OSError):
            shutil.rmtree(part) if part.is_dir() else part.unlink()


def _until(holds: Callable[[], bool], patience: float = 30.0) -> None:
    until = time.monotonic() + patience
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
