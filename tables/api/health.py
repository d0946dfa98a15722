"""The doors for operators: ``/health/live``, ``/health/ready``, ``/health/deep`` and ``/metrics``.

They stand before host names and redirects, for who probes a process knows its address and no name, and
outside the document, for they are no part of what clients are promised.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from inspect import iscoroutinefunction
from ipaddress import ip_address

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from tables.api import problems, rendering
from tables.operations import health, metrics
from tables.operations.health import Health

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_OF_PROXIES = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_FORWARDED")

Next = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]
Door = Callable[[], HttpResponse]


@sync_and_async_middleware
def doors(get_response: Next) -> Next:
    """Answer operators; pass everything else on, in the API's processes and in the live one."""
    if iscoroutinefunction(get_response):

        async def live(request: HttpRequest) -> HttpResponseBase:
            if (door := _door(request)) is None:
                return await get_response(request)  # type: ignore[no-any-return]
            return await sync_to_async(door, thread_sensitive=False)()

        return live

    def plain(request: HttpRequest) -> HttpResponseBase:
        door = _door(request)
        return get_response(request) if door is None else door()  # type: ignore[return-value]

    return plain


def _door(request: HttpRequest) -> Door | None:
    """Return what answers a request of an operator; None where nothing here does."""
    path = request.path_info
    if path in _LOOKS:
        door: Door = partial(_health, _LOOKS[path])
    elif path == "/metrics" and _may_measure(request):
        door = partial(_metrics, request.META.get("HTTP_ACCEPT", ""))
    else:
        return None
    if request.method not in ("GET", "HEAD"):
        return partial(problems.respond, request, "method_not_allowed", 405, headers={"Allow": "GET, HEAD"})
    return door


def _health(look: Callable[[], Health]) -> HttpResponse:
    found = look()
    return rendering.answer(found, 200 if found.is_ok else 503, _HEADERS)


def _metrics(accept: str) -> HttpResponse:
    text, content_type = metrics.exposition(accept)
    return HttpResponse(text, content_type=content_type, headers=_HEADERS)


def _may_measure(request: HttpRequest) -> bool:
    """Tell whether a request comes from this machine itself, past no proxy, or brings the token."""
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    if any(name in request.META for name in _OF_PROXIES):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


_LOOKS: dict[str, Callable[[], Health]] = {
    "/health/live": health.live,
    "/health/ready": health.ready,
    "/health/deep": health.deep,
}
