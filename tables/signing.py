"""Which key signs which head; and no move waits for a signature.

A head is signed by a key that was valid when its event happened, whenever it is asked for.  Without a
signature a receipt is pending: its ``sig`` is null, and it can be asked for later.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Protocol

from django.conf import settings
from django.db import connection, transaction

from events.receipts import NO_KID, Head, NoSignature, SigningKey, verify
from events.signer import LocalSigner, PublicKey, Refused, RemoteSigner
from tables.models import ServerKey

PATIENCE_SECONDS = 0.2
"""The longest that an answer waits for a signature."""
REST_SECONDS = 2.0
"""After one that did not come, nobody asks for this long."""
KEPT_SECONDS = 5.0
"""How long a process goes by the list that it has read."""
OVERLAP_MS = 10_000
"""How long an old key stays valid beside its successor: until every process has heard of that."""
TOLD_SECONDS = 60.0
"""How often at most the log says that receipts are pending."""
logger = logging.getLogger(__name__)


class Signer(Protocol):
    """Whoever holds the private keys."""

    def held(self) -> list[PublicKey]:
        """Return the keys at hand, the one that signs first.  Raises NoSignature."""

    def sign(self, head: Head) -> str:
        """Return the signature under a head.  Raises NoSignature."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The list, and the kids at hand, the one that signs first; none while the signer does not answer."""

    listed: tuple[ServerKey, ...] = ()
    at_hand: tuple[str, ...] = ()
    read_at: float = float("-inf")


_known = _Known()
_rest_until = _told_at = float("-inf")
_reading = Lock()


@cache
def signer() -> Signer:
    """Return the signer of this process: behind a socket, or the key's own file."""
    if settings.SIGNER is not None:
        return RemoteSigner(settings.SIGNER, PATIENCE_SECONDS)
    return LocalSigner(settings.SIGNING_KEY)


def receipt(table_id: uuid.UUID, *, seq: int, head: bytes, at: int) -> dict[str, Any]:
    """Return the receipt of a committed event; its ``sig`` is None while there is no signature."""
    known = _read()
    told = Head(v=1, table=table_id.hex, seq=seq, head=head.hex(), at=at, kid=_kid_at(known, at))
    return {**told, "sig": _signature(told)}


def listed() -> list[dict[str, Any]]:
    """Return every key that signs, or has ever signed, the oldest first, as a transcript lists them."""
    return [
        {
            "kid": each.kid,
            "public": bytes(each.public).hex(),
            "from": each.valid_from,
            "until": each.valid_until,
        }
        for each in _read().listed
    ]


def current_kid() -> str:
    """Return the key that signs now, for the genesis of a log; ``NO_KID`` where there has never been one."""
    known = _read()
    return (known.at_hand or tuple(each.kid for each in reversed(known.listed)) or (NO_KID,))[0]


def is_ours(told: Mapping[str, object]) -> bool:
    """Tell whether a receipt is signed by a key of the list that was valid then."""
    at = told.get("at")
    return isinstance(at, int) and any(
        each.kid == told.get("kid") and _is_valid(each, at) and verify(told, bytes(each.public))
        for each in _read().listed
    )


def is_signing() -> bool:
    """Tell whether there is somebody who signs now."""
    try:
        if settings.SIGNER is None:
            make_first_key()
        signer().held()
    except NoSignature:
        return False
    return True


def make_first_key() -> None:
    """Make the key of a development server that has never had one."""
    if not settings.PRODUCTION and not settings.SIGNING_KEY.exists() and not ServerKey.objects.exists():
        SigningKey.load_or_create(settings.SIGNING_KEY)


def register(key: PublicKey) -> None:
    """Put a key on the list, valid from now, or from ever where it is the first; the last one is retired.

    A key that is there stays as it is.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('tables_serverkey'))")
        cursor.execute(
            "INSERT INTO tables_serverkey (kid, public, valid_from)"
            " SELECT %s, %s, CASE WHEN EXISTS (SELECT FROM tables_serverkey) THEN now_ms() ELSE 0 END"
            " ON CONFLICT (kid) DO NOTHING",
            [key.kid, key.public],
        )
        if cursor.rowcount:
            cursor.execute(
                "UPDATE tables_serverkey SET valid_until = now_ms() + %s"
                " WHERE valid_until IS NULL AND kid <> %s",
                [OVERLAP_MS, key.kid],
            )
            logger.info("key %s signs receipts from now on", key.kid)


def vouch(kid: str, lost: str) -> None:
    """Let a key speak for the time of one whose private half is lost as well."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tables_serverkey AS k SET valid_from = least(k.valid_from, l.valid_from)"
            " FROM tables_serverkey AS l WHERE k.kid = %s AND l.kid = %s",
            [kid, lost],
        )


def _signature(head: Head) -> str | None:
    """Return the signature under a head, None where there is none in time."""
    if head["kid"] == NO_KID or time.monotonic() < _rest_until:
        return None
    try:
        return signer().sign(head)
    except NoSignature as error:
        _note(error)
        return None


def _note(error: NoSignature) -> None:
    """Say why there is no signature; nobody asks for a while unless it is about one head alone."""
    global _rest_until, _told_at
    now = time.monotonic()
    if not isinstance(error, Refused) and settings.SIGNER is not None:
        _rest_until = now + REST_SECONDS
    if now - _told_at > TOLD_SECONDS:
        _told_at = now
        logger.warning("receipts are pending: %s", error)


def _read() -> _Known:
    """Return the list, read anew when it is old; nobody waits for another who reads it."""
    global _known
    is_first = not _known.listed
    if time.monotonic() - _known.read_at < KEPT_SECONDS and not is_first:
        return _known
    if not _reading.acquire(blocking=is_first):
        return _known
    try:
        _known = _look()
        return _known
    finally:
        _reading.release()


def _look() -> _Known:
    """Return the list as it is; a key that has become the one that signs is put on it first."""
    at_hand: list[PublicKey] = []
    if time.monotonic() >= _rest_until:
        try:
            if settings.SIGNER is None:
                make_first_key()
            at_hand = signer().held()
            if not connection.in_atomic_block and not ServerKey.objects.filter(kid=at_hand[0].kid).exists():
                register(at_hand[0])
        except NoSignature as error:
            _note(error)
    found = ServerKey.objects.order_by("valid_from", "valid_until")
    kids = tuple(each.kid for each in at_hand) or _known.at_hand
    return _Known(tuple(found), kids, time.monotonic())


def _kid_at(known: _Known, at: int) -> str:
    """Return the key for an event of a moment: the first that was valid, of those at hand if any is."""
    valid = [each.kid for each in known.listed if _is_valid(each, at)]
    return next((each for each in valid if each in known.at_hand), (valid or [NO_KID])[0])


def _is_valid(key: ServerKey, at: int) -> bool:
    return key.valid_from <= at and (key.valid_until is None or at < key.valid_until)
