"""Ends what the supervisor had running when the supervisor itself is killed.

``python -m stack.guard``, with a pipe from the supervisor: ``+ <group> <signal>`` for each process that
starts, ``- <group>`` when it is gone.  The end of the pipe means that nobody looks after them any more.
"""

import os
import signal
import sys
import time
from contextlib import suppress

GRACE = 3.0  # seconds between the farewell and the kill


def main() -> None:
    """Read until the supervisor is gone, then end every group that is left."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    groups: dict[int, int] = {}
    for line in sys.stdin:
        sign, group, *farewell = line.split()
        if sign == "+":
            groups[int(group)] = int(farewell[0])
        else:
            groups.pop(int(group), None)
    for group, number in groups.items():
        _send(group, number)
    until = time.monotonic() + GRACE
    while any(_send(group, 0) for group in groups) and time.monotonic() < until:
        time.sleep(0.05)
    for group in groups:
        _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    """Signal a group; return whether there is one."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
