"""Records to bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from rest_framework.renderers import BaseRenderer

JSON = "application/json"
PROBLEM = "application/problem+json"
HTML = "text/html"
CSV = "text/csv"

encode = msgspec.json.Encoder().encode


class JsonRenderer(BaseRenderer):
    """JSON, the only form of an answer."""

    media_type = JSON
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:  # noqa: ARG002
        """Return ``data`` in JSON; None is no body."""
        return b"" if data is None else encode(data)


class HtmlRenderer(JsonRenderer):
    """A page; what goes wrong is told in JSON all the same."""

    media_type = HTML
    format = "html"


class CsvRenderer(JsonRenderer):
    """A sheet; what goes wrong is told in JSON all the same."""

    media_type = CSV
    format = "csv"


def answer(record: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return a record as an answer."""
    return HttpResponse(encode(record), status=status, content_type=JSON, headers=headers)


def tag_of(data: bytes) -> str:
    """Return a weak entity tag for what ``data`` says."""
    return f'W/"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'


def matches(request: HttpRequest, tag: str) -> bool:
    """Tell whether the caller has what ``tag`` stands for (weak comparison, RFC 9110 13.1.2)."""
    held = request.META.get("HTTP_IF_NONE_MATCH")
    return held is not None and names(held, tag)


def names(held: str, tag: str) -> bool:
    """Tell whether a list of tags has ``tag``, weak or not: proxies that compress weaken them."""
    return held.strip() == "*" or tag.removeprefix("W/") in (
        each.strip().removeprefix("W/") for each in held.split(",")
    )


def conditional(
    request: HttpRequest, record: Any, *, tag: str | None = None, language: str | None = None
) -> HttpResponse:
    """Return a record that a cache may keep, or 304 when the caller holds it already.

    ``tag`` is made from the record when left out; ``language`` is that of its texts.
    """
    body = encode(record)
    tag = tag or tag_of(body)
    if matches(request, tag):
        return not_modified(tag, language)
    return HttpResponse(body, content_type=JSON, headers=_kept(tag, language))


def page(request: HttpRequest, record: Any, *, language: str | None = None) -> HttpResponse:
    """Return a page as ``conditional`` does, with links to the pages beside it (RFC 8288)."""
    response = conditional(request, record, language=language)
    links = []
    for cursor, name in ((record.next_cursor, "next"), (record.previous_cursor, "prev")):
        if cursor is not None and response.status_code == 200:
            asked = request.GET.copy()
            asked["cursor"] = cursor
            links.append(f'<{request.path}?{asked.urlencode()}>; rel="{name}"')
    if links:
        response.headers["Link"] = ", ".join(links)
    return response


def conditional_text(
    request: HttpRequest, text: str, media_type: str, *, language: str, headers: Mapping[str, str]
) -> HttpResponse:
    """Return a text that a cache may keep, or 304 when the caller holds it already."""
    body = text.encode()
    tag = tag_of(body)
    if matches(request, tag):
        return not_modified(tag, language)
    return HttpResponse(
        body, content_type=f"{media_type}; charset=utf-8", headers={**_kept(tag, language), **headers}
    )


def not_modified(tag: str, language: str | None = None) -> HttpResponse:
    """Return 304 with the tag that matched."""
    response = HttpResponse(status=304, headers=_kept(tag, language))
    del response["Content-Type"]
    return response


def _kept(tag: str, language: str | None) -> dict[str, str]:
    headers = {
        "ETag": tag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept-Language",
    }
    return {**headers, "Content-Language": language} if language else headers
