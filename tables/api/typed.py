"""Typed routes of each game: one operation for each kind of move, and one for the view.

They do what the generic ones do; the types are derived from the engine's declarations.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, get_type_hints

import msgspec
from django.http import HttpResponse
from django.urls import URLPattern, path
from msgspec import Meta
from rest_framework.request import Request

from engines.audience import name_of
from engines.base import Game
from tables import access, catalogue, playing, queries
from tables.api import rendering, samples
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parameters import AT, SEAT
from tables.api.parser import read
from tables.api.play import MOVE_TEXT, held_tag
from tables.api.schema import operation
from tables.errors import NotFound
from tables.shapes import Answer, Move, MoveReceipt, ViewAnswer


def routes() -> list[URLPattern]:
    """Return the routes of every game on offer, below ``/v1/``."""
    return [route for game in catalogue.games().values() for route in _routes_of(game)]


def _routes_of(game: Game[Any]) -> list[URLPattern]:
    below = f"games/{game.id}/tables/<uuid:table_id>"
    moves = [
        path(f"{below}/{name_of(move).replace('_', '-')}", _move_view(game, name_of(move)).as_view())
        for move in game.moves
    ]
    return [path(f"{below}/view", _typed_view(game).as_view()), *moves]


def _move_view(game: Game[Any], kind: str) -> type[ApiView]:
    record = _move_record(game, kind)
    about = record.__doc__ or kind

    class MoveView(ApiView):
        """One kind of move of one game."""

        @operation(
            id=f"play{record.__name__.removesuffix('Move')}",
            tag=game.id,
            summary=about.rstrip("."),
            description=f"A move of the kind `{kind}`. {about}" + MOVE_TEXT,
            body=record,
            answers={201: MoveReceipt, 200: MoveReceipt},
            located=True,
            problems=(403, 404, 409),
            examples=lambda: _samples(game.id, kind),
        )
        def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
            """Play the move."""
            return _play(request, table_id, game.id, kind, record)

    MoveView.__name__ = MoveView.__qualname__ = f"{record.__name__}View"
    return MoveView


def _move_record(game: Game[Any], kind: str) -> type[msgspec.Struct]:
    """Return the record of a move with the turn that it answers beside its parameters."""
    move = catalogue.move_struct(game, kind)
    about = (move.__doc__ or kind).removeprefix("Move: ").strip().split("\n")[0]
    return msgspec.defstruct(
        move.__name__,
        [("turn", get_type_hints(Move, include_extras=True)["turn"])],
        bases=(move,),
        kw_only=True,
        frozen=True,
        forbid_unknown_fields=True,
        namespace={"__doc__": about[:1].upper() + about[1:]},
    )


def _play(
    request: Request, table_id: uuid.UUID, game: str, kind: str, record: type[msgspec.Struct]
) -> HttpResponse:
    """Play the move that the body is, as ``record``."""
    body, value = read(request, record)
    params = msgspec.to_builtins(body)
    result = playing.play_move(
        caller_of(request).id,
        table_id,
        turn=params.pop("turn"),
        kind=kind,
        params=params,
        game=game,
        idempotency=idempotency_of(request, value),
    )
    return done(result, f"/v1/tables/{table_id}/events")


def _typed_view(game: Game[Any]) -> type[ApiView]:
    data: Any = catalogue.client_view_type(game)
    answer = _view_answer(data)

    class TypedView(ApiView):
        """What the caller sees of one game."""

        @operation(
            id=f"get{data.__name__}",
            tag=game.id,
            summary="Look at the game",
            description="As `getView`, with `data` fully typed; it is null before the start.",
            answers={200: answer},
            conditional=True,
            parameters=(AT, SEAT),
            problems=(403, 404),
            examples=lambda: {"200": samples.view_of(game.id)},
        )
        def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
            """Return the view."""
            return _look(request, table_id, game.id, answer)

    TypedView.__name__ = TypedView.__qualname__ = f"{data.__name__}View"
    return TypedView


def _look(request: Request, table_id: uuid.UUID, game: str, answer: type[msgspec.Struct]) -> HttpResponse:
    """Return the view as an ``answer``.  Raises NotFound unless the table is one of ``game``."""
    at, wish = AT.read(request), SEAT.read(request)
    if access.table_seen_by(caller_of(request).id, table_id).game != game:
        raise NotFound
    if (tag := held_tag(request, table_id, at, wish)) is not None:
        return rendering.not_modified(tag)
    view = queries.view(caller_of(request).id, table_id, at=at, wish=wish)
    told = answer(**{**msgspec.structs.asdict(view), "data": view.data or None})
    return rendering.conditional(request._request, told, tag=view.etag)


def _view_answer(data: Any) -> type[msgspec.Struct]:
    """Return the record of a view whose ``data`` is that of one game."""
    hints = get_type_hints(ViewAnswer, include_extras=True)
    hints["data"] = Annotated[data | None, Meta(description="What the caller sees; null before the start.")]
    hints["seat_data"] = Annotated[
        list[data], Meta(description="With `seat=full`, what each seat sees; else empty.")
    ]
    return msgspec.defstruct(
        f"{data.__name__}Answer",
        [(name, hints[name]) for name in ViewAnswer.__struct_fields__],
        bases=(Answer,),
        kw_only=True,
        frozen=True,
        namespace={"__doc__": "What the caller sees of a game."},
    )


def _samples(game_id: str, kind: str) -> dict[str, Any]:
    told = samples.move_receipt(game_id, kind)
    answers = {"200": told, "201": told}
    sample = samples.moves_of(game_id).get(kind)
    if sample is None:
        return answers
    return {"body": {"turn": sample["turn"], **sample["params"]}, **answers}
