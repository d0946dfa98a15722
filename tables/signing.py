"""The key that signs heads."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from events.receipts import SigningKey


@cache
def signing_key() -> SigningKey:
    """Return this server's signing key; a development key is made on first use."""
    return SigningKey.load_or_create(settings.SIGNING_KEY)
