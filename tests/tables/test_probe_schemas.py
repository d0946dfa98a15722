"""What a client gets of any game is as the schemas of its catalogue say."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from tables import catalogue, queries

from .rooms import Room, open_room


@pytest.fixture(scope="module", params=["probe", "reafan"])
def finished(request: pytest.FixtureRequest, database: None) -> Room:
    """A game played to its end, by people who declare, lay aside and swap as chance has it."""
    game = catalogue.game_of(request.param)
    room = open_room(game.id, seats=game.seats[0])
    room.play_on()
    return room


def validated(game_id: str, schema: str, data: Any) -> None:
    Draft202012Validator(catalogue.json_schema(catalogue.game_of(game_id), schema)).validate(data)


def plain(answer: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(answer))


def test_every_event_as_each_viewer_learned_it(finished: Room) -> None:
    game_id = finished.row.game
    for player in (*finished.players, finished.stranger):
        page = queries.events(player, finished.id, limit=1000)
        for event in plain(page.items):
            validated(game_id, f"event.{event['type']}", event["data"])


@pytest.mark.long
def test_every_view_and_every_legal_move(finished: Room) -> None:
    game_id = finished.row.game
    for position in range(finished.headers("table.started")[0].seq + 1, finished.row.version + 1, 3):
        for player in (*finished.players, finished.stranger):
            view = plain(queries.view(player, finished.id, at=position))
            if view["data"]:  # empty while a game is being dealt
                validated(game_id, "view", view["data"])
            assert view["data"] or not view["awaited"]
    room = open_room(game_id, seats=len(finished.players))
    for seat in range(len(room.players)):
        for move in plain(room.view(seat).legal_moves):
            validated(game_id, f"move.{move['kind']}", move["params"])
