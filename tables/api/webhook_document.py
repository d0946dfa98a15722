"""What the document says of webhooks: the requests that receivers get; and examples.

Nothing serves these, so the document speaks of them by hand.  Their tag is no path's: generators of
clients would overwrite one with the other (api.md 2.1).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from tables.api import rendering, samples
from tables.shapes import WEBHOOK_TYPES, WebhookBody, WebhookChallenge, WebhookChallengeReply

TAG: Final = "webhooks"
RECORDS: Final = (WebhookBody, WebhookChallenge, WebhookChallengeReply)

ENDPOINT: Final = {
    "id": "3b1f6d5a-7c2e-4f08-9a41-6d0e5b8c2f13",
    "label": "my bot",
    "url": "https://bot.example.net/posta",
    "types": list(WEBHOOK_TYPES[:4]),
    "status": "active",
    "reason": None,
    "failing_since": None,
    "old_secret_until": None,
    "created_at": samples.NOW,
}
NEW_ENDPOINT: Final = {**ENDPOINT, "status": "unverified"}
SECRET: Final = "whsec_" + "A" * 43 + "="
DELIVERY: Final = {
    "id": "d41d8cd9-8f00-b204-e980-0998ecf8427e",
    "type": WEBHOOK_TYPES[0],
    "table_id": samples.TABLE,
    "position": 12,
    "occurred_at": samples.NOW,
    "status": "delivered",
    "attempts": 1,
    "attempted_at": samples.NOW,
    "duration_ms": 83,
    "response_status": 204,
    "error": None,
    "next_attempt_at": None,
}
_CHALLENGE: Final = "9f" * 32
_NAMES: Final = {
    "turn.awaited": ("turnAwaited", "A turn waits for you"),
    "table.started": ("tableStarted", "A game begins"),
    "table.finished": ("tableFinished", "A game is over"),
    "table.closed": ("tableClosed", "A table will not be played"),
    "table.changed": ("tableChanged", "A table's log has grown"),
}
_HEADERS: Final = (
    ("webhook-id", {"type": "string"}, "The same in every attempt: do what it tells once."),
    ("webhook-timestamp", {"type": "integer"}, "When this attempt was made, in seconds since 1970."),
    (
        "webhook-signature",
        {"type": "string"},
        "`v1,` and the HMAC-SHA256 in Base64 of id, timestamp and body, joined by full stops; its key is the"
        " bytes for which the Base64 after `whsec_` stands. Several, with spaces between them, while a secret"
        " is replaced: one that is right is enough.",
    ),
)
_GONE: Final = {"description": "The endpoint is gone: it is switched off, and told nothing any more."}


def webhooks() -> dict[str, Any]:
    """Return the ``webhooks`` of the document."""
    told = {name: _of_table(name) for name in WEBHOOK_TYPES}
    taken = {
        "description": "The endpoint takes webhooks of its owner.",
        "content": _content(WebhookChallengeReply, {"challenge": _CHALLENGE}),
    }
    question = {"type": "endpoint.challenge", "timestamp": samples.NOW, "data": {"challenge": _CHALLENGE}}
    told["endpoint.challenge"] = _post(
        "endpointChallenge",
        "An endpoint is asked whose it is",
        "Sent when an endpoint is created, moved or switched on again, and tried again like all others. It"
        " is told nothing else until an answer of 200 has sent the `challenge` back, as JSON, at its top.",
        _content(WebhookChallenge, question),
        {"200": taken, "410": _GONE},
    )
    return told


def components() -> dict[str, Any]:
    """Return the schemas of the bodies, by name, as msgspec tells them."""
    from tables.api.schema import REF, tidy

    _, found = msgspec.json.schema_components(RECORDS, ref_template=REF)
    return {name: tidy(schema, is_answer=True) for name, schema in found.items()}


def _of_table(name: str) -> dict[str, Any]:
    id_, summary = _NAMES[name]
    data = {"table_id": samples.TABLE, "position": 12}
    return _post(
        id_,
        summary,
        f"Sent to endpoints that follow `{name}`. Those of a table come one after another, by position; any"
        " status of 200 to 299 within ten seconds takes it. Everything else is tried again, after 5 s, then"
        " 5 and 30 minutes, then 2, 5, 10, 14, 20 and 24 hours, or up to a fifth more.",
        _content(WebhookBody, {"type": name, "timestamp": samples.NOW, "data": data}),
        {"204": {"description": "It is taken; so is any other status of 200 to 299."}, "410": _GONE},
    )


def _post(
    id_: str, summary: str, description: str, content: dict[str, Any], responses: dict[str, Any]
) -> dict[str, Any]:
    return {
        "post": {
            "operationId": id_,
            "summary": summary,
            "description": description,
            "tags": [TAG],
            "x-since": 1,
            "security": [],
            "parameters": [
                {"in": "header", "name": name, "required": True, "schema": schema, "description": text}
                for name, schema, text in _HEADERS
            ],
            "requestBody": {"required": True, "content": content},
            "responses": responses,
        }
    }


def _content(record: type, example: dict[str, Any]) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{record.__name__}"}
    return {rendering.JSON: {"schema": schema, "examples": {record.__name__: {"value": example}}}}
