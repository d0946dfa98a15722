"""The processes of an installation as a test holds them: started, killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import psycopg

from stack import processes, temporary
from stack.places import Places
from stack.supervisor import Child


class Services:
    """Real processes on the test's database and broker.  None is running at first."""

    def __init__(self, where: Places) -> None:
        plan = temporary.plan_of(where)
        plan.logs.mkdir(exist_ok=True)
        self.api_url, self.live_url, self.logs = plan.url, plan.live_url, plan.logs
        self._guard = Path(os.devnull).open("wb")  # noqa: SIM115 - closed in __exit__
        self._children = {
            each.name: Child(each, plan.logs / f"{each.name}.log", self._guard)
            for each in (processes.broker(plan), *processes.application(plan))
        }

    def start(self, *names: str) -> None:
        """Start what is not running, and wait until it is ready."""
        started = [self._children[name] for name in names if not self.is_running(name)]
        for child in started:
            child.start()
        for child in started:
            self._await(child)

    def is_running(self, name: str) -> bool:
        """Tell whether a process lives."""
        running = self._children[name].running
        return running is not None and running.poll() is None

    def stop(self, *names: str) -> None:
        """Ask processes to end, and wait until they are gone."""
        for name in names:
            if self.is_running(name):
                self._signal(name, self._children[name].process.farewell)
        for name in names:
            self._end(self._children[name])

    def kill(self, *names: str) -> None:
        """Kill processes and their children at once."""
        for name in names:
            self._children[name].kill()
            self._end(self._children[name])

    @contextmanager
    def paused(self, *names: str) -> Iterator[None]:
        """Let processes stand still during the block, their connections open."""
        groups = [child.running.pid for name in names if (child := self._children[name]).running]
        for group in groups:
            os.killpg(group, signal.SIGSTOP)
        try:
            yield
        finally:
            for group in groups:
                os.killpg(group, signal.SIGCONT)

    def __enter__(self) -> Services:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(*self._children)
        self._guard.close()

    def _signal(self, name: str, number: signal.Signals) -> None:
        running = self._children[name].running
        if running is not None:
            os.kill(running.pid, number)

    def _end(self, child: Child) -> None:
        if child.running is None:
            return
        try:
            child.running.wait(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.running.wait()
        child.look()

    def _await(self, child: Child) -> None:
        until = time.monotonic() + child.process.patience
        while not child.is_ready:
            if child.look() is not None or time.monotonic() > until:
                told = child.log.read_text(errors="replace")
                raise AssertionError(f"{child.process.name} did not become ready:\n{told[-4000:]}")
            time.sleep(0.05)


class SimulatedClock:
    """The database's time, moved by an offset that every process sees."""

    def __init__(self, superuser_url: str) -> None:
        self._url = superuser_url

    @classmethod
    def install(cls, superuser_url: str) -> None:
        """Replace ``now_ms()`` by one that adds the offset of a row; ``events`` made the real one."""
        with psycopg.connect(superuser_url, autocommit=True) as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS simulated_clock (offset_ms bigint NOT NULL);"
                "INSERT INTO simulated_clock SELECT 0 WHERE NOT EXISTS (SELECT FROM simulated_clock);"
                "GRANT SELECT ON simulated_clock TO PUBLIC;"
                "CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$"
                " SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + offset_ms"
                " FROM simulated_clock $$"
            )

    def advance(self, *, seconds: float) -> None:
        """Move the time forward for everybody, as if somebody had looked at deadlines all along."""
        self._move(seconds, "started_at = started_at + delta, ended_at = ended_at + delta")

    def outage(self, *, seconds: float) -> None:
        """Move the time forward for everybody, as if nobody had looked at deadlines meanwhile."""
        self._move(seconds, "monotonic_ms = monotonic_ms - extract(epoch FROM delta) * 1000")

    def jump(self, *, seconds: float) -> None:
        """Set the database's clock, behind everybody's back."""
        self._move(seconds, "driver = driver")

    def _move(self, seconds: float, heartbeats: str) -> None:
        """Move the time; no sweep reads the time and the heartbeats in between."""
        with psycopg.connect(self._url) as connection:
            connection.execute("LOCK TABLE tables_heartbeat IN ACCESS EXCLUSIVE MODE")
            connection.execute("UPDATE simulated_clock SET offset_ms = offset_ms + %s", [int(seconds * 1000)])
            connection.execute(
                f"UPDATE tables_heartbeat SET {heartbeats}"  # noqa: S608 - a constant of this class
                " FROM (SELECT make_interval(secs => %s) AS delta) AS moved",
                [seconds],
            )

    def now_ms(self) -> int:
        """Return the time of the database."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            row = connection.execute("SELECT now_ms()").fetchone()
        assert row is not None
        return int(row[0])
