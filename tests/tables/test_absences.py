"""Who answers no more: strikes, and what the table's rule makes of the seat; who takes over, who returns."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from django.db import connection

from engines.audience import name_of
from tables import access, commands, queries, reliability, vacations
from tables.errors import AlreadySeated, BadField, NotFound, PlayedHere, ReliabilityTooLow, SeatNotSought
from tables.models import AwaitedTurn, Outbox, Player, Table, Tenure
from tables.relay import relay
from tables.shapes import Ballot, Join, NewOffer, NewTable, NewVacation, NewVote, TakeOver
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room


def answer(room: Room, seat: int) -> None:
    """Play the first legal move of a seat."""
    host = room.host
    move = host.game.legal_moves(host.state, seat)[0]
    room.send(seat, name_of(type(move)), **msgspec.to_builtins(move))


def answer_all(room: Room, without: Sequence[int] = ()) -> None:
    """Play for all seats of the open turn that are awaited; the bots play for themselves."""
    turn = room.row.turn
    while room.row.turn == turn and (able := [each for each in room.host.awaited() if each not in without]):
        if room.host.table.holders[able[0]].bot:
            relay()
        else:
            answer(room, able[0])


def vanish(room: Room, clock: SimulatedClock, seat: int, turns: int = 2) -> None:
    """Let a seat miss so many of its turns, while the others answer."""
    missed = 0
    while missed < turns:
        answer_all(room, without=[seat])
        if room.host.awaited() == (seat,):
            room.wait(clock, 601)
            missed += 1


def take(room: Room, seat: int, player: uuid.UUID) -> None:
    commands.take_over(player, room.id, seat, TakeOver())


def test_with_more_than_two_seats_a_bot_plays_on_after_two_strikes(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=4)

    vanish(room, clock, 2, turns=1)
    assert room.host.table.strikes == (0, 0, 1, 0)
    vanish(room, clock, 2, turns=1)

    replaced = room.last("table.seat_replaced")
    assert (replaced["seat"], replaced["bot"], replaced["reason"]) == (2, "reader", "absent")
    assert room.host.table.strikes == (0, 0, 0, 0)
    assert room.row.seeking == [2]
    turn = room.row.turn
    answer_all(room, without=[2])
    while relay():
        pass
    assert room.row.turn > turn, "the bot has not moved"
    room.prove()


def test_a_move_that_equals_the_default_is_a_move_and_clears_the_strikes(clock: SimulatedClock) -> None:
    room = open_room("reafan", settings={"max_timeouts": 3})
    answer(room, 1)
    room.wait(clock, 601)  # the mulligan of seat 0 runs out
    assert room.host.table.strikes == (1, 0)
    while room.host.awaited() != (0,):
        answer(room, 1)
    default = room.host.game.default_move(room.host.state, 0, room.host.batch().chance)
    room.send(0, name_of(type(default)), **msgspec.to_builtins(default))

    assert room.host.table.strikes == (0, 0)
    room.prove()


@pytest.mark.parametrize(("game", "seats", "absentee"), [("arrecife", 4, "forfeit"), ("reafan", 2, "bot")])
def test_the_option_decides_whatever_the_number_of_seats(
    clock: SimulatedClock, game: str, seats: int, absentee: str
) -> None:
    room = open_room(game, seats=seats, settings={"absentee": absentee})
    vanish(room, clock, 1)

    assert (1 in room.host.table.abandoned) == (absentee == "forfeit")
    assert bool(room.host.table.holders[1].bot) == (absentee == "bot")
    room.prove()


def test_a_sealed_pick_stays_when_its_seat_changes_hands(clock: SimulatedClock) -> None:
    """cases.md R94: it is kept, and the new holder sees it."""
    room = open_room("arrecife", seats=4)
    answer(room, 1)
    picked = room.view(1).data
    commands.call_vote(room.players[0], room.id, NewVote(motion="replace", seat=1))
    commands.cast_vote(room.players[2], room.id, 1, Ballot(in_favour=True))
    heir = new_player()
    take(room, 1, heir)

    seen = queries.view(heir, room.id)
    assert seen.data == picked
    assert not seen.legal_moves
    room.prove()


def test_with_two_seats_the_absentee_is_out(clock: SimulatedClock) -> None:
    room = open_room("reafan", settings={"max_timeouts": 3})
    seat = 1
    vanish(room, clock, seat, turns=3)

    assert room.last("table.seat_abandoned") == {"seat": seat, "reason": "timeout"}
    assert room.row.status == "finished"
    assert room.row.outcome["winners"] == [0]
    room.prove()


def test_the_option_of_the_game_comes_before_the_strikes(clock: SimulatedClock) -> None:
    """Reafan's ``on_timeout: forfeit``."""
    room = open_room("reafan", on_timeout="forfeit")
    answer_all(room)
    room.let_time_pass(clock)

    assert room.row.status == "finished"
    assert room.types().count("clock.expired") == 1
    room.prove()


def test_an_open_seat_is_played_by_default_until_its_holder_moves_again(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, settings={"absentee": "open", "max_timeouts": 1})
    vanish(room, clock, 0, turns=1)

    assert room.last("table.replacement_sought") == {"seat": 0, "reason": "absent"}
    assert room.row.seeking == [0]
    assert room.view(0).viewer == 0
    vanish(room, clock, 0, turns=1)
    assert room.types().count("table.replacement_sought") == 1

    answer(room, 0)
    assert room.row.seeking == []
    room.prove()


def test_an_outsider_takes_the_seat_and_sees_what_it_may_know(clock: SimulatedClock) -> None:
    """cases.md R90: each sees the own tenure."""
    room = open_room("arrecife", seats=3)
    vanish(room, clock, 1)
    heir = new_player()

    take(room, 1, heir)

    replaced = room.last("table.seat_replaced")
    assert (replaced["bot"], replaced["reason"]) == (None, "taken_over")
    assert replaced["holder"] == Tenure.objects.get(table=room.id, player=heir).pseudonym
    seen = queries.view(heir, room.id)
    assert seen.viewer == 1
    assert seen.legal_moves
    assert queries.view(room.players[1], room.id).viewer is None
    assert not queries.view(room.players[1], room.id).legal_moves
    mine = next(each for each in seen.clocks if each.seat == 1)
    assert mine.seconds_left > 595, "whoever takes over has a whole turn"
    room.prove()


def test_who_was_absent_comes_back_to_the_own_seat(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    vanish(room, clock, 1)

    take(room, 1, room.players[1])

    assert room.last("table.seat_replaced")["reason"] == "returned"
    assert room.row.seeking == []
    answer_all(room)
    room.prove()


def test_nobody_takes_a_seat_over_who_plays_or_has_played_here(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=4)
    vanish(room, clock, 1)
    vanish(room, clock, 2)
    version = room.row.version

    with pytest.raises(AlreadySeated):
        take(room, 1, room.players[0])
    with pytest.raises(PlayedHere):
        take(room, 2, room.players[1])
    with pytest.raises(SeatNotSought):
        take(room, 0, new_player())
    assert room.row.version == version
    take(room, 2, new_player())
    room.prove()


def test_ten_outsiders_want_one_seat_and_one_gets_it(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    vanish(room, clock, 1)

    def try_to_take(player: uuid.UUID) -> bool:
        try:
            take(room, 1, player)
        except SeatNotSought:
            return False
        else:
            return True
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=10) as pool:
        got = list(pool.map(try_to_take, [new_player() for _ in range(10)]))

    assert sum(got) == 1
    assert Tenure.objects.filter(table=room.id, seat=1, until__isnull=True).count() == 1


def test_a_seat_of_a_private_table_is_taken_by_whom_it_is_offered_to(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    Table.objects.filter(id=room.id).update(visibility="private")
    vanish(room, clock, 1)
    friend = new_player()
    with pytest.raises(NotFound):
        take(room, 1, friend)

    name = Player.objects.get(id=friend).name
    commands.offer_seat(room.players[0], room.id, 1, NewOffer(player=name))

    assert access.table_seen_by(friend, room.id)
    take(room, 1, friend)
    assert room.last("table.seat_replaced")["reason"] == "taken_over"


def test_an_offer_that_is_repeated_is_told_once(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    vanish(room, clock, 1)
    friend = new_player()
    offer = NewOffer(player=Player.objects.get(id=friend).name)
    for seat in (0, 2):
        commands.offer_seat(room.players[seat], room.id, 1, offer)
        answer(room, seat)

    told = Outbox.objects.filter(table=room.id, audience=f"player:{friend}")
    assert [each.detail["what"] for each in told] == ["invited"]


def test_an_offer_ends_when_nobody_is_sought_any_more(clock: SimulatedClock) -> None:
    """A private table is seen through an offer only as long as it stands."""
    room = open_room("arrecife", seats=3, settings={"absentee": "open"})
    Table.objects.filter(id=room.id).update(visibility="private")
    vanish(room, clock, 1)
    friend = new_player()
    commands.offer_seat(room.players[0], room.id, 1, NewOffer(player=Player.objects.get(id=friend).name))
    assert access.table_seen_by(friend, room.id)
    answer(room, 1)

    with pytest.raises(NotFound):
        access.table_seen_by(friend, room.id)


def test_a_seat_is_offered_to_nobody_who_plays_here(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    vanish(room, clock, 1)
    name = Player.objects.get(id=room.players[2]).name

    with pytest.raises(PlayedHere):
        commands.offer_seat(room.players[0], room.id, 1, NewOffer(player=name))
    with pytest.raises(BadField):
        commands.offer_seat(room.players[0], room.id, 1, NewOffer(player="nobody at all"))
    with pytest.raises(SeatNotSought):
        commands.offer_seat(room.players[0], room.id, 2, NewOffer(player=name))


def test_who_has_left_for_good_does_not_come_back() -> None:
    room = open_room("arrecife", seats=4)
    room.resign(1)

    assert room.row.seeking == []
    with pytest.raises(AlreadySeated):
        take(room, 1, room.players[1])
    with pytest.raises(SeatNotSought):
        take(room, 1, new_player())
    room.prove()


def test_reliability_is_the_share_of_the_last_turns_played_in_time(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, settings={"absentee": "open"})
    vanish(room, clock, 1, turns=2)

    assert list(AwaitedTurn.objects.filter(player=room.players[1]).values_list("in_time", flat=True)) == [
        False,
        False,
    ]
    assert set(AwaitedTurn.objects.filter(player=room.players[0]).values_list("in_time", flat=True)) == {True}
    assert reliability.of(room.players[1]) is None
    player = new_player()
    AwaitedTurn.objects.bulk_create(
        AwaitedTurn(player_id=player, table_id=room.id, turn=turn, in_time=turn >= 130) for turn in range(180)
    )
    assert reliability.of(player) == 50


def test_who_is_on_vacation_is_no_less_reliable(clock: SimulatedClock) -> None:
    """At a table without vacations the clock runs, and still nothing is held against who is away."""
    room = open_room("arrecife", seats=3, settings={"vacations": False})
    vacations.book(room.players[1], NewVacation())
    vanish(room, clock, 1, turns=1)

    assert not AwaitedTurn.objects.filter(player=room.players[1]).exists()


def test_a_table_asks_for_reliable_players() -> None:
    host, player = new_player(), new_player()
    body = NewTable(game="arrecife", seats=3, least_reliability=90)
    opened = commands.open_table(host, body).answer
    table_id = uuid.UUID(msgspec.to_builtins(opened)["id"])
    AwaitedTurn.objects.bulk_create(
        AwaitedTurn(player_id=player, table_id=table_id, turn=turn, in_time=turn > 1) for turn in range(18)
    )

    with pytest.raises(ReliabilityTooLow) as refused:
        commands.join(player, table_id, Join())

    assert refused.value.facts == {"wanted": 90, "reliability": 88}
    commands.join(new_player(), table_id, Join())
