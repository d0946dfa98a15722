"""Let the clocks of a table run again: after a suspension, or before the end of a pause by staff."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables import staff
from tables.errors import Refusal
from tables.management.embedded import ensure_database


class Command(BaseCommand):
    """``manage.py resume_table TABLE``."""

    help = "Resumes a table that was suspended, or paused by staff; the time of a suspension does not count."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table."""
        parser.add_argument("table", type=uuid.UUID, help="the id of the table")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Resume it, and say so."""
        ensure_database()
        try:
            done = staff.resume(options["table"])
        except Refusal as refusal:
            raise CommandError(f"The table cannot be resumed: {refusal.code}.") from None
        self.stdout.write(
            "The clocks run again." if done else "The table is neither suspended nor paused by staff."
        )
