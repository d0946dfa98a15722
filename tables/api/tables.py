"""Tables as the lobby knows them: opening, finding, joining, leaving, starting, resigning."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import commands, queries
from tables.api import rendering, sample_tables, throttling
from tables.api.base import ApiView, below, caller_of, done, idempotency_of
from tables.api.parameters import CURSOR, GAME, LIMIT, MINE, PLAYER, SANDBOX, SEEKING, SORT_TABLES, STATUS
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import Join, NewTable, RematchAnswer, TableAnswer, TablePage


class Tables(ApiView):
    """The tables that the caller may see."""

    @operation(
        id="listTables",
        tag="tables",
        summary="List tables",
        description="Public tables and the caller's own; the newest first, unless `sort` says otherwise.",
        answers={200: TablePage},
        conditional=True,
        parameters=(GAME, STATUS, MINE, SEEKING, SANDBOX, PLAYER, SORT_TABLES, LIMIT, CURSOR),
        examples=lambda: {
            "200": {"items": [sample_tables.table()], "next_cursor": None, "previous_cursor": None}
        },
    )
    def get(self, request: Request) -> HttpResponse:
        """Return a page of tables."""
        page = queries.tables(
            caller_of(request).id,
            game=GAME.read(request),
            status=STATUS.read(request),
            mine=MINE.read(request),
            seeking=SEEKING.read(request),
            sandbox=SANDBOX.read(request),
            player=PLAYER.read(request),
            order=SORT_TABLES.read(request) or queries.NEWEST,
            limit=LIMIT.read(request),
            cursor=CURSOR.read(request),
        )
        return rendering.page(request._request, page)

    @operation(
        id="openTable",
        tag="tables",
        summary="Open a table",
        description=(
            "Open a table; the caller is its host and takes its first seat. With `starts: when_full` play"
            " begins with the last free seat. A player may open or join 20 tables an hour, and open 60"
            " sandboxes besides."
        ),
        body=NewTable,
        answers={201: TableAnswer},
        located=True,
        problems=(404,),
        examples=lambda: {"body": sample_tables.new_table(), "201": sample_tables.table()},
    )
    def post(self, request: Request) -> HttpResponse:
        """Open a table."""
        body, value = read(request, NewTable)
        self.spend(request, throttling.JOINS if body.sandbox is None else throttling.SANDBOXES)
        key = idempotency_of(request, value)
        with below("#/options"):
            result = commands.open_table(caller_of(request).id, body, idempotency=key)
        return done(result, f"/v1/tables/{getattr(result.answer, 'id', '')}")


class OneTable(ApiView):
    """One table."""

    @operation(
        id="getTable",
        tag="tables",
        summary="Look at a table",
        description=(
            "A table as the lobby shows it. A private one is seen by its host and by those who have or had a"
            " seat."
        ),
        answers={200: TableAnswer},
        conditional=True,
        problems=(404,),
        examples=lambda: {"200": sample_tables.table()},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return the table."""
        return rendering.conditional(request._request, queries.table(caller_of(request).id, table_id))


class JoinTable(ApiView):
    """Taking a seat."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.JOINS}

    @operation(
        id="joinTable",
        tag="tables",
        summary="Take a seat",
        description=(
            "Take a free seat of an open table. To a private one somebody is invited by its id and its invite"
            " code together: without the code, or with a wrong one, it is not there (404); `bad_invite` is a"
            " wrong code at a table that the caller sees. That play has begun (`table_not_open`) is told"
            " before `already_seated`."
        ),
        body=Join,
        body_required=False,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"body": {"seat": 1}, "200": sample_tables.playing(turn=1, my_seat=1)},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Take a seat."""
        body, value = read(request, Join, may_be_empty=True)
        key = idempotency_of(request, value)
        return done(commands.join(caller_of(request).id, table_id, body, idempotency=key))


class LeaveTable(ApiView):
    """Giving a seat back."""

    @operation(
        id="leaveTable",
        tag="tables",
        summary="Give the seat back",
        description="Leave a table before the start; one that nobody is left at is closed.",
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"200": sample_tables.table("closed")},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Leave."""
        key = idempotency_of(request)
        return done(commands.leave(caller_of(request).id, table_id, idempotency=key))


class StartTable(ApiView):
    """Beginning play."""

    @operation(
        id="startTable",
        tag="tables",
        summary="Begin play",
        description="Begin play by the host, when every seat is taken.",
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"200": sample_tables.playing(starts="by_host")},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Begin play."""
        key = idempotency_of(request)
        return done(commands.start(caller_of(request).id, table_id, idempotency=key))


class ResignTable(ApiView):
    """Leaving a running game for good."""

    @operation(
        id="resignTable",
        tag="tables",
        summary="Resign",
        description=(
            "Leave a running game for good; what becomes of the seat is for the game's rules. A second time"
            " is refused as `already_resigned`, or as `table_not_playing` where the game ended by it."
        ),
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"200": sample_tables.resigned()},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Resign."""
        key = idempotency_of(request)
        return done(commands.resign(caller_of(request).id, table_id, idempotency=key))


class Rematch(ApiView):
    """Playing again with the same seats."""

    @operation(
        id="agreeToRematch",
        tag="tables",
        summary="Agree to a rematch",
        description=(
            "After the end: agree to play again with the same seats and settings. When the last player has"
            " agreed, a new table starts at once, linked to this one by its `origin`."
        ),
        answers={200: RematchAnswer},
        problems=(403, 404, 409),
        examples=lambda: {
            "200": {"agreed": [0], "missing": [1], "games": 3, "wins": [2, 1], "table_id": None}
        },
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Agree to a rematch."""
        key = idempotency_of(request)
        return done(commands.rematch(caller_of(request).id, table_id, idempotency=key))
