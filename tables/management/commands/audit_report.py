"""Write the printable report of a game that is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.management.embedded import ensure_database
from tables.management.staffing import add_table, refused
from tables.reports import printed
from tables.wording import LOCALES


class Command(BaseCommand):
    """``manage.py audit_report TABLE [--locale es] [--output FILE]``: HTML."""

    help = "Writes the report of a game that is over, as a page for paper: moves, rulings, verdict."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, and for the language."""
        add_table(parser)
        parser.add_argument("--locale", choices=LOCALES, default="en", help="its language")
        parser.add_argument("--output", type=Path, help="where to write it, if not to the standard output")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write it."""
        ensure_database()
        with refused("There is no report"):
            page = printed.of_table(options["table"], options["locale"])
        if options["output"] is None:
            self.stdout.write(page)
            return
        try:
            options["output"].write_text(page, "utf-8")
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.") from None
