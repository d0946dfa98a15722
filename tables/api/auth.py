"""Who calls: a bearer token or nobody; there are no cookies."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
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


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the document speaks of it."""

    target_class: ClassVar[str] = "tables.api.auth.BearerAuthentication"
    name = "bearerAuth"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:  # noqa: ARG002
        """Return the scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of `POST /v1/players`, `POST /v1/sessions` or `POST /v1/me/tokens`.",
        }
