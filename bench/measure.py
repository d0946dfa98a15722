"""Measuring without fooling oneself: pairs, medians, and what other processes took meanwhile.

CPU time is steadier than the clock on a shared machine, so goals are judged by it where they can.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

DISTURBED = 0.08  # a run of which others took more is repeated,
ATTEMPTS = 4  # so many times at most
WARM_UP = 1.0  # seconds

_TICKS = os.sysconf("SC_CLK_TCK")
_CORES = os.cpu_count() or 1


class Wrong(Exception):
    """What was measured is not what was meant: an answer refused, an event missing, a chain broken."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a figure should reach: ``must`` is the gate, ``aim`` what is thought possible."""

    must: float | None = None
    aim: float | None = None
    at_least: bool = True  # else: at most

    def told(self) -> str:
        """Return the goal as a table shows it."""
        sign = "≥" if self.at_least else "≤"
        parts = [] if self.must is None else [f"{sign} {self.must:g}"]
        return " ".join(parts if self.aim is None else [*parts, f"(aim {self.aim:g})"])

    def verdict(self, value: float) -> str:
        """Return how a value stands to the goal: aim, met, MISSED, or nothing where there is none."""
        if self.aim is not None and self._reaches(value, self.aim):
            return "aim"
        if self.must is not None:
            return "met" if self._reaches(value, self.must) else "MISSED"
        return "below aim" if self.aim is not None else ""

    def _reaches(self, value: float, goal: float) -> bool:
        return value >= goal if self.at_least else value <= goal


NO_GOAL = Goal()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report; ``value`` is what the goal judges."""

    name: str
    method: str
    figure: str
    value: float
    unit: str
    ratio: str = ""
    goal: Goal = NO_GOAL
    foreign: float | None = None  # the share of the machine that others took

    @property
    def verdict(self) -> str:
        return self.goal.verdict(self.value)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds for one unit of work."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The medians of several pairs; a ratio is ours divided by the baseline's of the same pair."""

    ours: Cost
    baseline: Cost
    wall_ratio: float
    cpu_ratio: float
    pairs: int
    foreign: float


@dataclass(slots=True)
class Watch:
    """What a block of code cost: seconds, CPU seconds of this process, and the others' share."""

    wall: float = 0.0
    cpu: float = 0.0
    foreign: float | None = None


@contextmanager
def watching() -> Iterator[Watch]:
    """Measure a block.  What this process and all that it started used is not foreign."""
    watch = Watch()
    busy, own = _busy(), tree_cpu(os.getpid())
    cpu, wall = time.process_time(), time.perf_counter()
    yield watch
    watch.wall = time.perf_counter() - wall
    watch.cpu = time.process_time() - cpu
    busy_after = _busy()
    if busy is not None and busy_after is not None:
        used = busy_after - busy - (tree_cpu(os.getpid()) - own)
        watch.foreign = max(0.0, used / (watch.wall * _CORES))


def undisturbed(run: Callable[[], object]) -> Watch:
    """Run until others leave the machine alone, a few times at most; return the calmest run."""
    calmest: Watch | None = None
    for _ in range(ATTEMPTS):
        with watching() as watch:
            run()
        if calmest is None or (watch.foreign or 0.0) < (calmest.foreign or 0.0):
            calmest = watch
        if (watch.foreign or 0.0) <= DISTURBED:
            break
    assert calmest is not None  # noqa: S101
    return calmest


def compare(
    ours: Callable[[int], object],
    baseline: Callable[[int], object],
    *,
    count: int,
    pairs: int = 7,
    warm_up_seconds: float = WARM_UP,
) -> Comparison:
    """Return what ``count`` units of each cost, in pairs that alternate who comes first."""
    for run in (ours, baseline):
        warm_up(partial(run, max(1, count // 10)), warm_up_seconds)
    measured: list[tuple[Cost, Cost]] = []
    foreign: list[float] = []
    for number in range(pairs):
        costs: dict[int, Cost] = {}
        for each in (0, 1) if number % 2 == 0 else (1, 0):
            run = (ours, baseline)[each]
            watch = undisturbed(partial(run, count))
            costs[each] = Cost(watch.wall / count, watch.cpu / count)
            foreign.append(watch.foreign or 0.0)
        measured.append((costs[0], costs[1]))
    return Comparison(
        ours=_middle([each for each, _ in measured]),
        baseline=_middle([each for _, each in measured]),
        wall_ratio=statistics.median(one.wall / other.wall for one, other in measured),
        cpu_ratio=statistics.median(one.cpu / max(other.cpu, 1e-9) for one, other in measured),
        pairs=pairs,
        foreign=statistics.median(foreign),
    )


def cpu_figure(name: str, baseline: str, found: Comparison, goal: Goal) -> Figure:
    """Return how the CPU of this process compares with a baseline's."""
    return Figure(
        name=name,
        method=f"CPU of this process, against {baseline}, {found.pairs} pairs",
        figure=f"{microseconds(found.ours.cpu)} against {microseconds(found.baseline.cpu)}",
        value=found.cpu_ratio,
        unit="ratio",
        ratio=f"{found.cpu_ratio:.2f} x",
        goal=goal,
        foreign=found.foreign,
    )


def warm_up(run: Callable[[], object], seconds: float = WARM_UP) -> None:
    """Run for a while: prepared statements, plan caches, pools."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        run()


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` of them lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def tree_cpu(pid: int) -> float:
    """Return the CPU seconds of a process and of all below it, the ended ones included."""
    return sum(_cpu_of(each) for each in _tree(pid))


def tree_memory(pid: int) -> int:
    """Return the bytes of memory that a process and all below it hold."""
    pages = [_stat(each) for each in _tree(pid)]
    return sum(int(each[21]) for each in pages if each) * os.sysconf("SC_PAGE_SIZE")


def machine() -> str:
    """Return what the figures were measured on."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = (line for line in cpuinfo.read_text().splitlines() if line.startswith("model name"))
        name = next(models, f": {name}").partition(":")[2].strip()
    system = f"{platform.system()} {platform.release()}"
    return f"{name}, {_CORES} cores, {system}, Python {platform.python_version()}"


def microseconds(seconds: float) -> str:
    """Return a duration as a table shows it."""
    return f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.2f} ms"


def _middle(costs: Sequence[Cost]) -> Cost:
    return Cost(statistics.median(each.wall for each in costs), statistics.median(each.cpu for each in costs))


def _busy() -> float | None:
    """Return the CPU seconds that the machine has worked; None where it does not tell."""
    try:
        first = Path("/proc/stat").read_text().partition("\n")[0].split()
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, first[1:9])
    return (user + nice + system + irq + softirq + steal) / _TICKS


def _tree(root: int) -> list[int]:
    """Return a process and all its descendants that live."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        if (values := _stat(int(folder.name))) is not None:
            children.setdefault(int(values[1]), []).append(int(folder.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def _cpu_of(pid: int) -> float:
    values = _stat(pid)
    return 0.0 if values is None else sum(map(int, values[11:15])) / _TICKS


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat after the name; None for one that is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()
