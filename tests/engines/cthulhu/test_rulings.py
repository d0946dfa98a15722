"""Declarations, rounds, the three endings, time-outs and leavers, each by its ruling."""

from __future__ import annotations

from collections import Counter

import pytest

from engines.base import MovePlayed, Window, leave, play_default
from engines.chance import KeyedChance, ScriptedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu.messages import (
    CardRevealed,
    CardsLaid,
    Declare,
    Declared,
    GameEnded,
    Investigate,
    RolesDealt,
    RoundEnded,
    SeatLeft,
)
from engines.cthulhu.view import DeclarationView

from .positions import begun, declare, facts, investigate, random_game, refusal, waited_for

FOUR = "sffff fsfff ffsff fffsc"
SAFE = ("1.0", "2.0", "3.0", "0.1")
"""A whole first round of ``FOUR`` that reveals futile cards only."""
NEXT = "ssff ffff ffss fffc"


# Set-up


@pytest.mark.parametrize(("seats", "tokens", "cards"), [(3, 5, 15), (4, 5, 20), (5, 6, 25), (6, 6, 30)])
def test_the_box_for_each_number_of_seats(seats: int, tokens: int, cards: int) -> None:
    roles, _, laid = facts(random_game(seats, seed=seats))

    assert isinstance(roles, RolesDealt)
    assert [item.to for item in roles.tokens] == [*range(seats), *[None] * (tokens - seats)]
    assert sum(item.value.role == "cultist" for item in roles.tokens) == 2
    assert isinstance(laid, CardsLaid)
    kinds = Counter(item.value.kind for item in laid.cards)
    assert kinds == {"futile": cards - seats - 1, "elder_sign": seats, "cthulhu": 1}
    assert {item.to for item in laid.cards} == {None}
    assert [item.to for item in laid.counts] == list(range(seats))


def test_with_three_seats_there_may_be_no_cultist_and_with_six_always_two() -> None:
    found: dict[int, set[int]] = {}
    for seats in (3, 4, 5, 6):
        for seed in range(150):
            batch = random_game(seats, seed)
            found.setdefault(seats, set()).add(batch.state.roles[:seats].count("cultist"))
    assert found == {3: {0, 1, 2}, 4: {1, 2}, 5: {1, 2}, 6: {2}}


def test_an_owner_is_told_how_many_lie_before_it_and_never_which_is_which() -> None:
    view = GAME.view(begun(FOUR).state, 3)
    mine = view.seats[3]

    assert mine.dealt == mine.remaining
    assert mine.dealt is not None
    assert (mine.dealt.futile, mine.dealt.elder_signs, mine.dealt.cthulhu) == (3, 1, 1)
    assert mine.face_down == (0, 1, 2, 3, 4)
    assert view.rounds[0].places is None
    assert [each.dealt for each in view.seats[:3]] == [None] * 3


# R1: declaring


def test_r1_in_order_each_declaration_is_a_turn_clockwise_from_the_active_seat() -> None:
    batch = begun(FOUR, first=2, declarations="in_order")
    assert (batch.state.turn, waited_for(batch)) == (1, (2,))
    declare(batch, 2, 1)
    assert (batch.state.turn, waited_for(batch)) == (2, (3,))
    assert refusal(batch.state, 2, Investigate(target=0, place=0)) == "not_your_turn"
    declare(declare(batch, 3, 0), 0, 2, 1)
    declare(batch, 1, 0)

    assert (batch.state.turn, waited_for(batch)) == (5, (2,))
    assert [type(each) for each in facts(batch)[3:]] == [Declared] * 4
    assert GAME.view(batch.state, None).rounds[0].declarations[2] == DeclarationView(
        seat=0, elder_signs=2, cthulhu=1, after=0
    )


def test_r1_a_declaration_sent_ahead_is_sealed_final_and_passes_its_turn_at_once() -> None:
    batch = begun(FOUR, declarations="in_order")
    declare(batch, 2, 3)
    declare(batch, 1, 1)
    assert (batch.state.turn, waited_for(batch)) == (1, (0,))
    assert facts(batch)[3:] == []
    assert refusal(batch.state, 2, Declare(elder_signs=0, cthulhu=0)) == "not_your_turn"
    for viewer in (0, 1, 3, None):
        seat = GAME.view(batch.state, viewer).seats[2]
        assert (seat.told, seat.statement) == ("sealed", None)
    assert GAME.view(batch.state, 2).seats[2].statement is not None

    declare(batch, 0, 0)

    assert [each.seat for each in facts(batch)[3:]] == [0, 1, 2]
    assert facts(batch)[-1].declaration == (4, 0), "the move that sealed it"
    assert (batch.state.turn, waited_for(batch)) == (4, (3,))


def test_r1_one_sent_ahead_answers_the_window_of_the_round() -> None:
    batch = declare(begun(FOUR, declarations="in_order"), 0, 0)
    windows = {each.seat: each for each in engine.to_act(batch.state)}
    assert windows[1] == Window(seat=1, kinds=("declare",), since=1)
    assert windows[2] == Window(seat=2, kinds=("declare",), since=1, awaited=False)
    assert windows[0] == Window(seat=0, kinds=("declare",), since=1, awaited=False, answered=True)

    declare(batch, 3, 1)

    windows = {each.seat: each for each in engine.to_act(batch.state)}
    assert windows[3] == Window(seat=3, kinds=("declare",), since=1, awaited=False, answered=True)
    assert batch.events[-1].event.window == 1


def test_r1_any_order_all_declare_before_the_first_investigation_each_shown_at_once() -> None:
    batch = begun(FOUR, first=1, declarations="any_order")
    assert (batch.state.turn, waited_for(batch)) == (1, (0, 1, 2, 3))
    declare(batch, 3, 1)
    assert isinstance(facts(batch)[-1], Declared)
    assert (batch.state.turn, waited_for(batch)) == (1, (0, 1, 2))
    declare(declare(batch, 0, 1), 2, 1)
    assert refusal(batch.state, 1, Investigate(target=0, place=0)) == "not_your_turn"
    declare(batch, 1, 1)

    assert (batch.state.turn, waited_for(batch)) == (2, (1,))


def test_r1_without_declarations_nobody_declares_in_any_round() -> None:
    batch = begun(FOUR, NEXT)
    assert waited_for(batch) == (0,)
    assert [each.kinds for each in engine.to_act(batch.state)] == [("investigate",)]
    assert refusal(batch.state, 0, Declare(elder_signs=0, cthulhu=0)) == "not_your_turn"
    investigate(batch, *SAFE)
    assert [each.kinds for each in engine.to_act(batch.state)] == [("investigate",)]


@pytest.mark.parametrize("declarations", ["in_order", "any_order"])
def test_r1_in_later_rounds_a_seat_may_declare_once_at_any_moment(declarations: str) -> None:
    batch = begun(FOUR, NEXT, declarations=declarations)
    for seat in range(4):
        declare(batch, seat, 0)
    assert refusal(batch.state, 2, Declare(elder_signs=0, cthulhu=0)) == "not_your_turn"
    investigate(batch, *SAFE)
    began = batch.state.turn
    investigate(batch, "1.0")
    turn = batch.state.turn

    declare(batch, 3, 2)

    assert isinstance(facts(batch)[-1], Declared)
    assert (batch.state.turn, waited_for(batch)) == (turn, (1,))
    windows = {each.seat: each for each in engine.to_act(batch.state) if each.kinds == ("declare",)}
    assert windows[3] == Window(seat=3, kinds=("declare",), since=began, awaited=False, answered=True)
    assert windows[1] == Window(seat=1, kinds=("declare",), since=began, awaited=False)
    assert refusal(batch.state, 3, Declare(elder_signs=2, cthulhu=0)) == "not_your_turn"
    assert GAME.view(batch.state, None).rounds[1].declarations[0].after == 1


@pytest.mark.parametrize("declarations", ["in_order", "any_order"])
def test_r1_who_was_recorded_silent_may_declare_later_in_round_1(declarations: str) -> None:
    batch = begun(FOUR, declarations=declarations)
    assert play_default(batch, 0)
    assert GAME.view(batch.state, None).seats[0].told == "silence"
    turn = batch.state.turn

    declare(batch, 0, 1)

    assert isinstance(facts(batch)[-1], Declared)
    assert batch.state.turn == turn
    view = GAME.view(batch.state, None)
    assert view.seats[0].told == "shown"
    assert [(each.seat, each.elder_signs) for each in view.rounds[0].declarations] == [(0, None), (0, 1)]
    assert waited_for(batch) == ((1,) if declarations == "in_order" else (1, 2, 3))
    assert refusal(batch.state, 0, Declare(elder_signs=0, cthulhu=0)) == "not_your_turn"
    for seat in (1, 2, 3):
        declare(batch, seat, 0)
    assert waited_for(batch) == (0,)
    investigate(batch, "1.0")


# R2: what may be declared


def test_r2_every_pair_of_numbers_within_the_cards_dealt_may_be_said() -> None:
    batch = begun(FOUR, NEXT, declarations="any_order")
    legal = engine.legal_moves(batch.state, 1)
    assert legal == [Declare(elder_signs=s, cthulhu=c) for c in (0, 1) for s in range(6 - c)]
    for seat in range(4):
        declare(batch, seat, 5)
    investigate(batch, *SAFE, "1.0", "2.0", "3.0")
    assert len(engine.legal_moves(batch.state, 1)) == 9, "four cards were dealt, whatever is revealed"


# Investigating and rounds


def test_the_owner_of_the_card_revealed_is_active_next() -> None:
    batch = investigate(begun(FOUR), "2.1")
    assert batch.state.active == 2
    event = facts(batch)[-1]
    assert isinstance(event, CardRevealed)
    assert (event.seat, event.target, event.place, event.card) == (0, 2, 1, (3, 11))


def test_a_round_ends_after_one_investigation_a_seat_and_the_next_deal_is_one_card_smaller() -> None:
    batch = investigate(begun(FOUR, NEXT, "ssf fff fss ffc", "ss fs fs fc"), *SAFE)
    assert [type(each) for each in facts(batch)[-2:]] == [RoundEnded, CardsLaid]
    sizes = [len(batch.state.face_down[0])]
    while batch.state.reason is None:
        state = batch.state
        target = next(seat for seat in (1, 0) if seat != state.active)
        investigate(batch, f"{target}.{state.face_down[target][-1]}")
        sizes += [len(each.face_down[2]) for each in [batch.state] if len(each.reveals) % 4 == 0]
    assert sizes[:2] == [4, 3]


def test_a_seat_knows_what_must_remain_of_its_cards() -> None:
    batch = investigate(begun(FOUR), "3.3")
    remaining = GAME.view(batch.state, 3).seats[3].remaining
    assert remaining is not None
    assert (remaining.futile, remaining.elder_signs, remaining.cthulhu) == (3, 0, 1)
    assert GAME.view(batch.state, 2).seats[3].remaining is None


# The end


def test_cthulhu_revealed_ends_the_game_for_the_cultists() -> None:
    batch = investigate(begun(FOUR, roles="ciic"), "3.4")
    assert facts(batch)[-1] == GameEnded(reason="cthulhu_revealed", side="cultists", winners=(0, 3))
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert (outcome.winners, outcome.places) == ((0, 3), (1, 3, 3, 1))
    assert refusal(batch.state, 3, Investigate(target=0, place=0)) == "not_your_turn"


def test_all_signs_revealed_win_for_the_investigators() -> None:
    batch = investigate(begun("ssfff ssfff fffff ffffc", roles="iici"), "1.0", "0.0", "1.1", "0.1")
    assert facts(batch)[-1] == GameEnded(reason="signs_found", side="investigators", winners=(0, 1, 3))


def test_after_four_rounds_the_cultists_win() -> None:
    batch = begun("fffff fffff sssff fffsc", "ffff ffff ffss fcss", "fff fff sss fcs", "ff ff ss cs")
    investigate(batch, *("1.0", "0.0", "1.1", "0.1") * 4)
    assert facts(batch)[-2:] == [
        RoundEnded(round=4),
        GameEnded(reason="rounds_over", side="cultists", winners=(3,)),
    ]


def test_r3_whatever_the_cultists_would_win_by_is_lost_by_all_without_them() -> None:
    batch = begun("fffff sffff ssffc", "ffff ffff ssfc", "fff fff ssc", "ff fs sc", roles="iii")
    investigate(batch, *("1.0", "0.0", "1.1", "0.0", "1.0", "0.1") * 2)
    assert facts(batch)[-1] == GameEnded(reason="rounds_over", side=None, winners=())


def test_when_a_game_is_over_everybody_sees_everything() -> None:
    view = GAME.view(investigate(begun(FOUR, roles="icic"), "3.4").state, None)
    assert [each.role for each in view.seats] == ["investigator", "cultist", "investigator", "cultist"]
    assert view.left_over == ("investigator",)
    assert view.rounds[0].places is not None
    assert view.rounds[0].places[3] == ("futile", "futile", "futile", "elder_sign", "cthulhu")
    assert all(each is not None for each in view.rounds[0].dealt)
    assert (view.is_over, view.phase, view.active, view.reason) == (True, "over", None, "cthulhu_revealed")


# R5 and the server's rules


def test_r5_talk_is_open() -> None:
    assert GAME.talk == "open"


def test_a_time_out_investigates_a_card_drawn_evenly_from_all_legal_ones() -> None:
    batch = begun(FOUR)
    batch.chance = ScriptedChance([13])
    assert play_default(batch, 0)
    played = batch.events[-2].event
    assert played == MovePlayed(seat=0, window=1, move=Investigate(target=3, place=3), by_table=True), (
        "the last but one of fifteen"
    )
    assert batch.events[-2].draws[0].label == "time_out"


def test_a_time_out_in_the_declarations_of_round_1_records_silence() -> None:
    batch = begun(FOUR, declarations="in_order")
    assert play_default(batch, 0)

    moved, told = (each.event for each in batch.events[-2:])
    assert moved == MovePlayed(seat=0, window=1, move=Declare(elder_signs=None, cthulhu=None), by_table=True)
    assert isinstance(told, Declared)
    assert waited_for(batch) == (1,)


def test_a_leaver_is_played_at_once_and_loses_whatever_side_wins() -> None:
    batch = begun("ssfff ssfff fffff ffffc", roles="iici")
    investigate(batch, "1.0", "0.0", "1.1")
    leave(batch, 0, "resigned")
    assert GAME.view(batch.state, None).seats[0].role is None
    investigate(batch, "0.1")

    assert facts(batch)[-1] == GameEnded(reason="signs_found", side="investigators", winners=(1, 3))
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert outcome.places == (3, 1, 3, 1)


def test_a_leaver_who_is_active_investigates_at_once() -> None:
    batch = begun(FOUR)
    batch.chance = ScriptedChance([0])
    leave(batch, 0, "removed")
    assert [type(each) for each in facts(batch)[-2:]] == [SeatLeft, CardRevealed]
    assert waited_for(batch) == (1,)


def test_a_leavers_sealed_declaration_stands_and_is_shown_at_its_place() -> None:
    batch = begun(FOUR, declarations="in_order")
    declare(batch, 1, 2)
    leave(batch, 1, "resigned")
    assert facts(batch)[-1] == SeatLeft(seat=1, reason="resigned")
    declare(batch, 0, 0)

    assert [each.seat for each in facts(batch)[-2:]] == [0, 1]
    said = GAME.view(batch.state, None).rounds[0].declarations[1]
    assert (said.seat, said.elder_signs) == (1, 2)
    assert waited_for(batch) == (2,)


def test_a_leaver_without_a_declaration_is_silent_when_its_place_comes() -> None:
    batch = begun(FOUR, declarations="in_order")
    declare(batch, 3, 1)
    leave(batch, 1, "resigned")
    leave(batch, 2, "removed")
    declare(batch, 0, 0)

    said = GAME.view(batch.state, None).rounds[0].declarations
    assert [(each.seat, each.elder_signs) for each in said] == [(0, 0), (1, None), (2, None), (3, 1)]
    assert waited_for(batch) == (0,)
    assert engine.legal_moves(batch.state, 1) == ()


def test_in_any_order_a_leaver_is_silent_at_once() -> None:
    batch = begun(FOUR, declarations="any_order")
    leave(batch, 2, "resigned")
    assert GAME.view(batch.state, None).seats[2].told == "silence"
    assert waited_for(batch) == (0, 1, 3)


def test_when_all_have_left_the_table_plays_to_the_end_and_nobody_wins() -> None:
    batch = begun(FOUR, declarations="in_order")
    batch.chance = KeyedChance(bytes(32))
    for seat in range(4):
        leave(batch, seat, "resigned")
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert (outcome.winners, outcome.places) == ((), (1, 1, 1, 1))


def test_a_spectator_sees_no_role_and_no_counts_before_the_end() -> None:
    view = GAME.view(investigate(begun(FOUR), "1.0").state, None)
    assert all(each.role is None and each.dealt is None for each in view.seats)
    assert view.left_over is None
    assert view.revealed.futile == 1
