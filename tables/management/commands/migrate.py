"""Migrations run as the owner of the tables, on the embedded server where no other is named."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands import migrate

from tables.management.embedded import ensure_database


class Command(migrate.Command):
    """Django's ``migrate``, with the database ``owner`` unless told otherwise."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Change one default of Django's."""
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start the embedded server if it is needed and down, then migrate."""
        if not settings.OWNER_SEPARATE:
            self.stderr.write(
                "DATABASE_OWNER_URL is not set: the log of events will belong to the application's own role."
            )
        ensure_database()
        super().handle(*args, **options)
