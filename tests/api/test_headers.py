"""Every header of every kind of answer: none comes or goes unnoticed."""

from __future__ import annotations

import re
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tables.api import throttling
from tables.api.schema import Operation
from tests.api.callers import person
from tests.api.contract import Api, committed, in_process

EXPOSED = (
    "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset,"
    " Idempotency-Replayed, X-Request-Id, Content-Language"
)
ALWAYS = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": EXPOSED,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": "<id>",
}
JSON = {"content-type": "application/json"}
READ = {"allow": "GET, HEAD, OPTIONS"}
PROBLEM = {
    "content-type": "application/problem+json",
    "content-language": "en",
    "cache-control": "no-store",
    "vary": "Authorization, Accept-Language",
}
KEPT = {
    "cache-control": "private, no-cache",
    "etag": "<tag>",
    "vary": "Authorization, Accept-Language",
}
GOING = {
    "deprecation": "@1796083200",
    "sunset": "Fri, 01 Dec 2028 00:00:00 GMT",
    "link": (
        '</v1/status>; rel="successor-version", </docs/guides/errors>; rel="deprecation"; type="text/html",'
        ' </docs/guides/errors>; rel="sunset"; type="text/html"'
    ),
}
MASKS = (
    ("x-request-id", r"[0-9a-f]{16}", "<id>"),
    ("etag", r'W/"[0-9a-f]{24}"', "<tag>"),
    ("location", r"[0-9a-f]{8}-[0-9a-f-]{27}", "<uuid>"),
    ("retry-after", r"\d+", "<s>"),
    ("ratelimit", r"t=\d+", "t=<s>"),
)


def headers_of(api: Api, method: str, path: str, **sent: Any) -> tuple[int, dict[str, str]]:
    """Return status and headers of an answer, what differs each time masked; its length left out."""
    answer = api.send(method, path, **sent)
    found = {name.lower(): value for name, value in answer.headers.items() if name != "content-length"}
    for name, pattern, mask in MASKS:
        if name in found:
            found[name] = re.sub(pattern, mask, found[name])
    return answer.status_code, found


def test_what_is_read() -> None:
    api = person().api
    tag = api.get("/v1/me").headers["ETag"]

    kept = {**ALWAYS, **KEPT, "allow": "GET, PATCH, DELETE, HEAD, OPTIONS"}
    assert headers_of(api, "GET", "/v1/me") == (200, {**kept, **JSON})
    assert headers_of(api, "GET", "/v1/me", headers={"If-None-Match": tag}) == (304, kept)
    localised = {**ALWAYS, **JSON, **KEPT, **READ, "content-language": "en"}
    assert headers_of(api, "GET", "/v1/games") == (200, localised)


def test_what_is_done() -> None:
    api, key = person().api, {"Idempotency-Key": "one"}
    made = {
        **ALWAYS,
        **JSON,
        "allow": "GET, POST, HEAD, OPTIONS",
        "cache-control": "no-store",
        "location": "/v1/me/tokens/<uuid>",
    }
    again = {**made, "idempotency-replayed": "true"}

    for expected in (made, again):
        assert headers_of(api, "POST", "/v1/me/tokens", body={"label": "x"}, headers=key) == (201, expected)
    gone = {**ALWAYS, "allow": "POST, DELETE, OPTIONS", "content-type": "text/html; charset=utf-8"}
    assert headers_of(api, "DELETE", "/v1/sessions") == (204, gone)


@pytest.mark.parametrize(
    ("method", "path", "status", "more"),
    [
        ("GET", "/v1/keys/x", 404, {}),
        ("GET", "/v1/me/tokens", 401, {"www-authenticate": "Bearer", "allow": "GET, POST, HEAD, OPTIONS"}),
        ("GET", "/v1/nowhere", 404, {}),
        ("PUT", "/v1/status", 405, READ),
    ],
)
def test_what_is_refused(method: str, path: str, status: int, more: dict[str, str]) -> None:
    assert headers_of(in_process(), method, path) == (status, {**ALWAYS, **PROBLEM, **more})


def test_what_is_too_much(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.THROTTLES = True
    monkeypatch.setattr(throttling, "READS", throttling.Limit("reads", 0, 60))
    told = {
        **READ,
        "retry-after": "<s>",
        "ratelimit": '"reads";r=0;t=<s>',
        "ratelimit-policy": '"reads";q=0;w=60',
    }

    assert headers_of(in_process(), "GET", "/v1/status") == (429, {**ALWAYS, **PROBLEM, **told})


def test_what_a_browser_asks_first() -> None:
    asked = {
        "Origin": "https://client.example.org",
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization",
    }
    told = {
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": (
            "Authorization, Content-Type, Accept-Language, Idempotency-Key, If-Match, If-None-Match,"
            " Last-Event-ID"
        ),
        "access-control-max-age": "600",
        "content-type": "text/html; charset=utf-8",
    }

    assert headers_of(in_process(), "OPTIONS", "/v1/me", headers=asked) == (204, {**ALWAYS, **told})


# --- What is to go ----------------------------------------------------------------------------------------


def test_an_operation_that_is_to_go_says_so_in_each_answer() -> None:
    """RFC 9745, RFC 8594."""
    told = {**ALWAYS, **JSON, **READ, **GOING, "cache-control": "no-store"}
    refused = {**ALWAYS, **PROBLEM, **READ, **GOING, "www-authenticate": "Bearer"}

    assert headers_of(in_process(), "GET", "/v1/time") == (200, told)
    assert headers_of(in_process(token="wrong"), "GET", "/v1/time") == (401, refused)


def test_what_the_document_calls_deprecated_stays_for_a_year() -> None:
    found = [
        (method, path)
        for path, operations in committed().content["paths"].items()
        for method, operation in operations.items()
        if operation.get("deprecated")
    ]
    assert found
    for method, path in found:
        headers = in_process().send(method.upper(), path).headers
        sunset = parsedate_to_datetime(headers["Sunset"]).timestamp()
        assert sunset - int(headers["Deprecation"].removeprefix("@")) >= timedelta(days=365).total_seconds()


def test_no_other_operation_says_that_it_goes() -> None:
    assert Operation(id="x", tag="x", summary="x", description="x", answers={}).deprecation is None
    assert "Deprecation" not in in_process().get("/v1/status").headers
