"""What every request gets: an id, headers, a measure, and the answer to a browser that asks first (CORS)."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from inspect import iscoroutinefunction

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from tables.api import problems
from tables.operations import logs, metrics

logger = logging.getLogger(__name__)

MOST_DROPPED = 2**20
DROPPED_AT_ONCE = 2**16

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
    "X-Frame-Options": "DENY",
}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Accept-Language, Idempotency-Key, If-Match, If-None-Match,"
        " Last-Event-ID"
    ),
    "Access-Control-Max-Age": "600",
}

Next = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def api_headers(get_response: Next) -> Next:
    """Wrap every request, in the API's processes and in the live one."""
    if iscoroutinefunction(get_response):

        async def live(request: HttpRequest) -> HttpResponseBase:
            with _watched(request) as done:
                return done(_preflight(request) or await get_response(request))

        return live

    def plain(request: HttpRequest) -> HttpResponseBase:
        with _watched(request) as done:
            response = done(_preflight(request) or get_response(request))  # type: ignore[arg-type]
            _hear_out(request)
            return response

    return plain


def _hear_out(request: HttpRequest) -> None:
    """Read what is left of the body, up to a limit: an answer before its end may cut the connection off.

    Servers may close a connection on which a request was not read in full (RFC 9112, section 9.3), and
    whoever is still sending, or sends the next request on it, would find no answer.
    """
    stream = request.META.get("wsgi.input")
    if stream is None or not (request.META.get("CONTENT_LENGTH") or "HTTP_TRANSFER_ENCODING" in request.META):
        return
    with suppress(OSError):
        for _ in range(MOST_DROPPED // DROPPED_AT_ONCE):
            if not stream.read(DROPPED_AT_ONCE):
                return


@contextmanager
def _watched(request: HttpRequest) -> Iterator[Callable[[HttpResponseBase], HttpResponseBase]]:
    """Give the request its id, in the log too; give what finishes its answer, measures and tells it."""
    began = time.perf_counter()
    request.request_id = secrets.token_hex(8)  # type: ignore[attr-defined]

    def done(response: HttpResponseBase) -> HttpResponseBase:
        seconds, status, route = time.perf_counter() - began, response.status_code, logs.route_of(request)
        metrics.answered(request.method, route, status, seconds)
        level = logging.INFO if status < 500 else logging.WARNING
        if logger.isEnabledFor(level):
            method = request.method if request.method in metrics.METHODS else "other"
            told = {"request": request}
            logger.log(level, "%s %s %d in %.0f ms", method, route, status, seconds * 1000, extra=told)
        return _finished(request, response)

    with logs.about(request_id=request.request_id):  # type: ignore[attr-defined]
        yield done


def _preflight(request: HttpRequest) -> HttpResponseBase | None:
    """Return the answer where no view is needed: a strange host, a preflight."""
    try:
        request.get_host()
    except DisallowedHost as error:
        return problems.bad_request(request, error)
    if request.method != "OPTIONS" or "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.META:
        return None
    return HttpResponse(status=204, headers=_PREFLIGHT)


def _finished(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    for name, value in _ALWAYS.items():
        response.headers.setdefault(name, value)
    response.headers["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
    return response
