"""What a test does around webhooks: players with an endpoint, and what it was sent."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from tables.models import WebhookDelivery, WebhookEndpoint
from tables.shapes import WEBHOOK_TYPES, NewWebhookEndpoint, WebhookEndpointChange, WebhookSecretAnswer
from tables.webhooks import delivering, endpoints
from tests.webhooks.receiver import Receiver


@dataclass(frozen=True, slots=True)
class Subscription:
    """An endpoint of a player's, and its secret."""

    player: uuid.UUID
    id: uuid.UUID
    secret: str

    @property
    def row(self) -> WebhookEndpoint:
        """The endpoint's row as it now is."""
        return WebhookEndpoint.objects.get(id=self.id)

    def log(self, *columns: str) -> list[Any]:
        """Return columns of its deliveries, challenges left out, oldest first."""
        rows = WebhookDelivery.objects.filter(endpoint=self.id, position__isnull=False).order_by("id")
        return list(rows.values_list(*columns, flat=len(columns) == 1))

    def change(self, **wanted: Any) -> None:
        """Change what is named."""
        endpoints.change(self.player, self.id, WebhookEndpointChange(**wanted))


def create(player: uuid.UUID, url: str, *types: str) -> Subscription:
    """Give a player an endpoint that follows some types, or all; it is not verified yet."""
    body: Any = NewWebhookEndpoint(url=url, types=list(types or WEBHOOK_TYPES))  # type: ignore[arg-type]
    made = endpoints.create(player, body).answer
    assert isinstance(made, WebhookSecretAnswer)
    return Subscription(player, uuid.UUID(made.endpoint.id), made.secret)


def subscribe(player: uuid.UUID, receiver: Receiver, *types: str, path: str = "/hook") -> Subscription:
    """Give a player an endpoint, and let it be verified."""
    made = create(player, receiver.url(path), *types)
    delivering.deliver()
    assert made.row.status == "active"
    return made
