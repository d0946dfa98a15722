"""Look at what is hidden at a table, once everybody has been told."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import peeks
from tables.management.embedded import ensure_database
from tables.management.staffing import add_reason, add_table, refused


class Command(BaseCommand):
    """``manage.py peek TABLE [--seat N] --reason REASON``: prints JSON."""

    help = "Shows what is hidden at a running table, once log and players are told that staff look, and why."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, for whose eyes, and why."""
        add_table(parser)
        parser.add_argument("--seat", type=int, help="what this seat knows; everything when left out")
        add_reason(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Tell everybody, and then show it."""
        ensure_database()
        table, seat = options["table"], options["seat"]
        with refused("Nothing is shown"):
            peeks.tell(table, options["reason"], seat=seat)
        try:
            shown = peeks.views(table, seat)
        except Exception as error:  # the game's own rules fail: what is hidden may be looked at all the same
            shown = {}
            self.stderr.write(f"The views of the game fail ({type(error).__name__}).")
        for number, view in shown.items():
            self.stdout.write(json.dumps({"seat": number, "view": view}, ensure_ascii=False))
        for position, slot, to, item in peeks.hidden(table) if seat is None else ():
            self.stdout.write(json.dumps({"position": position, "slot": slot, "to": to, "item": item}))
