"""The next state after each event.  Total: a recorded fact is never refused, and nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from engines.audience import Ref
from engines.base import MovePlayed
from engines.reafan import messages as m
from engines.reafan.board import open_cells_after
from engines.reafan.cards import Card
from engines.reafan.state import Answer, Held, State, other

T = TypeVar("T")


def evolve(state: State, event: Any, position: int) -> State:
    """Return the state after ``event``, recorded at position ``at``."""
    return _AFTER[type(event)](state, event, position)


def _move_played(state: State, event: MovePlayed, position: int) -> State:
    if not isinstance(event.move, m.Mulligan):
        return state
    answer = Answer(position, event.move.take)
    return replace(state, answers=_with(state.answers, event.seat, answer))


def _starter_drawn(state: State, event: m.StarterDrawn, _at: int) -> State:
    return replace(state, starter=event.seat)


def _shuffled(state: State, event: m.Shuffled, position: int) -> State:
    deck = tuple(item.value.card for item in event.places)
    return replace(state, deck=deck, deck_at=position, drawn=0, returning=())


def _dealt(state: State, event: m.Dealt, _at: int) -> State:
    return _take(state, event.seat, event.cards)


def _card_drawn(state: State, event: m.CardDrawn, _at: int) -> State:
    return _take(state, event.seat, (event.card,))


def _mulligans_revealed(state: State, _event: m.MulligansRevealed, _at: int) -> State:
    return replace(state, are_revealed=True, turn=state.turn + 1, mover=state.starter)


def _hand_laid_aside(state: State, event: m.HandLaidAside, _at: int) -> State:
    cards = tuple(each.card for each in state.hands[event.seat])
    laid_aside = _with(state.laid_aside, event.seat, cards)
    return replace(state, laid_aside=laid_aside, returning=cards, hands=_with(state.hands, event.seat, ()))


def _kings_shown(state: State, event: m.KingsShown, _at: int) -> State:
    cards = tuple(each.card for each in state.hands[event.seat])
    return replace(state, kings_shown=cards, returning=cards, hands=_with(state.hands, event.seat, ()))


def _card_placed(state: State, event: m.CardPlaced, _at: int) -> State:
    return _play(state, event)


def _card_covered(state: State, event: m.CardCovered, _at: int) -> State:
    cell = event.x, event.y
    below = (*state.covered.get(cell, ()), state.board[cell])
    return replace(_play(state, event), covered={**state.covered, cell: below})


def _card_swapped(state: State, event: m.CardSwapped, _at: int) -> State:
    """Source: rulebook, R8: only the top card is taken; what it covered stays covered."""
    taken = state.board[event.x, event.y]
    return _play(state, event, taken=(Held(taken, state.seen[taken]),))


def _card_discarded(state: State, event: m.CardDiscarded, _at: int) -> State:
    card, hand = _out_of(state.hands[event.seat], event.card)
    return _pass_on(
        state,
        event.seat,
        hands=_with(state.hands, event.seat, hand),
        discards=(*state.discards, card),
        seen={**state.seen, card: event.card},
    )


def _seat_left(state: State, _event: m.SeatLeft, _at: int) -> State:
    return state


def _game_ended(state: State, event: m.GameEnded, _at: int) -> State:
    return replace(state, mover=None, winner=event.winner, reason=event.reason)


def _play(state: State, event: m.CardPlayed, *, taken: tuple[Held, ...] = ()) -> State:
    """Put the card on its cell, ``taken`` into the hand, and the points to the score."""
    seat, cell = event.seat, (event.x, event.y)
    card, hand = _out_of(state.hands[seat], event.card)
    board = {**state.board, cell: card}
    changes: dict[str, Any] = {}
    if event.points:
        changes["scores"] = _with(state.scores, seat, event.score)
        changes["scored_at"] = _with(state.scored_at, seat, state.turn)
    if cell not in state.board:
        changes["open_cells"] = open_cells_after(state.open_cells, board, cell)
    return _pass_on(
        state,
        seat,
        hands=_with(state.hands, seat, hand + taken),
        board=board,
        seen={**state.seen, card: event.card},
        **changes,
    )


def _pass_on(state: State, seat: int, **changes: Any) -> State:
    """Open the next turn, of the other seat unless it has no card left.

    Source: rulebook, R15.  While there is a deck, both hold cards.
    """
    mover = other(seat) if state.hands[other(seat)] else seat
    return replace(state, turn=state.turn + 1, mover=mover, **changes)


def _take(state: State, seat: int, refs: tuple[Ref[m.Slip], ...]) -> State:
    cards = tuple(Held(state.deck[ref.slot], ref) for ref in refs)
    hands = _with(state.hands, seat, state.hands[seat] + cards)
    return replace(state, hands=hands, drawn=state.drawn + len(cards))


def _out_of(hand: tuple[Held, ...], ref: Ref[m.Slip]) -> tuple[Card, tuple[Held, ...]]:
    """Return the card that ``ref`` names and the hand without it."""
    card = next(each.card for each in hand if each.ref == ref)
    return card, tuple(each for each in hand if each.ref != ref)


def _with(pair: tuple[T, T], seat: int, new: T) -> tuple[T, T]:
    return (new, pair[1]) if seat == 0 else (pair[0], new)


_AFTER: dict[type, Callable[[State, Any, int], State]] = {
    MovePlayed: _move_played,
    m.StarterDrawn: _starter_drawn,
    m.Shuffled: _shuffled,
    m.Dealt: _dealt,
    m.MulligansRevealed: _mulligans_revealed,
    m.HandLaidAside: _hand_laid_aside,
    m.KingsShown: _kings_shown,
    m.CardPlaced: _card_placed,
    m.CardCovered: _card_covered,
    m.CardSwapped: _card_swapped,
    m.CardDiscarded: _card_discarded,
    m.CardDrawn: _card_drawn,
    m.SeatLeft: _seat_left,
    m.GameEnded: _game_ended,
}
