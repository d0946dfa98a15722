"""Where the caller is signed in, and what the server knows of it."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from tables import devices, exporting, players
from tables.api import rendering, samples, throttling
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.idempotency import Done
from tables.shapes import CreatedToken, ExportAnswer, NewToken, TokenList

_CURRENT = {**samples.TOKEN, "current": True}


class Export(ApiView):
    """What is stored about the caller."""

    limits: ClassVar[dict[str, Limit]] = {"GET": throttling.EXPORTS}

    @operation(
        id="exportMe",
        tag="accounts",
        summary="Take the own data along",
        description=(
            "Everything that is stored about the caller: account, devices and tokens without their secrets,"
            " address and notices, tables, seats and turns, messages, notes, mutes, reports. `deleteMe`"
            " erases it."
        ),
        answers={200: ExportAnswer},
        examples=lambda: {"200": samples.EXPORT},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return all of it."""
        found = exporting.export(caller_of(request).id)
        return rendering.answer(found, headers={"Cache-Control": "no-store"})


class Tokens(ApiView):
    """Where the caller is signed in."""

    @operation(
        id="listTokens",
        tag="accounts",
        summary="List the own devices and tokens",
        description=(
            "Everything by which the account can be used and that has neither expired nor been revoked, the"
            " newest first: sessions of devices, personal tokens, applications. Only a token without scopes"
            " lists, makes or ends others."
        ),
        answers={200: TokenList},
        conditional=True,
        examples=lambda: {"200": {"items": [samples.APPLICATION, samples.BOT, _CURRENT]}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the tokens."""
        caller = caller_of(request)
        found = TokenList(items=devices.devices(caller.id, current=caller.token_id))
        return rendering.conditional(request._request, found)

    @operation(
        id="createToken",
        tag="accounts",
        summary="Create a token",
        description=(
            "Create a personal access token, for a bot for instance. Its secret is shown this once. With"
            " `scopes` it is good for operations that ask for one of them, for public ones and `signOut`."
        ),
        body=NewToken,
        answers={201: CreatedToken},
        located=True,
        examples=lambda: {
            "body": {"label": "my bot", "days": 90, "scopes": samples.BOT["scopes"]},
            "201": {"token": samples.SECRET, "details": samples.BOT},
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Create a token."""
        body, value = read(request, NewToken)
        caller, key = caller_of(request), idempotency_of(request, value)
        with players.held(caller.id):
            if not players.is_signed_in(caller):  # it was revoked meanwhile, and nothing may outlive it
                raise NotAuthenticated
            secret = players.create_token(caller, body.label, body.days, key, scopes=body.scopes)
        answer = CreatedToken(token=secret.token, details=secret.details)
        return done(Done(answer, 201, secret.replayed), f"/v1/me/tokens/{secret.details.id}")


class OneToken(ApiView):
    """Something by which the caller is signed in."""

    @operation(
        id="revokeToken",
        tag="accounts",
        summary="Revoke a token, or an application",
        description=(
            "End one item of `listTokens`. Its tokens stop working at once, and streams that were opened with"
            " them end within 15 seconds."
        ),
        answers={204: None},
        problems=(404,),
    )
    def delete(self, request: Request, token_id: uuid.UUID) -> HttpResponse:
        """Revoke the token."""
        devices.revoke(caller_of(request).id, token_id)
        return HttpResponse(status=204)
