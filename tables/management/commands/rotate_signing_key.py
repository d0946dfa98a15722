"""Let a new key sign receipts; the old one stays listed, and signs again what it signed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from events.receipts import InsecureKey, SigningKey, replace_key
from events.signer import PublicKey
from tables import signing
from tables.management.embedded import ensure_database
from tables.models import ServerKey


class Command(BaseCommand):
    """``manage.py rotate_signing_key``: run it as the user that owns the key's file."""

    help = "Makes a new signing key in the place of the present one, whose file is kept beside it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Offer to stand in for a lost key instead."""
        parser.add_argument(
            "--lost",
            metavar="KID",
            help="make no key: let the present one speak for the time of this one, whose file is lost",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Rotate, or vouch."""
        ensure_database()
        try:
            if options["lost"] is not None:
                self._vouch(options["lost"])
            else:
                self._rotate()
        except (InsecureKey, ValueError) as error:
            raise CommandError(f"The signing key cannot be read: {error}") from None
        except OSError as error:
            raise CommandError(f"{error.filename or settings.SIGNING_KEY}: {error.strerror}") from None

    def _rotate(self) -> None:
        path, old = settings.SIGNING_KEY, None
        if path.exists():
            old = _load(path)
            signing.register(old)
        new = replace_key(path)
        signing.register(PublicKey(new.kid, new.public))
        self.stdout.write(f"Key {new.kid} signs from now on; every process hears of it within 10 s.")
        if old is not None:
            kept = path.with_name(f"{path.stem}-{old.kid}{path.suffix}")
            self.stdout.write(
                f"Key {old.kid} is kept in {kept}, for what it has signed: back it up, and leave it there."
            )

    def _vouch(self, lost: str) -> None:
        present = _load(settings.SIGNING_KEY)
        if not ServerKey.objects.filter(kid=lost).exists() or lost == present.kid:
            raise CommandError(f"There is no other key {lost}; /v1/keys lists them.", returncode=2)
        signing.register(present)
        signing.vouch(present.kid, lost)
        self.stdout.write(f"Key {present.kid} now signs what {lost} signed, and /v1/keys says so.")


def _load(path: Any) -> PublicKey:
    key = SigningKey.load(path)
    return PublicKey(key.kid, key.public)
