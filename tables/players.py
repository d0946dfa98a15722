"""Accounts and their tokens: names, passwords, secrets.

A token is ``posta_``, 36 letters and digits, and six more that check them; only its SHA-256 is
kept.  A password is hashed slowly; whether a name exists shows neither in answer nor in time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
import uuid
import zlib
from dataclasses import dataclass
from datetime import timedelta
from string import ascii_letters, digits
from typing import Any

import msgspec
from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, connection, transaction
from django.db.models import Value
from django.db.models.functions import Lower, Now
from django.utils import timezone
from msgspec import UNSET

from tables import clock, reliability
from tables.answers import text_of
from tables.errors import BadCredentials, BadField, NameTaken, NotFound
from tables.idempotency import Idempotency, keep, recall
from tables.models import Player, Token
from tables.shapes import MeChange, PlayerAnswer, QuietHoursAnswer, TokenAnswer

PREFIX = "posta_"
DEFAULT_DAYS = 90
_ALPHABET = digits + ascii_letters
_SECRETS = len(_ALPHABET) ** 36


@dataclass(frozen=True, slots=True)
class Caller:
    """A player as a request knows it."""

    id: uuid.UUID
    name: str
    locale: str
    token_id: uuid.UUID
    is_authenticated: bool = True


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A token's secret, for the one who asked; ``replayed`` for the same request sent again."""

    player: Caller
    token: str
    details: TokenAnswer
    replayed: bool = False


def sign_up(name: str, password: str, locale: str, idempotency: Idempotency | None = None) -> NewSecret:
    """Create an account and its first token.

    Raises BadField for a name that is none, NameTaken, IdempotencyKeyReused.
    """
    name = checked_name(name)
    if idempotency and (player := _player_named(name)) and check_password(password, player.password):
        if (earlier := earlier_secret(player, idempotency)) is not None:
            return earlier
        raise NameTaken
    try:
        with transaction.atomic():
            player = Player.objects.create(name=name, locale=locale, password=make_password(password))
            return new_secret(player, "sign-up", DEFAULT_DAYS, idempotency)
    except IntegrityError:
        twin = _player_named(name) if idempotency else None  # perhaps of the same request
        if (
            twin
            and check_password(password, twin.password)
            and (earlier := earlier_secret(twin, idempotency))
        ):
            return earlier
        raise NameTaken from None


def sign_in(name: str, password: str, idempotency: Idempotency | None = None) -> NewSecret:
    """Create a token for the owner of the password.  Raises BadCredentials, IdempotencyKeyReused."""
    player = _player_named(unicodedata.normalize("NFC", name))
    if player is None:
        make_password(password)  # as slow as a check
        raise BadCredentials
    if not check_password(password, player.password):
        raise BadCredentials
    return _once(player, "sign-in", DEFAULT_DAYS, idempotency)


def sign_out(caller: Caller) -> None:
    """Revoke the token that the caller came with."""
    Token.objects.filter(id=caller.token_id).delete()


def create_token(
    caller: Caller, label: str, days: int = DEFAULT_DAYS, idempotency: Idempotency | None = None
) -> NewSecret:
    """Create a personal access token for ``days`` days.  Raises IdempotencyKeyReused."""
    return _once(Player.objects.get(id=caller.id), label, days, idempotency)


def tokens(caller: Caller) -> list[TokenAnswer]:
    """Return the caller's valid tokens, the newest first."""
    valid = Token.objects.filter(player=caller.id, expires_at__gt=timezone.now())
    return [_details(each) for each in valid.order_by("-created_at", "id")]


def revoke(caller: Caller, token_id: uuid.UUID) -> None:
    """Revoke one of the caller's tokens.  Raises NotFound."""
    revoked, _ = Token.objects.filter(player=caller.id, id=token_id).delete()
    if not revoked:
        raise NotFound


def exists(player_id: uuid.UUID) -> bool:
    """Tell whether there is an account, and nobody has closed it."""
    return Player.objects.filter(id=player_id, closed_at__isnull=True).exists()


def is_signed_in(caller: Caller) -> bool:
    """Tell whether a token that has let somebody in is still valid."""
    valid = Token.objects.filter(id=caller.token_id, player__closed_at__isnull=True)
    return valid.filter(expires_at__gt=Now()).exists()


def account(player_id: uuid.UUID) -> PlayerAnswer:
    """Return an account as its player sees it."""
    row = Player.objects.get(id=player_id)
    hours = None
    if row.quiet_from is not None and row.quiet_until is not None:
        hours = QuietHoursAnswer(start=_clock_text(row.quiet_from), end=_clock_text(row.quiet_until))
    return PlayerAnswer(
        id=str(row.id),
        name=row.name,
        locale=row.locale,
        zone=row.zone,
        quiet_hours=hours,
        reliability=reliability.of(player_id),
        guest=not row.has_usable_password(),
    )


def change(player_id: uuid.UUID, body: MeChange) -> None:
    """Change what the body names of an account; deadlines set from now on go by it.

    Raises BadField for an unknown zone, and for quiet hours that last for over ten hours.
    """
    row = Player.objects.get(id=player_id)
    if body.locale is not UNSET:
        row.locale = body.locale
    if body.zone is not UNSET:
        row.zone = body.zone
        try:
            clock.check_quiet(row.zone, 0, 1)
        except ValueError:
            raise BadField(pointer="#/zone", code="unknown_value", wanted="Europe/Madrid, UTC, …") from None
    if body.quiet_hours is None:
        row.quiet_from = row.quiet_until = None
    elif body.quiet_hours is not UNSET:
        start, end = (_minutes(each) for each in (body.quiet_hours.start, body.quiet_hours.end))
        try:
            clock.check_quiet(row.zone, start, end)
        except ValueError:
            raise BadField(pointer="#/quiet_hours", code="out_of_range", wanted="00:01..10:00") from None
        row.quiet_from, row.quiet_until = start, end
    row.save(update_fields=["locale", "zone", "quiet_from", "quiet_until"])


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def _clock_text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def authenticate(token: str) -> Caller | None:
    """Return whose token it is; None if it is malformed, unknown, revoked, expired, or its account closed.

    One statement, and one more on the first use of a day.
    """
    if not _is_well_formed(token):
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.id, p.name, p.locale, t.id, t.last_used_on IS DISTINCT FROM CURRENT_DATE"
            " FROM tables_token t JOIN tables_player p ON p.id = t.player_id"
            " WHERE t.digest = %s AND t.expires_at > now() AND p.closed_at IS NULL",
            [_digest(token)],
        )
        if (row := cursor.fetchone()) is None:
            return None
        *values, is_first_today = row
        caller = Caller(*values)
        if is_first_today:
            cursor.execute(
                "UPDATE tables_token SET last_used_on = CURRENT_DATE"
                " WHERE id = %s AND last_used_on IS DISTINCT FROM CURRENT_DATE",
                [caller.token_id],
            )
    return caller


def _player_named(name: str) -> Player | None:
    return Player.objects.annotate(folded=Lower("name")).filter(folded=Lower(Value(name))).first()


def checked_name(name: str) -> str:
    """Return a name in its one spelling.  Raises BadField."""
    name = unicodedata.normalize("NFC", name)
    if not 2 <= len(name) <= 40:
        raise BadField(pointer="#/name", code="bad_length", wanted="2..40")
    is_clean = all(letter in " -_." or unicodedata.category(letter)[0] in "LMN" for letter in name)
    if not is_clean or name != name.strip(" "):
        raise BadField(pointer="#/name", code="bad_name")
    return name


def _once(player: Player, label: str, days: int, idempotency: Idempotency | None) -> NewSecret:
    """Create a token, or return the one that an equal request has created."""
    try:
        with transaction.atomic():
            return earlier_secret(player, idempotency) or new_secret(player, label, days, idempotency)
    except IntegrityError:
        if idempotency is None or (earlier := earlier_secret(player, idempotency)) is None:
            raise
        return earlier


def new_secret(player: Player, label: str, days: int, idempotency: Idempotency | None) -> NewSecret:
    """Create a token in the caller's transaction."""
    Token.objects.filter(player=player, expires_at__lte=timezone.now()).delete()
    secret = _secret_for(player, idempotency)
    row = Token.objects.create(
        digest=_digest(secret),
        player=player,
        label=label,
        expires_at=timezone.now() + timedelta(days=days),
    )
    details = _details(row)
    keep(player.id, idempotency, msgspec.to_builtins(details))
    return NewSecret(_caller(player, row.id), secret, details)


def earlier_secret(player: Player, idempotency: Idempotency | None) -> NewSecret | None:
    """Return what an equal request got, its secret computed again.  Raises IdempotencyKeyReused."""
    kept: dict[str, Any] | None = recall(player.id, idempotency)
    if kept is None:
        return None
    details = msgspec.convert(kept, TokenAnswer)
    secret = _secret_for(player, idempotency)
    return NewSecret(_caller(player, uuid.UUID(details.id)), secret, details, replayed=True)


def _secret_for(player: Player, idempotency: Idempotency | None) -> str:
    """Return a fresh token; with a key, one that only this server can compute again for it."""
    if idempotency is None:
        return _token(secrets.randbelow(_SECRETS))
    told = f"{player.id} {idempotency.scope} {idempotency.key}".encode()
    drawn = hmac.digest(settings.SECRET_KEY.encode(), b"posta/token/v1\x00" + told, "sha256")
    return _token(int.from_bytes(drawn, "big") % _SECRETS)


def _token(number: int) -> str:
    told = PREFIX + _base62(number, 36)
    return told + _check_of(told)


def _is_well_formed(token: str) -> bool:
    told, check = token[:-6], token[-6:]
    return len(token) == len(PREFIX) + 42 and token.startswith(PREFIX) and check == _check_of(told)


def _check_of(told: str) -> str:
    return _base62(zlib.crc32(told.encode()), 6)


def _base62(number: int, length: int) -> str:
    letters = []
    for _ in range(length):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(reversed(letters))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _details(row: Token) -> TokenAnswer:
    return TokenAnswer(
        id=str(row.id),
        label=row.label,
        created_at=text_of(row.created_at),
        expires_at=text_of(row.expires_at),
        last_used_on=row.last_used_on.isoformat() if row.last_used_on else None,
    )


def _caller(player: Player, token_id: uuid.UUID) -> Caller:
    return Caller(player.id, player.name, player.locale, token_id)
