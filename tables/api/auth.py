"""Who calls: a bearer token or nobody; there are no cookies."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tables import players
from tables.players import Caller


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer <token>`` (RFC 6750)."""

    def authenticate(self, request: Request) -> tuple[Caller, str] | None:
        """Return the caller and the token; None without a header."""
        header = request._request.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        caller = players.authenticate(token.strip()) if scheme.lower() == "bearer" else None
        if caller is None:
            raise AuthenticationFailed
        request._request.caller = caller  # type: ignore[attr-defined]
        return caller, token.strip()

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Return what a 401 asks for."""
        return "Bearer"
