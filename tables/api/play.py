"""Playing any game: views, moves, events, receipts, transcripts."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import playing, queries
from tables.api import rendering, sample_log, samples, throttling
from tables.api.base import ApiView, below, caller_of, done, idempotency_of
from tables.api.parameters import AFTER, AT, LIMIT, SEAT
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.eyes import Wish
from tables.shapes import EventPage, Move, MoveReceipt, Receipt, TranscriptAnswer, ViewAnswer

MOVE_TEXT = (
    " Name the `turn` of the view that the move answers. The same move again gets the first answer; another"
    " one in the same window is refused as `already_moved`, one for a window that has closed as"
    " `turn_passed`."
)


class Moves(ApiView):
    """Moves of any kind."""

    @operation(
        id="playMove",
        tag="play",
        summary="Play a move",
        description=(
            "For clients that play every game: a `kind` and its `params`, such as `legal_moves` of the view"
            " offers them." + MOVE_TEXT
        ),
        body=Move,
        answers={201: MoveReceipt, 200: MoveReceipt},
        located=True,
        problems=(403, 404, 409),
        examples=lambda: _sample_move(samples.first_game().id),
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Play a move."""
        body, value = read(request, Move)
        with below("#/params"):
            result = playing.play_move(
                caller_of(request).id,
                table_id,
                turn=body.turn,
                kind=body.kind,
                params=body.params,
                idempotency=idempotency_of(request, value),
            )
        return done(result, f"/v1/tables/{table_id}/events")


class View(ApiView):
    """What the caller sees."""

    @operation(
        id="getView",
        tag="play",
        summary="Look at the game",
        description=(
            "What the caller may know, in the shape common to all games, with every legal move. Its `ETag`"
            " makes it cheap to ask again. `at` looks back: clocks are as they were then, `server_time` is"
            " the present, and there are no `legal_moves`. `seat` looks through other eyes; with `full`"
            " `data` is what spectators see, and `seat_data` what each seat does."
        ),
        answers={200: ViewAnswer},
        conditional=True,
        parameters=(AT, SEAT),
        problems=(403, 404),
        examples=lambda: {"200": samples.view_of(samples.first_game().id)},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return the view."""
        at, wish = AT.read(request), SEAT.read(request)
        if (tag := held_tag(request, table_id, at, wish)) is not None:
            return rendering.not_modified(tag)
        view = queries.view(caller_of(request).id, table_id, at=at, wish=wish)
        return rendering.conditional(request._request, view, tag=view.etag)


class Events(ApiView):
    """The log of a table, as the caller learned it."""

    @operation(
        id="listEvents",
        tag="play",
        summary="List events",
        description=(
            "Events after a position, oldest first. Positions count 1, 2, 3 and so on, the same for every"
            " viewer; what the caller may not know is null in `data`."
        ),
        answers={200: EventPage},
        conditional=True,
        parameters=(AFTER, LIMIT, SEAT),
        problems=(403, 404),
        examples=lambda: {"200": samples.EVENTS},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return a page of events."""
        page = queries.events(
            caller_of(request).id,
            table_id,
            after=AFTER.read(request),
            limit=LIMIT.read(request),
            wish=SEAT.read(request),
        )
        return rendering.conditional(request._request, page)


class Transcript(ApiView):
    """The record that an offline verifier checks."""

    limits: ClassVar[dict[str, Limit]] = {"GET": throttling.EXPORTS}

    @operation(
        id="getTranscript",
        tag="play",
        summary="Get the transcript",
        description=(
            "The record of a table, which anybody can verify without this server; its format stands at"
            " `/docs/transcript`. In short: `T(x)` is `ttx/`, x, `/v1` and a zero byte, numbers are"
            " big-endian, JSON is canonical (RFC 8785). The hash of an event, `prev` of the next, is SHA-256"
            " of `T(event)` and the header. An opening fits `slots[slot].c` of event `seq`: HMAC-SHA-256"
            " under `salt` of `T(slot)`, the table's 16 bytes, `seq` (8 bytes), `slot` (2 bytes) and the"
            " payload. While the game runs `openings` are what the caller may know; once the seed is revealed"
            " they are all there."
        ),
        answers={200: TranscriptAnswer},
        conditional=True,
        problems=(404,),
        examples=lambda: {"200": sample_log.transcript()},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return the transcript."""
        return rendering.conditional(request._request, queries.transcript(caller_of(request).id, table_id))


class Heads(ApiView):
    """The server's word on the log as it stands."""

    @operation(
        id="getHead",
        tag="play",
        summary="Get a receipt",
        description="The server's signature under the log of the table; keep it to prove what was recorded.",
        answers={200: Receipt},
        conditional=True,
        problems=(404,),
        examples=lambda: {"200": samples.RECEIPT},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return the receipt."""
        return rendering.conditional(request._request, queries.head(caller_of(request).id, table_id))


def held_tag(request: Request, table_id: uuid.UUID, at: int | None, wish: Wish) -> str | None:
    """Return the tag of the present own view when the caller holds that view; cheaper than the view."""
    if at is not None or wish is not None or "HTTP_IF_NONE_MATCH" not in request._request.META:
        return None
    tag = queries.view_etag(caller_of(request).id, table_id)
    return tag if rendering.matches(request._request, tag) else None


def _sample_move(game_id: str) -> dict[str, object]:
    kind, sample = next(iter(samples.moves_of(game_id).items()))
    told = samples.move_receipt(game_id, kind)
    body = {"turn": sample["turn"], "kind": kind, "params": sample["params"]}
    return {"body": body, "200": told, "201": told}
