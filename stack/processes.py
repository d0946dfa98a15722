"""The processes of ``make up`` as a plain list: what runs, with which addresses, and when it is ready."""

import http.client
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stack import postgres, valkey
from stack.errors import StackError
from stack.places import Places
from stack.supervisor import Process

HOST = "127.0.0.1"
THREADS = 4
"""Of each API worker: four requests may wait for one table's lock, on whichever worker they land."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one ``make up`` was asked for."""

    where: Places
    port: int
    live_port: int
    env: Mapping[str, str]  # the addresses are in it

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def live_url(self) -> str:
        return f"http://{HOST}:{self.live_port}"

    @property
    def logs(self) -> Path:
        return self.where.data / "logs"


def database(plan: Plan) -> Process:
    """Return the embedded PostgreSQL of a prepared database."""
    where = plan.where
    return Process(
        name="postgres",
        command=postgres.command(where),
        env=postgres.environment(),
        ready=lambda: postgres.answers(where),
        account=where.account,
        farewell=signal.SIGINT,
        cwd=where.home,
    )


def broker(plan: Plan) -> Process:
    """Return the embedded Valkey."""
    where = plan.where
    return Process(
        name="valkey",
        command=valkey.command(where),
        env=postgres.environment(),
        ready=lambda: valkey.answers(where),
    )


def migration(plan: Plan) -> Process:
    """Return the command that brings the database to this version; it ends by itself."""
    return Process(name="migrate", command=_manage("migrate"), env=plan.env)


def application(plan: Plan) -> list[Process]:
    """Return what signs, serves, sweeps and notifies; here the signer has no user of its own."""
    web_env = {
        **plan.env,
        "PROMETHEUS_MULTIPROC_DIR": str(_metrics_folder(plan)),
        "POSTA_SIGNER": f"unix://{plan.where.sockets / 'signer.sock'}",
    }
    worker_env = {**web_env, "POSTA_WORKER": "1"}
    return [
        Process(name="signer", command=_manage("signer"), env=worker_env, words=b" ready"),
        Process(
            name="api",
            command=_granian(
                "wsgi",
                plan.port,
                "--workers",
                str(_cores()),
                "--blocking-threads",
                str(THREADS),
                "--respawn-failed-workers",
            ),
            env=web_env,
            ready=lambda: says_ok(plan.port, "/health/ready"),
        ),
        Process(
            name="live",
            command=_granian(
                "asgi",
                plan.live_port,
                "--workers",
                "1",
                "--workers-kill-timeout",
                "3",  # else it would wait for streams to end
            ),
            env=web_env,
            ready=lambda: says_ok(plan.live_port, "/health/ready"),
        ),
        _worker("deadlines", worker_env, queues="deadlines"),
        _worker("worker", worker_env, queues="default,deadlines"),  # while the other starts anew
        _worker("mailer", worker_env, queues="mail"),
        _worker("caller", worker_env, queues="webhooks", children=2),
        _beat("beat", plan, worker_env),
        _beat("spare-beat", plan, worker_env),
        Process(
            name="daemon",
            command=_manage("daemon"),
            env=worker_env,
            words=b" ready",
        ),
    ]


def _metrics_folder(plan: Plan) -> Path:
    """Return the folder in which the processes count together, empty: counting begins with the stack."""
    folder = plan.where.data / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


def _worker(name: str, env: Mapping[str, str], *, queues: str, children: int = 1) -> Process:
    """Return a Celery worker, which hears of no other: none is waited for when it starts."""
    options = ["--queues", queues, "--hostname", f"{name}@%h", "--concurrency", str(children)]
    quiet = ["--loglevel", "INFO", "--without-mingle", "--without-gossip"]
    return Process(name=name, command=_celery("worker", *options, *quiet), env=env, words=b" ready.")


def _beat(name: str, plan: Plan, env: Mapping[str, str]) -> Process:
    """Return a beat.  Ticks that come double do no harm; one beat alone is missed while it starts anew."""
    schedule = plan.where.data / "beat" / name
    schedule.parent.mkdir(mode=0o700, exist_ok=True)
    options = ["--schedule", str(schedule), "--pidfile", "", "--loglevel", "WARNING"]
    return Process(name=name, command=_celery("beat", *options), env=env)


def says_ok(port: int, path: str) -> bool:
    """Whether a GET of ``path`` on this machine is answered with 200."""
    return _body(port, path) is not None


def first_game(port: int) -> str:
    """Return the id of the first game of the API's catalogue.  Raises StackError when there is none."""
    try:
        # the first question after a start also loads what the answer is made of
        return str(json.loads(_body(port, "/v1/games", timeout=30) or b"")["items"][0]["id"])
    except (ValueError, LookupError, TypeError) as error:
        raise StackError(f"The API at port {port} offers no game ({error!r}).") from error


def _body(port: int, path: str, timeout: float = 2) -> bytes | None:
    """Return what a GET of ``path`` on this machine is answered with 200, None for any other answer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.read() if response.status == http.client.OK else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _cores() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(4, usable)


def _granian(interface: str, port: int, *options: str) -> list[str]:
    target = f"config.{interface}:application"
    listen = ["--host", HOST, "--port", str(port), "--no-access-log"]
    return [sys.executable, "-m", "granian", "--interface", interface, *listen, *options, target]


def _celery(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "celery", "-A", "config", *arguments]


def _manage(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]
