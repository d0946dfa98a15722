"""Starts processes that do not outlive the one that started them, whatever ends it."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from stack.places import Account

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)


def last_words(number: signal.Signals) -> Callable[[], None] | None:
    """Return what a child runs before its program so that our death sends it ``number``.

    The kernel watches the thread that forks, so start children from a thread that stays.
    None where the platform has no such service.
    """
    if _LIBC is None:
        return None
    libc, parent = _LIBC, os.getpid()

    def bind() -> None:
        libc.prctl(_SET_PARENT_DEATH_SIGNAL, int(number), 0, 0, 0)
        if os.getppid() != parent:  # it died while we were being made
            os.kill(os.getpid(), number)

    return bind


def spawn(
    command: Sequence[str],
    *,
    output: IO[Any],
    env: Mapping[str, str],
    cwd: Path,
    account: Account | None = None,
    farewell: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start ``command`` in a session of its own, as ``account`` if given."""
    return subprocess.Popen(  # noqa: S603  the commands are ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=dict(env),
        cwd=cwd,
        start_new_session=True,
        preexec_fn=last_words(farewell),  # one prctl: allocates nothing, takes no lock
        **identity(account),
    )


def identity(account: Account | None) -> dict[str, Any]:
    """Return the arguments that make ``subprocess`` drop to ``account``."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}
