"""Erase the text of a message for good, on somebody's right to be forgotten; the log stays whole."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from tables import moderation
from tables.errors import NotFound
from tables.management.embedded import ensure_database


class Command(BaseCommand):
    """``manage.py erase_message TABLE POSITION``."""

    help = "Erases the text of a message; its commitment stays, so the log can still be verified."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the message."""
        parser.add_argument("table", type=uuid.UUID, help="the id of the table")
        parser.add_argument("position", type=int, help="the position of the message")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Erase it, and say so."""
        ensure_database()
        try:
            is_new = moderation.erase(options["table"], options["position"])
        except NotFound:
            raise CommandError("There is no such message.") from None
        except DatabaseError as error:
            raise CommandError(
                "The role of DATABASE_OWNER_URL could not act as the eraser; let a superuser run"
                f" stack/roles.sql, or GRANT posta_eraser TO posta_owner; ({type(error).__name__})"
            ) from error
        self.stdout.write("The text is erased." if is_new else "The text was erased before.")
