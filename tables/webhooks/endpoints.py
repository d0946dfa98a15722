"""The endpoints of a player: where webhooks go, what they tell, and by which secrets they are signed.

An endpoint is told nothing before it has shown whose it is, by sending back a challenge; nor after its
address was changed, or it was switched off, before it has done so again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.db import transaction
from msgspec import UNSET

from tables import hosting
from tables.answers import text_of
from tables.clock import moment
from tables.errors import BadField, NotFound, TooManyWebhooks
from tables.idempotency import Done, Idempotency, keep, recall
from tables.models import Player, WebhookDelivery, WebhookEndpoint
from tables.shapes import (
    WEBHOOK_TYPES,
    NewWebhookEndpoint,
    WebhookEndpointAnswer,
    WebhookEndpointChange,
    WebhookEndpointList,
    WebhookSecretAnswer,
)
from tables.webhooks import delivering, signing
from tables.webhooks.announcing import CHALLENGE
from tables.webhooks.targets import BadUrl, target_of

MOST = 5
"""Endpoints of a player."""


def endpoints(player_id: uuid.UUID) -> WebhookEndpointList:
    """Return a player's endpoints, the oldest first."""
    rows = WebhookEndpoint.objects.filter(player=player_id).order_by("created_at", "id")
    return WebhookEndpointList(items=[_answer(each) for each in rows])


def endpoint(player_id: uuid.UUID, endpoint_id: uuid.UUID) -> WebhookEndpointAnswer:
    """Return one of a player's endpoints.  Raises NotFound."""
    return _answer(row_of(player_id, endpoint_id))


def create(player_id: uuid.UUID, body: NewWebhookEndpoint, idempotency: Idempotency | None = None) -> Done:
    """Create an endpoint, and have it asked whose it is.

    Raises BadField for an address that none may have, TooManyWebhooks, IdempotencyKeyReused.
    """
    url = _checked(body.url)

    def run() -> WebhookEndpoint:
        if WebhookEndpoint.objects.filter(player=player_id).count() >= MOST:
            raise TooManyWebhooks(most=MOST)
        row = WebhookEndpoint.objects.create(
            player_id=player_id,
            label=body.label,
            url=url,
            types=_sorted(body.types),
            salt=signing.new_salt(),
            created_at=moment(hosting.now_ms()),
        )
        _ask(row)
        return row

    return _once(player_id, idempotency, 201, run)


def change(
    player_id: uuid.UUID, endpoint_id: uuid.UUID, body: WebhookEndpointChange
) -> WebhookEndpointAnswer:
    """Change what the body names of an endpoint.  Raises NotFound, BadField."""
    with transaction.atomic():
        row = row_of(player_id, endpoint_id, lock=True)
        if body.label is not UNSET:
            row.label = body.label
        if body.types is not UNSET:
            row.types = _sorted(body.types)
        is_moved = body.url is not UNSET and (url := _checked(body.url)) != row.url
        if is_moved:
            row.url = url
        if body.enabled is False:
            if row.status != "disabled":
                delivering.disable(row, "owner")
        elif is_moved if row.status != "disabled" else body.enabled is True:
            _ask(row)
        row.save()
        return _answer(row)


def rotate(player_id: uuid.UUID, endpoint_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Give an endpoint a new secret; for a day the present one signs too.  Raises NotFound."""

    def run() -> WebhookEndpoint:
        row = row_of(player_id, endpoint_id, lock=True)
        row.old_salt, row.salt = row.salt, signing.new_salt()
        row.old_until = moment(hosting.now_ms()) + timedelta(hours=signing.OVERLAP_HOURS)
        row.save(update_fields=["salt", "old_salt", "old_until"])
        return row

    return _once(player_id, idempotency, 200, run)


def delete(player_id: uuid.UUID, endpoint_id: uuid.UUID) -> None:
    """Delete an endpoint with its deliveries.  Raises NotFound."""
    with transaction.atomic():
        row_of(player_id, endpoint_id)
        _delete(player_id, endpoint_id)


def forget(player_id: uuid.UUID) -> None:
    """Delete all endpoints of a player, within the caller's transaction."""
    _delete(player_id, *WebhookEndpoint.objects.filter(player=player_id).values_list("id", flat=True))


def row_of(player_id: uuid.UUID, endpoint_id: uuid.UUID, *, lock: bool = False) -> WebhookEndpoint:
    """Return the row of one of a player's endpoints.  Raises NotFound.

    ``lock`` keeps other changes away, but not what happens at tables: that refers to the row.
    """
    rows = WebhookEndpoint.objects.filter(player=player_id, id=endpoint_id)
    row = (rows.select_for_update(no_key=True) if lock else rows).first()
    if row is None:
        raise NotFound()
    return row


def _delete(player_id: uuid.UUID, *endpoint_ids: uuid.UUID) -> None:
    """Delete endpoints, once no command refers to them any more: those that come now leave them out."""
    rows = WebhookEndpoint.objects.filter(player=player_id, id__in=endpoint_ids)
    list(rows.select_for_update())
    rows.delete()


def _ask(row: WebhookEndpoint) -> None:
    """Let an endpoint be asked whose it is, and be told nothing else until it has answered."""
    delivering.drop(row)
    row.status, row.reason = "unverified", ""
    row.failing_since, row.failures, row.busy_until = None, 0, None
    row.save()
    now = moment(hosting.now_ms())
    WebhookDelivery.objects.create(
        message=uuid.uuid4(), endpoint=row, type=CHALLENGE, occurred_at=now, next_attempt_at=now
    )


def _once(
    player_id: uuid.UUID, idempotency: Idempotency | None, status: int, run: Callable[[], WebhookEndpoint]
) -> Done:
    """Run a command that gives out a secret, or give it again; kept is what it is computed from."""
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(id=player_id)
        if (kept := recall(player_id, idempotency)) is not None:
            details = msgspec.convert(kept["endpoint"], WebhookEndpointAnswer)
            return Done(_secret(bytes.fromhex(kept["salt"]), details), status, replayed=True)
        row = run()
        details, salt = _answer(row), bytes(row.salt)
        keep(player_id, idempotency, {"endpoint": msgspec.to_builtins(details), "salt": salt.hex()})
        return Done(_secret(salt, details), status)


def _checked(url: str) -> str:
    """Return a URL that a webhook may have.  Raises BadField."""
    addresses = (settings.PUBLIC_URL, settings.LIVE_URL)
    own = {urlsplit(each).hostname or "" for each in addresses} | set(settings.ALLOWED_HOSTS)
    try:
        return str(target_of(url, own=own, to_loopback=settings.WEBHOOKS_TO_LOOPBACK).url)
    except BadUrl:
        raise BadField(pointer="#/url", code="bad_url") from None


def _sorted(types: list[Any]) -> list[str]:
    return [each for each in WEBHOOK_TYPES if each in types]


def _secret(salt: bytes, details: WebhookEndpointAnswer) -> WebhookSecretAnswer:
    return WebhookSecretAnswer(secret=signing.secret_of(salt), endpoint=details)


def _answer(row: WebhookEndpoint) -> WebhookEndpointAnswer:
    return WebhookEndpointAnswer(
        id=str(row.id),
        label=row.label,
        url=row.url,
        types=row.types,
        status=row.status,
        reason=row.reason or None,
        failing_since=text_of(row.failing_since) if row.failing_since else None,
        old_secret_until=text_of(row.old_until) if row.old_until else None,
        created_at=text_of(row.created_at),
    )
