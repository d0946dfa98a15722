"""Webhooks of the caller: where they go, their secrets, and what was sent."""

from __future__ import annotations

import uuid
from functools import partial
from typing import ClassVar

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request

from tables.api import headers, rendering, throttling
from tables.api import webhook_document as samples
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parameters import CURSOR, LIMIT
from tables.api.parser import read
from tables.api.preconditions import unchanged
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import (
    NewWebhookEndpoint,
    WebhookDeliveryAnswer,
    WebhookDeliveryPage,
    WebhookEndpointAnswer,
    WebhookEndpointChange,
    WebhookEndpointList,
    WebhookSecretAnswer,
)
from tables.webhooks import deliveries, endpoints


class Endpoints(ApiView):
    """Where the caller's webhooks go."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.WEBHOOKS}

    @operation(
        id="listWebhookEndpoints",
        tag="webhook-endpoints",
        summary="List the own endpoints",
        description="Where the caller's programs are told what happens at its tables; the oldest first.",
        answers={200: WebhookEndpointList},
        conditional=True,
        examples=lambda: {"200": {"items": [samples.ENDPOINT]}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the endpoints."""
        return rendering.conditional(request._request, endpoints.endpoints(caller_of(request).id))

    @operation(
        id="createWebhookEndpoint",
        tag="webhook-endpoints",
        summary="Create an endpoint",
        description=(
            "Have a program of the caller's told what happens at its tables, by Standard Webhooks. The answer"
            " shows the secret, this once. The endpoint is then sent an `endpoint.challenge`, at once, and is"
            " told nothing else before it has sent that back: have the receiver ready. A player has five"
            " endpoints at most."
        ),
        body=NewWebhookEndpoint,
        answers={201: WebhookSecretAnswer},
        located=True,
        examples=lambda: {
            "body": {"url": samples.ENDPOINT["url"], "label": samples.ENDPOINT["label"]},
            "201": {"secret": samples.SECRET, "endpoint": samples.NEW_ENDPOINT},
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Create an endpoint."""
        body, value = read(request, NewWebhookEndpoint)
        result = endpoints.create(caller_of(request).id, body, idempotency_of(request, value))
        made = msgspec.convert(result.answer, WebhookSecretAnswer)
        return done(result, f"/v1/me/webhook-endpoints/{made.endpoint.id}")


class OneEndpoint(ApiView):
    """One of the caller's endpoints."""

    limits: ClassVar[dict[str, Limit]] = {"PATCH": throttling.WEBHOOKS}

    @operation(
        id="getWebhookEndpoint",
        tag="webhook-endpoints",
        summary="Look at an endpoint",
        description="One of the caller's endpoints: whether it is told anything, and if not, why.",
        answers={200: WebhookEndpointAnswer},
        conditional=True,
        problems=(404,),
        examples=lambda: {"200": samples.ENDPOINT},
    )
    def get(self, request: Request, endpoint_id: uuid.UUID) -> HttpResponse:
        """Return the endpoint."""
        return rendering.conditional(request._request, endpoints.endpoint(caller_of(request).id, endpoint_id))

    @operation(
        id="changeWebhookEndpoint",
        tag="webhook-endpoints",
        summary="Change an endpoint",
        description=(
            "Change what the body names; what it leaves out stays. With a new `url`, or switched on again,"
            " the endpoint is first asked anew whose it is; what waited for the old one is dropped."
        ),
        body=WebhookEndpointChange,
        answers={200: WebhookEndpointAnswer},
        problems=(404, 412),
        sent=(headers.IF_MATCH,),
        examples=lambda: {
            "body": {"types": samples.ENDPOINT["types"], "label": samples.ENDPOINT["label"]},
            "200": samples.ENDPOINT,
        },
    )
    def patch(self, request: Request, endpoint_id: uuid.UUID) -> HttpResponse:
        """Change the endpoint."""
        body, _ = read(request, WebhookEndpointChange)
        with unchanged(request, partial(endpoints.endpoint, caller_of(request).id, endpoint_id)):
            return rendering.answer(endpoints.change(caller_of(request).id, endpoint_id, body))

    @operation(
        id="deleteWebhookEndpoint",
        tag="webhook-endpoints",
        summary="Delete an endpoint",
        description="Nothing is sent to it any more, and what was sent is forgotten.",
        answers={204: None},
        problems=(404,),
    )
    def delete(self, request: Request, endpoint_id: uuid.UUID) -> HttpResponse:
        """Delete the endpoint."""
        endpoints.delete(caller_of(request).id, endpoint_id)
        return HttpResponse(status=204)


class Secret(ApiView):
    """The secret by which an endpoint's webhooks are signed."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.WEBHOOKS}

    @operation(
        id="rotateWebhookSecret",
        tag="webhook-endpoints",
        summary="Replace an endpoint's secret",
        description=(
            "Get a new secret, shown this once. For 24 hours every webhook has two signatures, by the new"
            " secret and by the one before it, which is time to put the new one in place."
        ),
        answers={200: WebhookSecretAnswer},
        problems=(404,),
        examples=lambda: {
            "200": {
                "secret": samples.SECRET,
                "endpoint": {**samples.ENDPOINT, "old_secret_until": "2026-01-06T18:00:00.000Z"},
            }
        },
    )
    def post(self, request: Request, endpoint_id: uuid.UUID) -> HttpResponse:
        """Replace the secret."""
        return done(endpoints.rotate(caller_of(request).id, endpoint_id, idempotency_of(request)))


class Deliveries(ApiView):
    """What an endpoint was sent, and is to be sent."""

    @operation(
        id="listWebhookDeliveries",
        tag="webhook-endpoints",
        summary="List an endpoint's deliveries",
        description=(
            "What the endpoint was sent, or is to be, newest first, with what became of it; kept for 30 days."
            " Of answers, the status alone is noted."
        ),
        answers={200: WebhookDeliveryPage},
        conditional=True,
        problems=(404,),
        parameters=(LIMIT, CURSOR),
        examples=lambda: {"200": {"items": [samples.DELIVERY], "next_cursor": None, "previous_cursor": None}},
    )
    def get(self, request: Request, endpoint_id: uuid.UUID) -> HttpResponse:
        """Return a page of deliveries."""
        page = deliveries.deliveries(
            caller_of(request).id, endpoint_id, limit=LIMIT.read(request), cursor=CURSOR.read(request)
        )
        return rendering.page(request._request, page)


class Redelivery(ApiView):
    """One of the deliveries, once more."""

    @operation(
        id="redeliverWebhook",
        tag="webhook-endpoints",
        summary="Send a delivery again",
        description=(
            "Send a delivery once more, with the same `webhook-id`, before what waits; if that fails, it is"
            " not tried again. One that waits for its next attempt has it now: so a challenge is sent again"
            " to a receiver that was not there. An endpoint that fails is left alone for 5 s, 20 s, 80 s,"
            " then 5 minutes at a time."
        ),
        answers={200: WebhookDeliveryAnswer},
        problems=(404,),
        examples=lambda: {
            "200": {
                **samples.DELIVERY,
                "status": "pending",
                "next_attempt_at": samples.DELIVERY["occurred_at"],
            }
        },
    )
    def post(self, request: Request, endpoint_id: uuid.UUID, delivery_id: uuid.UUID) -> HttpResponse:
        """Send it again."""
        key = idempotency_of(request)
        return done(deliveries.redeliver(caller_of(request).id, endpoint_id, delivery_id, key))
