"""The processes of an installation as a test holds them: started, killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from types import TracebackType

import psycopg

from stack import processes
from stack.places import Places
from stack.supervisor import Process


class Services:
    """Real processes on the test's database and broker.  None is running at first."""

    def __init__(self, where: Places) -> None:
        port, live_port = _free_ports(2)
        env = {**os.environ, "POSTA_WORKER": "0", "POSTA_LIVE_URL": f"http://127.0.0.1:{live_port}"}
        plan = processes.Plan(where=where, port=port, live_port=live_port, env=env)
        plan.logs.mkdir(exist_ok=True)
        self.api_url, self.live_url, self.logs = plan.url, plan.live_url, plan.logs
        self._processes = {each.name: each for each in (processes.broker(plan), *processes.application(plan))}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        """Start what is not running, and wait until it is ready."""
        started = [name for name in names if not self.is_running(name)]
        for name in started:
            process = self._processes[name]
            with (self.logs / f"{name}.log").open("ab") as log:
                self._running[name] = subprocess.Popen(
                    process.command,
                    env=dict(process.env),
                    cwd=process.cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        for name in started:
            self._await(self._processes[name], self._running[name])

    def is_running(self, name: str) -> bool:
        """Tell whether a process lives."""
        return name in self._running and self._running[name].poll() is None

    def stop(self, *names: str, with_signal: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to a process and its children, and wait until it is gone."""
        for name in names:
            if self.is_running(name):
                os.killpg(self._running[name].pid, with_signal)
        for name in names:
            if name in self._running:
                self._end(self._running.pop(name))

    def kill(self, *names: str) -> None:
        """Kill a process and its children at once."""
        self.stop(*names, with_signal=signal.SIGKILL)

    def __enter__(self) -> Services:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(*self._running)

    def _end(self, running: subprocess.Popen[bytes]) -> None:
        try:
            running.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def _await(self, process: Process, running: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + process.patience
        while process.ready is not None and not process.ready():
            if running.poll() is not None or time.monotonic() > until:
                log = (self.logs / f"{process.name}.log").read_text(errors="replace")
                raise AssertionError(f"{process.name} did not become ready:\n{log[-4000:]}")
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
        """Move the time forward for everybody."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("UPDATE simulated_clock SET offset_ms = offset_ms + %s", [int(seconds * 1000)])

    def now_ms(self) -> int:
        """Return the time of the database."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            row = connection.execute("SELECT now_ms()").fetchone()
        assert row is not None
        return int(row[0])


def _free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
