"""Before the first card: dealing, mulligans and three kings."""

from __future__ import annotations

import pytest

from engines.audience import Ref
from engines.base import Batch, awaited, play, play_default
from engines.chance import ScriptedChance
from engines.errors import RuleViolation
from engines.reafan import GAME, engine
from engines.reafan.cards import DECK
from engines.reafan.messages import (
    CardDrawn,
    CardPlaced,
    Dealt,
    Discard,
    HandLaidAside,
    KingsShown,
    Mulligan,
    MulligansRevealed,
    Place,
    Shuffled,
)
from engines.reafan.state import State

from .positions import answer, begun, deck_order, events_of, hand_of, refusal

PLAIN = "3c 4c 5c 6d 7d 8d 9h 10h Jh"


def kinds_of(batch: Batch[State]) -> list[type]:
    return [type(event) for event in events_of(batch)]


def without(*gone: str) -> list[str]:
    return [card for card in DECK if card not in gone]


def test_r2_chance_names_the_starting_seat_and_it_is_dealt_to_first() -> None:
    batch = begun(PLAIN, starter=1)
    assert batch.state.starter == 1
    assert hand_of(batch.state, 1) == {"3c", "4c", "5c"}
    assert hand_of(batch.state, 0) == {"6d", "7d", "8d"}
    assert [draw.label for each in batch.events for draw in each.draws] == ["starter", "deck"]


def test_r1_both_seats_decide_in_turn_one_in_any_order_and_once() -> None:
    batch = begun(PLAIN)
    assert awaited(GAME, batch.state) == (0, 1)
    play(batch, 1, Mulligan(take=False))
    assert awaited(GAME, batch.state) == (0,)
    assert batch.state.turn == 1
    assert engine.legal_moves(batch.state, 1) == ()
    with pytest.raises(RuleViolation, match="not_your_turn"):
        play(batch, 1, Mulligan(take=True))

    play(batch, 0, Mulligan(take=False))
    assert batch.state.turn == 2
    assert batch.state.mover == 0


def test_r1_an_answer_is_told_to_nobody_else_until_both_have_decided() -> None:
    batch = begun(PLAIN)
    play(batch, 1, Mulligan(take=True))
    for viewer, expected in ((0, None), (None, None), (1, True)):
        assert GAME.view(batch.state, viewer).seats[1].mulligan is expected
        assert GAME.view(batch.state, viewer).seats[1].has_answered
    batch.chance = ScriptedChance([range(46)])
    play(batch, 0, Mulligan(take=False))
    assert [seat.mulligan for seat in GAME.view(batch.state, None).seats] == [False, True]


def test_r1_both_answers_are_opened_together() -> None:
    batch = answer(begun(PLAIN), False, False)
    revealed = next(event for event in events_of(batch) if isinstance(event, MulligansRevealed))
    first, second = (each.position for each in batch.events if type(each.event).__name__ == "MovePlayed")
    assert revealed.answers == (Ref(first, 0), Ref(second, 0))


def test_r1_the_starting_seat_goes_first_and_the_other_may_draw_what_it_laid_aside() -> None:
    """Seat 1 starts: its 3c 4c 5c are shuffled back on top, and seat 0 draws them."""
    drawn = without(*PLAIN.split())
    first_back = deck_order("3c 4c 5c", [*drawn, "3c", "4c", "5c"])
    second_back = deck_order("8d 7d 6d", [*drawn, "6d", "7d", "8d"])
    batch = answer(begun(PLAIN, first_back, second_back, starter=1), True, True)

    assert hand_of(batch.state, 1) == {"9h", "10h", "Jh"}
    assert hand_of(batch.state, 0) == {"3c", "4c", "5c"}
    assert kinds_of(batch)[-6:] == [HandLaidAside, Dealt, Shuffled] * 2
    assert [each.seat for each in events_of(batch) if isinstance(each, HandLaidAside)] == [1, 0]
    assert batch.state.deck[:3] == ("8d", "7d", "6d")
    assert len(batch.state.deck) == 46
    assert batch.state.returning == ()


def test_a_hand_is_shown_in_canonical_order_whatever_the_order_of_the_deal() -> None:
    one, two = (begun(deck).state for deck in ("Ks 3c 9d 6d 7d 8d", "9d Ks 3c 6d 7d 8d"))
    assert GAME.view(one, 0).seats[0].hand == ("3c", "9d", "Ks")
    assert GAME.view(one, 0) == GAME.view(two, 0)


def test_a_mulligan_gives_every_card_of_the_deck_a_fresh_name() -> None:
    back = range(46)
    batch = answer(begun(PLAIN, back), True, False)
    last = max(each.position for each in batch.events if isinstance(each.event, Shuffled))
    play(batch, 0, Place(card=min(hand_of(batch.state) - {"Kc"}), x=0, y=0))
    drawn = next(event for event in events_of(batch) if isinstance(event, CardDrawn))
    assert drawn.card == Ref(last, 0)


def test_nobody_sees_the_cards_laid_aside_before_the_end() -> None:
    batch = answer(begun(PLAIN, range(46)), True, False)
    assert GAME.view(batch.state, 1).seats[0].laid_aside is None
    assert GAME.view(batch.state, 0).seats[0].laid_aside is None
    engine.abandon(batch, 1, "resigned")
    assert GAME.view(batch.state, None).seats[0].laid_aside == ("3c", "4c", "5c")
    assert GAME.view(batch.state, None).seats[1].laid_aside == ()


def test_r3_three_kings_of_the_starting_seat_are_shown_and_shuffled_back() -> None:
    back = range(46)
    batch = answer(begun("Kc Kd Kh 6d 7d 8d 9h 10h Ks", back), False, False)

    assert kinds_of(batch)[-3:] == [KingsShown, Dealt, Shuffled]
    assert hand_of(batch.state) == {"9h", "10h", "Ks"}
    assert {"Kc", "Kd", "Kh"} <= set(batch.state.deck)
    assert GAME.view(batch.state, None).kings_shown == ("Kc", "Kd", "Kh")
    assert batch.events[-1].draws[0].label == "kings"


def test_r3_holds_after_the_mulligan_too_but_never_for_the_other_seat() -> None:
    after_mulligan = begun("3c 4c 5c 6d 7d 8d Kc Kd Kh", range(46), range(46))
    assert KingsShown in kinds_of(answer(after_mulligan, True, False))
    other_seat = begun("3c 4c 5c Kc Kd Kh 6d 7d 8d")
    assert KingsShown not in kinds_of(answer(other_seat, False, False))


def test_a_mulligan_whose_time_is_up_keeps_the_hand() -> None:
    for policy in ("auto", "forfeit"):
        batch = begun(PLAIN)
        batch.state = GAME.empty(GAME.options(on_timeout=policy), 2)
        batch.chance = ScriptedChance([0, range(52)])
        engine.start(batch)
        assert play_default(batch, 1)
        assert batch.state.answers[1] is not None
        assert not batch.state.answers[1].take


def test_a_first_card_of_any_kind_but_a_king_has_no_effect_and_a_card_is_drawn() -> None:
    for card in ("2c", "Jh", "Ah", "Qd"):
        batch = answer(begun(f"{card} 4c 5c 6d 7d 8d 9h 10h"), False, False)
        play(batch, 0, Place(card=card, x=0, y=0))
        assert kinds_of(batch)[-2:] == [CardPlaced, CardDrawn]
        assert hand_of(batch.state) == {"4c", "5c", "9h"}
        assert batch.state.scores == (1, 0)
        assert batch.state.mover == 1


def test_the_first_card_is_no_king_and_lies_at_the_origin() -> None:
    state = answer(begun("Kc 4c 5c 6d 7d 8d"), False, False).state
    assert refusal(state, Place(card="Kc", x=0, y=0)) == "first_card_no_king"
    assert refusal(state, Place(card="4c", x=1, y=0)) == "first_card_at_origin"
    assert refusal(state, Discard(card="4c")) == "play_possible"
    assert set(engine.legal_moves(state, 0)) == {Place(card="4c", x=0, y=0), Place(card="5c", x=0, y=0)}
