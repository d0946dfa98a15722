"""Stop all clocks of a table for a time, by staff."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables import staff
from tables.errors import Refusal
from tables.management.embedded import ensure_database


class Command(BaseCommand):
    """``manage.py pause_table TABLE HOURS``."""

    help = "Stops all clocks of a running table; the players see that staff have done so, and until when."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, and for how long."""
        parser.add_argument("table", type=uuid.UUID, help="the id of the table")
        parser.add_argument("hours", type=int, help="for how long, at most 720")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Pause it, and say until when."""
        ensure_database()
        if not 1 <= options["hours"] <= 720:
            raise CommandError("A pause lasts 1 to 720 hours.")
        try:
            until = staff.pause(options["table"], hours=options["hours"])
        except Refusal as refusal:
            raise CommandError(f"The table cannot be paused: {refusal.code}.") from None
        self.stdout.write(f"The clocks stand still until {until}.")
