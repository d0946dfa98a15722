"""Accounts: signing up, in and out, the caller's own settings and tables."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import msgspec
from django.http import HttpResponse
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request

from tables import devices, erasure, people, players, turns
from tables.api import headers, rendering, samples, throttling
from tables.api.base import ApiView, address_of, caller_of, done, idempotency_of
from tables.api.parameters import AFTER_ALL, CURSOR_OF_NAMES, EXPAND, GUEST, LIMIT, NAME, SORT_PLAYERS
from tables.api.parser import read
from tables.api.preconditions import unchanged
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.idempotency import Done, Idempotency
from tables.live import feeds
from tables.players import NewSecret
from tables.shapes import (
    AccountDeletion,
    MeChange,
    MyEventPage,
    PlayerAnswer,
    PlayerPage,
    SessionAnswer,
    SignIn,
    SignUp,
    TurnList,
)


class Players(ApiView):
    """Accounts."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.SIGN_UP}

    def get_permissions(self) -> list[Any]:
        """Let everybody sign up."""
        return [AllowAny()] if self.request and self.request.method == "POST" else [IsAuthenticated()]

    @operation(
        id="listPlayers",
        tag="players",
        summary="List players",
        description="Everybody who has an account here, by name unless `sort` says otherwise.",
        answers={200: PlayerPage},
        conditional=True,
        parameters=(NAME, GUEST, SORT_PLAYERS, LIMIT, CURSOR_OF_NAMES),
        examples=lambda: {"200": {"items": [samples.SUMMARY], "next_cursor": None, "previous_cursor": None}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return a page of players."""
        found = people.players(
            name=NAME.read(request),
            guest=GUEST.read(request),
            order=SORT_PLAYERS.read(request) or people.BY_NAME,
            limit=LIMIT.read(request),
            cursor=CURSOR_OF_NAMES.read(request),
        )
        return rendering.page(request._request, found)

    @operation(
        id="signUp",
        tag="accounts",
        summary="Create an account",
        description=(
            "Create an account and get its first token, which is valid for 90 days. No address is asked for;"
            " without one that is confirmed (`giveEmail`) a password that is forgotten is lost."
        ),
        body=SignUp,
        answers={201: SessionAnswer},
        located=True,
        problems=(409,),
        key=headers.SIGN_UP_KEY,
        examples=lambda: {
            "body": {"name": "Ana", "password": "una frase larga", "locale": "es"},
            "201": samples.SIGNED_UP,
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Create an account."""
        body, value = read(request, SignUp)
        key = _without_password(request, value)
        if key is not None:  # then the password of an account that there is would be tried
            throttling.spend_attempt(body.name, address_of(request))
        secret = players.sign_up(body.name, body.password, body.locale, key, label=body.label)
        return done(signed_in(secret), "/v1/me")


class Sessions(ApiView):
    """The token of this very client."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.SIGN_IN_ADDRESS}

    def get_permissions(self) -> list[Any]:
        """Let everybody sign in."""
        return [AllowAny()] if self.request and self.request.method == "POST" else [IsAuthenticated()]

    @operation(
        id="signIn",
        tag="accounts",
        summary="Sign in",
        description="Get a token for a name and its password, valid for 90 days. Names match in any case.",
        body=SignIn,
        answers={201: SessionAnswer},
        located=True,
        examples=lambda: {
            "body": {"name": "Ana", "password": "una frase larga"},
            "201": samples.SESSION,
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Sign in."""
        body, value = read(request, SignIn)
        throttling.spend_attempt(body.name, address_of(request))
        key = _without_password(request, value)
        secret = players.sign_in(body.name, body.password, key, label=body.label)
        return done(signed_in(secret), "/v1/me")

    @operation(
        id="signOut",
        tag="accounts",
        summary="Sign out",
        description=(
            "Revoke the token that this request carries; one of an application takes all others with it that"
            " came of the same consent."
        ),
        answers={204: None},
    )
    def delete(self, request: Request) -> HttpResponse:
        """Sign out."""
        devices.sign_out(caller_of(request))
        return HttpResponse(status=204)


class Me(ApiView):
    """The caller."""

    limits: ClassVar[dict[str, Limit]] = {"DELETE": throttling.SIGN_IN_ADDRESS}

    @operation(
        id="getMe",
        tag="accounts",
        summary="Look at the own account",
        description="The account of the token.",
        answers={200: PlayerAnswer},
        conditional=True,
        examples=lambda: {"200": samples.PLAYER_ANSWER},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the account."""
        return rendering.conditional(request._request, players.account(caller_of(request).id))

    @operation(
        id="changeMe",
        tag="accounts",
        summary="Change the own account",
        description=(
            "Change what the body names; what it leaves out stays. Everybody sees a new name at once, also"
            " where the player has played before, and the old one is free for others."
        ),
        body=MeChange,
        answers={200: PlayerAnswer},
        problems=(409, 412),
        sent=(headers.IF_MATCH,),
        examples=lambda: {
            "body": {"zone": "Europe/Madrid", "quiet_hours": {"start": "23:00", "end": "08:00"}},
            "200": samples.PLAYER_ANSWER,
        },
    )
    def patch(self, request: Request) -> HttpResponse:
        """Change the account."""
        body, _ = read(request, MeChange)
        if body.name is not msgspec.UNSET:
            throttling.spend(throttling.NAMES, str(caller_of(request).id))
        with unchanged(request, partial(players.account, caller_of(request).id)):
            players.change(caller_of(request).id, body)
        return rendering.answer(players.account(caller_of(request).id))

    @operation(
        id="deleteMe",
        tag="accounts",
        summary="Delete the own account",
        description=(
            "Close the account for good and erase it: name, address, tokens, settings, notes, notices, and"
            " the text of every message. Seats before the start are given back, running games resigned;"
            " other players see one who left, and every record still verifies. All tokens stop working at"
            " once; what cannot be erased at this moment follows within minutes."
        ),
        body=AccountDeletion,
        body_required=False,
        answers={204: None},
        problems=(403,),
        examples=lambda: {"body": {"password": "una frase larga"}},
    )
    def delete(self, request: Request) -> HttpResponse:
        """Delete the account."""
        body, _ = read(request, AccountDeletion, may_be_empty=True)
        throttling.spend_attempt(caller_of(request).name, address_of(request))
        erasure.delete_account(caller_of(request).id, body.password)
        return HttpResponse(status=204)


class MyTurns(ApiView):
    """Where the caller is to act."""

    @operation(
        id="listMyTurns",
        tag="play",
        summary="List the tables that wait for the caller",
        description=(
            "The home screen of a client: where to move, until when, and with which kinds of move; with"
            " `expand=view` also what there is to see. `questions` tells of votes, of chance that players"
            " add to, and of tables that ask who is there. Its `ETag` makes it cheap to ask again, and"
            " `GET /v1/live/me/turns` waits for a change."
        ),
        answers={200: TurnList},
        conditional=True,
        parameters=(EXPAND,),
        examples=lambda: {"200": samples.turns()},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the tables."""
        found = turns.turns(caller_of(request).id, with_views=bool(EXPAND.read(request)))
        return rendering.conditional(request._request, found, tag=found.etag)


def _without_password(request: Request, value: dict[str, Any]) -> Idempotency | None:
    """Return the request's key; a quick hash of a password must not be kept."""
    return idempotency_of(request, {name: each for name, each in value.items() if name != "password"})


class MyEvents(ApiView):
    """What has happened at the caller's tables."""

    @operation(
        id="listMyEvents",
        tag="play",
        summary="List events of the own tables",
        description=(
            "What has happened at all tables at which the caller sits: oldest first for each table, in no"
            " order between tables. Without `after` it is empty, and its `cursor` says where to begin. Of a"
            " table that is new to a cursor all is told, of one that is over what is left, and of one whose"
            " seat another has now what came before that. `GET /v1/live/me/events` waits for more."
        ),
        answers={200: MyEventPage},
        parameters=(AFTER_ALL, LIMIT),
        examples=lambda: {"200": samples.my_events()},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return a page of events."""
        told, limit = AFTER_ALL.read(request), LIMIT.read(request)
        after = None if told is None else feeds.positions_of(told)
        page = feeds.my_events(caller_of(request).id, after, limit)
        return rendering.answer(page, headers={"Cache-Control": "no-store"})


def signed_in(secret: NewSecret) -> Done:
    """Return the answer to whoever has got a first token."""
    answer = SessionAnswer(
        token=secret.token, details=secret.details, player=players.account(secret.player.id)
    )
    return Done(answer, 201, secret.replayed)
