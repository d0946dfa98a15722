"""Absent at the deadline, or gone for good: the table plays on, and nobody is waited for in vain."""

from __future__ import annotations

import pytest

from engines.errors import RuleViolation
from events.codec import Header
from tables.errors import AlreadyMoved, AlreadyResigned, TurnPassed
from tests.services import SimulatedClock

from .rooms import open_room


def names(headers: list[Header]) -> list[str]:
    return [each.type.removeprefix("table.").removeprefix("probe.") for each in headers]


def played_by_table(headers: list[Header]) -> list[int]:
    return [
        each.public["seat"] for each in headers if each.type == "table.move_played" and each.actor == "table"
    ]


def test_two_absentees_of_one_deadline_are_played_for_in_ascending_order(clock: SimulatedClock) -> None:
    """The pick that was made stands; only what is owed is drawn."""
    room = open_room()
    room.send(1, "pick", number=2, rival=0)
    before = room.row.version

    clock.advance(seconds=600)
    room.sweep()

    added = room.headers(after=before)
    assert names(added) == [
        "clock.expired",
        "move_played",
        "move_played",
        "picks_opened",
        "cards_laid",
        "clock.deadline_set",
    ]
    assert added[0].public["seats"] == [0, 2]
    assert played_by_table(added) == [0, 2]
    assert all(each.slots[0].to == "server" for each in added[1:3])
    assert [each.draws for each in added[1:3]] == [((1, "time_out"),), ((2, "time_out"),)]
    assert room.host.state.picks[1].number == 2
    assert room.row.turn == 2


def test_a_deadline_is_resolved_once_however_many_look(clock: SimulatedClock) -> None:
    room = open_room()
    clock.advance(seconds=600)

    room.sweep()
    version = room.row.version
    room.sweep()
    room.view(0)

    assert room.row.version == version
    assert len(room.headers("clock.expired")) == 1


def test_whoever_looks_first_resolves_the_turn(clock: SimulatedClock) -> None:
    room = open_room()
    clock.advance(seconds=600)

    view = room.view(0)

    assert (view.turn, view.expiring) == (2, False)


def test_a_move_at_its_deadline_is_too_late_and_what_the_table_played_stands(clock: SimulatedClock) -> None:
    room = open_room()
    clock.advance(seconds=600)

    with pytest.raises(TurnPassed):
        room.send(0, "pick", turn=1, number=2, rival=1)

    assert room.row.turn == 2
    assert played_by_table(room.headers()) == [0, 1, 2]


def test_a_pick_that_came_in_time_is_still_known_after_the_deadline(clock: SimulatedClock) -> None:
    room = open_room()
    room.send(0, "pick", number=2, rival=1)
    clock.advance(seconds=600)
    room.sweep()

    assert room.send(0, "pick", turn=1, number=2, rival=1).replayed
    with pytest.raises(AlreadyMoved):
        room.send(0, "pick", turn=1, number=0, rival=1)


def test_a_declaration_is_never_waited_for(clock: SimulatedClock) -> None:
    room = open_room()
    room.pick(0, 1, 2)
    active = room.host.state.active
    clock.advance(seconds=600)
    room.sweep()

    assert room.headers("clock.expired")[-1].public["seats"] == [active]
    assert {each.public["kind"] for each in room.headers("table.move_played")} == {"pick", "open"}


def test_with_forfeit_the_absent_leave_until_one_is_left(clock: SimulatedClock) -> None:
    """The first to be gone has its pick drawn at once; the second ends the game."""
    room = open_room(on_timeout="forfeit")
    room.send(1, "pick", number=2, rival=0)
    before = room.row.version
    clock.advance(seconds=600)
    room.sweep()

    assert names(room.headers(after=before)) == [
        "clock.expired",
        "seat_abandoned",
        "seat_left",
        "move_played",
        "seat_abandoned",
        "seat_left",
        "game_ended",
        "finished",
        "seed_revealed",
    ]
    outcome = room.view(None).outcome
    assert outcome is not None
    assert (outcome.reason, outcome.winners, outcome.places) == ("deserted", [1], [2, 1, 2])


def test_a_game_that_nobody_plays_ends_all_the_same(clock: SimulatedClock) -> None:
    room = open_room(rounds=3)
    for _ in range(20):
        clock.advance(seconds=600)
        room.sweep()
    assert room.row.status == "finished"


def test_whoever_resigns_is_played_for_at_once_and_cannot_win() -> None:
    room = open_room()
    before = room.row.version

    room.resign(2)

    added = room.headers(after=before)
    assert names(added) == ["seat_abandoned", "seat_left", "move_played"]
    assert [each.actor for each in added] == ["seat:2", "seat:2", "table"]
    assert room.row.awaited == [0, 1]
    assert room.view(2).legal_moves == []
    room.pick(0, 1)
    while room.row.status == "playing":
        assert 2 not in room.row.awaited
        room.open_blank()
    outcome = room.view(None).outcome
    assert outcome is not None
    assert 2 not in outcome.winners
    assert outcome.places[2] == 3


def test_a_pick_made_before_resigning_stands() -> None:
    room = open_room()
    room.send(2, "pick", number=1, rival=0)
    room.resign(2)
    room.pick(0, 1)

    assert room.view(None).data["seats"][2]["pick"] == 1


def test_whoever_has_resigned_sends_no_more_moves() -> None:
    while True:  # until the table, which opens for the leaver, does not find the mark at once
        room = open_room()
        room.resign(2)
        room.pick(0, 1)
        if room.row.status == "playing":
            break

    for kind, params in (("declare", {"marks": 0}), ("open", {"owner": 0, "place": 0})):
        with pytest.raises(RuleViolation) as refused:
            room.send(2, kind, **params)
        assert refused.value.code == "not_your_turn"
    with pytest.raises(AlreadyResigned):
        room.resign(2)


def test_the_last_to_stay_wins_at_once() -> None:
    room = open_room()
    room.resign(0)
    room.resign(2)

    assert room.row.status == "finished"
    assert room.row.outcome["winners"] == [1]
    assert room.row.deadline_at is None


def test_a_seat_that_resigned_is_not_absent_at_the_deadline_of_the_others(clock: SimulatedClock) -> None:
    room = open_room()
    room.resign(0)
    clock.advance(seconds=600)
    room.sweep()

    assert room.headers("clock.expired")[-1].public["seats"] == [1, 2]
