"""The command line of the stack: ``python -m stack up | down | demo | clean``."""

import argparse
import errno
import os
import sys
from collections.abc import Callable

from stack import console, demo, places, up
from stack.errors import StackError


def main() -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stack", description="The development stack of Posta.")
    parser.add_argument("command", choices=["up", "down", "demo", "clean"])
    command = parser.parse_args().command
    return told(lambda: _do(command))


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


def _do(command: str) -> int:
    where = places.development()
    if command == "up":
        up.run(where, port=_port("PORT", 8000), live_port=_port("LIVE_PORT", 8001))
    elif command == "down":
        console.say("Stopped." if up.stop(where) else "Nothing is running.")
    elif command == "demo":
        return demo.run(where, port=_port("PORT", 8000), url=os.environ.get("URL"))
    else:
        for folder in up.clean(where):
            console.say(f"Removed {folder}")
    return 0


def _port(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise StackError(f"{variable}={text} is not a port: it is a number from 1 to 65535.")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
