"""Register an application that players may let act for them; list those that are; take one away."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.management.embedded import ensure_database
from tables.management.staffing import refused
from tables.models import Application
from tables.oauth import applications


class Command(BaseCommand):
    """``manage.py oauth_client [NAME REDIRECT...] [--remove CLIENT_ID]``."""

    help = "Registers an application for OAuth 2 and prints its client_id; without a name, lists them all."

    def add_arguments(self, parser: CommandParser) -> None:
        """Ask for the name, and for the addresses to which its players go back."""
        parser.add_argument("name", nargs="?", help="what players read when it asks to be let in")
        parser.add_argument(
            "redirects",
            nargs="*",
            metavar="redirect",
            help="https://example.org/done, org.example.app:/done or http://127.0.0.1/done (any port)",
        )
        parser.add_argument("--remove", metavar="CLIENT_ID", help="forget it, and end all that it may do")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do it, and say so."""
        ensure_database()
        if options["remove"] is not None:
            self._remove(options["remove"])
        elif options["name"] is None:
            self._list()
        elif not options["redirects"]:
            raise CommandError("Name at least one address to which its players go back.")
        else:
            with refused("The application is not registered"):
                added = applications.register(options["name"], options["redirects"])
            self.stdout.write(added.client_id)

    def _remove(self, client_id: str) -> None:
        found = applications.found(client_id)
        if found is None:
            raise CommandError("There is no application with this client_id.")
        found.delete()
        self.stdout.write(f"{found.name} is forgotten, and may do nothing any more.")

    def _list(self) -> None:
        for each in Application.objects.order_by("created_at"):
            self.stdout.write(f"{each.client_id}  {each.name}  {' '.join(each.redirect_uris)}")
