"""``make demo``: the reference client plays a game, then the offline verifier judges its transcript.

Both are programs of their own.  The server is the one that URL names, else the running stack of
this folder, else a temporary one.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from stack import console, postgres, processes, temporary
from stack.errors import StackError
from stack.places import CLONE, Places

PATIENCE = 60.0  # seconds for a stack that is starting


def run(where: Places, *, port: int, url: str | None = None) -> int:
    """Play and verify one game; return the exit code.  Raises StackError.

    The transcript stays in ``where.data``, for whoever wants to verify it once more.
    """
    signal.signal(signal.SIGTERM, _interrupted)
    where.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    transcript = str(where.data / "transcript.json")
    with _server(where, port, url) as found:
        code = _program("clients.demo", "--url", found, "--transcript", transcript)
    if code == 0:
        console.say(f"\nThe transcript, verified without the server: .venv/bin/posta-verify {transcript}")
        code = _program("verify", transcript)
    return code


@contextmanager
def _server(where: Places, port: int, url: str | None) -> Iterator[str]:
    if url:
        yield url
    elif postgres.is_locked(where.data / "up.lock"):
        _await(port)
        yield f"http://{processes.HOST}:{port}"
    else:
        console.say("No stack runs from this folder: starting a temporary one, which goes afterwards.")
        with temporary.running() as running:
            yield running.url


def _await(port: int) -> None:
    """Wait until the stack, which may be starting, answers."""
    until = time.monotonic() + PATIENCE
    while not processes.says_ok(port, "/v1/status"):
        if time.monotonic() > until:
            raise StackError(
                f"A stack runs from this folder, but nothing answers at port {port}: set PORT or URL."
            )
        time.sleep(0.5)


def _program(module: str, *arguments: str) -> int:
    """Run a program of this clone to its end; return its exit code."""
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=CLONE, check=False).returncode  # noqa: S603


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
