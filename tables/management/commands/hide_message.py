"""Hide a message from everybody, with a visible trace, until staff have accounts for it."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables import moderation
from tables.errors import NotFound
from tables.management.embedded import ensure_database
from tables.shapes import HIDE_REASONS


class Command(BaseCommand):
    """``manage.py hide_message TABLE POSITION REASON``."""

    help = "Hides a message: who spoke and when stays to be seen, and why it is hidden."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the message and the reason, which is for all to read and never goes away."""
        parser.add_argument("table", type=uuid.UUID, help="the id of the table")
        parser.add_argument("position", type=int, help="the position of the message")
        parser.add_argument("reason", choices=HIDE_REASONS)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Hide it, and say so."""
        ensure_database()
        try:
            is_new = moderation.hide(options["table"], options["position"], options["reason"])
        except NotFound:
            raise CommandError("There is no such message.") from None
        self.stdout.write("The message is hidden." if is_new else "The message was hidden before.")
