"""What the reader gets of hidden items: exactly what a spectator's transcript holds."""

from __future__ import annotations

import psycopg
import pytest

from events import store
from events.codec import learned, read_header
from tables import talk
from tables.talk import stream_of as talk_stream
from tests.tables.rooms import Room, open_room, running_room
from verify import holdings


def opened(room: Room, superuser_url: str, stream: str | None = None) -> dict[tuple[int, int], bytes]:
    """Return the payloads that the reader is given."""
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute("SET ROLE posta_reader")
        found = superuser.execute(
            "SELECT position, slot, payload FROM events_opened(%s)", [stream or room.stream]
        ).fetchall()
    return {(position, slot): payload for position, slot, payload in found}


def public(room: Room) -> set[tuple[int, int]]:
    headers = [read_header(each.header) for each in store.read(room.stream)]
    shown = {ref for header in headers for ref in learned(header, None)}
    return shown | holdings.of_epochs_over(headers)


@pytest.mark.parametrize(("game", "moves"), [("reafan", 5), ("arrecife", 1), ("cthulhu", 5)])
def test_of_a_running_game_what_is_open_on_the_table(game: str, moves: int, superuser_url: str) -> None:
    room = running_room(game, moves=moves)

    found = opened(room, superuser_url)

    assert set(found) == public(room)
    hidden = store.openings(room.stream).keys() - found.keys()
    assert hidden


def test_of_a_finished_game_everything(superuser_url: str) -> None:
    room = open_room("reafan")
    room.play_on()

    assert {ref: each.payload for ref, each in store.openings(room.stream).items()} == opened(
        room, superuser_url
    )


def test_of_a_series_the_games_that_are_over(superuser_url: str) -> None:
    room = open_room("cthulhu", series=True)
    while room.host.table.epoch == 0 and room.row.status == "playing":
        room.play_on(moves=1)

    found = opened(room, superuser_url)

    assert set(found) == public(room)
    assert 0 < len(found) < len(store.openings(room.stream))


def test_of_talk_nothing(superuser_url: str) -> None:
    room = open_room()
    talk.say(room.players[0], room.id, "among us")

    assert opened(room, superuser_url, talk_stream(room.id)) == {}
