"""What the live process serves so far: that it is there, and its database too.

Its views are asynchronous, so the document speaks of them by hand.
"""

from __future__ import annotations

from typing import Any, Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse

from tables import queries
from tables.api import problems, rendering, samples
from tables.errors import Busy

STATUS_PATH: Final = "/v1/live/status"
SERVERS: Final = [{"url": "http://127.0.0.1:8001", "description": "The live process of `make up`."}]


async def status(request: HttpRequest) -> HttpResponse:
    """Answer anybody with the server's status, from the live process."""
    if request.method not in ("GET", "HEAD"):
        return problems.respond(request, "method_not_allowed", 405, headers={"Allow": "GET, HEAD"})
    try:
        told = await sync_to_async(queries.status)()
    except problems.UNREACHABLE:
        return problems.respond(request, Busy.code, Busy.status)
    return rendering.answer(told, headers={"Cache-Control": "no-store"})


def _header(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"schema": schema, "required": True, "description": description}


_ID = {"X-Request-Id": _header({"type": "string"}, "For reports.")}
_RETRY = {"Retry-After": _header({"type": "integer", "minimum": 1}, "Seconds to wait.")}
STATUS_DOCUMENT: dict[str, dict[str, Any]] = {
    "get": {
        "operationId": "getLiveStatus",
        "summary": "Look whether the live process is there",
        "description": "As `GET /v1/status`, from the process that serves everything that waits.",
        "tags": ["server"],
        "x-since": 1,
        "security": [],
        "responses": {
            "200": {
                "description": "The process is there.",
                "headers": _ID,
                "content": {
                    rendering.JSON: {
                        "schema": {"$ref": "#/components/schemas/StatusAnswer"},
                        "examples": {"getLiveStatus": {"value": samples.STATUS}},
                    }
                },
            },
            "400": {
                "description": "The request is malformed. Codes: `bad_request`.",
                "x-codes": ["bad_request"],
                "headers": _ID,
                "content": {
                    rendering.PROBLEM: {
                        "schema": {"$ref": "#/components/schemas/Problem"},
                        "examples": {
                            "bad_request": {"value": samples.problem("bad_request", 400, STATUS_PATH)}
                        },
                    }
                },
            },
            "503": {
                "description": f"The database does not answer. Codes: `{Busy.code}`.",
                "x-codes": [Busy.code],
                "headers": {**_ID, **_RETRY},
                "content": {
                    rendering.PROBLEM: {
                        "schema": {"$ref": "#/components/schemas/Problem"},
                        "examples": {Busy.code: {"value": samples.problem(Busy.code, 503, STATUS_PATH)}},
                    }
                },
            },
        },
    }
}
