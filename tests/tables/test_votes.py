"""Votes of those who play, each with a stated majority and an end."""

from __future__ import annotations

import pytest

from tables import commands
from tables.answers import rfc3339
from tables.clock import milliseconds
from tables.errors import AlreadyVoted, BadField, NotSeated, NoVote, VoteNotPossible, VoteOpen
from tables.shapes import Ballot, NewVote
from tests.services import SimulatedClock
from tests.tables.rooms import Room, open_room
from tests.tables.test_absences import answer

DAY = 86_400


def call(room: Room, caller: int, motion: str, **more: int) -> None:
    commands.call_vote(room.players[caller], room.id, NewVote(motion=motion, **more))  # type: ignore[arg-type]


def cast(room: Room, seat: int, *, in_favour: bool, vote: int = 1) -> None:
    commands.cast_vote(room.players[seat], room.id, vote, Ballot(in_favour=in_favour))


def test_two_thirds_abandon_a_game_and_nobody_has_won() -> None:
    room = open_room("arrecife", seats=5)
    call(room, 0, "abandon")
    assert room.host.table.vote is not None
    assert room.host.table.vote.called.needed == 4
    cast(room, 1, in_favour=True)
    cast(room, 2, in_favour=False)
    cast(room, 3, in_favour=True)
    assert room.row.status == "playing"
    cast(room, 4, in_favour=True)

    assert room.row.status == "finished"
    assert room.row.outcome == {
        "winners": [],
        "places": [1] * 5,
        "scores": None,
        "reason": "abandoned_by_vote",
    }
    assert room.types()[-3:] == ["table.vote_decided", "table.finished", "table.seed_revealed"]
    room.prove()


def test_a_vote_fails_as_soon_as_it_cannot_pass() -> None:
    room = open_room("arrecife", seats=3)
    call(room, 0, "pause", seconds=DAY)
    cast(room, 2, in_favour=False)

    assert room.last("table.vote_decided") == {"vote": 1, "passed": False}
    assert room.row.status == "playing"
    call(room, 1, "abandon")
    assert room.last("table.vote_called")["vote"] == 2
    room.prove()


def test_a_vote_that_is_not_answered_fails_after_three_days(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, seconds=30 * DAY)
    call(room, 0, "abandon")
    room.wait(clock, 3 * DAY - 60)
    assert room.host.table.vote is not None
    room.wait(clock, 61)

    assert room.last("table.vote_decided") == {"vote": 1, "passed": False}
    assert room.row.status == "playing"
    room.prove()


def test_a_vote_that_would_end_while_the_server_is_down_ends_later(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, seconds=30 * DAY)
    call(room, 0, "abandon")
    room.wait(clock, 3 * DAY - 60)
    clock.outage(seconds=DAY // 2)
    room.sweep()
    extended = room.last("clock.deadline_extended")
    cast(room, 1, in_favour=True)

    assert extended["until"] - extended["since"] == pytest.approx(DAY // 2 * 1000, abs=60_000)
    assert room.last("table.vote_decided") == {"vote": 1, "passed": True}
    room.prove()


def test_all_agree_on_a_pause_and_no_clock_runs_until_its_end(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    before = room.row.deadline_at
    call(room, 0, "pause", seconds=2 * DAY)
    cast(room, 1, in_favour=True)
    cast(room, 2, in_favour=True)

    after = room.row.deadline_at
    assert before is not None
    assert after is not None
    assert (after - before).total_seconds() == 2 * DAY
    paused = room.view(0).clocks
    assert [(each.seat, each.is_running) for each in paused] == [(0, False), (1, False), (2, False)]
    assert {each.due_at for each in paused} == {rfc3339(milliseconds(after))}
    room.wait(clock, 2 * DAY)
    assert all(each.is_running for each in room.view(0).clocks)
    left = room.view(0).clocks[0].seconds_left
    assert 590 <= left <= 600
    room.wait(clock, 601)
    assert "clock.expired" in room.types()
    room.prove()


def test_more_than_half_of_the_others_replace_somebody() -> None:
    room = open_room("arrecife", seats=4)
    call(room, 0, "replace", seat=3)
    with pytest.raises(NoVote):
        cast(room, 3, in_favour=False)
    cast(room, 1, in_favour=True)

    assert room.last("table.seat_replaced")["reason"] == "voted"
    assert room.row.seeking == [3]
    with pytest.raises(NotSeated):
        room.send(3, "play_card", card=1)
    room.prove()


def test_a_vote_about_somebody_does_not_hit_who_takes_over(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=4, settings={"max_timeouts": 1})
    call(room, 0, "replace", seat=3)
    for seat in (0, 1, 2):
        answer(room, seat)
    room.wait(clock, 601)

    assert room.last("table.vote_decided") == {"vote": 1, "passed": False}
    assert room.last("table.seat_replaced")["reason"] == "absent"
    room.prove()


def test_who_has_left_for_good_votes_no_more() -> None:
    room = open_room("arrecife", seats=4)
    call(room, 0, "abandon")
    room.resign(3)
    with pytest.raises(NoVote):
        cast(room, 3, in_favour=True)
    with pytest.raises(VoteOpen):
        call(room, 3, "abandon")
    cast(room, 1, in_favour=True)
    cast(room, 2, in_favour=True)
    assert room.row.status == "finished"
    room.prove()


def test_one_player_alone_removes_nobody() -> None:
    room = open_room("reafan")
    with pytest.raises(VoteNotPossible):
        call(room, 0, "replace", seat=1)


def test_what_cannot_be_voted_is_refused_and_changes_nothing() -> None:
    room = open_room("arrecife", seats=4, seconds=None)
    version = room.row.version
    with pytest.raises(BadField):
        call(room, 0, "replace")
    with pytest.raises(BadField):
        call(room, 0, "abandon", seat=1)
    with pytest.raises(VoteNotPossible):
        call(room, 0, "pause", seconds=DAY)  # there is no clock
    with pytest.raises(VoteNotPossible):
        call(room, 0, "replace", seat=0)
    with pytest.raises(NoVote):
        cast(room, 1, in_favour=True)
    assert room.row.version == version
    call(room, 0, "abandon")
    with pytest.raises(VoteOpen):
        call(room, 1, "abandon")
    with pytest.raises(AlreadyVoted):
        cast(room, 0, in_favour=True)
    with pytest.raises(NoVote):
        cast(room, 1, in_favour=True, vote=2)


def test_a_game_without_a_clock_is_over_after_half_a_year_of_silence(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, seconds=None)
    assert room.row.deadline_at is None
    room.wait(clock, 179 * DAY)
    assert room.row.status == "playing"
    room.wait(clock, 2 * DAY)

    assert (room.row.status, room.row.outcome["reason"]) == ("finished", "abandoned_idle")
    room.prove()


def test_a_table_cannot_be_abandoned_by_an_outsider() -> None:
    room = open_room("arrecife", seats=3)
    with pytest.raises(NotSeated):
        commands.call_vote(room.stranger, room.id, NewVote(motion="abandon"))
