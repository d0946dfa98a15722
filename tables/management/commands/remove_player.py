"""Remove a player from a running game for good, by staff."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import staff
from tables.management.embedded import ensure_database
from tables.management.staffing import add_reason, add_table, refused


class Command(BaseCommand):
    """``manage.py remove_player TABLE SEAT --reason REASON``."""

    help = "Removes the player of a seat from a running game for good; the game's rules say what follows."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, the seat, and why."""
        add_table(parser)
        parser.add_argument("seat", type=int, help="the number of the seat, from 0")
        add_reason(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Remove the player, and say so."""
        ensure_database()
        with refused("The player cannot be removed"):
            staff.remove(options["table"], options["reason"], seat=options["seat"])
        self.stdout.write("The player is removed.")
