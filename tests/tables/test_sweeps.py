"""A turn that cannot be resolved, here for a rule that fails: put off, then suspended, in nobody's way."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from tables import commands, queries
from tables.clock import moment
from tables.errors import Busy, TableSuspended
from tables.models import Table
from tables.shapes import NewVote
from tables.sweeps import BACKOFF_SECONDS, sweep
from tests.services import SimulatedClock

from .rooms import Room, open_room

TURN_SECONDS = 60


@pytest.fixture
def poison() -> Room:
    """A table whose turn cannot be resolved when its time is up."""
    return open_room("bomb", seconds=TURN_SECONDS)


def sweep_up() -> None:
    """Sweep until nothing is left that can be resolved now."""
    while sweep("test"):
        pass


def fail(clock: SimulatedClock, times: int) -> None:
    """Let so many attempts fail, each at its time."""
    for wait in (TURN_SECONDS, *BACKOFF_SECONDS)[:times]:
        clock.advance(seconds=wait)
        sweep_up()


def test_each_failure_puts_the_table_off_for_longer_and_others_are_resolved_in_the_same_sweeps(
    poison: Room, clock: SimulatedClock
) -> None:
    """clocks.md, Sweep: one table a transaction, so that none can block the others."""
    before, due = poison.row, TURN_SECONDS
    for attempt, wait in enumerate(BACKOFF_SECONDS, start=1):
        other = open_room(seconds=TURN_SECONDS)
        clock.advance(seconds=due)
        earliest = clock.now_ms() / 1000 + wait

        sweep_up()

        row = poison.row
        assert (row.expiry_attempts, row.suspended_at is not None) == (
            attempt,
            attempt == len(BACKOFF_SECONDS),
        )
        assert row.next_attempt_at is not None
        assert earliest - 0.001 <= row.next_attempt_at.timestamp() <= clock.now_ms() / 1000 + wait
        news = [] if row.suspended_at is None else ["table.suspended"]
        assert poison.types(after=before.version) == news
        assert (row.turn, row.deadline_at) == (before.turn, before.deadline_at)
        assert other.row.turn == 2
        due = max(TURN_SECONDS, wait)


def test_a_table_that_is_put_off_is_left_alone_until_then(poison: Room, clock: SimulatedClock) -> None:
    fail(clock, times=4)
    wait = BACKOFF_SECONDS[3]

    clock.advance(seconds=wait - 30)
    sweep_up()
    assert poison.row.expiry_attempts == 4

    clock.advance(seconds=30)
    sweep_up()
    assert poison.row.expiry_attempts == 5


def test_after_five_failures_the_table_is_suspended_and_its_clock_stands(
    poison: Room, clock: SimulatedClock, caplog: pytest.LogCaptureFixture
) -> None:
    fail(clock, times=4)
    assert poison.row.suspended_at is None

    clock.advance(seconds=BACKOFF_SECONDS[3])
    sweep_up()

    assert poison.row.suspended_at is not None
    alarms = [each for each in caplog.records if each.levelname == "CRITICAL"]
    assert [each.table for each in alarms].count(poison.id) == 1  # type: ignore[attr-defined]
    for command in (lambda: poison.send(0, "pick", number=0, rival=1), lambda: poison.resign(1)):
        with pytest.raises(TableSuspended):
            command()
    clock.advance(seconds=100 * max(BACKOFF_SECONDS))
    sweep_up()
    assert poison.row.expiry_attempts == 5
    assert poison.headers("clock.expired") == []
    assert poison.view(0).turn == 1


def test_staff_resume_a_suspended_table_and_the_suspension_does_not_count(
    poison: Room, clock: SimulatedClock
) -> None:
    """cases.md R28: what failed is tried anew; who still had time has it back."""
    commands.call_vote(poison.players[0], poison.id, NewVote(motion="abandon"))
    fail(clock, times=5)
    assert queries.table(poison.stranger, poison.id).suspended
    clock.advance(seconds=3600)

    call_command("resume_table", str(poison.id), stdout=StringIO())

    extended = poison.last("clock.deadline_extended")
    assert extended["reason"] == "suspension"
    assert extended["until"] - extended["since"] >= 3_600_000
    assert (poison.row.suspended_at, poison.row.expiry_attempts) == (None, 0)
    sweep_up()
    assert poison.row.expiry_attempts == 1
    poison.prove()


def test_who_comes_to_a_turn_that_cannot_be_resolved_is_told_to_come_again(
    poison: Room, clock: SimulatedClock
) -> None:
    clock.advance(seconds=TURN_SECONDS)
    version = poison.row.version

    assert poison.view(0).expiring
    with pytest.raises(Busy):
        poison.send(0, "pick", number=0, rival=1)
    assert poison.row.version == version


def test_a_row_that_names_an_earlier_end_than_its_log_holds_nobody_up(clock: SimulatedClock) -> None:
    """It would be the first to be looked at in every sweep, and nothing is due there."""
    stale, other = open_room(seconds=6_000), open_room(seconds=TURN_SECONDS)
    due = stale.row.due_at
    clock.advance(seconds=TURN_SECONDS + 1)
    Table.objects.filter(id=stale.id).update(due_at=moment(clock.now_ms() - 3_600_000))

    assert sweep("test") == 2

    assert other.row.turn == 2
    assert (stale.row.turn, stale.row.due_at) == (1, due)
    stale.prove()
