"""The client of the tests holds every answer against the document: what it does not know is no answer."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.api.contract import Document
from tests.tools import small

TABLE = {"id": "0197a3c2-5b1e-4d40-9c1f-2f6d8e4b7a10", "seats": [1], "host": {"player": "Ana"}}
PROBLEM = {"media": "application/problem+json", "headers": {}, "method": "GET", "path": "/v1/tables/a"}


def held(
    status: int,
    body: Any,
    *,
    media: str = "application/json",
    headers: dict[str, str] | None = None,
    method: str = "POST",
    path: str = "/v1/tables",
) -> None:
    """Hold an answer against the small document."""
    told = {"ETag": "a"} if headers is None else headers
    answer = httpx.Response(status, json=body, headers={**told, "Content-Type": media})
    Document(small.document()).check(method, path, answer)


def test_what_the_document_says_is_an_answer() -> None:
    held(201, TABLE)
    held(401, {"code": "unauthenticated"}, **PROBLEM)
    held(404, {"code": "not_found"}, media="application/problem+json", path="/v1/nowhere")


@pytest.mark.parametrize(
    ("status", "body", "further", "said"),
    [
        (202, TABLE, {}, "status not documented"),
        (201, TABLE, {"media": "text/html"}, "media type"),
        (201, TABLE, {"headers": {}}, "no header ETag"),
        (201, {**TABLE, "secret": 1}, {}, "'secret' was unexpected"),
        (201, {**TABLE, "host": {"player": "Ana", "secret": 1}}, {}, "host"),
        (201, {**TABLE, "seats": ["a"]}, {}, "is not of type 'integer'"),
        (201, {**TABLE, "id": "a"}, {}, "is not a 'uuid'"),
        (201, {"id": TABLE["id"]}, {}, "'seats' is a required property"),
        (401, {"code": "forbidden"}, PROBLEM, "code not documented"),
        (401, {"code": "unauthenticated", "secret": 1}, PROBLEM, "'secret' was unexpected"),
        (401, {"code": "unauthenticated"}, {**PROBLEM, "media": "application/json"}, "media type"),
        (200, {}, {"path": "/v1/nowhere"}, "no such operation"),
    ],
)
def test_what_it_does_not_say_is_none(status: int, body: Any, further: dict[str, Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        held(status, body, **further)
