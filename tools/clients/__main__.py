"""``python -m tools.clients [java kotlin … python typescript hey-api]``: all of them where none is named."""

from __future__ import annotations

import argparse
import shutil
import sys

from stack import console, temporary
from stack.__main__ import told
from stack.errors import StackError
from tools.clients import generator, python, typescript
from tools.clients.places import OUT


def main() -> int:
    """Generate and try the clients asked for; return 1 when one is not right."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.clients", description="Generate clients and try them."
    )
    known = [*generator.LANGUAGES, "python", *typescript.GENERATORS]
    parser.add_argument("clients", nargs="*", choices=["all", *known], default="all")
    named = parser.parse_args().clients
    return told(lambda: _run(known if "all" in named else named))


def _run(wanted: list[str]) -> int:
    failed = [each for each in wanted if not _is_right(each)]
    console.say(f"\n{len(wanted) - len(failed)} of {len(wanted)} clients are right: {OUT}")
    return 1 if failed else 0


def _is_right(client: str) -> bool:
    """Generate and try one client, and say what is wrong with it."""
    shutil.rmtree(OUT / client, ignore_errors=True)
    (OUT / client).mkdir(parents=True)
    try:
        with console.doing(f"{client}"):
            if client in generator.LANGUAGES:
                generator.check(client)
            else:
                with temporary.running() as server:
                    if client == "python":
                        python.check(server.url)
                    else:
                        typescript.check(client, server.url)
    except StackError as error:
        console.complain(str(error))
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
