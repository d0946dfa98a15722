"""OAuth 2 beside the API: the page on which a player lets an application in, and what applications post.

The page takes name and password each time and keeps nobody signed in; its one cookie guards the form.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping

import msgspec
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.request import Request

from tables import wording
from tables.api import problems, rendering, throttling
from tables.api.base import address_of
from tables.api.throttling import TooManyRequests
from tables.errors import BadCredentials
from tables.notices import writing
from tables.oauth import consenting
from tables.oauth.consenting import Answer, Fatal, Sent, Wish
from tables.oauth.words import allowed, worded


@require_safe
def metadata(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return where everything is (RFC 8414)."""
    return rendering.answer(consenting.metadata(), headers={"Cache-Control": "public, max-age=3600"})


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask a player whether an application may act for it, and do so, or not."""
    try:
        return _answer(request, consenting.wish(request.GET))
    except Fatal:
        return _sorry(request, "bad", 400)
    except Sent as refused:
        return _sent(refused.location)


def expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    """Answer a form that does not come from the page, or not with its cookie."""
    return _sorry(request, "expired", 403)


@csrf_exempt
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """Give an application tokens for a code or a refresh token."""
    return _posted(request, consenting.tokens)


@csrf_exempt
@require_POST
def revoke(request: HttpRequest) -> HttpResponse:
    """End what an application may do (RFC 7009)."""
    return _posted(request, consenting.revoke)


def _answer(request: HttpRequest, wanted: Wish) -> HttpResponse:
    """Show the page, or do what its form says."""
    if request.method != "POST":
        return _ask(request, wanted)
    if request.POST.get("decision") != "allow":
        return _sent(consenting.deny(wanted))
    name, password = (request.POST.get(each, "")[:200].replace("\0", "") for each in ("name", "password"))
    try:
        throttling.spend(throttling.SIGN_IN_ADDRESS, address_of(Request(request)))
        throttling.spend_attempt(name, address_of(Request(request)))
        return _sent(consenting.allow(wanted, name, password))
    except BadCredentials:
        return _ask(request, wanted, status=403, error=worded("wrong", _locale(request)))
    except TooManyRequests as spent:
        text = worded("too_many", _locale(request), seconds=spent.wait)
        return _ask(request, wanted, status=429, error=text, headers=spent.headers)


def _posted(request: HttpRequest, answer: Callable[[QueryDict], Answer]) -> HttpResponse:
    try:
        throttling.spend(throttling.TOKENS, address_of(Request(request)))
        headers, body, status = answer(request.POST)
    except TooManyRequests as spent:
        return problems.respond(request, spent.code, spent.status, headers=spent.headers, facts=spent.facts)
    except problems.UNREACHABLE:
        body = msgspec.json.encode({"error": "temporarily_unavailable"}).decode()
        return HttpResponse(body, status=503, content_type=rendering.JSON, headers={"Retry-After": "1"})
    return HttpResponse(
        body, status=status, headers={"Content-Type": rendering.JSON, "Cache-Control": "no-store", **headers}
    )


def _sent(location: str) -> HttpResponse:
    """Send the browser to an application, which may be one on the same device."""
    return HttpResponse(status=303, headers={"Location": location, "Cache-Control": "no-store"})


def _ask(
    request: HttpRequest,
    wanted: Wish,
    *,
    status: int = 200,
    error: str = "",
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    locale = _locale(request)
    named = {"application": wanted.application, "site": writing.site(), "target": wanted.target}
    texts = ("title", "asks", "goes_to", "name", "password", "allow", "deny")
    content = {
        **{each: worded(each, locale, **named) for each in texts},
        "scopes": allowed(wanted.scopes, locale),
        "error": error,
        "typed": request.POST.get("name", ""),
    }
    return _page(request, content, status, headers or {}, f"'self' {wanted.source}")


def _sorry(request: HttpRequest, name: str, status: int) -> HttpResponse:
    """Return a page that says what is wrong, and leads nowhere."""
    locale = _locale(request)
    content = {
        "title": worded(f"{name}_title", locale),
        "asks": worded(name, locale, site=writing.site()),
    }
    return _page(request, content, status, {}, "'none'")


def _page(
    request: HttpRequest,
    content: Mapping[str, object],
    status: int,
    headers: Mapping[str, str],
    leads_to: str,
) -> HttpResponse:
    """Return a page; ``leads_to`` is where its form may, and what answers the form may redirect to."""
    nonce, locale = secrets.token_urlsafe(16), _locale(request)
    body = render_to_string("oauth/authorize.html", {**content, "nonce": nonce, "locale": locale}, request)
    told = {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'nonce-{nonce}'; form-action {leads_to};"
            " frame-ancestors 'none'; base-uri 'none'"
        ),
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",  # with none, browsers would not say where the form comes from
        "Cache-Control": "no-store",
        "Content-Language": locale,
        **headers,
    }
    return HttpResponse(body, status=status, headers=told)


def _locale(request: HttpRequest) -> str:
    return wording.language(request.META.get("HTTP_ACCEPT_LANGUAGE"), None)
