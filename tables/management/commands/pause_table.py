"""Stop all clocks of a table for a time, by staff."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import staff
from tables.management.embedded import ensure_database
from tables.management.staffing import add_reason, add_table, hours_of, refused


class Command(BaseCommand):
    """``manage.py pause_table TABLE HOURS --reason REASON``."""

    help = "Stops all clocks of a running table; the players see that staff did, why, and until when."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, for how long, and why."""
        add_table(parser)
        parser.add_argument("hours", type=int, help="for how long, at most 720")
        add_reason(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Pause it, and say until when."""
        ensure_database()
        with refused("The table cannot be paused"):
            until = staff.pause(options["table"], options["reason"], hours=hours_of(options["hours"]))
        self.stdout.write(f"The clocks stand still until {until}.")
