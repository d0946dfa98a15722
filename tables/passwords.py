"""Another password: on the word of the present one, or by a code that was mailed to the account's address.

Whether an account exists, or has an address, shows neither in answers nor in what is done before them.
A code is good once; ``tables.notices.addresses`` computes it.
"""

from __future__ import annotations

import hmac
import unicodedata
import uuid

from django.contrib.auth.hashers import check_password, make_password
from django.db import connection, transaction

from tables import devices, hosting
from tables.errors import BadCode, WrongPassword
from tables.models import Mailbox, Player
from tables.notices import addresses, alerts
from tables.players import Caller, player_named

AGAIN_SECONDS = 300
"""Nobody is mailed a second code sooner; what is asked meanwhile is answered by the first."""

_ASK = """
UPDATE tables_mailbox AS b SET reset_at = now.at, reset_mail_at = now.at, reset_used = false
FROM tables_player AS p, (SELECT to_timestamp(now_ms() / 1000.0) AS at) AS now
WHERE p.id = b.player_id AND p.closed_at IS NULL AND b.confirmed_at IS NOT NULL
  AND (b.reset_at IS NULL OR b.reset_at <= now.at - make_interval(secs => %s)) AND
"""
_BY_NAME = "lower(p.name) = lower(%s)"
_BY_ADDRESS = "lower(b.address) = lower(%s)"


def require(player_id: uuid.UUID, password: str) -> None:
    """Raise WrongPassword unless this is the password of a player; a guest has none to give."""
    player = Player.objects.get(id=player_id)
    if player.has_usable_password() and not check_password(password, player.password):
        raise WrongPassword()


def change(caller: Caller, password: str, wanted: str) -> None:
    """Replace the caller's password, and sign out everywhere else.  Raises WrongPassword."""
    player = Player.objects.get(id=caller.id)
    if not check_password(password, player.password):
        raise WrongPassword()
    with transaction.atomic():
        _set(caller.id, make_password(wanted))
        devices.revoke_all(caller.id, but=caller.token_id)


def ask_reset(account: str) -> None:
    """Let a code be mailed to the confirmed address of an account, or of each account with an address.

    ``account`` is a name or an address; only this has an ``@``.
    """
    condition = _BY_ADDRESS if "@" in account else _BY_NAME
    with connection.cursor() as cursor:
        cursor.execute(_ASK + condition, [AGAIN_SECONDS, unicodedata.normalize("NFC", account)])


def reset(name: str, code: str, wanted: str) -> None:
    """Replace a password by a mailed code, and sign out everywhere.  Done again, it is done.

    Raises BadCode.
    """
    player = player_named(unicodedata.normalize("NFC", name))
    mailbox = None if player is None else Mailbox.objects.filter(player=player).first()
    if player is None or mailbox is None or not _is_right(mailbox, code):
        raise BadCode()
    if mailbox.reset_used and check_password(wanted, player.password):
        return
    hashed = make_password(wanted)  # slow, so before the lock
    with transaction.atomic():
        locked = Mailbox.objects.select_for_update(of=("self",)).filter(player=player).first()
        if locked is None or locked.reset_used or not _is_right(locked, code):
            raise BadCode()
        locked.reset_used = True
        locked.save(update_fields=["reset_used"])
        _set(player.id, hashed)
        devices.revoke_all(player.id)


def _is_right(mailbox: Mailbox, code: str) -> bool:
    wanted = addresses.reset_code(mailbox, hosting.now_ms())
    return wanted is not None and hmac.compare_digest(addresses.plain(code), addresses.plain(wanted))


def _set(player_id: uuid.UUID, hashed: str) -> None:
    """Write a password, unless the account is being closed, and tell its address."""
    alerts.note(player_id, "password_changed")
    Player.objects.filter(id=player_id, closed_at__isnull=True).update(password=hashed)
