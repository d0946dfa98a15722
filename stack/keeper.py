"""Runs the clone's database for management commands, until the last of them is gone.

``python -m stack.keeper <data>``, started by ``postgres.ensure``.  Every user holds a shared
lock, which the kernel drops when that process ends in whatever way; the keeper waits for
the exclusive one.
"""

import fcntl
import signal
import sys
from pathlib import Path

from stack import places, postgres


def main(data: Path) -> None:
    """Run the server, say that it is ready, and stop it when nobody holds the lock."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    where = places.of(data)
    ready = where.data / "keeper.ready"
    with (
        (where.data / "postgres.users").open(
            "a"
        ) as users,  # first in, last out: its lock outlives the server
        postgres.log_file(where) as log,
        postgres.running(where, log),
    ):
        ready.touch()
        fcntl.flock(users, fcntl.LOCK_EX)  # newcomers wait from here until we are gone
        ready.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
