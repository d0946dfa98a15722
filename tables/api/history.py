"""The past of a table: where its turns opened, who knew what, when, and how to go on from there."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from tables import commands, queries
from tables.api import rendering, sample_tables, samples
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parameters import AFTER, LIMIT
from tables.api.parser import read
from tables.api.problems import locale_of
from tables.api.schema import operation
from tables.shapes import KnowledgePage, NewFork, TableAnswer, TurnPage


class Turns(ApiView):
    """Where to stop when a game is looked at again."""

    @operation(
        id="listTurns",
        tag="play",
        summary="List the turns",
        description=(
            "At which position each turn opened, oldest first: send one as `at` to `getView` to step from"
            " turn to turn, or any position between to step from event to event. The same for everybody."
        ),
        answers={200: TurnPage},
        conditional=True,
        parameters=(AFTER, LIMIT),
        problems=(404,),
        examples=lambda: {"200": samples.TURN_POSITIONS},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return a page of turns."""
        page = queries.turn_positions(
            caller_of(request).id,
            table_id,
            after=AFTER.read(request),
            limit=LIMIT.read(request),
        )
        return rendering.conditional(request._request, page)


class Knowledge(ApiView):
    """What was hidden, and from whom."""

    @operation(
        id="getKnowledge",
        tag="play",
        summary="Tell who knew what, when",
        description=(
            "After the game: every hidden item, by the event that hid it, with the position at which"
            " each seat and at last everybody learned it, and a sentence that says so. It follows from the"
            " transcript alone. A page has at most `limit` events, with all that each of them hid."
        ),
        answers={200: KnowledgePage},
        conditional=True,
        localised=True,
        parameters=(AFTER, LIMIT),
        problems=(404, 409),
        examples=lambda: {"200": samples.KNOWLEDGE},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return a page of hidden items."""
        locale = locale_of(request._request)
        page = queries.knowledge(
            caller_of(request).id,
            table_id,
            locale,
            after=AFTER.read(request),
            limit=LIMIT.read(request),
        )
        return rendering.conditional(request._request, page, language=locale)


class Forks(ApiView):
    """Playing on from the past."""

    @operation(
        id="forkTable",
        tag="tables",
        summary="Play on from a position",
        description=(
            "After the end: open a private table at which the game goes on from the turn that was open at a"
            " position, the caller in one seat and bots in all others. It is linked by `forked_from` and"
            " rated nowhere; its log starts clean. Hidden cards lie as they lay. There are no deadlines."
        ),
        body=NewFork,
        answers={201: TableAnswer},
        located=True,
        problems=(404, 409),
        examples=lambda: {
            "body": {"position": 12, "seat": 0},
            "201": sample_tables.forked(),
        },
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Open a table that goes on."""
        body, value = read(request, NewFork)
        key = idempotency_of(request, value)
        result = commands.fork(caller_of(request).id, table_id, body, idempotency=key)
        return done(result, f"/v1/tables/{getattr(result.answer, 'id', '')}")
