"""The faults, by name, and when each strikes: a schedule drawn from a seed.

To add one, write a function that strikes and a line of ``FAULTS``.  Codes are of the fault matrix.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import NamedTuple

from faults.installation import Installation

EVERY_SECONDS = 6.0  # 30 in three minutes
QUIET_SECONDS = 8.0  # at the end, so that what was killed last is back before the checker looks

Strike = Callable[[Installation, Random], bool]
"""Strikes once; returns False when there was nothing to strike at."""


class Fault(NamedTuple):
    """A fault: its code in the matrix, the process that it needs, and how it is done."""

    code: str
    needs: str
    strike: Strike


class Planned(NamedTuple):
    """A strike of the schedule, ``at`` seconds after the beginning."""

    at: float
    name: str


def _main(name: str) -> Strike:
    def strike(installation: Installation, _whim: Random) -> bool:
        return _kill(installation.main_of(name))

    return strike


def _child(name: str) -> Strike:
    def strike(installation: Installation, whim: Random) -> bool:
        children = installation.children_of(name)
        return bool(children) and _kill(whim.choice(sorted(children)))

    return strike


FAULTS: dict[str, Fault] = {
    "web process": Fault("F1-F3", "api", _child("api")),
    "web server": Fault("F1-F3", "api", _main("api")),
    "pool child": Fault("F4", "deadlines", _child("deadlines")),
    "worker main": Fault("F5", "deadlines", _main("deadlines")),
    "relay worker": Fault("F5", "worker", _main("worker")),
    "webhooks' worker": Fault("F5", "caller", _main("caller")),
    "mailer": Fault("F5", "mailer", _main("mailer")),
    "beat": Fault("F6", "beat", _main("beat")),
    "daemon": Fault("F9", "daemon", _main("daemon")),
    "signer": Fault("F61", "signer", _main("signer")),
    "Valkey": Fault("F14", "valkey", _main("valkey")),
    "PostgreSQL": Fault("F26", "postgres", _main("postgres")),
}


def available(without: Sequence[str] = ()) -> list[str]:
    """Return the names of the faults that need none of the processes left out."""
    return [name for name, fault in FAULTS.items() if fault.needs not in without]


def schedule(seed: int, seconds: float, names: Sequence[str]) -> list[Planned]:
    """Return the strikes of a run: one each six seconds or so, every name once before any comes again."""
    whim = Random(seed)  # noqa: S311  repeatable on purpose
    planned: list[Planned] = []
    bag: list[str] = []
    count = round(seconds / EVERY_SECONDS)
    spacing = (seconds - QUIET_SECONDS) / max(1, count)
    for number in range(count):
        if not bag:
            bag = whim.sample(list(names), len(names))
        planned.append(Planned((number + whim.uniform(0.25, 0.75)) * spacing, bag.pop()))
    return planned


class Killer(threading.Thread):
    """Strikes by a schedule, and counts what it has done."""

    def __init__(
        self, installation: Installation, planned: Sequence[Planned], seed: int, told: Callable[[str], None]
    ) -> None:
        super().__init__(name="killer", daemon=True)
        self.done: Counter[str] = Counter()
        self.last = ""
        self._installation, self._planned, self._told = installation, planned, told
        self._whim = Random(seed)  # noqa: S311
        self._over = threading.Event()

    def run(self) -> None:
        """Strike at each time; what is down at its time is waited for until the next one's."""
        began = time.monotonic()
        until = [each.at for each in self._planned[1:]] + [float("inf")]
        for (at, name), latest in zip(self._planned, until, strict=True):
            if self._over.wait(max(0.0, began + at - time.monotonic())):
                return
            limit = began + min(latest, at + EVERY_SECONDS)
            while not (struck := FAULTS[name].strike(self._installation, self._whim)):
                if time.monotonic() > limit or self._over.wait(0.1):
                    break
            if struck:
                self._told(name)
                self.done[name] += 1
                self.last = name

    def stop(self) -> None:
        """Strike no more."""
        self._over.set()


def _kill(pid: int | None) -> bool:
    with suppress(ProcessLookupError):
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            return True
    return False
