"""Where a player's notices are mailed to: an address counts once its owner has sent back a code.

Codes are computed, not kept: that which confirms for the player, the address and the day, valid on its day
and the next; that for another password for the moment at which it was asked for.
"""

from __future__ import annotations

import hmac
import uuid

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from tables import hosting
from tables.clock import DAY_MS, moment
from tables.errors import BadCode, BadField
from tables.models import Mailbox
from tables.notices import alerts
from tables.shapes import EmailAnswer

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 10
RESET_MS = 3_600_000


def address(player_id: uuid.UUID) -> EmailAnswer:
    """Return a player's address."""
    return _answer(Mailbox.objects.filter(player=player_id).first())


def give(player_id: uuid.UUID, email: str) -> EmailAnswer:
    """Take an address, to which a code is mailed unless it is confirmed already; the one before is told.

    Raises BadField.
    """
    try:
        validate_email(email)
    except ValidationError:
        raise BadField(pointer="#/email", code="bad_format") from None
    Mailbox.objects.get_or_create(player_id=player_id)
    with transaction.atomic():
        mailbox = Mailbox.objects.select_for_update().get(player=player_id)
        if mailbox.address != email or mailbox.confirmed_at is None:
            alerts.note(player_id, "address_changed")
            mailbox.address, mailbox.confirmed_at = email, None
            mailbox.code_at = moment(hosting.now_ms())
            mailbox.save(update_fields=["address", "confirmed_at", "code_at"])
    return _answer(mailbox)


def confirm(player_id: uuid.UUID, code: str) -> EmailAnswer:
    """Confirm the address that the code was mailed to.  Raises BadCode."""
    mailbox = Mailbox.objects.filter(player=player_id).exclude(address="").first()
    now = hosting.now_ms()
    if mailbox is None or not any(
        hmac.compare_digest(plain(code), plain(_code(player_id, mailbox.address, day)))
        for day in (now // DAY_MS, now // DAY_MS - 1)
    ):
        raise BadCode()
    if mailbox.confirmed_at is None:
        mailbox.confirmed_at, mailbox.code_at = moment(now), None
        # an address given meanwhile stays unconfirmed
        Mailbox.objects.filter(player=player_id, address=mailbox.address).update(
            confirmed_at=mailbox.confirmed_at, code_at=None
        )
    return _answer(mailbox)


def forget(player_id: uuid.UUID) -> None:
    """Delete a player's address; nothing is mailed any more but, to it, that this is so."""
    with transaction.atomic():
        mailbox = Mailbox.objects.select_for_update().filter(player=player_id).first()
        if mailbox is not None:
            alerts.note(player_id, "address_removed")
            mailbox.address, mailbox.confirmed_at, mailbox.code_at = "", None, None
            mailbox.save(update_fields=["address", "confirmed_at", "code_at"])


def code(mailbox: Mailbox, now: int) -> str:
    """Return the code that confirms an address today, in two halves."""
    return _code(mailbox.player_id, mailbox.address, now // DAY_MS)


def reset_code(mailbox: Mailbox, now: int) -> str | None:
    """Return the code by which another password is chosen, in two halves; None: there is none now.

    It is good for an hour from when it was asked for, while the address stays what it is.
    """
    asked, confirmed = mailbox.reset_at, mailbox.confirmed_at
    if asked is None or confirmed is None or asked <= moment(now - RESET_MS):
        return None
    return lettered(b"posta/reset/v1", f"{mailbox.player_id} {asked.isoformat()} {mailbox.address}")


def lettered(label: bytes, told: str) -> str:
    """Return ten letters, in two halves, that only this server can compute for what is told."""
    drawn = hmac.digest(settings.SECRET_KEY.encode(), label + b"\x00" + told.encode(), "sha256")
    number = int.from_bytes(drawn, "big")
    letters = "".join(_LETTERS[number >> 5 * place & 31] for place in range(_LENGTH))
    return f"{letters[: _LENGTH // 2]}-{letters[_LENGTH // 2 :]}"


def plain(code: str) -> bytes:
    """Return a code however it was typed."""
    return code.upper().replace("-", "").replace(" ", "").encode()


def _code(player_id: uuid.UUID, email: str, day: int) -> str:
    return lettered(b"posta/address/v1", f"{player_id} {day} {email}")


def _answer(mailbox: Mailbox | None) -> EmailAnswer:
    if mailbox is None or not mailbox.address:
        return EmailAnswer(email=None, confirmed=False)
    return EmailAnswer(email=mailbox.address, confirmed=mailbox.confirmed_at is not None)
