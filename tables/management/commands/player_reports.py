"""List what players have reported about each other, and be done with it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables import moderation
from tables.errors import NotFound
from tables.management.embedded import ensure_database


class Command(BaseCommand):
    """``manage.py player_reports [--done NUMBER]``."""

    help = "Lists reports about players, the oldest first, or removes one that has been dealt with."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the report that is done with."""
        parser.add_argument("--done", type=int, metavar="NUMBER", help="the report to remove, by its number")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line for each report, or remove one."""
        ensure_database()
        if options["done"] is not None:
            try:
                moderation.close_player_report(options["done"])
            except NotFound:
                raise CommandError(f"There is no report {options['done']}.") from None
            self.stdout.write(f"Report {options['done']} is done with.")
            return
        for each in moderation.player_reports():
            self.stdout.write(
                f"{each.id} {each.created_at:%Y-%m-%d %H:%M} {each.player.name!r} reports"
                f" {each.reported.name!r}: {each.reason!r}"
            )
