"""Time of who plays in another's seat, and of who comes back to the own one.

Absence costs time and never gains it: what a bot has earned meanwhile is not the absentee's.
"""

from __future__ import annotations

import uuid

from tables import commands
from tables.relay import relay
from tables.shapes import Ballot, ClockChoice, NewVote
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room
from tests.tables.test_absences import answer, answer_all, take

INITIAL = 8_000
BUDGET = {
    "clock": ClockChoice(kind="budget", initial=INITIAL, increment=1_000, cap=INITIAL),
    "absentee": "bot",
    "max_timeouts": 1,
}


def bank(room: Room, seat: int) -> int:
    """Return what a seat had in hand when clocks were last set, in seconds."""
    return room.host.table.banks[seat] // 1000


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


def test_a_bot_that_stands_in_is_given_the_time_to_move(clock: SimulatedClock) -> None:
    """Its seat has nothing left, and the turn at which it comes in waits for nobody else."""
    room = open_room("reafan", settings=BUDGET)
    absent = room.host.state.starter
    answer(room, 1 - absent)
    room.wait(clock, INITIAL + 1)
    came_in = room.last("table.seat_replaced")
    assert (came_in["seat"], came_in["bot"] is not None, room.host.awaited()) == (absent, True, (absent,))

    room.sweep()
    let_bots_move(room)

    assert [each.public["seats"] for each in room.headers("clock.expired")] == [[absent]]
    assert room.headers("table.move_played")[-1].actor == f"seat:{absent}"
    room.prove()


def test_several_bots_that_come_in_at_once_have_clocks_of_their_own(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=4, settings=BUDGET)
    answer(room, 3)
    room.wait(clock, INITIAL + 1)

    replaced = [each.public["seat"] for each in room.headers("table.seat_replaced")]
    assert replaced == [0, 1, 2]
    assert room.host.table.banks[:3] == (INITIAL * 100,) * 3
    let_bots_move(room)
    answer_all(room)
    room.prove()


def test_who_returns_has_a_tenth_and_not_what_the_bot_has_earned(clock: SimulatedClock) -> None:
    room = open_room("reafan", settings=BUDGET)
    use_up(room, clock, 1)
    for _ in range(8):
        answer_all(room)
    assert bank(room, 1) > INITIAL // 10, "the bot has earned something"

    take(room, 1, room.players[1])

    assert bank(room, 1) == INITIAL // 10
    answer_all(room)
    room.prove()


def test_whoever_comes_back_again_and_again_gains_less_and_less(clock: SimulatedClock) -> None:
    """All that the returns of one player give, however many, is less than a fifth of the bank."""
    room = open_room("reafan", settings=BUDGET)
    given = []
    for _ in range(3):
        use_up(room, clock, 1)
        take(room, 1, room.players[1])
        given.append(bank(room, 1))
    assert given == [INITIAL // 10, INITIAL // 20, INITIAL // 40]

    use_up(room, clock, 1)
    heir = new_player()
    take(room, 1, heir)
    assert bank(room, 1) == INITIAL, "whoever is new has all of it"
    use_up(room, clock, 1)
    take(room, 1, heir)
    assert bank(room, 1) == INITIAL // 10
    room.prove()


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
