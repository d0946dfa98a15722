"""What every view shares: who is let in, how much, and what a request carries beside its body."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, IPv6Network
from typing import Any, ClassVar

import msgspec
import orjson
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.http import HttpResponse
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from engines.base import Game
from tables import access, catalogue, players
from tables.api import rendering, throttling
from tables.api.rendering import JsonRenderer
from tables.api.scopes import scope_of
from tables.api.throttling import Limit
from tables.errors import BadField, InsufficientScope, Misshapen
from tables.idempotency import Done, Idempotency
from tables.players import Caller

_KEY = re.compile(r'("?)([A-Za-z0-9_:.\-]{1,255})\1')
_JSON = JsonRenderer()
_TAKES_JSON = frozenset({"", "*/*", "application/json", "application/*"})


class ApiView(APIView):
    """A resource.  Callers need a token unless it says otherwise.

    ``limits`` names the quota of a method where it is a special one; commands count for each
    table apart.
    """

    permission_classes = [IsAuthenticated]
    limits: ClassVar[dict[str, Limit]] = {}

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Return the one renderer there is, quickly where it is JSON's and the header is a usual one."""
        is_json = self.renderer_classes is ApiView.renderer_classes
        if force or (is_json and request._request.META.get("HTTP_ACCEPT", "") in _TAKES_JSON):
            return _JSON, rendering.JSON
        return super().perform_content_negotiation(request, force)

    def check_permissions(self, request: Request) -> None:
        """Let in who may come.  Raises InsufficientScope where the token was not made for this."""
        permissions = self.get_permissions()
        super().check_permissions(request)
        caller: Caller | None = getattr(request._request, "caller", None)
        if caller is not None and not any(isinstance(each, AllowAny) for each in permissions):
            self.require_scope(caller, request.method or "GET")

    def require_scope(self, caller: Caller, method: str) -> None:
        """Raise InsufficientScope unless the caller's token is good for the operation."""
        told = getattr(getattr(self, method.lower(), None), "operation", None)
        if caller.scopes is None or told is None:
            return
        scope = scope_of(told.id, told.tag, method)
        if scope is not None and scope not in caller.scopes:
            raise InsufficientScope(scope=scope)

    def check_throttles(self, request: Request) -> None:
        """Count the request, and look whether it can be meant.  Raises TooManyRequests, BadField."""
        method = request.method or "GET"
        is_read = method in ("GET", "HEAD", "OPTIONS")
        usual = throttling.READS if is_read else throttling.COMMANDS
        known = "GET" if method == "HEAD" else method  # HEAD does all that GET does
        self.spend(request, self.limits.get(known, usual))
        self.require_known_parameters(request)

    def spend(self, request: Request, limit: Limit) -> None:
        """Count the request towards a quota.  Raises TooManyRequests."""
        table = self.kwargs.get("table_id", "") if limit is throttling.COMMANDS else ""
        who = address_of(request) if limit in throttling.BY_ADDRESS else caller_key(request)
        throttling.spend(limit, f"{who} {table}")

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return an answer, which says so where its operation is to go."""
        response = super().finalize_response(request, response, *args, **kwargs)
        found = getattr(getattr(self, (request.method or "").lower(), None), "operation", None)
        for name, value in found.deprecation.headers().items() if found and found.deprecation else ():
            response.headers[name] = value
        return response

    def require_known_parameters(self, request: Request) -> None:
        """Raise BadField for a parameter of the query that the operation does not take."""
        told = getattr(getattr(self, (request.method or "").lower(), None), "operation", None)
        if told is None:
            return
        known = {each.name for each in told.parameters}
        for name in request._request.GET:
            if name not in known:
                raise BadField(pointer=f"?{name}", code="unknown_field")

    def rules(self) -> Game[Any] | None:
        """Return the rules that a refusal by them is about: those of the table."""
        if "table_id" not in self.kwargs:
            return None
        row = access.table_seen_by(caller_of(self.request).id, self.kwargs["table_id"])
        return catalogue.rules_of(row.game, row.settings["rules_version"])

    def handle_exception(self, exc: Exception) -> Any:
        """Answer what went wrong; whose account was deleted meanwhile has no valid token any more."""
        caller = getattr(self.request, "_request", self.request).__dict__.get("caller")
        if isinstance(exc, IntegrityError | ObjectDoesNotExist) and caller and not players.exists(caller.id):
            exc = NotAuthenticated()
        return super().handle_exception(exc)


class PublicView(ApiView):
    """A resource that needs no token; a bad one is refused all the same."""

    permission_classes = [AllowAny]


def caller_of(request: Request) -> Caller:
    """Return who calls a resource that needs a token."""
    caller: Caller = request.user  # type: ignore[assignment]
    return caller


def caller_key(request: Request) -> str:
    """Return what quotas are counted by: the player, or the address of a stranger."""
    caller = getattr(request._request, "caller", None)
    return str(caller.id) if caller else address_of(request)


def address_of(request: Request) -> str:
    """Return the address that the request came from, as the outermost of our own proxies saw it.

    Of IPv6 it is the network: whoever has one of its addresses has them all.
    """
    told = request._request.META
    forwarded = [each.strip() for each in told.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    if 0 < settings.TRUSTED_PROXIES <= len(forwarded):
        return _network_of(str(forwarded[-settings.TRUSTED_PROXIES]))
    return _network_of(str(told.get("REMOTE_ADDR", "")))


def _network_of(address: str) -> str:
    try:
        found = IPv6Address(address)
    except ValueError:
        return address
    return str(found.ipv4_mapped or IPv6Network((int(found), 64), strict=False))


def idempotency_of(request: Request, value: Any = None) -> Idempotency | None:
    """Return the Idempotency-Key and what it stands for; ``value`` is the body.  Raises BadField."""
    header = request._request.META.get("HTTP_IDEMPOTENCY_KEY")
    if header is None:
        return None
    found = _KEY.fullmatch(header.strip())
    if found is None:
        raise BadField(pointer="Idempotency-Key", code="bad_format")
    scope = f"{request.method} {request._request.path}"
    body = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    fingerprint = hashlib.sha256(scope.encode() + b"\n" + body).digest()
    return Idempotency(key=found[2], scope=scope, fingerprint=fingerprint)


def done(result: Done, location: str | None = None) -> HttpResponse:
    """Return the answer of a command; ``location`` is where to look at what it made."""
    headers = {"Cache-Control": "no-store"}
    if result.replayed:
        headers["Idempotency-Replayed"] = "true"
    if location is not None and result.status == 201:
        headers["Location"] = location
    return rendering.answer(result.answer, result.status, headers)


@contextmanager
def below(pointer: str) -> Iterator[None]:
    """Let a part of the body that a command finds misshapen be told by its place in the body."""
    try:
        yield
    except msgspec.ValidationError as error:
        raise Misshapen(pointer, str(error)) from error
