"""What holds in every game: against a slow second reading of the rules, and card by card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.audience import name_of
from engines.base import Batch, begin, play
from engines.chance import KeyedChance
from engines.errors import RuleViolation
from engines.reafan import GAME, engine
from engines.reafan.board import column, row
from engines.reafan.cards import DECK
from engines.reafan.messages import CardCovered, CardPlaced, CardSwapped, Cover, Discard, Place, Play, Swap
from engines.reafan.moves import check_play, plays
from engines.reafan.scoring import points
from engines.reafan.state import State

from . import slow
from .golden import closing

KIND = {Place: "place", Cover: "cover", Swap: "swap"}
choices = st.lists(st.integers(0, 10**6), max_size=70)


def games(seed: int, picks: list[int] | None = None) -> Iterator[tuple[Batch[State], int]]:
    """Yield (game, index of its newest event before the move) after every move of a game.

    ``picks`` choose the moves, counted around; when they are used up, chance does.
    """
    batch = Batch(game=GAME, state=GAME.empty(GAME.options(), 2), chance=KeyedChance(key(seed)), position=1)
    chooser, left = KeyedChance(key(seed + 1)), list(picks or ())
    begin(batch)
    yield batch, 0
    while windows := engine.to_act(batch.state):
        seat = windows[0].seat
        legal = engine.legal_moves(batch.state, seat)
        index = left.pop(0) % len(legal) if left else chooser.below(len(legal), "test")
        before = len(batch.events)
        play(batch, seat, legal[index])
        yield batch, before


def key(seed: int) -> bytes:
    return seed.to_bytes(32, "big")


def found(moves: list[Play]) -> set[slow.Found]:
    return {(KIND[type(move)], move.card, move.x, move.y) for move in moves}


def assert_cards(state: State) -> None:
    below = [card for cards in state.covered.values() for card in cards]
    held = [each.card for hand in state.hands for each in hand]
    everything = [*state.deck[state.drawn :], *held, *state.board.values(), *below, *state.discards]
    assert sorted(everything) == sorted(DECK)


def assert_shape(state: State) -> None:
    assert not slow.has_block(state.board)
    assert all(len(line) <= 5 for line in slow.lines(state.board)) or not state.board


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**64), picks=choices)
def test_every_game_ends_with_every_card_in_one_place_and_a_board_of_legal_shape(
    seed: int, picks: list[int]
) -> None:
    state = None
    for batch, _ in games(seed, picks):
        state = batch.state
        assert_cards(state)
        assert_shape(state)
        assert state.turn <= 58
    assert state is not None
    outcome = engine.outcome(state)
    assert outcome is not None
    assert outcome.scores == state.scores
    assert sum(state.scores) >= 1
    assert engine.legal_moves(state, 0) == engine.legal_moves(state, 1) == ()


@pytest.mark.long
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**64), picks=choices)
def test_the_legal_plays_are_those_of_a_slow_second_reading(seed: int, picks: list[int]) -> None:
    for number, (batch, _) in enumerate(games(seed, picks)):
        state, mover = batch.state, batch.state.mover
        if mover is None or number % 3:
            continue
        hand = [each.card for each in state.hands[mover]]
        wanted = slow.plays(state.board, hand)
        legal = list(engine.legal_moves(state, mover))
        if wanted:
            assert found(legal) == wanted
            assert len(legal) == len(wanted)
        else:
            assert sorted(move.card for move in legal) == sorted(hand)
        assert_check_agrees(state, mover, hand, wanted)


def assert_check_agrees(state: State, mover: int, hand: list[str], wanted: set[slow.Found]) -> None:
    for card in hand:
        assert accepts(state, mover, Discard(card=card)) is not bool(wanted)
        for kind in (Place, Cover, Swap):
            for x, y in slow.window(state.board):
                allowed = (name_of(kind), card, x, y) in wanted
                assert accepts(state, mover, kind(card=card, x=x, y=y)) is allowed


def accepts(state: State, seat: int, move: Any) -> bool:
    try:
        engine.check(state, seat, move)
    except RuleViolation:
        return False
    return True


@pytest.mark.long
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**64), picks=choices)
def test_each_of_the_52_cards_may_go_where_a_slow_second_reading_lets_it(seed: int, picks: list[int]) -> None:
    """Also cards that the mover does not hold, so that every power meets every board."""
    for number, (batch, _) in enumerate(games(seed, picks)):
        board = batch.state.board
        if number % 12 != 6:
            continue
        listed = plays(board, batch.state.open_cells, DECK)
        assert found(listed) == slow.plays(board, slow.ALL_CARDS)
        for move in listed:
            check_play(board, move)
            cell = move.x, move.y
            after = {**board, cell: move.card}
            if board:
                assert sum(points(after, cell)) == slow.points(after, cell)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**64), picks=choices)
def test_every_play_scores_what_a_slow_second_reading_says(seed: int, picks: list[int]) -> None:
    board: dict[tuple[int, int], str] = {}
    scores = [0, 0]
    for batch, before in games(seed, picks):
        for recorded in batch.events[before:]:
            event = recorded.event
            if isinstance(event, CardPlaced | CardCovered | CardSwapped):
                cell = event.x, event.y
                expected = 1 if not board else slow.points({**board, cell: batch.state.board[cell]}, cell)
                board[cell] = batch.state.board[cell]
                scores[event.seat] += expected
                assert (event.points, event.score) == (expected, scores[event.seat])
    assert tuple(scores) == batch.state.scores


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**64), picks=choices)
def test_the_open_cells_kept_in_the_state_are_those_found_afresh(seed: int, picks: list[int]) -> None:
    for batch, _ in games(seed, picks):
        board = batch.state.board
        if board:
            fresh = [cell for cell in slow.window(board) if slow.may_place(board, "9?", cell)]
            assert list(batch.state.open_cells) == fresh


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**64), picks=choices)
def test_a_state_survives_being_packed(seed: int, picks: list[int]) -> None:
    for batch, _ in games(seed, picks):
        packed = msgspec.msgpack.encode(batch.state)
        assert msgspec.msgpack.decode(packed, type=State) == batch.state


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**64), order=st.randoms(use_true_random=False))
def test_a_view_never_depends_on_the_order_of_the_deck_or_on_the_other_hand(seed: int, order: Any) -> None:
    """All cards that seat 0 has not seen change places; its view and its moves stay."""
    for batch, _ in games(seed):
        state = batch.state
        if state.reason is not None:
            return
        hidden = [*state.deck[state.drawn :], *(e.card for e in state.hands[1] if e.card not in state.seen)]
        mixed = list(hidden)
        order.shuffle(mixed)
        swap = dict(zip(hidden, mixed, strict=True))
        theirs = tuple(each._replace(card=swap.get(each.card, each.card)) for each in state.hands[1])
        deck = tuple(swap.get(card, card) for card in state.deck)
        other = replace(state, deck=deck, hands=(state.hands[0], theirs))
        assert GAME.view(other, 0) == GAME.view(state, 0)
        assert GAME.view(other, None) == GAME.view(state, None)
        if state.mover != 1:
            assert engine.legal_moves(other, 0) == engine.legal_moves(state, 0)


def test_r17_a_closed_board_takes_no_card_and_nobody_without_a_play_is_waited_for() -> None:
    """Two players who want it close the board in about every sixth game."""
    closed = 0
    for seed in range(25):
        batch = Batch(
            game=GAME, state=GAME.empty(GAME.options(), 2), chance=KeyedChance(key(seed)), position=1
        )
        chance = KeyedChance(key(seed + 10**9))
        begin(batch)
        while windows := engine.to_act(batch.state):
            state, seat = batch.state, windows[0].seat
            legal = engine.legal_moves(state, seat)
            assert not windows[0].at_once
            if state.board and not state.open_cells:
                assert not any(isinstance(move, Discard) for move in legal)
                assert {kind for kind, *_ in slow.plays(state.board, slow.ALL_CARDS)} <= {"cover", "swap"}
            play(batch, seat, closing(state, seat, legal, chance) if state.board else legal[0])
        assert batch.state.reason is not None
        assert_cards(batch.state)
        closed += not batch.state.open_cells
    assert closed > 0


@pytest.mark.parametrize("bot", sorted(GAME.bots))
def test_a_bot_plays_a_whole_game_from_views_and_legal_moves(bot: str) -> None:
    batch = Batch(game=GAME, state=GAME.empty(GAME.options(), 2), chance=KeyedChance(key(1)), position=1)
    chance = KeyedChance(key(2))
    begin(batch)
    while windows := engine.to_act(batch.state):
        seat = windows[0].seat
        legal = engine.legal_moves(batch.state, seat)
        play(batch, seat, GAME.bots[bot](GAME.view(batch.state, seat), legal, chance))
    assert engine.outcome(batch.state) is not None


def test_the_greedy_bot_beats_the_random_one_by_far() -> None:
    won = 0
    for seed in range(10):
        batch = Batch(
            game=GAME, state=GAME.empty(GAME.options(), 2), chance=KeyedChance(key(seed)), position=1
        )
        chance = KeyedChance(key(seed + 1000))
        begin(batch)
        while windows := engine.to_act(batch.state):
            seat = windows[0].seat
            legal = engine.legal_moves(batch.state, seat)
            bot = GAME.bots["greedy" if seat == seed % 2 else "random"]
            play(batch, seat, bot(GAME.view(batch.state, seat), legal, chance))
        won += batch.state.winner == seed % 2
    assert won == 10


def test_lines_are_given_in_order_with_their_own_cell() -> None:
    board = {(0, 0): "7h", (1, 0): "9c", (1, 1): "3c"}
    assert row(board, (1, 0)) == [(0, 0), (1, 0)]
    assert column(board, (1, 1)) == [(1, 0), (1, 1)]
