"""Give more time to whoever is awaited at a table, by staff."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import staff
from tables.management.embedded import ensure_database
from tables.management.staffing import add_reason, add_table, hours_of, refused


class Command(BaseCommand):
    """``manage.py extend_deadline TABLE HOURS --reason REASON``."""

    help = "Gives more time to whoever is awaited at the open turn; the players see that staff have done so."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, for how much, and why."""
        add_table(parser)
        parser.add_argument("hours", type=int, help="how much more time, at most 720")
        add_reason(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Extend it, and say until when."""
        ensure_database()
        with refused("The deadline cannot be extended"):
            until = staff.extend(options["table"], options["reason"], hours=hours_of(options["hours"]))
        self.stdout.write(f"The open turn ends at {until}.")
