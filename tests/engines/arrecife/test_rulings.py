"""The rulings R1 to R15, each by its number, and the rules about the course of a round."""

from __future__ import annotations

import pytest

from engines.arrecife import GAME, engine
from engines.arrecife.kit import KIT, VALUES
from engines.arrecife.messages import (
    Ability,
    AbilityTurned,
    AmuletPlaced,
    CardsRevealed,
    DuelBegan,
    GameEnded,
    Pick,
    RoundBegan,
    SeatFell,
    WormRose,
)
from engines.arrecife.state import State
from engines.audience import Ref
from engines.base import MovePlayed, awaited, play
from engines.errors import RuleViolation

from .positions import batch_on, begun, events_of, lay, lost, played, position, resolved, sums, the

HEALING = "A1+ A2- A1+ B1-"
"""A round of four in which nobody is struck."""


def cards_of(state: State, seat: int) -> list[str]:
    return [move.card for move in engine.legal_moves(state, seat)]


def test_r1_a_kit_has_two_teams_five_values_and_two_signs_for_3_to_7_seats() -> None:
    assert KIT == ("A", "B", "1", "2", "3", "4", "5", "+", "-")
    assert list(GAME.seats) == [3, 4, 5, 6, 7]
    assert len(KIT) * 7 + 2 + 1 == 66


@pytest.mark.parametrize(("hp", "highest"), [([9] * 3, 4), ([9] * 4, 4), ([9] * 5, 5), ([9] * 7, 5)])
def test_the_values_depend_on_how_many_are_alive_at_the_start_of_the_round(
    hp: list[int], highest: int
) -> None:
    state = position(hp)
    assert [card for card in cards_of(state, 0) if card in VALUES] == list("12345"[:highest])
    assert GAME.view(state, None).highest_value == highest


def test_the_five_goes_when_the_fifth_falls() -> None:
    after = played(position([30, 30, 30, 30, 1]), "A1+ A2+ A1- A1- B1+")
    assert resolved(after).struck == (4,)
    assert the(RoundBegan, after).highest_value == 4
    play(after, 4, Ability(ability="ram", target=0))
    assert cards_of(after.state, 0) == list("AB1234+-")


def test_r2_the_amulet_is_placed_by_chance_and_does_not_move_before_the_first_round() -> None:
    batch = begun(5, amulet=3)
    assert the(AmuletPlaced, batch) == AmuletPlaced(seat=3)
    assert the(RoundBegan, batch).amulet == 3
    assert batch.state.amulet == 3


def test_r2_the_amulet_moves_counter_clockwise_each_round() -> None:
    batch = begun(4, amulet=1)
    seen = []
    for _ in range(5):
        seen.append(batch.state.amulet)
        for reveal in range(3):
            lay(batch, HEALING, reveal)
    assert seen == [1, 0, 3, 2, 1]


def test_r2_the_amulet_passes_over_the_dead_and_moves_on_from_a_holder_who_died() -> None:
    over = played(position([9, 0, 9, 9], worm=1, amulet=2), "A1+ . A2- B1+", ram=0)
    assert over.state.amulet == 0

    died = played(position([9, 9, 9, 1, 9], amulet=3), "A1+ A2+ A1- B1+ A1-")
    assert the(SeatFell, died).seat == 3
    assert died.state.amulet == 2


def test_r3_in_free_order_each_player_plays_the_three_kinds_as_it_likes() -> None:
    batch = batch_on(position([9] * 3))
    assert cards_of(batch.state, 0) == list("AB1234+-")
    lay(batch, "A 3 -", 0)
    assert cards_of(batch.state, 0) == list("1234+-")
    assert cards_of(batch.state, 1) == list("AB+-")
    assert cards_of(batch.state, 2) == list("AB1234")
    lay(batch, "A1 3+ -B", 1)
    assert [cards_of(batch.state, seat) for seat in range(3)] == [list("+-"), list("AB"), list("1234")]


def test_r3_in_fixed_order_a_team_comes_first_then_a_value_then_a_sign() -> None:
    batch = batch_on(position([9] * 3, options={"card_order": "fixed"}))
    for reveal, cards in enumerate(("AB", "1234", "+-")):
        assert [cards_of(batch.state, seat) for seat in range(3)] == [list(cards)] * 3
        lay(batch, "A1+ A2- B1+", reveal)


def test_r4_damage_that_strikes_the_majority_already_stays_there() -> None:
    before = position([30] * 5)
    after = played(before, "A5+ A1+ A1- B5+ B5+")
    assert sums(after) == (5, 10)
    assert resolved(after).verdict == "inverted"

    after = played(before, "A5+ A2+ A1- B5+ B5+")
    assert sums(after) == (6, 10)
    assert resolved(after).verdict == "above"
    assert lost(before, after) == (6, 6, 6, 0, 0)


def test_a_majority_of_sum_0_heals_though_the_minority_has_the_greater_sum() -> None:
    before = position([9] * 5)
    after = played(before, "A1+ A3- A2+ B5+ B4+")
    assert sums(after) == (0, 9)
    assert lost(before, after) == (0, 0, 0, -2, -2)


def test_nobody_heals_above_the_starting_hp() -> None:
    before = position([9, 9, 9, 19, 20], options={"starting_hp": 20})
    after = played(before, "A1+ A3- A2+ B5+ B4+")
    assert after.state.hp == (9, 9, 9, 20, 20)
    assert resolved(after).healed == (3, 4)


def test_r5_who_is_bitten_to_0_and_then_healed_does_not_fall() -> None:
    before = position([9, 9, 9, 2, 0], worm=4)
    after = played(before, "A1+ A3- A2+ B4+ .", bite=3)
    assert the(AbilityTurned, after).hp_lost == 2
    assert after.state.hp == (9, 9, 9, 2, 0)
    assert after.state.alive == (0, 1, 2, 3)


def test_r5_a_bite_takes_no_more_than_there_is_and_damage_stops_at_0() -> None:
    before = position([9, 9, 9, 1, 0], worm=4, options={"bite_damage": 5})
    after = played(before, "A1+ A3- A1+ B4+ .", bite=3)
    assert the(AbilityTurned, after).hp_lost == 1
    assert after.state.hp == (8, 8, 8, 0, 0)
    assert the(WormRose, after).seat == 3


def test_r5_who_is_bitten_to_0_counts_as_a_player_until_the_round_is_over() -> None:
    before = position([9, 9, 9, 1, 0], worm=4)
    after = played(before, "A1+ A1+ A2+ B1+ .", bite=3)
    assert resolved(after).hands == 4
    assert resolved(after).verdict == "below"
    assert the(SeatFell, after).seat == 3


def test_r5_a_ram_comes_before_majority_healing_and_sums() -> None:
    before = position([9, 9, 9, 9, 0], worm=4, amulet=0)
    after = played(before, "A2+ A2- B1+ A3+ .", ram=3)
    assert resolved(after).settled_by == "amulet_tie"
    assert resolved(after).majority == (0, 1)
    assert lost(before, after) == (0, 0, -2, -2, 0)


def test_a_ram_may_put_all_in_one_team() -> None:
    before = position([9, 9, 9, 9, 0], worm=4, amulet=1)
    after = played(before, "A2+ A2+ A1- B3+ .", ram=3)
    assert resolved(after).settled_by == "amulet_alone"
    assert resolved(after).minority == (1,)
    assert sums(after) == (4, 2)


def test_r6_the_holder_of_the_amulet_is_nearest_to_it() -> None:
    after = played(position([6, 6, 30, 30, 30], amulet=1), "A4+ A3+ A1- B1+ B1-")
    assert [event.seat for event in events_of(after) if isinstance(event, SeatFell)] == [0, 1]
    assert the(WormRose, after).seat == 1
    assert after.state.out_at == (5, 5, 0, 0, 0)


def test_r6_an_amulet_at_seat_0_looks_on_to_the_last_seat() -> None:
    after = played(position([30, 6, 6, 6, 30], amulet=0), "B1+ A4+ A3+ A1- B1-")
    assert the(WormRose, after).seat == 3


def test_r7_a_ram_may_turn_the_sign_instead() -> None:
    before = position([30, 30, 30, 30, 0], worm=4, options={"ram_effect": "flip_sign"})
    after = played(before, "A4+ A1+ B1- A2+ .", ram=0)
    assert resolved(after).majority == (0, 1, 3)
    assert resolved(after).worth == (-4, 1, -1, 2, 0)
    assert sums(after) == (1, 1)
    assert lost(before, after) == (0, 0, 1, 0, 0)


@pytest.mark.parametrize("damage", [1, 2, 5])
def test_r7_a_bite_costs_what_the_option_says(damage: int) -> None:
    before = position([30, 30, 30, 30, 0], worm=4, options={"bite_damage": damage})
    after = played(before, "A4+ A1+ B1- A2- .", bite=0)
    assert the(AbilityTurned, after).hp_lost == damage
    assert lost(before, after) == (damage, 0, 3, 0, 0)


def test_r8_a_worm_acts_from_the_round_after_its_fall_on() -> None:
    after = played(position([30, 30, 30, 1]), "A1+ A2+ A1- B1+")
    assert after.state.worm == 3
    assert after.state.round == 6
    assert awaited(GAME, after.state) == (3,)
    legal = engine.legal_moves(after.state, 3)
    assert legal == tuple(
        Ability(ability=each, target=seat) for seat in (0, 1, 2) for each in ("ram", "bite")
    )

    play(after, 3, Ability(ability="bite", target=1))
    assert awaited(GAME, after.state) == (0, 1, 2)
    assert engine.legal_moves(after.state, 3) == ()


def test_the_ability_is_a_turn_of_its_own_and_each_reveal_is_one() -> None:
    batch = batch_on(position([30, 30, 30, 0], worm=3))
    turns = [batch.state.turn]
    play(batch, 3, Ability(ability="ram", target=0))
    turns.append(batch.state.turn)
    for reveal in range(3):
        lay(batch, "A1+ A2- B1+ .", reveal)
        turns.append(batch.state.turn)
    assert turns == [20, 21, 22, 23, 24]


def test_the_last_to_fall_is_the_worm_and_a_former_one_is_out() -> None:
    after = played(position([30, 30, 30, 1, 0], worm=4), "A1+ A2+ A1- B1+ .", bite=0).state
    assert after.worm == 3
    assert not any(each.seat == 4 for each in engine.to_act(after))
    assert [seat.is_worm for seat in GAME.view(after, None).seats] == [False, False, False, True, False]


def test_with_two_alive_the_worm_comes_back_and_lays_no_ability() -> None:
    after = played(position([30, 30, 1]), "A1+ A2- B1+")
    assert the(DuelBegan, after) == DuelBegan(worm=2, duellists=(0, 1))
    assert the(RoundBegan, after).players == (0, 1, 2)
    assert awaited(GAME, after.state) == (0, 1, 2)
    again = played(after.state, "A1+ A2- B1+")
    assert not any(isinstance(event, DuelBegan | AbilityTurned) for event in events_of(again))
    assert again.state.is_duel
    assert again.state.hp[2] == 0


def test_in_the_duel_the_worm_never_heals_and_healing_does_not_rebound() -> None:
    before = position([9, 0, 9], worm=1)
    after = played(before, "A2+ B1+ A2-")
    assert resolved(after).verdict == "healing"
    assert resolved(after).healed == ()
    assert lost(before, after) == (0, 0, 0)


def test_r9_in_the_duel_the_amulet_passes_between_the_living_only() -> None:
    state, seen = position([30, 0, 30], worm=1, amulet=2), []
    for _ in range(4):
        state = played(state, "A1+ B1+ A1-").state
        seen.append(state.amulet)
    assert seen == [0, 2, 0, 2]


def test_r10_with_nobody_alive_all_were_consumed_by_the_sea() -> None:
    after = played(position([1, 1, 0], worm=2), "A1+ A2+ B1+")
    assert resolved(after).is_rebound
    assert the(GameEnded, after) == GameEnded(winners=(), reason="sea", places=(1, 1, 3))
    assert engine.to_act(after.state) == ()


def test_r10_four_may_go_down_at_once() -> None:
    before = position([1, 6, 6, 6, 0], worm=4, amulet=0)
    after = played(before, "B1+ A3+ A2+ A1+ .", bite=0)
    assert the(GameEnded, after) == GameEnded(winners=(), reason="sea", places=(1, 1, 1, 1, 5))
    outcome = engine.outcome(after.state)
    assert outcome is not None
    assert outcome.winners == ()
    assert not any(isinstance(event, WormRose) for event in events_of(after))


def test_r11_after_the_last_round_the_highest_hp_win() -> None:
    before = position([9, 12, 12, 20, 0], worm=4, round_=60, out_at=(0, 0, 0, 0, 3))
    after = played(before, "A1+ A1- A1+ B1+ .", ram=0)
    assert after.state.hp == (9, 10, 10, 20, 0)
    assert the(GameEnded, after) == GameEnded(winners=(3,), reason="max_rounds", places=(4, 2, 2, 1, 5))


def test_r11_equal_hp_share_the_win() -> None:
    before = position([12, 12, 9], round_=10, options={"max_rounds": 10})
    after = played(before, "A1+ A1- B1+")
    assert the(GameEnded, after) == GameEnded(winners=(0, 1), reason="max_rounds", places=(1, 1, 3))


def test_r11_the_last_round_may_still_leave_one_or_nobody() -> None:
    assert the(GameEnded, played(position([1, 1, 9], round_=60), "A2+ A1- B2-")).reason == "last_alive"
    over = played(position([1, 1, 0], worm=2, round_=60), "A1+ A2+ B1+")
    assert the(GameEnded, over).reason == "sea"


def test_the_standing_is_by_the_round_of_the_fall_and_one_round_shares_a_place() -> None:
    before = position([0, 0, 0, 1, 9, 0, 0], worm=5, amulet=4, out_at=(2, 4, 2, 0, 0, 9, 7), round_=12)
    after = played(before, ". . . B1+ A1- A2+ .")
    assert the(GameEnded, after).places == (6, 5, 6, 2, 1, 3, 4)


def test_r12_a_pick_is_final() -> None:
    batch = batch_on(position([9] * 3))
    play(batch, 0, Pick(card="A"))
    with pytest.raises(RuleViolation) as refused:
        play(batch, 0, Pick(card="B"))
    assert refused.value.code == "not_your_turn"
    assert engine.legal_moves(batch.state, 0) == ()


def test_r12_the_ability_is_final_too() -> None:
    batch = batch_on(position([9, 9, 9, 0], worm=3))
    play(batch, 3, Ability(ability="ram", target=0))
    with pytest.raises(RuleViolation):
        play(batch, 3, Ability(ability="ram", target=1))


def test_r13_in_the_duel_the_values_go_from_1_to_4() -> None:
    state = position([9, 0, 9, 0, 0], worm=3)
    for seat in (0, 2, 3):
        assert cards_of(state, seat) == list("AB1234+-")
    assert engine.legal_moves(state, 1) == engine.legal_moves(state, 4) == ()


def test_r15_silence_is_the_default() -> None:
    assert GAME.talk == "silent"
    assert GAME.options().talk == "silent"
    state = position([9] * 3, options={"talk": "open"})
    assert GAME.view(state, None).options.talk == "open"


def test_a_reveal_opens_the_sealed_moves_by_ascending_seat_however_they_came() -> None:
    batch = batch_on(position([9] * 3), at=50)
    for seat in (2, 0, 1):
        play(batch, seat, Pick(card="A"))
    assert the(CardsRevealed, batch) == CardsRevealed(
        reveal=1, seats=(0, 1, 2), cards=(Ref(51, 0), Ref(52, 0), Ref(50, 0))
    )


def test_the_worm_opens_the_ability_that_it_had_sealed() -> None:
    batch = played(position([9, 9, 9, 0], worm=3), "A1+ A2- B1+ .", ram=0)
    assert isinstance(batch.events[0].event, MovePlayed)
    assert the(AbilityTurned, batch) == AbilityTurned(
        worm=3, target=0, ability=Ref(batch.events[0].position, 0), hp_lost=0
    )


def test_the_cards_of_a_round_return_to_their_owners() -> None:
    state = played(position([9] * 4), HEALING).state
    assert state.shown == ("",) * 4
    assert all(len(seat.hand) == 8 for seat in GAME.view(state, None).seats)
    assert state.history[-1].cards == tuple(HEALING.split())
