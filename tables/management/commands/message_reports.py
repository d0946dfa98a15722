"""List what players have reported, for whoever runs ``hide_message``."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables import moderation
from tables.management.embedded import ensure_database


class Command(BaseCommand):
    """``manage.py message_reports``."""

    help = "Lists reported messages that are not hidden, the oldest report first."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print a line for each report."""
        ensure_database()
        for each in moderation.open_reports():
            self.stdout.write(
                f"{each.table_id} {each.position}, reported {each.reported_at}: {each.reason!r}"
                f" of {each.text!r}"
            )
