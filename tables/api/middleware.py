"""Headers that every answer carries, and the answer to a browser that asks first (CORS)."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from tables.api import problems

EXPOSED = (
    "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Deprecation, Sunset, "
    "Idempotency-Replayed, X-Request-Id, Content-Language"
)
_ALWAYS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Accept-Language, Idempotency-Key, If-None-Match, Last-Event-ID"
    ),
    "Access-Control-Max-Age": "600",
}

Next = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def api_headers(get_response: Next) -> Next:
    """Wrap every request, in the API's processes and in the live one."""
    if iscoroutinefunction(get_response):

        async def live(request: HttpRequest) -> HttpResponseBase:
            return _preflight(request) or _finished(request, await get_response(request))

        return live

    def plain(request: HttpRequest) -> HttpResponseBase:
        response = _preflight(request) or get_response(request)
        return _finished(request, response)  # type: ignore[arg-type]

    return plain


def _preflight(request: HttpRequest) -> HttpResponseBase | None:
    """Give the request its id; return the answer where no view is needed: a strange host, a preflight."""
    request.request_id = secrets.token_hex(8)  # type: ignore[attr-defined]
    try:
        request.get_host()
    except DisallowedHost as error:
        return _finished(request, problems.bad_request(request, error))
    if request.method != "OPTIONS" or "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.META:
        return None
    return _finished(request, HttpResponse(status=204, headers=_PREFLIGHT))


def _finished(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    for name, value in _ALWAYS.items():
        response.headers.setdefault(name, value)
    response.headers["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
    return response
