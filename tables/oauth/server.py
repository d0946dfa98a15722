"""What ``oauthlib`` asks to speak OAuth 2: who asks, for what, and what is kept of it.

The protocol and its errors are the library's: authorization code with PKCE by S256, and refresh tokens
that rotate.  Clients are public.  Each call belongs into one transaction, which commits refusals too:
a code or a refresh token that comes twice has two holders, and ends the consent.
Sources: RFC 6749, 7009, 7636, 8252, 9700; api.md 3.9.
"""

# ruff: noqa: ARG002 - the library says what its methods take

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from oauthlib.common import Request
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    AuthorizationEndpoint,
    BearerToken,
    InvalidRequestError,
    RefreshTokenGrant,
    RequestValidator,
    RevocationEndpoint,
    TokenEndpoint,
)
from oauthlib.oauth2.rfc6749.errors import UnsupportedCodeChallengeMethodError

from tables import tokens
from tables.models import Application, Consent, RefreshToken, Token
from tables.oauth import applications
from tables.scopes import SCOPES

ACCESS_SECONDS = 3600
CODE_SECONDS = 60
REFRESH_DAYS = 90

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class _Validator(RequestValidator):  # type: ignore[misc]
    """Answers from the rows; the signatures are the library's."""

    def validate_client_id(self, client_id: str, request: Request, *_: Any, **__: Any) -> bool:
        request.client = applications.found(client_id)
        return request.client is not None

    def authenticate_client_id(self, client_id: str, request: Request, *_: Any, **__: Any) -> bool:
        return self.validate_client_id(client_id, request)

    def client_authentication_required(self, *_: Any, **__: Any) -> bool:
        return False

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *_: Any, **__: Any
    ) -> bool:
        return applications.allows(request.client, redirect_uri)

    def get_default_redirect_uri(self, *_: Any, **__: Any) -> None:
        return None

    def validate_response_type(self, client_id: str, response_type: str, *_: Any, **__: Any) -> bool:
        return response_type == "code"

    def validate_grant_type(self, *_: Any, **__: Any) -> bool:
        return True  # there is a handler for each that is allowed

    def get_default_scopes(self, *_: Any, **__: Any) -> list[str]:
        return []

    def validate_scopes(self, client_id: str, scopes: Collection[str], *_: Any, **__: Any) -> bool:
        return bool(scopes) and set(scopes) <= SCOPES.keys()

    def is_pkce_required(self, *_: Any) -> bool:
        return True

    # --- The code ---

    def save_authorization_code(
        self, client_id: str, code: dict[str, str], request: Request, *_: Any, **__: Any
    ) -> None:
        Consent.objects.create(
            player=request.user,
            application=request.client,
            scopes=_tidied(request.scopes),
            code_digest=tokens.digest(code["code"]),
            code_expires_at=timezone.now() + timedelta(seconds=CODE_SECONDS),
            redirect_uri=request.redirect_uri,
            challenge=request.code_challenge,
        )

    def validate_code(
        self, client_id: str, code: str, client: Application, request: Request, *_: Any, **__: Any
    ) -> bool:
        found = Consent.objects.select_for_update().filter(application=client)
        consent = found.filter(code_digest=tokens.digest(code)).first()
        if consent is None:
            return False
        if consent.code_used_at is not None:
            consent.delete()
            return False
        request.consent, request.scopes, request.user = consent, consent.scopes, consent.player_id
        return consent.code_expires_at > timezone.now()

    def get_code_challenge(self, code: str, request: Request) -> str:
        challenge: str = request.consent.challenge
        return challenge

    def get_code_challenge_method(self, *_: Any) -> str:
        return "S256"

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Application, request: Request, **_: Any
    ) -> bool:
        return bool(request.consent.redirect_uri == redirect_uri)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *_: Any, **__: Any
    ) -> None:
        Consent.objects.filter(id=request.consent.id).update(code_used_at=timezone.now())

    # --- Tokens ---

    def save_bearer_token(self, token: dict[str, Any], request: Request, *_: Any, **__: Any) -> None:
        consent, now = request.consent, timezone.now()
        Token.objects.filter(consent=consent, expires_at__lte=now).delete()
        Token.objects.create(
            digest=tokens.digest(token["access_token"]),
            player_id=consent.player_id,
            kind="oauth",
            label=request.client.name,
            scopes=_tidied(token["scope"].split()),
            consent=consent,
            expires_at=now + timedelta(seconds=ACCESS_SECONDS),
        )
        refreshes = RefreshToken.objects.filter(consent=consent)
        refreshes.filter(expires_at__lte=now).delete()
        refreshes.filter(used_at=None).update(used_at=now)
        RefreshToken.objects.create(
            digest=tokens.digest(token["refresh_token"]),
            consent=consent,
            expires_at=now + timedelta(days=REFRESH_DAYS),
        )
        Consent.objects.filter(id=consent.id).update(used_on=now.date())

    def validate_refresh_token(
        self, refresh_token: str, client: Application, request: Request, *_: Any, **__: Any
    ) -> bool:
        digest = tokens.digest(refresh_token)
        found = Consent.objects.select_for_update(of=("self",)).filter(application=client)
        consent = found.filter(refreshes__digest=digest).first()
        if consent is None:
            return False
        refresh = consent.refreshes.filter(digest=digest).first()  # under the lock: a twin may have used it
        if refresh is None or refresh.used_at is not None:
            consent.delete()
            return False
        request.consent = consent
        return refresh.expires_at > timezone.now()

    def get_original_scopes(self, refresh_token: str, request: Request, *_: Any, **__: Any) -> list[str]:
        scopes: list[str] = request.consent.scopes
        return scopes

    def revoke_token(self, token: str, token_type_hint: str, request: Request, *_: Any, **__: Any) -> None:
        digest = tokens.digest(token)
        came_from = Q(refreshes__digest=digest) | Q(tokens__digest=digest)
        Consent.objects.filter(came_from, application=request.client).delete()


def _require_s256(request: Request) -> dict[str, Any]:
    """Raise unless a challenge, where there is one, is of the one method that hides the verifier."""
    if request.code_challenge is not None:
        if request.code_challenge_method != "S256":
            raise UnsupportedCodeChallengeMethodError(request=request)
        if not _CHALLENGE.fullmatch(request.code_challenge):
            raise InvalidRequestError("The code_challenge is no SHA-256.", request=request)
    return {}


def _tidied(scopes: Collection[str]) -> list[str]:
    return sorted(set(scopes))


_validator = _Validator()
_bearer = BearerToken(
    _validator,
    token_generator=lambda _: tokens.fresh(),
    refresh_token_generator=lambda _: secrets.token_urlsafe(32),
    expires_in=ACCESS_SECONDS,
)
_codes = AuthorizationCodeGrant(_validator, pre_auth=[_require_s256])

authorization = AuthorizationEndpoint("code", _bearer, {"code": _codes})
issuing = TokenEndpoint(
    "authorization_code",
    _bearer,
    {"authorization_code": _codes, "refresh_token": RefreshTokenGrant(_validator)},
)
revocation = RevocationEndpoint(_validator)
