"""End a running game by ruling, with a result or without, by staff."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import staff
from tables.management.embedded import ensure_database
from tables.management.staffing import add_reason, add_table, refused


class Command(BaseCommand):
    """``manage.py end_game TABLE (--places 1 2 2 | --annul) --reason REASON``."""

    help = "Ends a running game, also at a suspended table; the players see that staff have done so, and why."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, the result, and why."""
        add_table(parser)
        result = parser.add_mutually_exclusive_group(required=True)
        result.add_argument(
            "--places",
            type=int,
            nargs="+",
            metavar="PLACE",
            help="the place of each seat, by seat, 1 for the winners, equal ones shared: 1 2 2 4",
        )
        result.add_argument("--annul", action="store_true", help="nobody has won")
        add_reason(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """End it, and say so."""
        ensure_database()
        table, reason, places = options["table"], options["reason"], options["places"]
        with refused("The game cannot be ended"):
            if places is None:
                staff.annul(table, reason)
            else:
                staff.adjudicate(table, reason, places=places)
        self.stdout.write("The game is over.")
