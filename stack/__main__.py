"""The command line of the stack: ``python -m stack up | down | status | clean``."""

import argparse
import errno
import os
import sys
from collections.abc import Callable

from stack import console, places, postgres, up
from stack.errors import StackError


def main() -> int:
    """Do what the command line says; return the exit code."""
    options = _options()
    return told(lambda: _do(options))


def told(action: Callable[[], int]) -> int:
    """Return what ``action`` returns, or 1 after telling what went wrong in one sentence."""
    try:
        return action()
    except StackError as error:
        console.complain(str(error))
    except OSError as error:
        reason = "The disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
        console.complain(f"{reason}: {error.filename or 'while writing'}.")
    except KeyboardInterrupt:
        console.complain("Interrupted.")
    return 1


def _do(options: argparse.Namespace) -> int:
    where = places.development()
    if options.command == "up":
        port, live_port = (_port(name, default) for name, default in (("PORT", 8000), ("LIVE_PORT", 8001)))
        up.run(where, port=port, live_port=live_port, needed_space=options.needed_space)
    elif options.command == "down":
        console.say("Stopped." if up.stop(where) else "Nothing is running.")
    elif options.command == "clean":
        for folder in up.clean(where):
            console.say(f"Removed {folder}")
    elif not postgres.is_locked(where.data / "up.lock"):
        console.say("Nothing is running.")
        return 1
    else:
        console.say(f"Running (process {(where.data / 'up.lock').read_text()}).")
    return 0


def _port(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise StackError(f"{variable}={text} is not a port: it is a number from 1 to 65535.")
    return int(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m stack", description="The development stack of Posta.")
    parser.add_argument("command", choices=["up", "down", "status", "clean"])
    parser.add_argument(
        "--needed-space", type=int, default=up.NEEDED_SPACE, metavar="MB", help="free disk space to ask for"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
