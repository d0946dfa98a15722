"""The processes of ``make up`` as a rig holds them: a program of its own, whose children can be killed.

Run as ``python -m faults.installation DATA PORT LIVE_PORT [NAME ...]`` it is ``make up`` without the named
processes, in the folder DATA.  ``running`` starts that and finds its processes by pid.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack import places, postgres, processes, temporary, tether, up
from stack.__main__ import told
from stack.errors import StackError
from stack.places import CLONE, Places
from stack.supervisor import Process

PATIENCE = 120.0  # seconds to become ready, and to stop
NAMED_BY_US = ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
SETTINGS = {"POSTA_EXTRA_GAMES": "bench.longplay", "POSTA_THROTTLES": "0", "POSTA_ENV": "development"}
MARKS = {
    "api": "config.wsgi:application",
    "live": "config.asgi:application",
    "deadlines": "deadlines@%h",
    "worker": "worker@%h",
    "mailer": "mailer@%h",
    "caller": "caller@%h",
    "beat": "beat",
    "daemon": "daemon",
    "signer": "signer",
    "valkey": "valkey-server",
    "postgres": "-D",
}
"""The argument by which a process of the stack is known among the supervisor's children."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A running installation."""

    where: Places
    url: str
    env: Mapping[str, str]
    supervisor: int
    log: Path

    def main_of(self, name: str) -> int | None:
        """Return the pid of a process of the stack, as it runs now; None while it is down."""
        for pid in _children().get(self.supervisor, []):
            arguments = _arguments(pid)
            program = arguments[0].partition(" ")[0] if arguments else ""  # Valkey retitles itself
            if MARKS[name] in arguments or program.endswith(f"/{MARKS[name]}"):
                return pid
        return None

    def children_of(self, name: str) -> list[int]:
        """Return the pids of its own children that work: web processes, pool children, backends."""
        main = self.main_of(name)
        found = [] if main is None else _children().get(main, [])
        return [pid for pid in found if not any("resource_tracker" in each for each in _arguments(pid))]

    def restarts(self) -> int:
        """Return how often the supervisor has started something again."""
        return self.log.read_text(errors="replace").count("starting it again")


@contextmanager
def running(*, without: Sequence[str] = (), broker_url: str | None = None) -> Iterator[Installation]:
    """Run everything but ``without`` during the block, on a durable database of its own.

    Raises StackError when it does not start.  The files are gone afterwards; what is stored can be looked
    at in between with ``stored``.
    """
    if not Path("/proc/self/cmdline").exists():
        raise StackError("The rig finds processes in /proc, which this system lacks: run it on Linux.")
    with places.temporary() as where:
        where.create()
        up.require_space(where, up.NEEDED_SPACE)
        plan = temporary.plan_of(where, SETTINGS | ({"BROKER_URL": broker_url} if broker_url else {}))
        log = where.data / "installation.log"
        kept = {name: value for name, value in plan.env.items() if name not in NAMED_BY_US}
        if broker_url:
            kept["BROKER_URL"] = broker_url
        ports = [str(plan.port), str(plan.live_port)]
        with log.open("wb") as output:
            process = tether.spawn(
                [sys.executable, "-m", "faults.installation", str(where.data), *ports, *without],
                output=output,
                env=kept,
                cwd=CLONE,
            )
        found = Installation(where=where, url=plan.url, env=plan.env, supervisor=process.pid, log=log)
        try:
            _await(process, log)
            yield found
        finally:
            _stop(process)


def stop(installation: Installation) -> None:
    """Stop all of it now, within the block; what is stored stays."""
    os.kill(installation.supervisor, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while _is_alive(installation.supervisor):
        if time.monotonic() > until:
            raise StackError("The installation did not stop.")
        time.sleep(0.1)


@contextmanager
def stored(installation: Installation) -> Iterator[None]:
    """Run the database alone during the block, once the installation has stopped."""
    with postgres.log_file(installation.where) as log, postgres.running(installation.where, log):
        yield


def _await(process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while "READY" not in (text := log.read_text(errors="replace")):
        if process.poll() is not None or time.monotonic() > until:
            lines = text.strip().splitlines() or ["it said nothing"]
            raise StackError(f"The installation did not start: {lines[-1]}")
        time.sleep(0.1)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()  # its guard ends the rest
            process.wait()


def _children() -> dict[int, list[int]]:
    """Return the pids of this machine by their parent's."""
    found: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        state = _state(int(folder.name))
        if state is not None and state[0] != "Z":
            found.setdefault(int(state[1]), []).append(int(folder.name))
    return found


def _is_alive(pid: int) -> bool:
    state = _state(pid)
    return state is not None and state[0] != "Z"


def _state(pid: int) -> list[str] | None:
    """Return what the system tells of a process after its name: state, parent, ...; None for one gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _arguments(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def _main(data: str, port: str, live_port: str, *without: str) -> int:
    def application(plan: processes.Plan) -> list[Process]:
        return [each for each in processes.application(plan) if each.name not in without]

    def run() -> int:
        up.run(places.of(Path(data)), port=int(port), live_port=int(live_port), application=application)
        return 0

    return told(run)


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
