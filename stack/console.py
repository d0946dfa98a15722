"""Lines for the person who started the stack: progress on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from rich.console import Console

_terminal = Console()


def say(text: str) -> None:
    """Print one line.  A reader who has gone away is no reason to stop."""
    with suppress(OSError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def complain(text: str) -> None:
    """Print one line to the error output."""
    with suppress(OSError):
        sys.stderr.write(f"posta: {text}\n")
        sys.stderr.flush()


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Show that ``what`` is under way, and afterwards how long it took."""
    start = time.monotonic()
    if sys.stdout.isatty():
        with _terminal.status(what):
            yield
    else:
        say(f"{what} ...")
        yield
    say(f"{what}: {time.monotonic() - start:.1f} s")
