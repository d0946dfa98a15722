"""Write the results of all games that are over as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from tables.management.embedded import ensure_database
from tables.reports import results


class Command(BaseCommand):
    """``manage.py results [--game GAME] [--output FILE]``."""

    help = "Writes the results of all games that are over, private tables included, as CSV: a line a seat."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask which, and where to."""
        parser.add_argument("--game", help="of this game only")
        parser.add_argument("--output", type=Path, help="where to, if not to the standard output")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write them, part by part."""
        ensure_database()
        parts = results.of_all(game=options["game"])
        if options["output"] is None:
            for part in parts:
                self.stdout.write(part, ending="")
            return
        try:
            with options["output"].open("w", encoding="utf-8", newline="") as file:
                self._write(file, parts)
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from None

    def _write(self, file: IO[str], parts: Iterator[str]) -> None:
        """Write the parts, and on a terminal tell how far it has come."""
        count = -1  # the head is no result
        with Console(stderr=True, quiet=not self.stderr.isatty()).status("0 results") as status:
            for part in parts:
                file.write(part)
                count += part.count("\r\n")
                status.update(f"{count} results")
