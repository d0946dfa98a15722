"""A finished game is verified at once: by the outbox, with nothing held up, and everybody may know."""

from __future__ import annotations

import logging

import psycopg
import pytest
from django.core.management import call_command

from tables import queries, relay
from tables.models import Outbox
from tables.operations import figures
from tests.tables.rooms import Room, open_room


@pytest.fixture
def room_of_two() -> Room:
    """A game for two, just begun."""
    return open_room("reafan")


def verdicts_due(room: Room) -> int:
    return Outbox.objects.filter(table=room.id, kind="verify", done_at__isnull=True).count()


def do_deeds() -> None:
    while relay.relay():
        pass


def test_the_end_of_a_game_has_it_verified() -> None:
    room = open_room("reafan")
    assert queries.table(room.players[0], room.id).verification is None
    assert verdicts_due(room) == 0

    room.resign(0)
    assert verdicts_due(room) == 1
    assert queries.table(room.players[1], room.id).verification is None
    do_deeds()

    found = queries.table(room.players[1], room.id).verification
    assert found is not None
    assert (found.verdict, found.position) == ("proved", room.row.version)
    assert verdicts_due(room) == 0


def test_each_way_of_ending_has_one(room_of_two: Room) -> None:
    room_of_two.play_on()
    assert verdicts_due(room_of_two) == 1


def test_a_series_is_verified_once_at_its_end() -> None:
    room = open_room("cthulhu", series=True)
    while room.host.table.epoch == 0:
        room.play_on(moves=1)
    assert verdicts_due(room) == 0


def test_a_verdict_that_failed_pages(
    room_of_two: Room, superuser_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    room_of_two.resign(0)
    change = "UPDATE tables_seed SET seed = sha256(seed) WHERE table_id = %s RETURNING seed"
    with psycopg.connect(superuser_url) as superuser, superuser.cursor() as cursor:
        seed = cursor.execute("SELECT seed FROM tables_seed WHERE table_id = %s", [room_of_two.id]).fetchone()
        before = figures.look(cursor).unproved_tables
        cursor.execute(change, [room_of_two.id])
        superuser.commit()
        with caplog.at_level(logging.CRITICAL):
            do_deeds()
        after = figures.look(cursor).unproved_tables
        found = queries.table(room_of_two.players[0], room_of_two.id).verification
        assert seed is not None
        cursor.execute("UPDATE tables_seed SET seed = %s WHERE table_id = %s", [seed[0], room_of_two.id])
    assert found is not None
    assert found.verdict == "failed"
    assert after == before + 1
    (line,) = [each for each in caplog.records if each.levelno == logging.CRITICAL]
    assert line.__dict__["table"] == room_of_two.id
    assert line.getMessage() == "a finished game is not proved: fairness"

    call_command("verify_streams", table=str(room_of_two.id))
    assert room_of_two.row.verdict == "proved"
