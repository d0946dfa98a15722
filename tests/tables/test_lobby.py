"""Tables that wait for players: for how long, and who is still there when they are full."""

from __future__ import annotations

import uuid

import msgspec
import pytest

from tables import aside, commands, hosting, staff
from tables.clock import moment
from tables.errors import BadField, PresenceNotAsked, TableNotOpen
from tables.interventions import Suspended
from tables.models import Table, Tenure
from tables.shapes import Join, NewTable
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player

DAY = 86_400


def waiting_room(seats: int = 3, **settings: object) -> Room:
    """Return a table at which its host waits for others."""
    host = new_player()
    body = NewTable(game="arrecife", seats=seats, **settings)  # type: ignore[arg-type]
    opened = msgspec.to_builtins(commands.open_table(host, body).answer)
    return Room(uuid.UUID(opened["id"]), [host], new_player())


def join(room: Room) -> uuid.UUID:
    player = new_player()
    commands.join(player, room.id, Join())
    return player


@pytest.mark.parametrize("title", ["two\nlines", "\x1b[31mred", "a\tb", "\x9b2J"])
def test_a_title_is_one_line_of_what_can_be_shown(title: str) -> None:
    """It stands in lists, in mails and on terminals."""
    with pytest.raises(BadField) as refused:
        waiting_room(title=title)
    assert refused.value.facts == {"pointer": "#/title", "code": "control_character"}


def test_an_open_table_expires_after_a_week(clock: SimulatedClock) -> None:
    """cases.md R96."""
    room = waiting_room()
    join(room)
    room.wait(clock, 7 * DAY - 60)
    assert room.row.status == "open"
    room.wait(clock, 61)

    assert room.row.status == "closed"
    assert room.last("table.closed") == {"reason": "expired"}
    assert room.row.due_at is None
    with pytest.raises(TableNotOpen):
        join(room)
    room.prove()


def test_a_table_that_fills_soon_starts_at_once(clock: SimulatedClock) -> None:
    room = waiting_room()
    join(room)
    room.wait(clock, DAY - 10)
    join(room)

    assert room.row.status == "playing"
    assert "table.presence_asked" not in room.types()


def test_a_table_that_has_waited_long_starts_when_all_have_said_to_be_there(clock: SimulatedClock) -> None:
    room = waiting_room()
    second = join(room)
    room.wait(clock, DAY + 60)
    last = join(room)

    assert room.row.status == "open"
    assert room.host.table.presence is not None
    assert room.host.table.presence.seats == (2,)
    commands.confirm_presence(second, room.id)
    commands.confirm_presence(second, room.id)
    assert room.row.status == "open"
    commands.confirm_presence(room.players[0], room.id)

    assert room.row.status == "playing"
    with pytest.raises(PresenceNotAsked):
        commands.confirm_presence(last, room.id)
    room.prove()


def test_who_does_not_answer_loses_the_seat_and_the_table_waits_on(clock: SimulatedClock) -> None:
    room = waiting_room()
    second = join(room)
    room.wait(clock, DAY + 60)
    last = join(room)
    commands.confirm_presence(second, room.id)
    room.wait(clock, DAY + 1)

    assert room.row.status == "open"
    assert room.last("table.presence_lapsed") == {"seats": [0]}
    assert room.last("table.seat_left") == {"seat": 0, "reason": "absent"}
    assert Table.objects.get(id=room.id).host_id == second
    held = Tenure.objects.filter(table=room.id, until__isnull=True)
    assert set(held.values_list("player", flat=True)) == {second, last}
    join(room)
    assert room.host.table.presence is not None, "the question is asked anew"
    room.prove()


def test_nobody_loses_a_seat_for_no_answer_while_the_server_is_down(clock: SimulatedClock) -> None:
    room = waiting_room()
    second = join(room)
    room.wait(clock, DAY + 60)
    join(room)
    room.sweep()
    clock.outage(seconds=DAY + 60)
    room.sweep()
    assert room.row.status == "open"
    assert room.host.table.presence is not None
    for player in (second, *room.players):
        commands.confirm_presence(player, room.id)

    assert "table.presence_lapsed" not in room.types()
    assert room.last("clock.deadline_extended")["reason"] == "outage"
    room.wait(clock, DAY)
    room.prove()


@pytest.mark.parametrize("is_logged", [True, False])
def test_a_suspension_takes_nobodys_time_to_answer(clock: SimulatedClock, is_logged: bool) -> None:
    room = waiting_room()
    second = join(room)
    room.wait(clock, DAY + 60)
    join(room)
    if is_logged:
        aside.append(room.id, Suspended(reason="unresolved"), actor="table")
    Table.objects.filter(id=room.id).update(suspended_at=moment(hosting.now_ms()))
    room.wait(clock, DAY + 60)
    assert staff.resume(room.id, "mended")
    room.sweep()
    assert room.last("clock.deadline_extended")["reason"] == "suspension"
    for player in (second, *room.players):
        commands.confirm_presence(player, room.id)

    assert "table.presence_lapsed" not in room.types()
    assert room.row.status == "playing"
    room.prove()


def test_a_table_at_which_nobody_answers_is_closed(clock: SimulatedClock) -> None:
    room = waiting_room(seats=3, bots=["random", "random"], starts="by_host")
    room.wait(clock, DAY + 60)
    commands.start(room.players[0], room.id)
    assert room.row.status == "playing", "whoever starts the game is there"

    other = waiting_room(starts="by_host")
    join(other)
    join(other)
    other.wait(clock, DAY + 60)
    commands.start(other.players[0], other.id)
    commands.leave(other.players[0], other.id)
    other.wait(clock, DAY + 1)

    assert other.last("table.closed") == {"reason": "deserted"}
    with pytest.raises(TableNotOpen):
        join(other)
    other.prove()


def test_a_host_who_leaves_passes_the_role_on(clock: SimulatedClock) -> None:
    room = waiting_room()
    second = join(room)
    commands.leave(room.players[0], room.id)

    assert Table.objects.get(id=room.id).host_id == second
    commands.leave(second, room.id)
    assert room.row.status == "closed"
    room.prove()
