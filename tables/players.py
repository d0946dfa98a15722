"""Accounts and their tokens: names, passwords, secrets.

Of a token only its digest is kept.  A password is hashed slowly; whether a name exists shows neither in
answer nor in time.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, connection, transaction
from django.db.models import Value
from django.db.models.functions import Lower, Now
from django.utils import timezone
from msgspec import UNSET

from tables import clock, kept, reliability, tokens
from tables.answers import text_of
from tables.errors import BadCredentials, BadField, NameTaken
from tables.idempotency import Idempotency, keep, recall
from tables.models import Player, Token
from tables.shapes import MeChange, PlayerAnswer, QuietHoursAnswer, TokenAnswer

DEFAULT_DAYS = 90

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing: with them, two names would look alike."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A player as a request knows it; ``scopes`` None: it may do everything."""

    id: uuid.UUID
    name: str
    locale: str
    token_id: uuid.UUID
    scopes: tuple[str, ...] | None = None
    is_authenticated: bool = True


@dataclass(frozen=True, slots=True)
class Wish:
    """A token that is to be made; ``scopes`` None: it may do everything."""

    label: str
    days: int = DEFAULT_DAYS
    kind: str = "session"
    scopes: list[str] | None = None


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A token's secret, for the one who asked; ``replayed`` for the same request sent again."""

    player: Caller
    token: str
    details: TokenAnswer
    replayed: bool = False


def sign_up(
    name: str, password: str, locale: str, idempotency: Idempotency | None = None, *, label: str = "sign-up"
) -> NewSecret:
    """Create an account and its first token.

    Raises BadField for a name that is none, NameTaken, IdempotencyKeyReused.
    """
    name = checked_name(name)
    if idempotency and (player := player_named(name)) and check_password(password, player.password):
        if (earlier := earlier_secret(player, idempotency)) is not None:
            return earlier
        raise NameTaken
    try:
        with transaction.atomic():
            player = Player.objects.create(name=name, locale=locale, password=make_password(password))
            return new_secret(player, Wish(label), idempotency)
    except IntegrityError:
        twin = player_named(name) if idempotency else None  # perhaps of the same request
        if (
            twin
            and check_password(password, twin.password)
            and (earlier := earlier_secret(twin, idempotency))
        ):
            return earlier
        raise NameTaken from None


def sign_in(
    name: str, password: str, idempotency: Idempotency | None = None, *, label: str = "sign-in"
) -> NewSecret:
    """Create a token for the owner of the password.  Raises BadCredentials, IdempotencyKeyReused."""
    with owned(name, password) as player:
        return _once(player, Wish(label), idempotency)


@contextmanager
def owned(name: str, password: str) -> Iterator[Player]:
    """Hold the account whose name and password these are, during the block, a transaction.

    Another password ends whatever there is by the one before, so nothing may come of that any more.  Raises
    BadCredentials.
    """
    player = owner_of(name, password)
    with transaction.atomic():
        same = Player.objects.filter(id=player.id, password=player.password, closed_at=None)
        if same.select_for_update(no_key=True).first() is None:
            raise BadCredentials
        yield player


@contextmanager
def held(player_id: uuid.UUID) -> Iterator[None]:
    """Hold an account during the block, a transaction: nobody changes its password or closes it."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(id=player_id)
        yield


def owner_of(name: str, password: str) -> Player:
    """Return whose name and password these are.  Raises BadCredentials, as slowly for a name that is none."""
    player = player_named(unicodedata.normalize("NFC", name))
    if player is None:
        make_password(password)
        raise BadCredentials
    if not check_password(password, player.password):
        raise BadCredentials
    return player


def create_token(
    caller: Caller,
    label: str,
    days: int = DEFAULT_DAYS,
    idempotency: Idempotency | None = None,
    *,
    scopes: Collection[str] | None = None,
) -> NewSecret:
    """Create a personal access token for ``days`` days.  Raises IdempotencyKeyReused."""
    wish = Wish(label, days, "personal", None if scopes is None else sorted(set(scopes)))
    return _once(Player.objects.get(id=caller.id), wish, idempotency)


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


@contextmanager
def settings_of(player_id: uuid.UUID) -> Iterator[None]:
    """Let nobody else do the same for a player during the block, which is one transaction."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(id=player_id)
        yield


def change(player_id: uuid.UUID, body: MeChange) -> None:
    """Change what the body names of an account; deadlines set from now on go by it.

    Raises BadField for a name that is none, an unknown zone, and quiet hours that last for over ten hours;
    NameTaken.
    """
    try:
        with transaction.atomic():
            row = Player.objects.select_for_update(no_key=True).get(id=player_id)
            before = row.name
            _change(row, body)
            row.save(update_fields=["name", "locale", "zone", "quiet_from", "quiet_until"])
    except IntegrityError:
        raise NameTaken from None
    if row.name != before:
        kept.rename(before, row.name)


def _change(row: Player, body: MeChange) -> None:
    if body.name is not UNSET:
        row.name = checked_name(body.name)
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


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def _clock_text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def authenticate(token: str) -> Caller | None:
    """Return whose token it is; None if it is malformed, unknown, revoked, expired, or its account closed.

    One statement, and one more on the first use of a day.
    """
    if not tokens.is_well_formed(token):
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.id, p.name, p.locale, t.id, t.scopes, t.last_used_on IS DISTINCT FROM CURRENT_DATE"
            " FROM tables_token t JOIN tables_player p ON p.id = t.player_id"
            " WHERE t.digest = %s AND t.expires_at > now() AND p.closed_at IS NULL",
            [tokens.digest(token)],
        )
        if (row := cursor.fetchone()) is None:
            return None
        player_id, name, locale, token_id, scopes, is_first_today = row
        caller = Caller(player_id, name, locale, token_id, None if scopes is None else tuple(scopes))
        if is_first_today:
            cursor.execute(
                "UPDATE tables_token SET last_used_on = CURRENT_DATE"
                " WHERE id = %s AND last_used_on IS DISTINCT FROM CURRENT_DATE",
                [caller.token_id],
            )
    return caller


def player_named(name: str) -> Player | None:
    """Return whose name it is, in whatever case."""
    return Player.objects.annotate(folded=Lower("name")).filter(folded=Lower(Value(name))).first()


def checked_name(name: str) -> str:
    """Return a name in its one spelling.  Raises BadField.

    None is like another's id, nor such as a URL loses (``..``): who has it could not be blocked or reported.
    """
    name = unicodedata.normalize("NFC", name)
    if not 2 <= len(name) <= 40:
        raise BadField(pointer="#/name", code="bad_length", wanted="2..40")
    kinds = [unicodedata.category(letter)[0] for letter in name]
    is_clean = all(letter in " -_." or kind in "LMN" for letter, kind in zip(name, kinds, strict=True))
    is_seen = ("L" in kinds or "N" in kinds) and not _UNSEEN.search(name)
    is_spaced = name == name.strip(" ") and "  " not in name
    if not (is_clean and is_seen and is_spaced) or _is_id(name):
        raise BadField(pointer="#/name", code="bad_name")
    return name


def _is_id(name: str) -> bool:
    try:
        uuid.UUID(name)
    except ValueError:
        return False
    return True


def _once(player: Player, wish: Wish, idempotency: Idempotency | None) -> NewSecret:
    """Create a token, or return the one that an equal request has created."""
    try:
        with transaction.atomic():
            return earlier_secret(player, idempotency) or new_secret(player, wish, idempotency)
    except IntegrityError:
        if idempotency is None or (earlier := earlier_secret(player, idempotency)) is None:
            raise
        return earlier


def new_secret(player: Player, wish: Wish, idempotency: Idempotency | None) -> NewSecret:
    """Create a token in the caller's transaction."""
    Token.objects.filter(player=player, expires_at__lte=timezone.now()).delete()
    secret = _secret_for(player, idempotency)
    row = Token.objects.create(
        digest=tokens.digest(secret),
        player=player,
        kind=wish.kind,
        label=wish.label,
        scopes=wish.scopes,
        expires_at=timezone.now() + timedelta(days=wish.days),
    )
    details = details_of(row)
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
        return tokens.fresh()
    told = f"{player.id} {idempotency.scope} {idempotency.key}".encode()
    return tokens.drawn(hmac.digest(settings.SECRET_KEY.encode(), b"posta/token/v1\x00" + told, "sha256"))


def details_of(row: Token) -> TokenAnswer:
    """Return a token as its player sees it."""
    return TokenAnswer(
        id=str(row.id),
        kind=row.kind,
        label=row.label,
        scopes=row.scopes,
        created_at=text_of(row.created_at),
        expires_at=text_of(row.expires_at),
        last_used_on=row.last_used_on.isoformat() if row.last_used_on else None,
    )


def _caller(player: Player, token_id: uuid.UUID) -> Caller:
    return Caller(player.id, player.name, player.locale, token_id)
