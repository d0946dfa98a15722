"""Write the full transcript of a finished table to a file."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables import transcripts
from tables.management.embedded import ensure_database
from tables.models import Table


class Command(BaseCommand):
    """``manage.py export_table TABLE FILE``."""

    help = "Writes the full transcript of a finished table, which any server can verify and import."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the table, and where to write."""
        parser.add_argument("table", type=uuid.UUID, help="the id of the table")
        parser.add_argument("file", type=Path, metavar="FILE", help="a file that is not there yet")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write it, and say how much that is."""
        ensure_database()
        row = Table.objects.filter(id=options["table"]).first()
        if row is None:
            raise CommandError("There is no table of this id.")
        if row.status != "finished":
            raise CommandError(f"The game is not over (the table is {row.status}): its secrets stay here.")
        told = transcripts.of(row, None)
        if not told["receipts"]:
            raise CommandError("The signer does not answer, and nobody takes an unsigned log; try again.")
        try:
            with options["file"].open("xb") as file:
                file.write(msgspec.json.encode(told))
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"{len(told['events'])} events are in {options['file']}.")
