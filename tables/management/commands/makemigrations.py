"""Migrations are compared with those applied, on the embedded server where no other is named."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import makemigrations

from tables.management.embedded import ensure_database


class Command(makemigrations.Command):
    """Django's ``makemigrations``."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Start the embedded server if it is needed and down, then look for changes."""
        ensure_database()
        super().handle(*args, **options)
