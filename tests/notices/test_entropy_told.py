"""Who is told that the table waits for a part of chance."""

from __future__ import annotations

import pytest

from tests.notices.people import told
from tests.services import SimulatedClock
from tests.tables.test_entropy import TURN, hall

pytestmark = pytest.mark.usefixtures("no_drivers")


def test_who_has_not_committed_or_revealed_is_told(clock: SimulatedClock) -> None:
    room = hall()
    room.commit(0)
    assert [told(each, room.id) for each in room.players] == [[], ["entropy_asked"], ["entropy_asked"]]
    room.commit(1, 2)
    room.reveal(0)
    assert [told(each, room.id)[-1:] for each in room.players] == [[], *[["entropy_awaited"]] * 2]
    room.reveal(1, 2)
    assert all("started" in told(each, room.id) for each in room.players)


def test_a_strict_table_that_is_closed_says_why(clock: SimulatedClock) -> None:
    room = hall("players_strict")
    room.wait(clock, TURN + 1)

    assert [told(each, room.id) for each in room.players] == [["unseeded"]] * 3
