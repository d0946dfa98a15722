"""A player lets an application in, or does not; and what the application then asks for.

Only parameters of the protocol are read: what ``oauthlib`` is not shown it cannot take for something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db import transaction
from django.http import QueryDict
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2 import AccessDeniedError, FatalClientError, OAuth2Error

from tables import players
from tables.models import Application
from tables.oauth import applications, server
from tables.scopes import SCOPES

_ASKED = (
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
)
_SENT = ("grant_type", "client_id", "code", "redirect_uri", "code_verifier", "refresh_token", "scope")
_REVOKED = ("client_id", "token", "token_type_hint")

Answer = tuple[Mapping[str, str], str, int]
"""Headers, body and status."""


class Fatal(Exception):
    """Nobody can be told but the player: the application is not known, or not at this address."""


class Sent(Exception):
    """The request is refused, and the application told so at ``location``."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


@dataclass(frozen=True, slots=True)
class Wish:
    """What an application wants, checked.

    ``target`` is where its player goes back to, ``source`` the same for the policy of a page.
    """

    uri: str
    application: str
    scopes: list[str]
    target: str
    source: str
    request: Any


def wish(query: QueryDict) -> Wish:
    """Return what the address of a request asks for.  Raises Fatal, Sent."""
    uri = f"/oauth/authorize?{_only(query, _ASKED)}"
    try:
        scopes, credentials = server.authorization.validate_authorization_request(uri)
    except FatalClientError as error:
        raise Fatal from error
    except OAuth2Error as error:
        raise Sent(_told(error.in_uri(error.redirect_uri))) from error
    client: Application = credentials["request"].client
    back = credentials["redirect_uri"]
    target, source = applications.place_of(back), applications.source_of(back)
    return Wish(uri, client.name, scopes, target, source, credentials["request"])


def allow(wanted: Wish, name: str, password: str) -> str:
    """Let an application in, and return where to tell it so.  Raises BadCredentials, Fatal."""
    try:
        with players.owned(name, password) as player:
            headers, _, _ = server.authorization.create_authorization_response(
                wanted.uri, scopes=wanted.scopes, credentials={"user": player}
            )
    except FatalClientError as error:  # the application was taken away meanwhile
        raise Fatal from error
    return _told(headers["Location"])


def deny(wanted: Wish) -> str:
    """Return where to tell an application that it is not let in."""
    error = AccessDeniedError(request=wanted.request)
    return _told(error.in_uri(error.redirect_uri))


def tokens(form: QueryDict) -> Answer:
    """Return what an application gets for a code or a refresh token."""
    with transaction.atomic():
        answer: Answer = server.issuing.create_token_response("/oauth/token", body=_only(form, _SENT))
    return answer


def revoke(form: QueryDict) -> Answer:
    """End the consent that a token came from."""
    with transaction.atomic():
        answer: Answer = server.revocation.create_revocation_response(
            "/oauth/revoke", body=_only(form, _REVOKED)
        )
    return answer


def metadata() -> dict[str, Any]:
    """Return what the server tells of itself (RFC 8414)."""
    site = settings.PUBLIC_URL
    return {
        "issuer": site,
        "authorization_endpoint": f"{site}/oauth/authorize",
        "token_endpoint": f"{site}/oauth/token",
        "revocation_endpoint": f"{site}/oauth/revoke",
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": True,
        "ui_locales_supported": ["en", "es"],
        "service_documentation": f"{site}/docs",
    }


def _told(location: str) -> str:
    """Return an address with the name of who answers (RFC 9207)."""
    told: str = add_params_to_uri(location, [("iss", settings.PUBLIC_URL)])
    return told


def _only(given: QueryDict, names: tuple[str, ...]) -> str:
    return urlencode([(name, value) for name in names for value in given.getlist(name)])
