"""Erase a player on its owner's request, where that cannot be done with the account itself."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from tables import erasure
from tables.errors import Busy
from tables.management.embedded import ensure_database
from tables.models import Player


class Command(BaseCommand):
    """``manage.py erase_player NAME``."""

    help = "Erases an account for good, with all that it has written; games and their logs stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the name."""
        parser.add_argument("name", help="the name as it is written, capitals included")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Close and erase the account, and say so."""
        ensure_database()
        player = Player.objects.filter(name=options["name"]).first()
        if player is None:
            raise CommandError("There is no player of this name.")
        erasure.close(player.id)
        try:
            erasure.erase(player.id)
        except (Busy, DatabaseError) as error:
            raise CommandError(
                f"The account is closed, and not erased yet ({type(error).__name__}); the outbox tries again."
            ) from error
        self.stdout.write("The player is erased.")
