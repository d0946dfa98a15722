"""Players add to the chance of each game of a series, in the break before it."""

from __future__ import annotations

import pytest

from events import canonical
from tables import commands, erasure, rows, staff
from tables.errors import EntropyNotAsked
from tables.shapes import Ballot, ClockChoice, NewVote
from tests.services import SimulatedClock
from tests.tables.test_entropy import TURN, Hall, hall


def break_of(fairness: str = "players", **settings: object) -> Hall:
    """Return a series between its first game and its second."""
    room = hall(fairness, "cthulhu", options={"series": True}, **settings)
    room.commit(0, 1, 2)
    room.reveal(0, 1, 2)
    room.play_on()
    assert (room.row.status, room.host.table.epoch) == ("playing", 1)
    return room


def test_the_next_game_waits_for_what_players_add_to_it() -> None:
    room = break_of()
    assert room.types()[-4:] == [
        "table.epoch_opened",
        "table.seed_revealed",
        "table.entropy_asked",
        "clock.deadline_set",
    ]
    assert room.row.deadline_at is None
    assert room.row.awaited == []
    assert room.view(0).legal_moves == []
    with pytest.raises(EntropyNotAsked):
        room.commit(0, epoch=0)
    room.commit(0, 1, 2, epoch=1)
    room.prove()
    room.reveal(0, 1, 2, epoch=1)

    assert "table.epoch_begun" in room.types()
    assert room.row.deadline_at is not None
    drawn = [room.kept[seat, 1] for seat in range(3)]
    assert room.key == canonical.stream_key(room.id.bytes, 1, rows.seed_of(room.id, 1), drawn)
    room.play_on()
    room.prove()


def test_what_was_added_to_one_game_counts_for_no_other(clock: SimulatedClock) -> None:
    room = break_of()
    room.wait(clock, TURN + 1)

    assert room.last("table.entropy_missing") == {"epoch": 1, "seats": [0, 1, 2]}
    assert room.host.awaited()
    room.prove()


@pytest.mark.parametrize("committed", [(0, 1), (0, 1, 2)])
def test_a_strict_series_ends_without_all(clock: SimulatedClock, committed: tuple[int, ...]) -> None:
    room = break_of("players_strict")
    room.commit(*committed, epoch=1)
    room.wait(clock, TURN + 1)

    assert room.row.status == "finished"
    assert room.row.outcome["reason"] == "abandoned_entropy"
    assert room.row.outcome["winners"] == []
    room.prove()


def test_nobody_waits_for_a_commitment_of_who_has_resigned() -> None:
    room = break_of()
    room.commit(0, 1, epoch=1)
    room.resign(2)
    assert room.last("table.seating_closed")["seats"] == [0, 1]
    room.reveal(0, 1, epoch=1)

    assert room.last("table.entropy_missing") == {"epoch": 1, "seats": [2]}
    assert room.types()[-1] != "table.entropy_missing"
    room.prove()


def test_nobody_waits_for_a_reveal_of_who_has_resigned() -> None:
    room = break_of()
    room.commit(0, 1, 2, epoch=1)
    room.reveal(0, 1, epoch=1)
    assert room.host.awaited() == ()
    room.resign(2)

    assert room.last("table.entropy_missing") == {"epoch": 1, "seats": [2]}
    assert "table.epoch_begun" in room.types()
    room.play_on()
    room.prove()


@pytest.mark.parametrize("are_sealed", [True, False], ids=["reveal", "commitment"])
@pytest.mark.parametrize("gone", ["removed", "replaced", "erased"])
def test_nobody_waits_for_who_is_gone_otherwise(gone: str, are_sealed: bool) -> None:
    room = break_of()
    room.commit(*((0, 1, 2) if are_sealed else (0, 1)), epoch=1)
    if are_sealed:
        room.reveal(0, 1, epoch=1)
    if gone == "removed":
        staff.remove(room.id, "conduct", seat=2)
    elif gone == "erased":
        erasure.close(room.players[2])
        erasure.erase(room.players[2])
    else:
        commands.call_vote(room.players[0], room.id, NewVote(motion="replace", seat=2))
        commands.cast_vote(room.players[1], room.id, 1, Ballot(in_favour=True))
    if not are_sealed:
        assert room.last("table.seating_closed")["seats"] == [0, 1]
        room.reveal(0, 1, epoch=1)

    assert "table.epoch_begun" in room.types()
    assert room.last("table.entropy_missing") == {"epoch": 1, "seats": [2]}
    room.prove()


def test_who_has_not_committed_is_still_waited_for_when_another_resigns() -> None:
    room = break_of()
    room.commit(0, epoch=1)
    room.resign(2)

    assert "table.seating_closed" not in room.types(after=room.headers("table.epoch_opened")[-1].seq)
    room.prove()


def test_nobody_escapes_a_strict_reveal_by_resigning() -> None:
    room = break_of("players_strict")
    room.commit(0, 1, 2, epoch=1)
    room.reveal(0, 1, epoch=1)
    room.resign(2)

    assert room.row.outcome["reason"] == "abandoned_entropy"
    room.prove()


@pytest.mark.parametrize("motion", ["abandon", "replace"])
def test_a_vote_in_the_break_may_end_the_game_or_replace_somebody(motion: str) -> None:
    room = break_of()
    room.commit(2, epoch=1)
    seat = 2 if motion == "replace" else None
    commands.call_vote(room.players[0], room.id, NewVote(motion=motion, seat=seat))  # type: ignore[arg-type]
    commands.cast_vote(room.players[1], room.id, 1, Ballot(in_favour=True))
    if motion == "replace":
        assert room.view(0).entropy.committed == []  # type: ignore[union-attr]
        room.commit(0, 1, epoch=1)
        room.reveal(0, 1, epoch=1)
        assert room.host.table.epoch == 1
        assert room.last("table.entropy_missing") == {"epoch": 1, "seats": [2]}

    assert room.row.status == ("finished" if motion == "abandon" else "playing")
    room.prove()


@pytest.mark.parametrize("clock_choice", [ClockChoice(kind="budget", initial=600), ClockChoice(kind="none")])
def test_a_break_costs_nobody_time(clock: SimulatedClock, clock_choice: ClockChoice) -> None:
    room = break_of(clock=clock_choice)
    banks = room.host.table.banks
    clock.advance(seconds=300)
    room.commit(0, 1, 2, epoch=1)
    room.reveal(0, 1, 2, epoch=1)

    assert room.host.table.banks == banks
    room.prove()


def test_an_outage_in_the_break_takes_nobodys_time_to_add(clock: SimulatedClock) -> None:
    room = break_of()
    room.sweep()
    clock.outage(seconds=TURN + 60)
    room.sweep()

    assert room.last("clock.deadline_extended")["reason"] == "outage"
    room.commit(0, 1, 2, epoch=1)
    room.reveal(0, 1, 2, epoch=1)
    room.prove()
