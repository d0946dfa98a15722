"""Where a player is to act, for one table and for many."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables import catalogue, commands, turns
from tables.models import Tenure
from tables.shapes import Ballot, NewVote
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room
from tests.tables.test_entropy import hall
from tests.tables.test_lobby import join, waiting_room


def wait_for(player: uuid.UUID, room: Room) -> str:
    """Give the player a seat that a table waits for; return the table."""
    Tenure.objects.filter(table=room.id, seat=room.row.awaited[0]).update(player=player)
    return str(room.id)


def test_a_home_screen_costs_as_many_statements_for_one_table_as_for_many() -> None:
    player = new_player()
    counts = []
    for more in (1, 6):
        for _ in range(more):
            wait_for(player, open_room())
        with CaptureQueriesContext(connection) as statements:
            found = turns.turns(player, with_views=True)
        counts.append(len(statements))
        assert all(each.view and each.view.legal_moves and each.kinds for each in found.items)
    assert len(found.items) == 7
    assert counts == [3, 3]


def test_a_table_that_cannot_be_told_holds_up_no_home_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    player = new_player()
    lost, whole = (wait_for(player, open_room(game)) for game in ("probe", "reafan"))
    monkeypatch.delitem(catalogue.games(), "probe")

    found = {each.table_id: each for each in turns.turns(player, with_views=True).items}

    assert found.keys() == {lost, whole}
    assert (found[lost].kinds, found[lost].view) == ([], None)
    assert found[whole].view is not None


def asked(room: Room, seat: int) -> list[str]:
    """What the home screen of a seat says that the table asks."""
    found = turns.turns(room.players[seat]).questions
    assert {(each.table_id, each.seat) for each in found} <= {(str(room.id), seat)}
    return [each.kind for each in found]


def test_a_home_screen_tells_what_is_asked_beside_moves() -> None:
    waiting = hall(joined=2)
    assert asked(waiting, 0) == [], "nobody is asked before the table is full"
    room = hall()
    room.commit(0)
    assert [asked(room, seat) for seat in range(3)] == [[], ["commit_entropy"], ["commit_entropy"]]
    tag = turns.turns(room.players[1]).etag
    room.commit(1)
    assert turns.turns(room.players[1]).etag != tag
    room.commit(2)
    room.reveal(2)
    assert [asked(room, seat) for seat in range(3)] == [["reveal_entropy"], ["reveal_entropy"], []]
    room.reveal(0, 1)
    assert [asked(room, seat) for seat in range(3)] == [[], [], []]

    commands.call_vote(room.players[0], room.id, NewVote(motion="abandon"))
    assert [asked(room, seat) for seat in range(3)] == [[], ["cast_vote"], ["cast_vote"]]
    (question,) = turns.turns(room.players[1]).questions
    vote = room.view(1).vote
    assert vote
    assert question.until == vote.until
    commands.cast_vote(room.players[1], room.id, 1, Ballot(in_favour=True))
    assert [asked(room, seat) for seat in range(3)] == [[], [], []]


def test_a_home_screen_tells_that_a_table_asks_who_is_there(clock: SimulatedClock) -> None:
    alone = waiting_room()
    alone.wait(clock, 86_400 + 60)
    room = replace(alone, players=[*alone.players, join(alone), join(alone)])

    assert [asked(room, seat) for seat in range(3)] == [["confirm_presence"], ["confirm_presence"], []]
    commands.confirm_presence(room.players[0], room.id)
    assert asked(room, 0) == []
    commands.confirm_presence(room.players[1], room.id)
    assert asked(room, 1) == []
