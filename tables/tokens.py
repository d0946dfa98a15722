"""What a token looks like: ``posta_``, 36 letters and digits, and six more that check them.

Only the SHA-256 of a token is kept: it is long enough for a quick hash.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from string import ascii_letters, digits

PREFIX = "posta_"
_ALPHABET = digits + ascii_letters
_SECRETS = len(_ALPHABET) ** 36


def fresh() -> str:
    """Return a token that nobody has had."""
    return _token(secrets.randbelow(_SECRETS))


def drawn(source: bytes) -> str:
    """Return the token that follows from 32 secret bytes."""
    return _token(int.from_bytes(source, "big") % _SECRETS)


def digest(token: str) -> bytes:
    """Return what is kept of a token, of a refresh token and of a code."""
    return hashlib.sha256(token.encode()).digest()


def is_well_formed(token: str) -> bool:
    """Tell whether a text may be a token, without asking the database."""
    told, check = token[:-6], token[-6:]
    return len(token) == len(PREFIX) + 42 and token.startswith(PREFIX) and check == _check_of(told)


def _token(number: int) -> str:
    told = PREFIX + _base62(number, 36)
    return told + _check_of(told)


def _check_of(told: str) -> str:
    return _base62(zlib.crc32(told.encode()), 6)


def _base62(number: int, length: int) -> str:
    letters = []
    for _ in range(length):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(reversed(letters))
