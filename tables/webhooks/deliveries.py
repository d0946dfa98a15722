"""The log of an endpoint's deliveries, newest first, and sending one of them again."""

from __future__ import annotations

import uuid
from typing import Final

from django.db import transaction

from tables import hosting, paging
from tables.answers import text_of
from tables.clock import moment
from tables.errors import NotFound, WebhookDisabled, WebhookPending, WebhookVerified
from tables.idempotency import Done, Idempotency, once
from tables.models import WebhookDelivery
from tables.paging import Order
from tables.shapes import WebhookDeliveryAnswer, WebhookDeliveryPage
from tables.webhooks import endpoints
from tables.webhooks.announcing import CHALLENGE

NEWEST: Final = Order("newest", "id", True, paging.number_of)


def deliveries(
    player_id: uuid.UUID, endpoint_id: uuid.UUID, *, limit: int = 50, cursor: str | None = None
) -> WebhookDeliveryPage:
    """Return a page of an endpoint's deliveries, newest first.

    Raises NotFound, and BadField for a cursor that this server did not give.
    """
    rows = WebhookDelivery.objects.filter(endpoint=endpoints.row_of(player_id, endpoint_id))
    found = paging.page(rows, NEWEST, limit=limit, cursor=cursor)
    return WebhookDeliveryPage(
        items=[_answer(each) for each in found.rows],
        next_cursor=found.next_cursor,
        previous_cursor=found.previous_cursor,
    )


def redeliver(
    player_id: uuid.UUID,
    endpoint_id: uuid.UUID,
    message: uuid.UUID,
    idempotency: Idempotency | None = None,
) -> Done:
    """Send a delivery once more, under its id and before what waits; a failure is not tried again.

    One that waits for its next attempt has it at once, and keeps those after it.  Raises NotFound,
    WebhookPending, WebhookVerified, and WebhookDisabled for an endpoint that is told nothing now.
    """

    def run() -> Done:
        endpoint = endpoints.row_of(player_id, endpoint_id, lock=True)
        row = WebhookDelivery.objects.select_for_update().filter(endpoint=endpoint, message=message).first()
        if row is None:
            raise NotFound()
        if row.type == CHALLENGE and endpoint.status == "active":
            raise WebhookVerified()
        if endpoint.status != ("unverified" if row.type == CHALLENGE else "active"):
            raise WebhookDisabled(webhook_status=endpoint.status)
        now = moment(hosting.now_ms())
        if row.status == "pending":
            if row.next_attempt_at is None or row.next_attempt_at <= now:
                raise WebhookPending()
        else:
            row.status, row.again = "pending", True
        row.next_attempt_at = now
        row.save(update_fields=["status", "again", "next_attempt_at"])
        return Done(_answer(row))

    with transaction.atomic():
        return once(player_id, idempotency, WebhookDeliveryAnswer, run)


def _answer(row: WebhookDelivery) -> WebhookDeliveryAnswer:
    return WebhookDeliveryAnswer(
        id=str(row.message),
        type=row.type,
        table_id=str(row.table_id) if row.table_id else None,
        position=row.position,
        occurred_at=text_of(row.occurred_at),
        status=row.status,
        attempts=row.attempts,
        attempted_at=text_of(row.attempted_at) if row.attempted_at else None,
        duration_ms=row.duration_ms,
        response_status=row.response_status,
        error=row.error or None,
        next_attempt_at=text_of(row.next_attempt_at) if row.next_attempt_at else None,
    )
