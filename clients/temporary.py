# SPDX-License-Identifier: MIT
"""A stack of its own for the length of a block: database, broker and API, all gone afterwards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from stack import places, postgres, processes, tether, urls
from stack.errors import StackError
from stack.supervisor import Process


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A stack that runs: its address, its environment and the pids of its processes by name."""

    url: str
    env: Mapping[str, str]
    superuser_url: str
    pids: Mapping[str, int]


@contextmanager
def stack(*, durable: bool = False, env: Mapping[str, str] | None = None) -> Iterator[Running]:
    """Run PostgreSQL, Valkey and the API during the block, on free ports, in a temporary folder.

    Unless ``durable``, the database forgets on a power cut.  ``env`` adds to the environment.
    Raises StackError when something does not start.
    """
    with ExitStack() as undo:
        where = undo.enter_context(places.temporary())
        log = undo.enter_context(postgres.log_file(where))
        database = undo.enter_context(
            postgres.running(where, log, settings={} if durable else postgres.HASTE)
        )
        port, live_port = _free_ports(2)
        addresses = postgres.urls_of(where)
        environment = {
            **os.environ,
            "POSTA_DATA": str(where.data),
            "POSTA_WORKER": "0",
            "DATABASE_URL": addresses.database_url,
            "DATABASE_OWNER_URL": addresses.owner_url,
            "BROKER_URL": urls.broker(where),
            "POSTA_URL": f"http://{processes.HOST}:{port}",
            "POSTA_LIVE_URL": f"http://{processes.HOST}:{live_port}",
            **(env or {}),
        }
        plan = processes.Plan(where=where, port=port, live_port=live_port, env=environment)
        plan.logs.mkdir(mode=0o700, exist_ok=True)
        broker = undo.enter_context(_running(processes.broker(plan), plan))
        _run(processes.migration(plan))
        (api,) = (each for each in processes.application(plan) if each.name == "api")
        server = undo.enter_context(_running(api, plan))
        yield Running(
            url=plan.url,
            env=environment,
            superuser_url=addresses.superuser_url,
            pids={"postgres": database, "valkey": broker, "api": server},
        )


@contextmanager
def _running(process: Process, plan: processes.Plan) -> Iterator[int]:
    """Run a process and its children during the block; yield its pid when it is ready."""
    path = plan.logs / f"{process.name}.log"
    with path.open("ab") as log:
        child = tether.spawn(process.command, output=log, env=process.env, cwd=process.cwd)
    try:
        until = time.monotonic() + process.patience
        while process.ready is not None and not process.ready():
            if child.poll() is not None or time.monotonic() > until:
                told = path.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
                raise StackError(f"{process.name} did not start: {told[-1]}")
            time.sleep(0.05)
        yield child.pid
    finally:
        _stop(child, process)


def _stop(child: subprocess.Popen[bytes], process: Process) -> None:
    child.send_signal(process.farewell)
    try:
        child.wait(process.grace)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _run(process: Process) -> None:
    done = subprocess.run(  # noqa: S603  the commands are the stack's
        process.command, env=dict(process.env), cwd=process.cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        told = done.stderr.strip().splitlines() or ["it said nothing"]
        raise StackError(f"{process.name} failed: {told[-1]}")


def _free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((processes.HOST, 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports
