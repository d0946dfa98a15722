"""The games on offer: facts, texts in two languages, JSON Schemas for generic clients."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request

from engines.audience import name_of
from engines.base import Game
from tables import catalogue
from tables.api import rendering, samples
from tables.api.base import PublicView
from tables.api.parameters import SEATS
from tables.api.problems import locale_of
from tables.api.schema import FREE_OBJECT, operation
from tables.options import Option, options_of
from tables.shapes import GameAnswer, GameList, GameSummary, OptionAnswer, OptionValue


class Games(PublicView):
    """The catalogue."""

    @operation(
        id="listGames",
        tag="catalogue",
        summary="List the games",
        description="Every game on offer, named in the language of the caller.",
        answers={200: GameList},
        conditional=True,
        parameters=(SEATS,),
        localised=True,
        examples=lambda: {"200": {"items": [_facts(samples.first_game(), "en")]}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the games."""
        locale = locale_of(request._request)
        found = _list(locale, SEATS.read(request))
        return rendering.conditional(request._request, found, language=locale)


class OneGame(PublicView):
    """One game."""

    @operation(
        id="getGame",
        tag="catalogue",
        summary="Look at a game",
        description=(
            "A game with its rulebook and the words for its codes, in the language of the caller. They do"
            " not change while the server runs: keep them by their `ETag`."
        ),
        answers={200: GameAnswer},
        conditional=True,
        localised=True,
        problems=(404,),
        examples=lambda: {"200": _sample(samples.first_game())},
    )
    def get(self, request: Request, game: str) -> HttpResponse:
        """Return the game."""
        locale = locale_of(request._request)
        told = _game(catalogue.game_of(game), locale)
        return rendering.conditional(request._request, told, language=locale)


class GameSchema(PublicView):
    """A JSON Schema of a game."""

    @operation(
        id="getGameSchema",
        tag="catalogue",
        summary="Get a JSON Schema of a game",
        description=(
            "The JSON Schema (2020-12) of `options`, of the `view`, of the parameters of `move.<kind>` or of"
            " the data of `event.<type>`, for clients that play every game. A `$ref` at its root leads into"
            " its `$defs`."
        ),
        answers={200: FREE_OBJECT},
        conditional=True,
        problems=(404,),
        examples=lambda: {"200": _sample_schema(samples.first_game())},
    )
    def get(self, request: Request, game: str, name: str) -> HttpResponse:
        """Return the schema."""
        schema = catalogue.json_schema(catalogue.game_of(game), name)
        return rendering.conditional(request._request, schema)


@cache
def _list(locale: str, seats: int | None) -> GameList:
    games = (each for each in catalogue.games().values() if seats is None or seats in each.seats)
    return GameList(items=[GameSummary(**_facts(game, locale)) for game in games])


@cache
def _game(game: Game[Any], locale: str) -> GameAnswer:
    return GameAnswer(
        **_facts(game, locale),
        options=_options(game, locale),
        bots=sorted(game.bots),
        moves=[name_of(each) for each in game.moves],
        schemas=list(catalogue.schema_names(game)),
        names=in_language(catalogue.names_of(game), locale),
        rulebook=catalogue.rulebook_of(game, locale),
    )


def _facts(game: Game[Any], locale: str) -> dict[str, Any]:
    return {
        "id": game.id,
        "name": in_language(catalogue.names_of(game)["game"], locale),
        "rules_version": game.rules_version,
        "seats_min": game.seats[0],
        "seats_max": game.seats[-1],
        "usual_turns": game.usual_turns,
        "clock_seconds": game.clock_seconds,
        "talk": game.talk,
        "credits": in_language(catalogue.names_of(game)["credits"], locale),
    }


def _options(game: Game[Any], locale: str) -> list[OptionAnswer]:
    names = in_language(catalogue.names_of(game)["options"], locale)
    return [_option_answer(each, names[each.name]) for each in options_of(game)]


def _option_answer(option: Option, names: dict[str, Any]) -> OptionAnswer:
    return OptionAnswer(
        id=option.name,
        name=names["name"],
        help=names["help"],
        kind=option.kind,
        default=option.default,
        minimum=option.least,
        maximum=option.most,
        values=[OptionValue(value=each, name=names["values"][each]) for each in option.values],
    )


def _sample(game: Game[Any]) -> dict[str, Any]:
    return {
        **_facts(game, "en"),
        "options": msgspec.to_builtins(_options(game, "en")),
        "bots": sorted(game.bots),
        "moves": [name_of(each) for each in game.moves],
        "schemas": [each for each in catalogue.schema_names(game) if not each.startswith("event.")],
        "names": _sample_names(game),
        "rulebook": "# Rules\n",
    }


def _sample_names(game: Game[Any]) -> dict[str, Any]:
    """Return a few of a game's words, in all their shapes."""
    names = in_language(catalogue.names_of(game), "en")
    few = {area: dict(list(names[area].items())[:2]) for area in ("moves", "events", "errors", "reasons")}
    terms = dict(list(names["terms"].items())[:2] + list(names["terms"].items())[-2:])
    return {
        "game": names["game"],
        "summary": names["summary"],
        "options": names["options"],
        **few,
        "terms": terms,
    }


def _sample_schema(game: Game[Any]) -> dict[str, Any]:
    """Return the schema of a game's options without ``$ref``, which linters would follow in an example."""
    told = catalogue.json_schema(game, "options")
    return {"$schema": told["$schema"], **told["$defs"][told["$ref"].rsplit("/", 1)[1]]}


def in_language(names: Any, locale: str) -> Any:
    """Return names with every English and Spanish pair replaced by the one of ``locale``."""
    if not isinstance(names, dict):
        return names
    if names.keys() == {"en", "es"}:
        return names[locale]
    return {key: in_language(each, locale) for key, each in names.items()}
