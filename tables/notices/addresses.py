"""Where a player's notices are mailed to: an address counts once its owner has sent back a code.

The code is computed, not kept: for the player, the address and the day.  It is valid on its day and the next.
"""

from __future__ import annotations

import hmac
import uuid

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from tables import hosting
from tables.clock import DAY_MS, moment
from tables.errors import BadCode, BadField
from tables.models import Mailbox
from tables.shapes import EmailAnswer

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 10


def address(player_id: uuid.UUID) -> EmailAnswer:
    """Return a player's address."""
    return _answer(Mailbox.objects.filter(player=player_id).first())


def give(player_id: uuid.UUID, email: str) -> EmailAnswer:
    """Take an address, to which a code is mailed unless it is confirmed already.  Raises BadField."""
    try:
        validate_email(email)
    except ValidationError:
        raise BadField(pointer="#/email", code="bad_format") from None
    mailbox, _ = Mailbox.objects.get_or_create(player_id=player_id)
    if mailbox.address != email or mailbox.confirmed_at is None:
        mailbox.address, mailbox.confirmed_at = email, None
        mailbox.code_at = moment(hosting.now_ms())
        mailbox.save(update_fields=["address", "confirmed_at", "code_at"])
    return _answer(mailbox)


def confirm(player_id: uuid.UUID, code: str) -> EmailAnswer:
    """Confirm the address that the code was mailed to.  Raises BadCode."""
    mailbox = Mailbox.objects.filter(player=player_id).exclude(address="").first()
    now = hosting.now_ms()
    told = code.upper().replace("-", "").replace(" ", "")
    if mailbox is None or not any(
        hmac.compare_digest(told.encode(), _code(player_id, mailbox.address, day).encode())
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
    """Delete a player's address; nothing is mailed any more."""
    Mailbox.objects.filter(player=player_id).update(address="", confirmed_at=None, code_at=None)


def code(mailbox: Mailbox, now: int) -> str:
    """Return the code that confirms an address today, in two halves."""
    told = _code(mailbox.player_id, mailbox.address, now // DAY_MS)
    return f"{told[: _LENGTH // 2]}-{told[_LENGTH // 2 :]}"


def _code(player_id: uuid.UUID, email: str, day: int) -> str:
    told = f"{player_id} {day} {email}".encode()
    drawn = hmac.digest(settings.SECRET_KEY.encode(), b"posta/address/v1\x00" + told, "sha256")
    number = int.from_bytes(drawn, "big")
    return "".join(_LETTERS[number >> 5 * place & 31] for place in range(_LENGTH))


def _answer(mailbox: Mailbox | None) -> EmailAnswer:
    if mailbox is None or not mailbox.address:
        return EmailAnswer(email=None, confirmed=False)
    return EmailAnswer(email=mailbox.address, confirmed=mailbox.confirmed_at is not None)
