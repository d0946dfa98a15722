"""Secrets, signatures and challenges of webhooks.

A secret is computed, not kept: from the server's own secret and a random salt, so that a copy of the
database signs nothing.  Source: Standard Webhooks 1.0.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime

from django.conf import settings
from standardwebhooks import Webhook

SALT_BYTES = 32
OVERLAP_HOURS = 24
"""For how long a secret that was replaced signs beside the new one."""


def new_salt() -> bytes:
    """Return what a new secret is computed from."""
    return secrets.token_bytes(SALT_BYTES)


def secret_of(salt: bytes) -> str:
    """Return a secret in the form that receivers take: ``whsec_`` and 32 bytes in Base64."""
    return "whsec_" + base64.b64encode(_computed(b"secret", salt)).decode()


def challenge_of(message: str) -> str:
    """Return what a receiver has to send back to the message that asks whose it is."""
    return _computed(b"challenge", message.encode()).hex()


def headers_of(message: str, body: bytes, salts: Iterable[bytes]) -> dict[str, str]:
    """Return the headers of an attempt made now: one signature for each secret.

    The time is that of this machine, for it is a receiver's clock that it is held against.
    """
    now = datetime.now(UTC)
    signatures = [Webhook(secret_of(salt)).sign(message, now, body.decode()) for salt in salts]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _computed(purpose: bytes, told: bytes) -> bytes:
    message = b"posta/webhook-" + purpose + b"/v1\x00" + told
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256")
