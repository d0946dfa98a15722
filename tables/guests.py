"""Guests: accounts that play at once, without a password, and may be kept by choosing one.

A guest may do all that a player may, but sign in elsewhere: whoever loses its token has lost it.
Who has sent nothing for ``LAPSE_DAYS`` days, and sits at no table that is open or being played, is
erased like any account that is deleted.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import uuid

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import DatabaseError, IntegrityError, connection, transaction

from tables import erasure
from tables.errors import BadField, Busy, NameTaken, NoGuest
from tables.idempotency import Idempotency
from tables.models import Player
from tables.players import NewSecret, Wish, checked_name, earlier_secret, new_secret

logger = logging.getLogger(__name__)

LAPSE_DAYS = 30
LEAST_KEY = 32
"""Characters of an Idempotency-Key: a stranger who guesses one would get the account."""
MOST_AT_ONCE = 100

_LETTERS = "23456789bcdfghjkmnpqrstvwxz"  # no vowels, so that no word comes of them
_LAPSED = """
SELECT p.id FROM tables_player AS p
WHERE p.password LIKE '!%%' AND p.closed_at IS NULL AND p.created_at < now() - make_interval(days => %(days)s)
  AND NOT EXISTS (
    SELECT FROM tables_token AS t WHERE t.player_id = p.id AND t.expires_at > now()
      AND greatest(t.last_used_on, (t.created_at AT TIME ZONE 'UTC')::date) > CURRENT_DATE - %(days)s)
  AND NOT EXISTS (
    SELECT FROM tables_tenure AS n JOIN tables_table AS b ON b.id = n.table_id
    WHERE n.player_id = p.id AND n.until IS NULL AND b.status IN ('open', 'playing'))
ORDER BY p.created_at LIMIT %(most)s
"""


def welcome(locale: str, idempotency: Idempotency | None = None, *, label: str = "guest") -> NewSecret:
    """Create a guest with a name of its own, and its first token.

    Raises BadField for a key that could be guessed, IdempotencyKeyReused.
    """
    if idempotency is None:
        return _created(uuid.uuid4(), locale, label, None)
    if len(idempotency.key) < LEAST_KEY:
        raise BadField(pointer="Idempotency-Key", code="bad_length", wanted=f"{LEAST_KEY}..255")
    player_id = _id_for(idempotency)
    player = Player.objects.filter(id=player_id).first()
    if player is None:
        try:
            return _created(player_id, locale, label, idempotency)
        except IntegrityError:  # a twin of this request was faster
            player = Player.objects.get(id=player_id)
    if (earlier := earlier_secret(player, idempotency)) is None:
        raise Busy()
    return earlier


def keep(player_id: uuid.UUID, name: str, password: str) -> None:
    """Let a guest have a name and a password; seats, games and tokens stay.  Done again, it is done.

    Raises BadField for a name that is none, NameTaken, NoGuest.
    """
    name = checked_name(name)
    hashed = make_password(password)  # slow, so before the lock
    try:
        with transaction.atomic():
            player = Player.objects.select_for_update().get(id=player_id)
            if player.has_usable_password():
                if player.name == name and check_password(password, player.password):
                    return
                raise NoGuest()
            player.name, player.password = name, hashed
            player.save(update_fields=["name", "password"])
    except IntegrityError:
        raise NameTaken() from None


def prune() -> int:
    """Erase guests who are gone, the oldest first; return how many of some hundred."""
    with connection.cursor() as cursor:
        cursor.execute(_LAPSED, {"days": LAPSE_DAYS, "most": MOST_AT_ONCE})
        found = [row[0] for row in cursor.fetchall()]
    return sum(_erased(each) for each in found)


def _erased(player_id: uuid.UUID) -> bool:
    """Close and erase an account, unless it has been kept meanwhile."""
    with transaction.atomic():
        player = Player.objects.select_for_update().filter(id=player_id, closed_at__isnull=True).first()
        if player is None or player.has_usable_password():
            return False
        erasure.close(player_id)
    try:
        erasure.erase(player_id)
    except (Busy, DatabaseError):
        logger.exception("a guest is closed, and is not erased yet")
    return True


def _created(player_id: uuid.UUID, locale: str, label: str, idempotency: Idempotency | None) -> NewSecret:
    """Create a guest.  Raises IntegrityError where the id is taken, or a hundred thousand million names."""
    name = "guest-" + "".join(secrets.choice(_LETTERS) for _ in range(8))
    with transaction.atomic():
        player = Player.objects.create(id=player_id, name=name, locale=locale, password=make_password(None))
        return new_secret(player, Wish(label), idempotency)


def _id_for(idempotency: Idempotency) -> uuid.UUID:
    """Return the id of the guest that only this server can compute for a key."""
    told = f"{idempotency.scope} {idempotency.key}".encode()
    drawn = hmac.digest(settings.SECRET_KEY.encode(), b"posta/guest/v1\x00" + told, "sha256")
    return uuid.UUID(bytes=drawn[:16], version=4)
