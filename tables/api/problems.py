"""Every refusal and failure as a problem document (RFC 9457), never a traceback."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import psycopg
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions

from engines.base import Game
from engines.errors import RuleViolation
from events.errors import VersionConflict
from tables import catalogue, wording
from tables.api import rendering
from tables.api.scopes import EVERYTHING
from tables.errors import Busy, InsufficientScope, Misshapen, Refusal
from tables.shapes import FieldProblem, Problem
from tables.wanted import sentence

UNREACHABLE = (OperationalError, psycopg.OperationalError)
_BY_EXCEPTION: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, int], ...] = (
    (exceptions.NotAuthenticated, "unauthenticated", 401),
    (exceptions.AuthenticationFailed, "unauthenticated", 401),
    (exceptions.PermissionDenied, "forbidden", 403),
    (exceptions.NotFound, "not_found", 404),
    (Http404, "not_found", 404),
    (exceptions.MethodNotAllowed, "method_not_allowed", 405),
    (exceptions.NotAcceptable, "not_acceptable", 406),
    (exceptions.UnsupportedMediaType, "unsupported_media_type", 415),
    (VersionConflict, "version_conflict", 409),
    (UNREACHABLE, Busy.code, Busy.status),
)
_ALWAYS = {"Vary": "Authorization, Accept-Language", "Cache-Control": "no-store"}
_HEADERS: dict[int, dict[str, str]] = {
    401: {"WWW-Authenticate": "Bearer"},
    503: {"Retry-After": "1"},
}
_VALIDATION = (
    (re.compile(r"Object missing required field `(?P<field>[^`]+)`"), "missing_field"),
    (re.compile(r"Object contains unknown field `(?P<field>.*)`", re.DOTALL), "unknown_field"),
    (re.compile(r"Invalid (?:enum )?value (?P<wanted>)"), "unknown_value"),
    (re.compile(r"Expected `\w+` matching regex"), "bad_format"),
    (re.compile(r"Expected `(?:str|array|object|bytes)` of length (?P<wanted>.*)"), "bad_length"),
    (re.compile(r"Expected `(?:int|float)` (?P<wanted>[<>=].*|that's a multiple of .*)"), "out_of_range"),
    (re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`"), "wrong_type"),
)
_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>(?:key in )?\$.*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


def handle(error: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Return the answer to what a view raised; None leaves it to the server, as its own failure."""
    request: HttpRequest = context["request"]._request
    view = context["view"]
    if isinstance(error, RuleViolation):
        detail = _worded_by_game(view.rules(), error, locale_of(request))
        return respond(request, error.code, 422, detail=detail, facts=error.facts)
    if isinstance(error, msgspec.ValidationError | Misshapen):
        found = field_problem(str(error), locale_of(request), getattr(error, "pointer", "#"))
        return respond(request, "bad_request", 400, errors=[found])
    if isinstance(error, Refusal):
        return _refused(request, error)
    for kind, code, status in _BY_EXCEPTION:
        if isinstance(error, kind):
            allow = {"Allow": ", ".join(view.allowed_methods)} if status == 405 else {}
            return respond(request, code, status, headers=allow)
    return None


def respond(
    request: HttpRequest,
    code: str,
    status: int,
    *,
    detail: str | None = None,
    errors: list[FieldProblem] | None = None,
    facts: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Return a problem document in the language of the caller.

    ``detail`` takes the place of the words of the code.
    """
    locale = locale_of(request)
    problem = Problem(
        type=f"/docs/errors#{code}",
        title=code.replace("_", " ").capitalize(),
        status=status,
        code=code,
        detail=detail or wording.worded(wording.DETAILS, code, locale) or code,
        instance=request.path,
        errors=errors or [],
        facts=dict(facts or {}),
        request_id=getattr(request, "request_id", ""),
    )
    told = {"Content-Language": locale, **_ALWAYS, **_HEADERS.get(status, {}), **(headers or {})}
    return HttpResponse(
        rendering.encode(problem), status=status, content_type=rendering.PROBLEM, headers=told
    )


def locale_of(request: HttpRequest) -> str:
    """Return the language of texts for this caller: the header's, else the player's own."""
    own = getattr(getattr(request, "caller", None), "locale", None)
    return wording.language(request.META.get("HTTP_ACCEPT_LANGUAGE"), own)


def field_problem(message: str, locale: str, root: str = "#") -> FieldProblem:
    """Return what msgspec says of a body, as a pointer, a code and a text.

    ``root`` points at what msgspec was given.
    """
    parts = _WHERE.match(message)
    what, path = (parts["what"], parts["path"]) if parts else (message, None)
    pointer = root + "".join(
        "/" + _escaped(field or index) for field, index in _STEP.findall(path or "") if index != "..."
    )
    for pattern, code in _VALIDATION:
        if found := pattern.match(what):
            blanks = found.groupdict()
            if field := blanks.pop("field", None):
                pointer += "/" + _escaped(field)
            return FieldProblem(
                pointer=pointer,
                code=code,
                detail=sentence(code, locale, **blanks) or what,
            )
    return FieldProblem(pointer=pointer, code="wrong_type", detail=what)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer a URL that leads nowhere."""
    return respond(request, "not_found", 404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer a request that the framework refuses to read."""
    return respond(request, "bad_request", 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer a request that the framework forbids."""
    return respond(request, "forbidden", 403)


def failed(request: HttpRequest) -> HttpResponse:
    """Answer a request that met a fault of the server's."""
    return respond(request, "internal_error", 500)


def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    facts, locale = dict(refusal.facts), locale_of(request)
    errors = []
    if "pointer" in facts:
        pointer, code = facts.pop("pointer"), facts.pop("code")
        if "option" in facts:
            text = wording.worded(wording.OPTIONS, code, locale, **facts) or code
        else:
            text = sentence(code, locale, wanted=facts.pop("wanted", "")) or code
        errors = [FieldProblem(pointer=pointer, code=code, detail=text)]
    headers = getattr(refusal, "headers", None)
    detail = wording.worded(wording.DETAILS, refusal.code, locale, **facts)
    if isinstance(refusal, InsufficientScope) and facts["scope"] == EVERYTHING:
        detail = wording.WITHOUT_SCOPES[wording.LOCALES.index(locale)]
    return respond(
        request, refusal.code, refusal.status, detail=detail, errors=errors, facts=facts, headers=headers
    )


def _worded_by_game(game: Game[Any] | None, violation: RuleViolation, locale: str) -> str | None:
    """Return how the game words a refusal; None where it does not."""
    names = catalogue.names_of(game) if game else {}
    texts = names.get("errors", {}).get(violation.code)
    if not texts:
        return None
    text: str = texts[locale]
    try:
        return text.format(**violation.facts)
    except (KeyError, IndexError, ValueError):
        return text


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")
