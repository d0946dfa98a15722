"""Who plays in another's seat, and who comes back to the own one."""

from __future__ import annotations

import uuid

from tables import commands
from tables.relay import relay
from tables.shapes import Ballot, NewVote
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room
from tests.tables.test_absences import answer, answer_all, take

INITIAL = 8_000


def use_up(room: Room, clock: SimulatedClock, seat: int) -> None:
    """Let a seat answer no more until a bot has it."""
    while not (holder := room.host.table.holders[seat]) or not holder.bot:
        answer_all(room, without=[seat])
        if room.host.awaited() == (seat,):
            room.wait(clock, INITIAL + 1)
        assert room.row.status == "playing"


def let_bots_move(room: Room) -> None:
    while relay():
        pass


def test_a_seat_that_has_answered_may_change_hands_and_its_log_is_proved(clock: SimulatedClock) -> None:
    """The open turn waits for it no more, and no clock is set."""
    room = open_room("arrecife", seats=4)
    _vote_out(room, 1)
    let_bots_move(room)
    assert 1 not in room.host.awaited()

    take(room, 1, new_player())
    answer(room, 0)
    answer_all(room)

    room.prove()


def test_who_returns_to_a_seat_for_which_the_bot_has_answered_waits_for_the_next_turn(
    clock: SimulatedClock,
) -> None:
    room = open_room("arrecife", seats=3, settings={"max_timeouts": 1})
    use_up(room, clock, 1)
    room.wait(clock, 60)
    let_bots_move(room)
    assert 1 not in room.host.awaited()
    take(room, 1, room.players[1])
    answer_all(room)
    answer_all(room)

    room.prove()


def _vote_out(room: Room, seat: int) -> None:
    voters: list[uuid.UUID] = [each for each in room.players if each != room.players[seat]]
    commands.call_vote(voters[0], room.id, NewVote(motion="replace", seat=seat))
    commands.cast_vote(voters[1], room.id, 1, Ballot(in_favour=True))
