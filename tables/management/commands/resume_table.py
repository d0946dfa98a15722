"""Let the clocks of a table run again: after a suspension, or before the end of a pause by ruling."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import staff
from tables.management.embedded import ensure_database
from tables.management.staffing import add_reason, add_table, refused


class Command(BaseCommand):
    """``manage.py resume_table TABLE [--reason REASON]``."""

    help = "Resumes a table that was suspended, or paused by ruling; the time of a suspension does not count."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, and why."""
        add_table(parser)
        add_reason(parser, default="mended")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Resume it, and say so."""
        ensure_database()
        with refused("The table cannot be resumed"):
            done = staff.resume(options["table"], options["reason"])
        self.stdout.write(
            "The clocks run again." if done else "The table is neither suspended nor paused by ruling."
        )
