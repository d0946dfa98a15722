"""``make up``, ``make down``, ``make clean``: one stack per data folder, told by a lock and not by a pid."""

import fcntl
import os
import random
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from stack import console, postgres, processes, urls
from stack.errors import StackError
from stack.places import Places
from stack.processes import HOST, Plan
from stack.supervisor import Process, Stopped, Supervisor

NEEDED_SPACE = 200  # megabytes
PATIENCE = 45.0  # seconds for a stack to stop by itself


def run(
    where: Places,
    *,
    port: int = 8000,
    live_port: int = 8001,
    migration: Callable[[Plan], Process] = processes.migration,
    application: Callable[[Plan], Sequence[Process]] = processes.application,
) -> None:
    """Start everything, say where it is, keep it running until asked to stop, and stop it all.

    Raises StackError, with nothing left running, when it cannot start.
    """
    require_space(where, NEEDED_SPACE)
    where.create()
    with _only_one(where):
        require_ports(port, live_port)
        plan = Plan(where=where, port=port, live_port=live_port, env=_environment(where, port, live_port))
        supervisor = Supervisor(plan.logs)
        with suppress(Stopped), supervisor.listening(), supervisor:
            _start(plan, supervisor, migration, application)
            _tell(plan)
            try:
                supervisor.watch()
            finally:
                console.say("Stopping ...")
        console.say("Stopped; nothing is left running.")


def stop(where: Places) -> bool:
    """Stop the running stack and return True when it has ended; False when none runs."""
    lock = where.data / "up.lock"
    if not postgres.is_locked(lock):
        return False
    process = int(lock.read_text())
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(process, number)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if not postgres.is_locked(lock):
                return True
            time.sleep(0.05)
    raise StackError(f"The running stack (process {process}) does not stop.")


def clean(where: Places) -> list[Path]:
    """Stop the stack and delete all its folders; return those that existed."""
    stop(where)
    if where.data.exists():
        with _without_commands(where):
            return where.remove()
    return where.remove()


def require_space(where: Places, megabytes: int) -> None:
    """Raise StackError when a disk that the stack writes to is nearly full."""
    for folder in (where.data, where.home):
        existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = shutil.disk_usage(existing).free // 1_000_000
        if free < megabytes:
            raise StackError(f"The disk of {existing} has {free} MB left and the stack needs {megabytes} MB.")


def require_ports(port: int, live_port: int) -> None:
    """Raise StackError when one of the two ports is taken."""
    if port == live_port:
        raise StackError(f"The API and the live process cannot share port {port}: choose another LIVE_PORT.")
    for number, variable in ((port, "PORT"), (live_port, "LIVE_PORT")):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, number))
            except OSError as error:
                raise StackError(
                    f"Port {number} cannot be used ({error.strerror}): choose another one, "
                    f"for example make up {variable}={number + 10}."
                ) from error


def _start(
    plan: Plan,
    supervisor: Supervisor,
    migration: Callable[[Plan], Process],
    application: Callable[[Plan], Sequence[Process]],
) -> None:
    where, servers = plan.where, []
    if not os.environ.get("BROKER_URL"):
        servers.append(processes.broker(plan))
    if not os.environ.get("DATABASE_URL"):
        with console.doing("Preparing PostgreSQL"), _without_commands(where):
            postgres.prepare(where)
        if where.account is not None:
            console.say(f"  root: the database runs as {where.account.name}, in {where.home}")
        servers.append(processes.database(plan))
    with console.doing("Starting the servers"):
        supervisor.start(*servers)
        if not os.environ.get("DATABASE_URL"):
            postgres.set_roles(where)
        _require_servers(plan)
    with console.doing("Migrating the database"):
        supervisor.run(migration(plan))
    with console.doing("Starting Posta"):
        supervisor.start(*application(plan))


def _environment(where: Places, port: int, live_port: int) -> dict[str, str]:
    """Return the environment of the application: ours, and the addresses that it does not name."""
    env = {**os.environ, "POSTA_DATA": str(where.data), "PYTHONUNBUFFERED": "1"}
    addresses = urls.development(where.data)
    if env.get("DATABASE_URL"):
        addresses.pop("DATABASE_OWNER_URL")
    else:
        env.pop("DATABASE_OWNER_URL", None)
    for name, value in addresses.items():
        env[name] = env.get(name) or value
    env["POSTA_URL"] = env.get("POSTA_URL") or f"http://{HOST}:{port}"
    env["POSTA_LIVE_URL"] = env.get("POSTA_LIVE_URL") or f"http://{HOST}:{live_port}"
    return env


def _require_servers(plan: Plan) -> None:
    """Raise StackError when a server that was named instead of ours does not answer."""
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL"):
        if plan.env.get(name):
            try:
                psycopg.connect(plan.env[name], connect_timeout=5).close()
            except psycopg.Error as error:
                told = str(error).strip().splitlines() or ["no reason given"]
                raise StackError(f"{name} does not answer: {told[-1]}") from None
    address = urlsplit(plan.env["BROKER_URL"])
    if address.hostname and "socket" not in address.scheme:
        port = address.port or {"amqp": 5672, "amqps": 5671}.get(address.scheme, 6379)
        try:
            socket.create_connection((address.hostname, port), timeout=5).close()
        except OSError as error:
            raise StackError(f"BROKER_URL does not answer: {address.hostname}:{port}, {error}") from None


@contextmanager
def _only_one(where: Places) -> Iterator[None]:
    """Hold the stack's lock, which the kernel drops with this process, however it ends."""
    with (where.data / "up.lock").open("a+") as file:
        for attempt in range(5):  # a command may be looking at it at this very moment
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if attempt == 4:
                    file.seek(0)
                    raise StackError(
                        f"Posta already runs from this folder (process {file.read().strip()}): "
                        "stop it with make down."
                    ) from None
                time.sleep(0.05)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def _without_commands(where: Places) -> Iterator[None]:
    """Wait until no management command has the database running by itself."""
    with (where.data / "postgres.users").open("a") as users:
        until = time.monotonic() + 10
        while True:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise StackError(
                        "A management command (manage.py ...) is using this folder's database: end it first."
                    ) from None
                time.sleep(0.05)
        yield


def _tell(plan: Plan) -> None:
    """Say that all is ready, and what to type next.  Raises StackError when no game is on offer."""
    name = f"ana-{random.randrange(1000, 10000)}"  # noqa: S311  a name that is free at every start
    game = processes.first_game(plan.port)
    json = "-H 'Content-Type: application/json'"
    token = 'import json,sys; print(json.load(sys.stdin)["token"])'  # noqa: S105
    console.say(
        f"""
READY  play at {plan.url}/
       API {plan.url}/v1  ·  documentation {plan.url}/docs  ·  live {plan.live_url}/v1/live/status

Make an account and a table:
  TOKEN=$(curl -s {plan.url}/v1/players {json} \\
    -d '{{"name": "{name}", "password": "five-dragons-at-dawn"}}' | python3 -c '{token}')
  curl -s {plan.url}/v1/tables {json} -H "Authorization: Bearer $TOKEN" -d '{{"game": "{game}"}}'

Receipts are signed by a process of its own (signer), here as the same user as all the others.
Logs: {plan.logs}  ·  stop with Ctrl-C or make down
"""
    )
