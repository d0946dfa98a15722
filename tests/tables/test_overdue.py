"""A command comes upon what is due, and more becomes due while that is brought about."""

from __future__ import annotations

import pytest
from django.db import transaction

from tables import hosting
from tables.errors import Busy
from tables.expiry import expire
from tables.hosting import Host
from tests.services import SimulatedClock

from .rooms import Room, open_room

TURN_SECONDS = 60


class Slowly:
    """Brings about what is due; so many times a turn goes by before the table can be locked again."""

    def __init__(self, clock: SimulatedClock, times: int) -> None:
        self.clock, self.left = clock, times

    def __call__(self, host: Host) -> None:
        """Bring it about."""
        expire(host)
        if self.left:
            self.left -= 1
            transaction.on_commit(lambda: self.clock.advance(seconds=TURN_SECONDS + 1))


def overdue(clock: SimulatedClock) -> Room:
    """Return a table whose turn has run out, and nobody has seen it."""
    room = open_room("arrecife", seats=3, seconds=TURN_SECONDS, settings={"max_timeouts": 10})
    clock.advance(seconds=TURN_SECONDS + 1)
    return room


def test_nobody_acts_after_a_turn_that_ran_out_while_the_one_before_was_ended(clock: SimulatedClock) -> None:
    room = overdue(clock)

    with hosting.locked(room.id, expire=Slowly(clock, 1)) as host:
        assert not hosting.is_overdue(host)
        assert len(room.headers("clock.expired")) == 2
    room.prove()


def test_a_command_gives_up_where_more_and_more_is_due(clock: SimulatedClock) -> None:
    room = overdue(clock)

    with pytest.raises(Busy), hosting.locked(room.id, expire=Slowly(clock, hosting.MOST_ROUNDS)):
        pytest.fail("something is due, and the command goes on")
    assert len(room.headers("clock.expired")) == hosting.MOST_ROUNDS
    room.prove()
