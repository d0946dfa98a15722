"""Take a table in that was played on another server, from its transcript."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from rich.console import Console

from tables import imports
from tables.imports import Imported, NotImportable
from tables.management.embedded import ensure_database
from verify.transcript import NotATranscript, read_keys


class Command(BaseCommand):
    """``manage.py import_table FILE [--keys FILE] [--public]``."""

    help = "Imports a finished table of another server from its transcript, if all of it can be proved."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the file, whose keys to believe, and who may see the table."""
        parser.add_argument("file", type=Path, metavar="FILE", help="a full transcript")
        parser.add_argument(
            "--keys",
            type=Path,
            metavar="FILE",
            help="the keys that the other server lists, as its /v1/keys answers: no other key signs for it",
        )
        parser.add_argument(
            "--public", action="store_true", help="let every player see it; else only commands of staff do"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Import it, and say what is proved by whom."""
        ensure_database()
        visibility = "public" if options["public"] else "private"
        whose = options["keys"]
        try:
            keys = read_keys(whose.read_bytes()) if whose else None
            whose = options["file"]
            data = whose.read_bytes()
            is_watched = self.stdout.isatty()
            with Console().status("Verifying, then importing") if is_watched else nullcontext():
                found = imports.import_table(data, keys, visibility=visibility)
        except OSError as error:
            raise CommandError(f"{whose} cannot be read: {error.strerror}.", returncode=2) from None
        except NotATranscript as error:
            raise CommandError(f"{whose} cannot be read: {error}.", returncode=2) from None
        except NotImportable as error:
            raise CommandError(f"Nothing is imported: {error}.") from None
        except DatabaseError as error:
            why = str(error).partition("\n")[0]
            raise CommandError(f"Nothing is imported, for the database failed: {why}.") from error
        self.stdout.write(_told(found, are_keys_known=keys is not None))


def _told(found: Imported, *, are_keys_known: bool) -> str:
    judgement = found.judgement
    if not found.is_new:
        return f"Table {found.table_id} is here already, with the same log; nothing is changed."
    whose = (
        "of those that the server lists"
        if are_keys_known
        else "by the word of the file: compare it with the /v1/keys of that server"
    )
    return (
        f"Table {found.table_id} is imported: {judgement.report.length} events; receipts, integrity, fairness"
        f" and replay are proved, signed by key {', '.join(judgement.kids)} {whose}."
    )
