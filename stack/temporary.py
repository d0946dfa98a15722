"""A stack of its own for the length of a block: database, broker and API, all gone afterwards."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from stack import places, postgres, processes, urls
from stack.places import Places
from stack.supervisor import Supervisor


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A stack that runs: its addresses, its environment and the pids of its processes by name."""

    url: str
    live_url: str
    env: Mapping[str, str]
    superuser_url: str
    pids: Mapping[str, int]


@contextmanager
def running(
    *, durable: bool = False, env: Mapping[str, str] | None = None, live: bool = False
) -> Iterator[Running]:
    """Run PostgreSQL, Valkey and the API during the block, on free ports, in a temporary folder.

    Unless ``durable``, the database forgets on a power cut.  ``live``: the live process runs too.
    ``env`` adds to the environment.
    Raises StackError when something does not start.
    """
    with ExitStack() as undo:
        where = undo.enter_context(places.temporary())
        log = undo.enter_context(postgres.log_file(where))
        settings = {} if durable else postgres.HASTE
        database = undo.enter_context(postgres.running(where, log, settings=settings))
        plan = plan_of(where, env)
        supervisor = undo.enter_context(Supervisor(plan.logs))
        broker = supervisor.start(processes.broker(plan))
        supervisor.run(processes.migration(plan))
        names = ("signer", "api", "live") if live else ("signer", "api")
        started = supervisor.start(*(each for each in processes.application(plan) if each.name in names))
        yield Running(
            url=plan.url,
            live_url=plan.live_url,
            env=plan.env,
            superuser_url=postgres.urls_of(where).superuser_url,
            pids={"postgres": database, **broker, **started},
        )


def plan_of(where: Places, env: Mapping[str, str] | None = None) -> processes.Plan:
    """Return a plan on free ports, with the servers of ``where``; ``env`` adds to the environment."""
    port, live_port = _free_ports(2)
    addresses = postgres.urls_of(where)
    environment = {
        **os.environ,
        "POSTA_DATA": str(where.data),
        "POSTA_WORKER": "0",
        "POSTA_BOT_SECONDS": "0",
        "DATABASE_URL": addresses.database_url,
        "DATABASE_OWNER_URL": addresses.owner_url,
        "BROKER_URL": urls.broker(where),
        "POSTA_URL": f"http://{processes.HOST}:{port}",
        "POSTA_LIVE_URL": f"http://{processes.HOST}:{live_port}",
        **(env or {}),
    }
    return processes.Plan(where=where, port=port, live_port=live_port, env=environment)


def _free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((processes.HOST, 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports
