"""Sign heads for the web processes, which then need no private key."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from events.signer import AlreadyRuns, Desk, Server
from tables import signing


class Command(BaseCommand):
    """``manage.py signer``: runs until it is told to stop."""

    help = "Owns the signing key and signs heads for those who ask at the socket of POSTA_SIGNER."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run until SIGTERM or SIGINT."""
        if settings.SIGNER is None:
            raise CommandError("POSTA_SIGNER is not set. Example: POSTA_SIGNER=unix:///run/posta/signer.sock")
        if not settings.PRODUCTION:
            signing.make_first_key()
        try:
            server = Server(settings.SIGNER, Desk(settings.SIGNING_KEY))
        except AlreadyRuns as error:
            raise CommandError(f"There is nothing to do: {error}.") from None
        except OSError as error:
            raise CommandError(f"The socket {settings.SIGNER} cannot be made: {error.strerror}.") from None
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: threading.Thread(target=server.shutdown).start())
        self.stdout.write(f"the signer is ready at {settings.SIGNER}")
        self.stdout.flush()
        with server:
            server.serve_forever(poll_interval=0.1)
