"""Django's development server, on the embedded database where no other is named."""

from __future__ import annotations

from typing import Any

from django.contrib.staticfiles.management.commands import runserver

from tables.management.embedded import ensure_database


class Command(runserver.Command):
    """Django's ``runserver``; ``make up`` runs the whole stack instead."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Start the embedded server if it is needed and down, then serve."""
        ensure_database()
        super().handle(*args, **options)
