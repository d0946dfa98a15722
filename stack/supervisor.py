"""Keeps processes running: starts them in order, restarts what ends and says so, leaves none behind.

One thread and a short sleep.  Every process leads a group of its own, which is killed when its
leader ends.  A guard does the same when the supervisor itself is killed.
"""

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from stack import console, tether
from stack.errors import StackError
from stack.places import CLONE, Account

DELAY = 1.0  # seconds until a process that ended is started again
ALARM_RESTARTS = 10  # so many of them
ALARM_WINDOW = 60.0  # in so many seconds are told as an alarm,
ALARM_DELAY = 15.0  # and from then on it is tried at this pace
TICK = 0.05
LARGEST_LOG = 10_000_000  # bytes; a longer one is set aside when its process starts


class Stopped(Exception):
    """The person, or ``make down``, wants the stack to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One command to keep running."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    ready: Callable[[], bool] | None = None  # None: ready when its log has ``words``,
    words: bytes | None = None  # and without them
    settle: float = 1.0  # when it has lived for so many seconds
    patience: float = 60.0  # seconds to become ready at the first start
    account: Account | None = None
    farewell: signal.Signals = signal.SIGTERM
    grace: float = 10.0  # seconds between the farewell and the kill
    cwd: Path = CLONE


@dataclass(slots=True)
class Child:
    """A process and its present incarnation."""

    process: Process
    log: Path
    guard: IO[bytes]
    running: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    read_from: int = 0  # where its log begins
    due: float = 0.0  # when to start it again, if it is not running
    is_ready: bool = False
    restarts: deque[float] = field(default_factory=lambda: deque(maxlen=ALARM_RESTARTS))

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.read_from = output.tell()
            self.running = tether.spawn(
                self.process.command,
                output=output,
                env=self.process.env,
                cwd=self.process.cwd,
                account=self.process.account,
                farewell=self.process.farewell,
            )
        self._tell_guard(f"+ {self.running.pid} {int(self.process.farewell)}")
        self.started, self.is_ready = time.monotonic(), False

    def look(self) -> int | None:
        """Note whether it is ready; return its exit code when it has just ended."""
        if self.running is None:
            return None
        code = self.running.poll()
        if code is not None:
            self.kill()  # the rest of its group, which may hold its port
            self._tell_guard(f"- {self.running.pid}")
            self.running, self.is_ready = None, False
            return code
        self.is_ready = self.is_ready or self._has_become_ready()
        return None

    def kill(self) -> None:
        if self.running is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.running.pid, signal.SIGKILL)

    def _has_become_ready(self) -> bool:
        process = self.process
        if process.ready is not None:
            return process.ready()
        if process.words is None:
            return time.monotonic() - self.started > process.settle
        with self.log.open("rb") as file:
            file.seek(self.read_from)
            return process.words in file.read()

    def _tell_guard(self, line: str) -> None:
        with suppress(BrokenPipeError):  # killed: then there is none
            self.guard.write(f"{line}\n".encode())


class Supervisor:
    """Runs groups of processes; those of one group start and stop together.

    As a context manager it stops every one of them at the end of the block.
    """

    def __init__(self, logs: Path) -> None:
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.logs = logs
        self._groups: list[list[Child]] = []
        self._asked = 0
        self._guard = _start_guard()

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take SIGINT, SIGTERM and SIGHUP during the block as the wish to stop."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._ask) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def start(self, *processes: Process) -> dict[str, int]:
        """Start a group; return the process ids by name when all of it is ready.

        Raises StackError when one ends or is not ready in time, Stopped when asked to stop.
        """
        group = [self._child(process) for process in processes]
        self._groups.append(group)
        for child in group:
            self._check()
            child.start()
        while not all(child.is_ready for child in group):
            self._check()
            for child in group:
                code = child.look()
                if code is not None:
                    raise StackError(
                        f"{child.process.name} {_ended(code)} while starting: {_last_line(child.log)}"
                    )
                if not child.is_ready and time.monotonic() - child.started > child.process.patience:
                    raise StackError(f"{child.process.name} did not become ready (log: {child.log})")
            time.sleep(TICK)
        return {child.process.name: child.running.pid for child in group if child.running is not None}

    def run(self, process: Process) -> None:
        """Run a command to its end.  Raises StackError when it fails, Stopped when asked to stop."""
        child = self._child(process)
        child.start()
        try:
            while (code := child.look()) is None:
                self._check()
                time.sleep(TICK)
        finally:
            child.kill()
        if code != 0:
            raise StackError(f"{process.name} {_ended(code)}: {_last_line(child.log)}")

    def watch(self) -> None:
        """Restart what ends, until asked to stop.  Raises Stopped."""
        while True:
            self._check()
            for group in self._groups:
                for child in group:
                    _tend(child)
            time.sleep(TICK)

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  the handler's form
        self._asked += 1

    def _check(self) -> None:
        if self._asked:
            raise Stopped

    def _child(self, process: Process) -> Child:
        log = self.logs / f"{process.name}.log"
        if log.exists() and log.stat().st_size > LARGEST_LOG:
            log.replace(log.with_suffix(".old.log"))
        return Child(process, log, self._guard)

    def _stop(self) -> None:
        """Stop the groups, last started first; a second request to stop cuts the grace short."""
        patient = max(self._asked, 1)
        for group in reversed(self._groups):
            asked_at = time.monotonic()
            for child in group:
                if child.running is not None:
                    child.running.send_signal(child.process.farewell)
            while any(child.running is not None for child in group):
                for child in group:
                    if time.monotonic() > asked_at + child.process.grace or self._asked > patient:
                        child.kill()
                    child.look()
                time.sleep(TICK / 2)
        self._groups.clear()
        self._guard.close()


def _start_guard() -> IO[bytes]:
    """Start the guard; return the pipe that it reads, which ends with this process."""
    guard = subprocess.Popen(
        [sys.executable, "-m", "stack.guard"],
        stdin=subprocess.PIPE,
        cwd=CLONE,
        start_new_session=True,
        bufsize=0,
    )
    assert guard.stdin is not None  # noqa: S101  it was asked for
    guard.returncode = 0  # it outlives us by design: nobody waits for it
    return guard.stdin


def _tend(child: Child) -> None:
    """Say and do what one child needs."""
    name, now, was_ready = child.process.name, time.monotonic(), child.is_ready
    if child.running is None and now >= child.due:
        child.start()
    code = child.look()
    if code is not None:
        child.restarts.append(now)
        often = len(child.restarts) == ALARM_RESTARTS and now - child.restarts[0] < ALARM_WINDOW
        delay = ALARM_DELAY if often else DELAY
        child.due = now + delay
        alarm = f"ALARM: {ALARM_RESTARTS} times within {ALARM_WINDOW:.0f} s, " if often else ""
        console.complain(
            f"{name} {_ended(code)}; {alarm}starting it again in {delay:.0f} s (log: {child.log})"
        )
    elif child.is_ready and not was_ready:
        console.complain(f"{name} runs again")


def _ended(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return f"{lines[-1] if lines else 'it said nothing'} (log: {log})"
