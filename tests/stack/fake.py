"""A stack with the real servers and a small web server, with a catalogue, in the place of Posta.

``python tests/stack/fake.py up <data> <port>``; the live process listens on the next port.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from stack import __main__, places, up
from stack.processes import HOST, Plan, says_ok
from stack.supervisor import Process


def migration(plan: Plan) -> Process:
    """Return a command that asks the database who we are."""
    program = "import os, psycopg; psycopg.connect(os.environ['DATABASE_OWNER_URL']).close()"
    return Process(name="migrate", command=[sys.executable, "-c", program], env=plan.env)


def broken(plan: Plan) -> Process:
    """Return a command that fails with a reason."""
    program = "import sys; sys.exit('SystemExit: no such table')"
    return Process(name="migrate", command=[sys.executable, "-c", program], env=plan.env)


def application(plan: Plan) -> Sequence[Process]:
    """Return two web servers and one process with a child that ignores SIGTERM."""
    catalogue = plan.logs / "v1" / "games"
    catalogue.parent.mkdir(exist_ok=True)
    catalogue.write_text('{"items": [{"id": "chess"}, {"id": "go"}]}')
    stubborn = "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & while :; do sleep 1; done"
    return [
        _web("api", plan, plan.port),
        _web("live", plan, plan.live_port),
        Process(name="worker", command=["sh", "-c", stubborn], env=plan.env, settle=0.1, grace=0.5),
    ]


def _web(name: str, plan: Plan, port: int) -> Process:
    command = [sys.executable, "-m", "http.server", str(port), "--bind", HOST]
    return Process(
        name=name, command=command, env=plan.env, ready=lambda: says_ok(port, "/"), cwd=plan.logs, grace=2
    )


def main(command: str, data: str, port: str = "0") -> int:
    """Run one command of the stack against ``data``, with the errors told as ``make`` tells them."""
    where = places.of(Path(data))

    def do() -> int:
        if command in ("up", "broken"):
            first = migration if command == "up" else broken
            up.run(where, port=int(port), live_port=int(port) + 1, migration=first, application=application)
        elif command == "down":
            up.stop(where)
        else:
            up.clean(where)
        return 0

    return __main__.told(do)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
