"""Time-outs, and seats that are left for good: R14, and what nobody sees before a reveal."""

from __future__ import annotations

import pytest

from engines.arrecife import GAME, engine
from engines.arrecife.messages import (
    Ability,
    AbilityTurned,
    CardsRevealed,
    GameEnded,
    Pick,
    SeatFell,
    SeatLeft,
    WormRose,
)
from engines.arrecife.state import State
from engines.base import Batch, MovePlayed, awaited, leave, play, play_default
from engines.chance import Draw, ScriptedChance

from .positions import batch_on, begun, drawn, events_of, lay, played, position, resolved, the


def by_table(batch: Batch[State]) -> list[tuple[int, str]]:
    """Return what the table played: seat and card, or ability."""
    moves = [event for event in events_of(batch) if isinstance(event, MovePlayed) and event.by_table]
    return [(each.seat, getattr(each.move, "card", None) or each.move.ability) for each in moves]


# Time-outs


def test_a_time_out_draws_evenly_from_the_legal_cards() -> None:
    batch = batch_on(position([9] * 3), ScriptedChance([4]))
    lay(batch, "A _ _", 0)
    assert play_default(batch, 1)
    assert by_table(batch) == [(1, "3")]
    assert batch.events[-1].actor == "table"
    assert batch.events[-1].draws == (Draw(0, "time_out"),)
    assert GAME.outcome(batch.state) is None


def test_of_a_reveal_that_has_begun_only_the_kinds_left_are_drawn() -> None:
    batch = batch_on(position([9] * 3), ScriptedChance([0, 3]))
    for reveal in range(2):
        lay(batch, "A1+ _ B2-", reveal)
        play_default(batch, 1)
    assert by_table(batch) == [(1, "A"), (1, "4")]
    assert [move.card for move in engine.legal_moves(batch.state, 1)] == ["+", "-"]


def test_several_absentees_are_drawn_for_by_ascending_seat_and_picks_made_stand() -> None:
    batch = batch_on(position([9] * 5), ScriptedChance([0, 1, 7]))
    lay(batch, "_ 5 _ - _", 0)
    for seat in awaited(GAME, batch.state):
        play_default(batch, seat)
    assert by_table(batch) == [(0, "A"), (2, "B"), (4, "+")]
    assert batch.state.shown == ("A", "5", "B", "-", "+")
    assert batch.state.turn == 21


def test_for_the_worm_ability_and_target_are_drawn() -> None:
    batch = batch_on(position([9, 9, 0, 9], worm=2), ScriptedChance([5]))
    assert play_default(batch, 2)
    assert by_table(batch) == [(2, "bite")]
    assert batch.state.laid is not None
    assert batch.state.laid.target == 3
    assert awaited(GAME, batch.state) == (0, 1, 3)


def test_nobody_sees_what_the_table_picked_before_the_reveal_not_even_the_seat() -> None:
    batch = batch_on(position([9] * 3), ScriptedChance([4]))
    play_default(batch, 1)
    play(batch, 0, Pick(card="A"))
    for viewer in (0, 1, 2, None):
        view = GAME.view(batch.state, viewer)
        assert [seat.has_picked for seat in view.seats] == [True, True, False]
        assert [seat.pick for seat in view.seats] == ["A" if viewer == 0 else None, None, None]
    play(batch, 2, Pick(card="+"))
    assert [seat.shown for seat in GAME.view(batch.state, 1).seats] == [("A",), ("3",), ("+",)]


def test_not_even_the_worm_sees_the_ability_that_the_table_has_laid_for_it() -> None:
    batch = batch_on(position([9, 9, 0, 9], worm=2), ScriptedChance([5]))
    play_default(batch, 2)
    for viewer in (0, 1, 2, 3, None):
        laid = GAME.view(batch.state, viewer).laid
        assert laid is not None
        assert (laid.target, laid.ability) == (3, None)


def test_only_the_worm_sees_the_ability_that_it_has_laid() -> None:
    batch = batch_on(position([9, 9, 0, 9], worm=2))
    play(batch, 2, Ability(ability="bite", target=3))
    seen = {viewer: GAME.view(batch.state, viewer).laid for viewer in (0, 1, 2, 3, None)}
    assert {viewer: laid.ability for viewer, laid in seen.items() if laid} == {
        0: None,
        1: None,
        2: "bite",
        3: None,
        None: None,
    }


def test_a_seat_that_was_absent_can_still_win() -> None:
    batch = batch_on(position([1, 1, 9]), ScriptedChance([1]))
    play_default(batch, 2)
    lay(batch, "A2+ A1- _", 0)
    for reveal in (1, 2):
        lay(batch, "A2+ A1- B2-", reveal)
    assert the(GameEnded, batch).winners == (2,)


# Leaving


def test_what_a_leaver_owes_is_drawn_at_once_and_stays_sealed_until_the_reveal() -> None:
    batch = batch_on(position([9] * 4), ScriptedChance([2, 0]))
    lay(batch, "A _ _ _", 0)
    leave(batch, 1, "resigned")
    assert [type(event) for event in events_of(batch)] == [MovePlayed, SeatLeft, MovePlayed]
    assert batch.events[-1].draws == (Draw(0, "leaver"),)
    assert awaited(GAME, batch.state) == (2, 3)
    assert GAME.view(batch.state, 0).seats[1].pick is None
    assert engine.legal_moves(batch.state, 1) == ()

    lay(batch, "_ _ B 1", 0)
    assert batch.state.shown == ("A", "1", "B", "1")
    assert by_table(batch) == [(1, "1"), (1, "A")]
    assert awaited(GAME, batch.state) == (0, 2, 3)


def test_a_card_that_the_leaver_has_picked_stands() -> None:
    batch = batch_on(position([9] * 4))
    lay(batch, "A B _ _", 0)
    leave(batch, 1, "removed")
    assert by_table(batch) == []
    assert awaited(GAME, batch.state) == (2, 3)


def test_the_last_card_owed_by_a_leaver_reveals_the_cards() -> None:
    batch = batch_on(position([9] * 4), ScriptedChance([2, 0]))
    lay(batch, "A _ B +", 0)
    leave(batch, 1, "resigned")
    assert the(CardsRevealed, batch).reveal == 1
    assert batch.state.shown == ("A", "1", "B", "+")


def test_several_leavers_are_drawn_for_by_ascending_seat() -> None:
    batch = batch_on(position([9] * 4, left=(0, 2)), ScriptedChance([0, 0, 0, 0]))
    play(batch, 3, Pick(card="B"))
    assert [seat for seat, _ in by_table(batch)] == [0, 2]
    play(batch, 1, Pick(card="B"))
    assert [seat for seat, _ in by_table(batch)] == [0, 2, 0, 2]


def test_a_leaver_who_falls_becomes_the_worm_and_acts_by_chance_at_once() -> None:
    batch = played(position([9, 9, 9, 1], left=(3,)), "A1+ A2+ A1- B1+", chance=drawn("B1+", 3))
    assert the(WormRose, batch).seat == 3
    assert by_table(batch) == [(3, "B"), (3, "1"), (3, "+"), (3, "bite")]
    assert batch.state.laid is not None
    assert (batch.state.laid.ability, batch.state.laid.target) == ("bite", 1)
    assert awaited(GAME, batch.state) == (0, 1, 2)


def test_a_worm_who_leaves_acts_by_chance_at_once() -> None:
    batch = batch_on(position([9, 9, 9, 0], worm=3), ScriptedChance([0]))
    leave(batch, 3, "resigned")
    assert by_table(batch) == [(3, "ram")]
    assert batch.state.out_at == (0, 0, 0, 1)


def test_a_worm_who_has_left_plays_on_in_the_duel() -> None:
    batch = batch_on(position([9, 9, 0], worm=2), ScriptedChance([0, 0, 0, 0]))
    leave(batch, 2, "resigned")
    assert awaited(GAME, batch.state) == (0, 1)
    for reveal in range(3):
        lay(batch, "A1+ B1+ .", reveal)
    assert resolved(batch).hands == 3


def test_as_soon_as_one_living_seat_has_an_owner_it_has_won() -> None:
    batch = batch_on(position([9, 5, 3, 0], worm=3, left=(0,)))
    leave(batch, 2, "resigned")
    assert the(GameEnded, batch) == GameEnded(winners=(1,), reason="others_left", places=(2, 1, 2, 4))
    assert engine.to_act(batch.state) == ()


def test_the_last_owner_but_one_may_fall() -> None:
    batch = played(position([9, 1, 9], left=(0,)), "A1+ B1+ A2+", chance=drawn("A1+"))
    assert the(SeatFell, batch).seat == 1
    assert the(GameEnded, batch) == GameEnded(winners=(2,), reason="others_left", places=(2, 2, 1))


def test_the_last_one_alive_has_won_although_others_had_left() -> None:
    batch = played(position([1, 1, 9], left=(0,)), "A2+ A1- B2-", chance=drawn("A2+"))
    assert the(GameEnded, batch).reason == "last_alive"


def test_when_only_leavers_are_alive_nobody_has_won() -> None:
    before = position([1, 1, 9], left=(2,), round_=6, out_at=(0, 0, 3))
    batch = played(before, "A2+ A1- B2-", chance=drawn("B2-"))
    assert the(GameEnded, batch) == GameEnded(winners=(), reason="only_leavers", places=(1, 1, 3))


def test_who_leaves_alive_ranks_as_falling_in_that_round_even_if_it_falls_later() -> None:
    batch = played(
        position([1, 9, 9, 9, 0], worm=4, left=(0,), round_=8, out_at=(3, 0, 0, 0, 5)),
        "B1+ A2+ A1+ A1- .",
        bite=1,
        chance=drawn("B1+", 0, 0),
    )
    assert batch.state.out_at[0] == 3
    leave(batch, 1, "resigned")
    leave(batch, 2, "resigned")
    assert the(GameEnded, batch).places == (5, 2, 2, 1, 4)


def test_who_leaves_after_its_fall_keeps_its_rank() -> None:
    batch = batch_on(position([9, 9, 9, 0, 0], worm=4, out_at=(0, 0, 0, 2, 4)), ScriptedChance([0]))
    leave(batch, 3, "resigned")
    leave(batch, 4, "removed")
    assert batch.state.out_at == (0, 0, 0, 2, 4)
    assert GAME.outcome(batch.state) is None


def test_at_the_last_round_only_seats_with_owners_count() -> None:
    before = position([20, 9, 8, 9], round_=10, left=(0,), options={"max_rounds": 10}, out_at=(4, 0, 0, 0))
    batch = played(before, "A1+ A1- A2+ B1+", chance=drawn("A1+"))
    assert batch.state.hp == (20, 9, 8, 7)
    assert the(GameEnded, batch) == GameEnded(winners=(1,), reason="max_rounds", places=(4, 1, 2, 3))


def test_leaving_in_the_last_round_does_not_end_it() -> None:
    batch = batch_on(position([9] * 4, round_=60), ScriptedChance([0]))
    leave(batch, 0, "resigned")
    assert GAME.outcome(batch.state) is None


def test_the_end_shows_the_cards_that_were_still_face_down() -> None:
    batch = batch_on(position([9, 9, 0, 9, 9], worm=2, left=(0, 1)), ScriptedChance([7, 0, 0]))
    play_default(batch, 2)
    lay(batch, "_ _ . B _", 0)
    assert GAME.view(batch.state, None).seats[3].pick is None
    leave(batch, 4, "resigned")
    view = GAME.view(batch.state, None)
    assert [seat.pick for seat in view.seats] == ["A", "A", None, "B", None]
    assert view.laid is not None
    assert view.laid.ability == "bite"
    assert view.reveal == 0
    assert all(seat.hand == () for seat in view.seats)


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_when_all_but_one_leave_at_the_start_that_one_has_won(seats: int) -> None:
    batch = begun(seats)
    batch.chance = ScriptedChance([0] * seats)
    for seat in range(1, seats):
        assert GAME.outcome(batch.state) is None
        leave(batch, seat, "resigned")
    outcome = GAME.outcome(batch.state)
    assert outcome is not None
    assert outcome.winners == (0,)
    assert outcome.places == (1, *[2] * (seats - 1))


def test_an_ability_laid_before_its_worm_left_is_turned_all_the_same() -> None:
    batch = batch_on(position([9, 9, 9, 0], worm=3))
    play(batch, 3, Ability(ability="bite", target=0))
    leave(batch, 3, "resigned")
    for reveal in range(2):
        lay(batch, "A1+ A2- B1+ .", reveal)
    batch.chance = ScriptedChance([0])
    lay(batch, "A1+ A2- B1+ .", 2)
    assert the(AbilityTurned, batch).hp_lost == 2
