"""Playing without an account of one's own, and keeping it later."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import guests, players, shapes
from tables.api import headers, rendering, samples, throttling
from tables.api.base import ApiView, PublicView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.players import signed_in
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import PlayerAnswer, SessionAnswer


class Guests(PublicView):
    """Accounts without a password."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.GUESTS}

    @operation(
        id="welcomeGuest",
        tag="accounts",
        summary="Play at once, as a guest",
        description=(
            "Create an account with a generated name and no password, and get its token, which is valid for"
            " 90 days. A guest may do everything that a player may, but it cannot sign in: whoever loses the"
            " token loses the account. `PUT /v1/me/credentials` keeps it. A guest that has sent no request"
            f" for {guests.LAPSE_DAYS} days, and sits at no table that is open or being played, is deleted."
        ),
        body=shapes.NewGuest,
        body_required=False,
        answers={201: SessionAnswer},
        located=True,
        key=headers.GUEST_KEY,
        examples=lambda: {"body": {"locale": "es"}, "201": samples.GUEST},
    )
    def post(self, request: Request) -> HttpResponse:
        """Create a guest."""
        body, value = read(request, shapes.NewGuest, may_be_empty=True)
        secret = guests.welcome(body.locale, idempotency_of(request, value), label=body.label)
        return done(signed_in(secret), "/v1/me")


class Credentials(ApiView):
    """Name and password of a guest."""

    limits: ClassVar[dict[str, Limit]] = {"PUT": throttling.SIGN_IN_ADDRESS}

    @operation(
        id="keepGuest",
        tag="accounts",
        summary="Keep a guest's account",
        description=(
            "Choose a name and a password, once. Seats, games and tokens stay as they are; from now on"
            " `POST /v1/sessions` gives tokens for it. Everybody sees the new name, also where the guest"
            " has played before."
        ),
        body=shapes.Credentials,
        answers={200: PlayerAnswer},
        problems=(409,),
        examples=lambda: {
            "body": {"name": "Ana", "password": "una frase larga"},
            "200": samples.PLAYER_ANSWER,
        },
    )
    def put(self, request: Request) -> HttpResponse:
        """Keep the account."""
        body, _ = read(request, shapes.Credentials)
        guests.keep(caller_of(request).id, body.name, body.password)
        return rendering.answer(players.account(caller_of(request).id))
