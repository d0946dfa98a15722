"""The log of an endpoint's deliveries, newest first, and sending one of them again."""

from __future__ import annotations

import base64
import uuid

from django.db import transaction

from tables import hosting
from tables.answers import text_of
from tables.clock import moment
from tables.errors import BadField, NotFound, WebhookDisabled, WebhookPending, WebhookVerified
from tables.idempotency import Done, Idempotency, once
from tables.models import WebhookDelivery
from tables.shapes import WebhookDeliveryAnswer, WebhookDeliveryPage
from tables.webhooks import endpoints
from tables.webhooks.announcing import CHALLENGE


def deliveries(
    player_id: uuid.UUID, endpoint_id: uuid.UUID, *, limit: int = 50, cursor: str | None = None
) -> WebhookDeliveryPage:
    """Return a page of an endpoint's deliveries, newest first.

    Raises NotFound, and BadField for a cursor that this server did not give.
    """
    rows = WebhookDelivery.objects.filter(endpoint=endpoints.row_of(player_id, endpoint_id))
    is_back, number = _read_cursor(cursor) if cursor else (False, None)
    if number is not None:
        rows = rows.filter(id__gt=number) if is_back else rows.filter(id__lt=number)
    found = list(rows.order_by("id" if is_back else "-id")[: limit + 1])
    has_more, found = len(found) > limit, found[:limit]
    if is_back:
        found.reverse()
    has_older = has_more or is_back
    has_newer = has_more if is_back else cursor is not None
    return WebhookDeliveryPage(
        items=[_answer(each) for each in found],
        next_cursor=_cursor("older", found[-1]) if found and has_older else None,
        previous_cursor=_cursor("newer", found[0]) if found and has_newer else None,
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


def _cursor(direction: str, row: WebhookDelivery) -> str:
    return base64.urlsafe_b64encode(f"{direction} {row.id}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[bool, int]:
    try:
        direction, number = (
            base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").split(" ")
        )
        found = int(number)
        if not 0 < found < 2**63:
            raise ValueError(number)
        return {"older": False, "newer": True}[direction], found
    except (ValueError, KeyError):
        raise BadField(pointer="?cursor", code="bad_format") from None
