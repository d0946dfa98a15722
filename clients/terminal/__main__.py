# SPDX-License-Identifier: MIT
"""``python -m clients.terminal --url URL``: play any game of a server in the terminal."""

from __future__ import annotations

import argparse
import locale
import os
import sys
from collections.abc import Sequence

from rich.console import Console

from clients.terminal.words import words_of


def main() -> int:
    """Do what the command line says; return the exit code."""
    options = _options()
    console = Console(highlight=False)
    try:
        from clients.terminal.door import Refused, Unreachable
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("clients.generated"):
            raise
        Console(stderr=True).print("The generated client is missing: make client-python")
        return 1
    try:
        visit(console, options.url, options.lang, os.environ.get("POSTA_TOKEN", ""))
    except (Refused, Unreachable) as error:
        Console(stderr=True, soft_wrap=True).print(str(error), markup=False)
        return 1
    except (EOFError, KeyboardInterrupt):
        console.print()
    return 0


def visit(console: Console, url: str, language: str, token: str) -> None:
    """Let a player in, and from table to table until it leaves."""
    from clients.terminal.door import Door, Refused  # the generated client may be missing
    from clients.terminal.lobby import Lobby
    from clients.terminal.play import Play

    say = words_of(language)

    def choose(question: str, answers: Sequence[str]) -> int | None:
        console.print(f"\n{question}", style="bold", markup=False)
        for number, each in enumerate(answers, start=1):
            console.print(f"  {number}  {each}", markup=False)
        console.print(f"  0  {say('back')}", style="dim")
        while True:
            told = console.input("> ").strip()
            if told.isdecimal() and int(told) <= len(answers):
                return int(told) - 1 if int(told) else None
            console.print(say("choose"), style="yellow")

    with Door(url, language, token) as door:
        lobby = Lobby(door, console, choose, say)
        if not lobby.enter():
            return
        while True:
            try:
                table_id = lobby.table()
                if table_id is None:
                    return
                Play(door, table_id, console, choose, say).run()
            except Refused as refused:
                console.print(str(refused), style="yellow", markup=False)
            except KeyboardInterrupt:
                console.print()


def _options() -> argparse.Namespace:
    spoken = (locale.getlocale()[0] or os.environ.get("LANG", "")).lower()
    parser = argparse.ArgumentParser(prog="python -m clients.terminal", description="Play in the terminal.")
    parser.add_argument("--url", required=True, help="a server, such as http://127.0.0.1:8000")
    parser.add_argument("--lang", choices=("en", "es"), default="es" if spoken.startswith("es") else "en")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
