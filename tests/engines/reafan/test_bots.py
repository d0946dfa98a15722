"""The searching bot: it sees what a play allows, never what is hidden, and beats the greedy one."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from bench.strength import Match, contest
from engines.base import Batch, awaited, begin, play
from engines.chance import KeyedChance
from engines.reafan import GAME, engine, search
from engines.reafan.bots import searcher
from engines.reafan.cards import DECK, TWOS
from engines.reafan.moves import plays
from engines.reafan.scoring import points
from engines.reafan.state import State

from .positions import played, position


def chosen(state: State, seat: int = 0, key: int = 0) -> Any:
    view, legal = GAME.view(state, seat), engine.legal_moves(state, seat)
    return searcher(view, legal, KeyedChance(key.to_bytes(32, "big")))


def random_states(seed: int) -> list[State]:
    """Return the states of a random game in which a card is to be played."""
    whim = Random(seed)
    batch = Batch(
        game=GAME,
        state=GAME.empty(GAME.options(), 2),
        chance=KeyedChance(seed.to_bytes(32, "big")),
        position=1,
    )
    begin(batch)
    found = []
    while seats := awaited(GAME, batch.state):
        if batch.state.mover is not None:
            found.append(batch.state)
        play(batch, seats[0], whim.choice(engine.legal_moves(batch.state, seats[0])))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_best_play_of_a_card_scores_what_the_best_of_all_its_legal_plays_scores(seed: int) -> None:
    """What the search reckons by lines equals the rules, position by position as it follows a game."""
    states = random_states(seed)[1:]
    reckoned = search.position_of(states[0].board)
    for state in states:
        for cell, card in state.board.items():
            if reckoned.board.get(cell) != card:
                reckoned = search.after(reckoned, card, cell)
        assert set(reckoned.free) == set(state.open_cells)
        for card in DECK:
            legal = plays(state.board, state.open_cells, [card])
            scores = [sum(points({**state.board, (p.x, p.y): card}, (p.x, p.y))) for p in legal]
            found = search.best(reckoned, card)
            assert (found.cell is None) == (not legal), card
            assert found.points == max(scores, default=0), card


@pytest.mark.long
def test_with_a_last_card_each_it_takes_the_greatest_lead_that_is_left() -> None:
    """Deck out, all cards known: nothing beats what a search of every play and every reply finds."""
    found = [state for seed in range(40) for state in random_states(seed) if is_last_but_one(state)]
    assert len(found) >= 10
    for state in found:
        legal = engine.legal_moves(state, state.mover)
        leads = {move: lead_after(state, move) for move in legal}
        assert leads[chosen(state, state.mover)] == max(leads.values())


def test_it_chooses_the_same_whatever_the_opponent_and_the_deck_hide() -> None:
    text = """
        .  9c .  .
        7h 3d 4s .
        .  6d .  Kd
        .  .  .  Jc
    """
    known = position(text, hand="10h 5c Qs")
    hidden = [*(held.card for held in known.hands[1]), *known.deck[known.drawn :]]
    first = chosen(known)
    for seed in range(4):
        Random(seed).shuffle(hidden)
        other = position(text, hand="10h 5c Qs", other=" ".join(hidden[:3]), deck=" ".join(hidden[3:]))
        assert chosen(other) == first


@pytest.mark.long
def test_it_beats_the_greedy_bot_in_most_games() -> None:
    """Four deals, from either seat; ``make strength`` plays a thousand games."""
    tally = contest(Match("reafan", "searcher", "greedy", "greedy"), range(8))
    assert tally.games == 8
    assert tally.wins > 4
    assert tally.in_its_place == 4


# Helpers


def is_last_but_one(state: State) -> bool:
    """Tell whether each seat holds one card, the last one, and neither is a two."""
    held = [[each.card for each in hand] for hand in state.hands]
    return [len(hand) for hand in held] == [1, 1] and TWOS.isdisjoint(held[0] + held[1])


def lead_after(state: State, move: Any) -> int:
    """Return the lead that ``move`` leaves the mover after the best reply."""
    batch = played(state, move, state.mover)
    mover, rival = state.mover, 1 - state.mover
    replies = engine.legal_moves(batch.state, rival)
    ends = [played(batch.state, reply, rival).state.scores for reply in replies]
    return min(end[mover] - end[rival] for end in ends)
