"""What the live process serves so far: that it is there.

Its views are asynchronous, so the document speaks of them by hand.
"""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse

from tables import queries
from tables.api import problems, rendering, samples

STATUS_PATH = "/v1/live/status"
_ID = {"X-Request-Id": {"schema": {"type": "string"}, "required": True, "description": "For reports."}}


async def status(request: HttpRequest) -> HttpResponse:
    """Answer with the server's status, from the live process."""
    if request.method not in ("GET", "HEAD"):
        return problems.respond(request, "method_not_allowed", 405, headers={"Allow": "GET, HEAD"})
    told = await sync_to_async(queries.status)()
    return rendering.answer(told, headers={"Cache-Control": "no-store"})


def _problem(code: str, status: int, description: str, **headers: object) -> dict[str, object]:
    return {
        "description": description,
        "headers": {**_ID, **headers},
        "content": {
            "application/problem+json": {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {code: {"value": samples.problem(code, status, STATUS_PATH)}},
            }
        },
    }


_RETRY = {
    "schema": {"type": "integer", "minimum": 1},
    "required": True,
    "description": "Seconds to wait.",
}
_TEXT = {"schema": {"type": "string"}, "required": True, "description": "See the guide."}
STATUS_DOCUMENT: dict[str, dict[str, object]] = {
    "get": {
        "operationId": "getLiveStatus",
        "summary": "Look whether the live process is there",
        "description": "As `GET /v1/status`, from the process that serves everything that waits.",
        "tags": ["server"],
        "security": [{"bearerAuth": []}, {}],
        "servers": [{"url": "http://127.0.0.1:8001", "description": "The live process of `make up`."}],
        "responses": {
            "200": {
                "description": "The process is there.",
                "headers": _ID,
                "content": {
                    "application/json": {
                        "schema": {"$ref": "#/components/schemas/StatusAnswer"},
                        "examples": {"getLiveStatus": {"value": samples.STATUS}},
                    }
                },
            },
            "401": _problem(
                "unauthenticated", 401, "There is no valid token.", **{"WWW-Authenticate": _TEXT}
            ),
            "429": _problem(
                "rate_limited",
                429,
                "Too many requests.",
                **{"Retry-After": _RETRY, "RateLimit": _TEXT, "RateLimit-Policy": _TEXT},
            ),
            "503": _problem("busy", 503, "The database does not answer.", **{"Retry-After": _RETRY}),
        },
    }
}
