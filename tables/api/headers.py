"""The headers and path parameters of the document, each said once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

HEADER: Final = OpenApiParameter.HEADER
TEXT: dict[str, Any] = {"type": "string"}


def _path(name: str, schema: Any, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.PATH, required=True, description=description)


PATH = {
    "table_id": _path("table_id", OpenApiTypes.UUID, "The table."),
    "token_id": _path("token_id", OpenApiTypes.UUID, "The token."),
    "endpoint_id": _path("endpoint_id", OpenApiTypes.UUID, "The endpoint."),
    "delivery_id": _path("delivery_id", OpenApiTypes.UUID, "The delivery."),
    "game": _path("game", TEXT, "The game, an `id` of the catalogue."),
    "position": _path(
        "position", {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}, "The message, by its position."
    ),
    "player": _path("player", TEXT, "A player's name, in any case, or id."),
    "name": _path("name", TEXT, "One of the game's `schemas`."),
    "vacation_id": _path("vacation_id", OpenApiTypes.UUID, "The vacation."),
    "seat": _path("seat", {"type": "integer", "minimum": 0, "maximum": 19}, "The seat, from 0."),
    "vote": _path(
        "vote",
        {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
        "The `vote` of the view, by its number.",
    ),
}

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": "^[A-Za-z0-9_:.-]+$", "minLength": 1, "maxLength": 255},
    HEADER,
    description=(
        "A word of the client's own that makes it safe to send the request again: a repeat gets the first"
        " answer with `Idempotency-Replayed: true`; another request with the same key is refused (422)."
        " What is kept is a success, and a move that the rules refused; after any other refusal a repeat is"
        " tried anew. It counts for the account, method and path, for at least 24 hours. Quotes around it are"
        " ignored."
    ),
)
GUEST_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": "^[A-Za-z0-9_:.-]+$", "minLength": 32, "maxLength": 255},
    HEADER,
    description=(
        "A random word of the client's own, such as a UUID, that makes it safe to send the request again: a"
        " repeat gets the same guest and token. It counts for the whole server, as a guest is nobody yet:"
        " whoever knows the key gets them too."
    ),
)
SIGN_UP_KEY = OpenApiParameter(
    IDEMPOTENCY_KEY.name,
    IDEMPOTENCY_KEY.type,
    HEADER,
    description=(
        "A word of the client's own that makes it safe to send the request again: a repeat with the same name"
        " and password gets the same token with `Idempotency-Replayed: true`. It counts for the account, so"
        " with another name it makes another account."
    ),
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", TEXT, HEADER, description="The `ETag` of the answer that the client holds."
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    TEXT,
    HEADER,
    description="The `ETag` of what the client has read: if that has changed, nothing is done (412).",
)
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID", TEXT, HEADER, description="The last `id` that the client has got; `after` wins."
)
ACCEPT_LANGUAGE = OpenApiParameter(
    "Accept-Language", TEXT, HEADER, description="`en` or `es`; the player's own language when left out."
)

ETAG = OpenApiParameter(
    "ETag", TEXT, HEADER, required=True, response=[200, 304], description="Weak; for `If-None-Match`."
)
CACHE_CONTROL = OpenApiParameter(
    "Cache-Control", TEXT, HEADER, required=True, response=[200, 304], description="`private, no-cache`."
)
VARY = OpenApiParameter(
    "Vary", TEXT, HEADER, required=True, response=[200, 304], description="`Authorization, Accept-Language`."
)
CONTENT_LANGUAGE = OpenApiParameter(
    "Content-Language", TEXT, HEADER, required=True, response=[200, 304], description="`en` or `es`."
)
LOCATION = OpenApiParameter(
    "Location", TEXT, HEADER, required=True, response=[201], description="Where to look at what was made."
)
LINK = OpenApiParameter(
    "Link",
    TEXT,
    HEADER,
    response=[200],
    description='The pages beside this one, `rel="next"` and `rel="prev"`, where there are any (RFC 8288).',
)
_OF_PROBLEMS: Final[tuple[tuple[str, dict[str, Any], frozenset[int], str], ...]] = (
    ("WWW-Authenticate", TEXT, frozenset({401}), "`Bearer`."),
    ("Retry-After", {"type": "integer", "minimum": 1}, frozenset({429, 503}), "Seconds to wait."),
    ("RateLimit", TEXT, frozenset({429}), 'What is left, and for how many seconds: `"commands";r=0;t=42`.'),
    ("RateLimit-Policy", TEXT, frozenset({429}), 'The quota, in so many seconds: `"commands";q=30;w=60`.'),
)


def replayed(statuses: Sequence[int]) -> OpenApiParameter:
    """Return the header that marks the repeat of an earlier answer."""
    return OpenApiParameter(
        "Idempotency-Replayed",
        TEXT,
        HEADER,
        response=list(statuses),
        description="`true` when an earlier request did it.",
    )


def request_id(statuses: Sequence[int]) -> OpenApiParameter:
    """Return the header that every answer has."""
    return OpenApiParameter(
        "X-Request-Id", TEXT, HEADER, required=True, response=list(statuses), description="For reports."
    )


def of_problems(statuses: Sequence[int]) -> list[OpenApiParameter]:
    """Return the headers of problem answers."""
    return [
        OpenApiParameter(name, schema, HEADER, required=True, response=sorted(found), description=description)
        for name, schema, of, description in _OF_PROBLEMS
        if (found := of.intersection(statuses))
    ]
