"""Where a player is to act, for one table and for many."""

from __future__ import annotations

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables import catalogue, turns
from tables.models import Tenure
from tests.tables.rooms import Room, new_player, open_room


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
