"""The log is the truth: state, row and answers are made from it again, whatever becomes of the cache."""

from __future__ import annotations

from hashlib import sha256

import psycopg
import pytest

from events import canonical, store
from tables import catalogue, folding, queries, rows
from tables.folding import stream_of
from tests.services import SimulatedClock

from .rooms import Room, open_room


@pytest.fixture
def room(clock: SimulatedClock) -> Room:
    """A game in its second round, with a resignation, a time-out and declarations behind it."""
    while True:  # until the mark is not found too early
        room = open_room(rounds=3)
        room.send(0, "pick", number=2, rival=1)
        room.resign(2)
        clock.advance(seconds=600)
        room.sweep()
        for seat in (0, 1):
            while room.row.status == "playing" and room.host.state.round == seat + 1:
                if not room.host.state.declarations[seat]:
                    room.send(seat, "declare", marks=1)
                elif seat == 0:
                    room.open_blank()
                else:
                    return room


def answers(room: Room) -> list[object]:
    """Return all that anybody sees, but for the time of the server."""
    return [
        {**{name: getattr(view, name) for name in view.__struct_fields__}, "server_time": None}
        for view in (room.view(viewer) for viewer in (0, 1, 2, None))
    ]


def test_play_equals_replay(room: Room) -> None:
    host = room.host

    assert folding.replay(room.id) == host.folded
    stored = store.read(room.stream)
    assert [each.position for each in stored] == list(range(1, host.version + 1))
    assert [each.hash for each in stored] == [canonical.event_hash(each.header) for each in stored]


def test_the_row_is_what_the_log_tells_at_every_position(room: Room) -> None:
    row, host = room.row, room.host
    columns = rows.columns(folding.replay(room.id), host.version, host.awaited())

    assert {name: getattr(row, name) for name in columns} == columns


def test_every_past_view_is_the_one_that_was_seen() -> None:
    room = open_room(rounds=3)
    seen = {room.row.version: room.view(0).data}
    for seat in (0, 1, 2):
        room.pick(seat)
        seen[room.row.version] = room.view(0).data
    for _ in range(4):
        room.open_blank()
        seen[room.row.version] = room.view(0).data
    for version, data in seen.items():
        folded = folding.replay(room.id, upto=version)
        assert queries.view(room.players[0], room.id, at=version).data == data
        assert folded.table.turn == data["turn"]


def test_without_snapshots_nothing_changes(room: Room) -> None:
    before = answers(room)

    assert store.drop_snapshots(room.stream) == 1

    assert answers(room) == before
    room.play_on()
    assert room.row.status == "finished"
    assert folding.replay(room.id) == room.host.folded


@pytest.mark.parametrize("state", [b"", b"\x00", bytes(range(256))], ids=["empty", "one byte", "noise"])
def test_a_damaged_snapshot_is_made_again_from_the_log(room: Room, superuser_url: str, state: bytes) -> None:
    before = answers(room)
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        changed = connection.execute(
            "UPDATE events_snapshot SET state = %s WHERE stream = %s", [state, stream_of(room.id)]
        )
        assert changed.rowcount == 1

    assert answers(room) == before
    room.open_blank()
    assert folding.replay(room.id) == room.host.folded


def test_a_snapshot_of_other_code_is_not_trusted(room: Room, superuser_url: str) -> None:
    """Whatever its layout, its checksum being right: an upgrade leaves such rows behind."""
    before = answers(room)
    state = b"\x93\x01\x02\x03"
    told = f"{room.stream}\n{room.row.version}\nolder\n".encode()
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE events_snapshot SET code = 'older', state = %s, checksum = %s WHERE stream = %s",
            [state, sha256(told + state).digest(), room.stream],
        )

    assert answers(room) == before


def test_a_whole_game_is_decided_again_from_its_seed(room: Room) -> None:
    """The draws in the log are those that the revealed seed gives, in order and without a gap."""
    room.play_on()

    draws = [draw for each in room.headers() for draw in each.draws]
    assert [n for n, _ in draws] == list(range(len(draws)))
    revealed = room.headers("table.seed_revealed")[-1].public
    opened = room.headers("table.opened")[0].public
    assert (
        canonical.seed_commit(room.id.bytes, 0, bytes.fromhex(revealed["seed"])).hex()
        == opened["seed_commit"]
    )
    assert folding.replay(room.id).table.drawn == len(draws)


@pytest.mark.parametrize("game", sorted(catalogue.games()))
def test_every_position_of_a_log_can_be_looked_at(game: str) -> None:
    """Also those at which a game is still being dealt."""
    room = open_room(game)
    _look_at_all(room)


def test_every_position_of_a_series_can_be_looked_at() -> None:
    room = open_room("cthulhu", series=True)
    room.play_on()
    assert room.types().count("table.epoch_opened") >= 1
    _look_at_all(room, step=5)


def _look_at_all(room: Room, step: int = 1) -> None:
    for position in range(1, room.row.version + 1, step):
        for viewer in (room.players[0], room.stranger):
            assert queries.view(viewer, room.id, at=position).version == position
