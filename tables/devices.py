"""Where a player is signed in: sessions, personal tokens, and applications, each of which can be ended.

An application is listed once, by its consent, whatever tokens it has got by it.
"""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from msgspec.structs import replace

from tables.answers import text_of
from tables.errors import NotFound
from tables.models import Consent, Token
from tables.players import Caller, details_of
from tables.shapes import TokenAnswer

MOST_AT_ONCE = 500


def devices(player_id: uuid.UUID, *, current: uuid.UUID) -> list[TokenAnswer]:
    """Return what is valid of a player's, the newest first; ``current`` is the token that asks."""
    valid = Token.objects.filter(player=player_id, consent=None, expires_at__gt=timezone.now())
    consents = Consent.objects.filter(player=player_id).annotate(ends=Max("refreshes__expires_at"))
    found = [replace(details_of(each), current=each.id == current) for each in valid]
    found += [
        TokenAnswer(
            id=str(each.id),
            kind="oauth",
            label=each.application.name,
            scopes=each.scopes,
            created_at=text_of(each.created_at),
            expires_at=text_of(each.ends),
            last_used_on=each.used_on.isoformat() if each.used_on else None,
        )
        for each in consents.filter(ends__gt=timezone.now()).select_related("application")
    ]
    return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)


def revoke(player_id: uuid.UUID, device_id: uuid.UUID) -> None:
    """End one of them.  Raises NotFound."""
    revoked, _ = Token.objects.filter(player=player_id, consent=None, id=device_id).delete()
    if not revoked and not _end(Consent.objects.filter(player=player_id, id=device_id)):
        raise NotFound()


def sign_out(caller: Caller) -> None:
    """End what the caller came with."""
    if not _end(Consent.objects.filter(tokens=caller.token_id)):
        Token.objects.filter(id=caller.token_id).delete()


def revoke_all(player_id: uuid.UUID, *, but: uuid.UUID | None = None) -> None:
    """End all of them, but for one token."""
    _end(Consent.objects.filter(player=player_id))
    Token.objects.filter(player=player_id).exclude(id__in=[but] if but else []).delete()


def prune() -> int:
    """Delete consents of which nothing can come any more; return how many rows went."""
    now = timezone.now()
    asked = Consent.objects.annotate(ends=Max("refreshes__expires_at")).filter(code_expires_at__lte=now)
    over = asked.filter(Q(ends=None) | Q(ends__lte=now)).values("id")[:MOST_AT_ONCE]
    gone, _ = Consent.objects.filter(id__in=over).delete()
    return gone


def _end(consents: QuerySet[Consent]) -> bool:
    """End consents with all that came of them, whatever is under way; tell whether there were any."""
    with transaction.atomic():
        found = [each.id for each in consents.select_for_update(of=("self",))]
        Consent.objects.filter(id__in=found).delete()
    return bool(found)
