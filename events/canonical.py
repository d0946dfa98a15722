"""The JSON profile of the transcript format and every hash of it.

Pure: the standard library and orjson, no Django, so that the offline verifier shares it.
Sources: transcript format ``ttx v1``; RFC 8785 (canonical JSON), whose bytes orjson's sorted keys
equal on this narrower profile; RFC 2104 (HMAC).
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson

MAX_INT = 2**53 - 1
MAX_DEPTH = 16
MAX_SIZE = 64 * 1024
ZERO_HASH = bytes(32)  # what comes before the first event

_EVENT = b"ttx/event/v1\x00"
_SLOT = b"ttx/slot/v1\x00"
_SEED = b"ttx/seed/v1\x00"
_ENTROPY = b"ttx/entropy/v1\x00"
_MIX = b"ttx/mix/v1\x00"
_HEAD = b"ttx/head/v1\x00"

_OPTIONS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_DATACLASS
)
_KEY = re.compile(r"[a-z0-9_]+")


class NotCanonical(ValueError):
    """A value, or bytes, outside the profile.  ``path`` leads to it, as in ``public.cards[3]``."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}" if path else why)
        self.path = path
        self.why = why


def canonical(value: object) -> bytes:
    """Return the canonical bytes of ``value``: objects, arrays, strings, integers, booleans, null.

    Raises NotCanonical for what the profile leaves out, above all fractions.
    """
    try:
        data = orjson.dumps(value, option=_OPTIONS)
    except TypeError as error:  # also integers beyond 53 bits, lone surrogates, keys that are no strings
        _walk(value, "", 0)
        raise NotCanonical("", str(error)) from error
    if len(data) > MAX_SIZE:
        raise NotCanonical("", f"{len(data)} bytes, at most {MAX_SIZE}")
    if not _is_like_one_seen(data):
        _walk(value, "", 0)
        _remember(data)
    return data


def parse(data: bytes) -> Any:
    """Return the value of canonical bytes.  Raises NotCanonical if they are not the only spelling of it."""
    if len(data) > MAX_SIZE:
        raise NotCanonical("", f"{len(data)} bytes, at most {MAX_SIZE}")
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotCanonical("", f"not JSON: {error}") from None
    if canonical(value) != data:
        raise NotCanonical("", "not the canonical spelling, or a key that stands twice")
    return value


def event_hash(header: bytes) -> bytes:
    """Return the hash of an event, and with it of all before: ``prev`` is inside the header."""
    return sha256(_EVENT + header).digest()


def commitment(salt: bytes, tid: bytes, seq: int, slot: int, payload: bytes) -> bytes:
    """Return the commitment of a slot to its canonical ``payload``."""
    message = _SLOT + _bytes(tid, 16) + seq.to_bytes(8, "big") + slot.to_bytes(2, "big") + payload
    return hmac.digest(_bytes(salt, 32), message, "sha256")


def seed_commit(tid: bytes, epoch: int, seed: bytes) -> bytes:
    """Return what the server publishes of its seed before anybody contributes."""
    return sha256(_SEED + _bytes(tid, 16) + epoch.to_bytes(4, "big") + _bytes(seed, 32)).digest()


def entropy_commit(tid: bytes, epoch: int, seat: int, entropy: bytes) -> bytes:
    """Return what a seat publishes of its entropy when it joins."""
    place = _bytes(tid, 16) + epoch.to_bytes(4, "big") + seat.to_bytes(2, "big")
    return sha256(_ENTROPY + place + _bytes(entropy, 32)).digest()


def stream_key(tid: bytes, epoch: int, seed: bytes, entropies: Sequence[bytes | None]) -> bytes:
    """Return the key of an epoch's draws.  ``entropies`` has one entry a seat, None where it is missing."""
    mix = _MIX + _bytes(tid, 16) + epoch.to_bytes(4, "big") + len(entropies).to_bytes(2, "big")
    for seat, entropy in enumerate(entropies):
        given = b"\x00" + bytes(32) if entropy is None else b"\x01" + _bytes(entropy, 32)
        mix += seat.to_bytes(2, "big") + given
    return hmac.digest(sha256(mix).digest(), _bytes(seed, 32), "sha256")


NO_TABLE: Final = bytes(16)
"""What stands for the table in the mix of a sandbox: there the cards follow from the seed alone."""


def head_message(obj: Mapping[str, object]) -> bytes:
    """Return what a receipt signs: ``obj`` is the receipt without its signature."""
    return _HEAD + canonical(obj)


def key_id(public_key: bytes) -> str:
    """Return the short name of an Ed25519 public key (32 raw bytes)."""
    return sha256(_bytes(public_key, 32)).hexdigest()[:16]


def _bytes(value: bytes, length: int) -> bytes:
    if len(value) != length:
        raise ValueError(f"{len(value)} bytes, {length} wanted")
    return value


def _walk(value: object, path: str, depth: int) -> None:
    """Raise NotCanonical at the first place of ``value`` that leaves the profile."""
    if not isinstance(value, (dict, list, tuple)):
        _check_scalar(value, path)
    elif depth == MAX_DEPTH:
        raise NotCanonical(path, f"deeper than {MAX_DEPTH}")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not _KEY.fullmatch(key):
                raise NotCanonical(path, f"{key!r} is no key of lower-case letters, digits, underscores")
            _walk(item, f"{path}.{key}" if path else key, depth + 1)
    else:
        for index, item in enumerate(value):
            _walk(item, f"{path}[{index}]", depth + 1)


def _check_scalar(value: object, path: str) -> None:
    if isinstance(value, str):
        if not value.isascii() or "\x00" in value:
            _check_text(value, path)
    elif isinstance(value, int):
        if abs(value) > MAX_INT:
            raise NotCanonical(path, "an integer beyond 2^53 - 1")
    elif isinstance(value, Enum):
        _check_scalar(value.value, path)
    elif value is not None and not isinstance(value, UUID):
        raise NotCanonical(path, f"{type(value).__name__} is not in the profile")


def _check_text(text: str, path: str) -> None:
    if "\x00" in text:
        raise NotCanonical(path, "U+0000")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise NotCanonical(path, "a lone surrogate")


# The walk costs more than orjson and the hash together, so bytes shaped like bytes that passed it
# skip it.  The shape is what is left when every character that a key may have is deleted: quotes,
# brackets, commas, colons, and the odd characters of strings, a backslash among them.  In bytes
# without a backslash the quotes pair up, so equal shapes have equal structure, and keys of which
# nothing was left.  (Others are not remembered, nor what is neither object nor array.)  Two things
# hide from the shape and are looked for each time.  One is an empty key.  The other is a word or
# number that is none: 1e-7, shaped like -1, and NaN, written as null.  Without digits, with ``,[-``
# read as ``:`` and ``en`` as ``.``, every fraction, exponent and null reads ``:.``; so do some
# strings, which are then walked.
_KEY_CHARACTERS = b"abcdefghijklmnopqrstuvwxyz0123456789_"
_DIGITS = b"0123456789"
_NUMBERS = bytes.maketrans(b",[-en", b":::..")
_MAX_SHAPES = 4096
_shapes: set[bytes] = set()


def _is_like_one_seen(data: bytes) -> bool:
    """Whether ``data``, written by orjson, cannot leave the profile because its like did not."""
    return (
        data.translate(None, _KEY_CHARACTERS) in _shapes
        and data.translate(_NUMBERS, _DIGITS).rfind(b":.") < 0
        and data.rfind(b'{"":') < 0
    )


def _remember(data: bytes) -> None:
    if data[:1] not in (b"{", b"[") or b"\\" in data:
        return
    if len(_shapes) >= _MAX_SHAPES:
        _shapes.clear()
    _shapes.add(data.translate(None, _KEY_CHARACTERS))
