"""Moves of one turn together, moves that hold nothing up, and moves that come twice."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engines.errors import RuleViolation
from events import store
from tables.errors import AlreadyMoved, TableNotPlaying, TurnNotReached, TurnPassed
from tables.idempotency import Done

from .rooms import Room, open_room


@pytest.fixture
def room() -> Room:
    """Nobody has picked yet."""
    return open_room(rounds=3)


@pytest.fixture
def opening(room: Room) -> Room:
    """All have picked; the first card of the first round is to be opened, at turn 2."""
    room.pick(0, 1, 2)
    return room


def body(done: Done) -> Any:
    return msgspec.to_builtins(done.answer)


def test_all_seats_answer_turn_1_in_any_order_and_none_disturbs_another(room: Room) -> None:
    for seat, awaited in ((2, [0, 1]), (0, [1])):
        done = body(room.send(seat, "pick", turn=1, number=1, rival=1 if seat != 1 else 0))
        assert done["turn"] == 1
        assert room.row.awaited == awaited
    last = body(room.send(1, "pick", turn=1, number=2, rival=0))

    assert last["turn"] == 2
    assert [each["type"] for each in last["events"]] == [
        "table.move_played",
        "probe.picks_opened",
        "probe.cards_laid",
        "clock.deadline_set",
    ]


def test_a_pick_is_told_to_its_seat_alone_until_all_have_picked(room: Room) -> None:
    room.send(0, "pick", number=2, rival=1)

    own, other, outside = (room.view(viewer).data["seats"][0] for viewer in (0, 1, None))
    assert (own["pick"], own["rival"]) == (2, 1)
    assert (other["pick"], other["rival"]) == (None, 1)
    assert other == outside
    room.pick(1, 2)
    assert room.view(None).data["seats"][0]["pick"] == 2


def test_the_same_pick_again_gets_the_first_answer_and_another_is_refused(room: Room) -> None:
    first = room.send(0, "pick", turn=1, number=2, rival=1)
    version = room.row.version

    again = room.send(0, "pick", turn=1, number=2, rival=1)
    with pytest.raises(AlreadyMoved):
        room.send(0, "pick", turn=1, number=1, rival=1)

    assert (again.replayed, again.status, first.status) == (True, 200, 201)
    assert body(again) == body(first)
    room.pick(1, 2)
    assert body(room.send(0, "pick", turn=1, number=2, rival=1)) == body(first)
    with pytest.raises(AlreadyMoved):
        room.send(0, "pick", turn=1, number=2, rival=2)
    assert room.row.version > version


def test_a_declaration_changes_neither_turn_nor_deadline_nor_who_is_awaited(opening: Room) -> None:
    before = opening.row

    done = body(opening.send(1, "declare", marks=1))

    after = opening.row
    assert [each["type"] for each in done["events"]] == ["table.move_played"]
    assert (after.turn, after.deadline_at, after.awaited) == (before.turn, before.deadline_at, before.awaited)
    assert after.version == before.version + 1
    assert opening.headers("table.move_played")[-1].public["window"] == 2


@pytest.mark.parametrize("later", [False, True], ids=["the same turn", "a later turn of the round"])
def test_the_same_declaration_again_in_its_window_gets_the_first_answer(opening: Room, later: bool) -> None:
    first = opening.send(1, "declare", marks=1)
    if later:
        opening.open_blank()
    for turn in {2, opening.row.turn}:
        again = opening.send(1, "declare", turn=turn, marks=1)
        assert again.replayed
        assert body(again) == body(first)
        with pytest.raises(AlreadyMoved):
            opening.send(1, "declare", turn=turn, marks=0)


def test_a_declaration_seen_at_an_earlier_turn_of_the_round_still_counts(opening: Room) -> None:
    opening.open_blank()

    assert opening.send(1, "declare", turn=2, marks=0).status == 201
    assert opening.headers("table.move_played")[-1].public["window"] == 2


def test_a_declaration_of_a_round_that_is_over_comes_too_late(opening: Room) -> None:
    for _ in range(3):
        opening.open_blank()
    assert opening.row.turn == 5

    for turn in (2, 3, 4):
        with pytest.raises(TurnPassed):
            opening.send(1, "declare", turn=turn, marks=1)
    assert opening.send(1, "declare", turn=5, marks=1).status == 201


@pytest.mark.parametrize("turn", [2, 3, 4])
def test_a_declaration_of_a_round_that_is_over_is_known_when_it_comes_again(opening: Room, turn: int) -> None:
    """The window of turns 2 to 4 is closed; what answered it is still its answer."""
    first = opening.send(1, "declare", marks=1)
    for _ in range(3):
        opening.open_blank()
    opening.send(1, "declare", turn=5, marks=0)

    again = opening.send(1, "declare", turn=turn, marks=1)

    assert again.replayed
    assert body(again) == body(first)
    with pytest.raises(AlreadyMoved):
        opening.send(1, "declare", turn=turn, marks=0)


def test_a_declaration_is_known_again_after_the_game_has_ended() -> None:
    opening = open_room(rounds=1)
    opening.pick(0, 1, 2)
    opening.open_blank()
    first = opening.send(1, "declare", turn=3, marks=1)
    opening.open_blank()
    opening.open_blank()
    assert opening.row.status == "finished"

    for turn in (2, 3, 4):
        assert body(opening.send(1, "declare", turn=turn, marks=1)) == body(first)
        with pytest.raises(TableNotPlaying):
            opening.send(2, "declare", turn=turn, marks=1)


def test_a_move_for_a_turn_that_has_not_come_is_refused(opening: Room) -> None:
    active = opening.host.state.active
    for kind, params in (("declare", {"marks": 0}), ("open", {"owner": (active + 1) % 3, "place": 0})):
        with pytest.raises(TurnNotReached):
            opening.send(active, kind, turn=3, **params)


def test_a_refused_move_leaves_no_trace(opening: Room) -> None:
    active = opening.host.state.active
    before = store.head_of(opening.stream)

    with pytest.raises(RuleViolation) as refused:
        opening.send(active, "open", owner=active, place=0)

    assert refused.value.code == "own_seat"
    assert store.head_of(opening.stream) == before
