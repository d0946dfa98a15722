"""What the API takes and answers of webhooks, and what receivers are sent."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from tables.shapes.fields import Answer, Moment, Request, Uuid, known

_Types = Literal["turn.awaited", "table.started", "table.finished", "table.closed", "table.changed"]
WEBHOOK_TYPES: tuple[str, ...] = get_args(_Types)
_FOLLOWED = (
    "What the endpoint follows at the caller's tables: `turn.awaited`, the table waits for a move of the"
    " caller's, once a turn; `table.started`; `table.finished`; `table.closed`, it will not be played;"
    " `table.changed`, its log has grown, once for all events that were appended together. When left"
    " out: all but `table.changed`."
)
_DEFAULT: tuple[_Types, ...] = ("turn.awaited", "table.started", "table.finished", "table.closed")
TypeChoices = Annotated[
    list[Annotated[_Types, Meta(description="A type of webhook.")]],
    Meta(min_length=1, max_length=10, description=_FOLLOWED),
]
Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=500,
        description=(
            "An `https` URL with the name of a host, on port 443 or 8443, without user and fragment. Every"
            " address of the name must be public. A server for development also takes `http` to its own"
            " machine."
        ),
    ),
]
EndpointLabel = Annotated[str, Meta(max_length=80, description="What the endpoint is for.")]
WebhookType = Annotated[str, known("What it tells.", *WEBHOOK_TYPES, "endpoint.challenge")]


class NewWebhookEndpoint(Request):
    """Where webhooks are to go."""

    url: Url
    types: TypeChoices = field(default_factory=lambda: list(_DEFAULT))
    label: EndpointLabel = ""


class WebhookEndpointChange(Request):
    """What is to be changed of an endpoint; what is left out stays."""

    url: Url | UnsetType = UNSET
    types: TypeChoices | UnsetType = UNSET
    label: EndpointLabel | UnsetType = UNSET
    enabled: (
        Annotated[
            bool,
            Meta(
                description=(
                    "`false` switches it off; `true` has an endpoint that is off asked again whose it is."
                )
            ),
        ]
        | UnsetType
    ) = UNSET


class WebhookEndpointAnswer(Answer):
    """Where webhooks go."""

    id: Uuid
    label: EndpointLabel
    url: str
    types: Annotated[list[str], Meta(description="What the endpoint follows.")]
    status: Annotated[
        str,
        known(
            "`unverified`: it has not sent the challenge back yet, and is told nothing else; `active`;"
            " `disabled`: it is told nothing.",
            "unverified",
            "active",
            "disabled",
        ),
    ]
    reason: Annotated[
        str | None,
        Meta(
            description="Why it is disabled: by its `owner`, `gone` (410), or `failing` for 5 days.",
            extra_json_schema={"x-known-values": ["owner", "gone", "failing"]},
        ),
    ]
    failing_since: Annotated[Moment | None, Meta(description="Since when every attempt has failed.")]
    old_secret_until: Annotated[
        Moment | None, Meta(description="Until when the secret before this one signs too, or did.")
    ]
    created_at: Moment


class WebhookEndpointList(Answer):
    """The caller's endpoints, the oldest first."""

    items: list[WebhookEndpointAnswer]


class WebhookSecretAnswer(Answer):
    """An endpoint with its secret."""

    secret: Annotated[
        str,
        Meta(
            description="`whsec_` and 32 bytes in Base64, to verify signatures with. It is shown this once."
        ),
    ]
    endpoint: WebhookEndpointAnswer


class WebhookDeliveryAnswer(Answer):
    """A webhook that was sent, or is to be."""

    id: Annotated[Uuid, Meta(description="The `webhook-id` of every attempt.")]
    type: WebhookType
    table_id: Annotated[Uuid | None, Meta(description="The table; null for a challenge.")]
    position: Annotated[
        int | None, Meta(description="The position in the table's log; null for a challenge.")
    ]
    occurred_at: Moment
    status: Annotated[
        str,
        known(
            "`pending`: it waits; `delivered`; `failed`: it is not tried any more; `dropped`: its endpoint"
            " was switched off, or moved.",
            "pending",
            "delivered",
            "failed",
            "dropped",
        ),
    ]
    attempts: int
    attempted_at: Annotated[Moment | None, Meta(description="The last attempt.")]
    duration_ms: Annotated[int | None, Meta(description="How long it took.")]
    response_status: Annotated[int | None, Meta(description="The HTTP status of its answer.")]
    error: Annotated[
        str | None,
        Meta(
            description=(
                "Why it failed: `timeout`, `unreachable`, `tls`, `no_such_host`, `bad_address` (one that is"
                " not public), `redirect`, `bad_status`, `no_challenge` (the answer has none, or another)."
            ),
            extra_json_schema={
                "x-known-values": [
                    "timeout",
                    "unreachable",
                    "tls",
                    "no_such_host",
                    "bad_address",
                    "redirect",
                    "bad_status",
                    "no_challenge",
                ]
            },
        ),
    ]
    next_attempt_at: Annotated[Moment | None, Meta(description="When it is due, if it waits.")]


class WebhookDeliveryPage(Answer):
    """A page of deliveries, newest first."""

    items: list[WebhookDeliveryAnswer]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null at the end.")
    ]
    previous_cursor: Annotated[str | None, Meta(description="The page before; null at the beginning.")]


class WebhookData(Answer):
    """Where something has happened: `GET /v1/tables/{table_id}/events` and `…/view` tell what."""

    table_id: Uuid
    position: Annotated[int, Meta(ge=1, description="The position in the table's log.")]


class WebhookBody(Answer):
    """What a webhook tells: that something has happened, and where; never what was played."""

    type: WebhookType
    timestamp: Annotated[Moment, Meta(description="When it happened.")]
    data: WebhookData


class WebhookChallengeData(Answer):
    """What is to be sent back."""

    challenge: str


class WebhookChallenge(Answer):
    """The question whose an endpoint is."""

    type: WebhookType
    timestamp: Moment
    data: WebhookChallengeData


class WebhookChallengeReply(Answer):
    """The answer of an endpoint that takes webhooks of its owner."""

    challenge: Annotated[str, Meta(description="That of `data`.")]
