"""Remove a player from a running game for good, by staff."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables import staff
from tables.errors import Refusal
from tables.management.embedded import ensure_database


class Command(BaseCommand):
    """``manage.py remove_player TABLE SEAT``."""

    help = "Removes the player of a seat from a running game for good; the game's rules say what follows."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table and the seat."""
        parser.add_argument("table", type=uuid.UUID, help="the id of the table")
        parser.add_argument("seat", type=int, help="the number of the seat, from 0")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Remove the player, and say so."""
        ensure_database()
        try:
            staff.remove(options["table"], options["seat"])
        except Refusal as refusal:
            raise CommandError(f"The player cannot be removed: {refusal.code}.") from None
        self.stdout.write("The player is removed.")
