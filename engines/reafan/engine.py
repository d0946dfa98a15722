"""What may happen and what follows: the decisions of Reafan.  ``evolve`` applies them."""

from __future__ import annotations

from collections.abc import Sequence

from engines.audience import Item, Ref
from engines.base import Batch, Move, Outcome, Window
from engines.chance import Chance
from engines.errors import RuleViolation
from engines.reafan import messages as m
from engines.reafan.cards import DECK, KINGS, Card, in_order
from engines.reafan.moves import check_play, discards, plays
from engines.reafan.scoring import FIRST_CARD, points
from engines.reafan.state import (
    HAND_SIZE,
    SEATS,
    State,
    cards_of,
    deck_size,
    held,
    is_closed,
    next_refs,
    other,
)

MULLIGAN_KINDS = ("mulligan",)
PLAY_KINDS = ("place", "cover", "swap", "discard")
"""Always all four: fewer would tell what the hand allows."""

EVENT_OF = {m.Place: m.CardPlaced, m.Cover: m.CardCovered, m.Swap: m.CardSwapped}


def start(batch: Batch[State]) -> None:
    """Draw the starting seat, shuffle and deal; the starting seat is dealt to first.

    Source: rulebook, R2.
    """
    starter = batch.chance.below(len(SEATS), "starter")
    batch.add(m.StarterDrawn(seat=starter))
    _shuffle(batch, DECK, "deck")
    for seat in (starter, other(starter)):
        batch.add(m.Dealt(seat=seat, cards=next_refs(batch.state, HAND_SIZE)))


def check(state: State, seat: int, move: Move) -> None:
    """Raise RuleViolation when ``move`` of ``seat`` is refused.

    Codes: game_over, not_your_turn, card_not_in_hand, play_possible, and those of ``moves``.
    """
    if state.reason is not None:
        raise RuleViolation("game_over")
    is_mulligan = isinstance(move, m.Mulligan)
    if is_mulligan != (state.mover is None) or not any(each.seat == seat for each in to_act(state)):
        raise RuleViolation("not_your_turn")
    if is_mulligan:
        return
    if held(state, seat, move.card) is None:
        raise RuleViolation("card_not_in_hand", card=move.card)
    if not isinstance(move, m.Discard):
        check_play(state.board, move)
    elif _plays(state, seat):
        raise RuleViolation("play_possible")


def resolve(batch: Batch[State], seat: int, move: Move) -> None:
    """Record what follows from ``move`` of ``seat``: score, draw, the end."""
    if isinstance(move, m.Mulligan):
        if all(batch.state.answers):
            _begin_play(batch)
        return
    if isinstance(move, m.Discard):
        batch.add(m.CardDiscarded(seat=seat, card=_ref(batch.state, seat, move.card)))
    else:
        _play(batch, seat, move)
    if deck_size(batch.state) and not isinstance(move, m.Swap):
        batch.add(m.CardDrawn(seat=seat, card=next_refs(batch.state, 1)[0]))
    if not any(batch.state.hands):
        _end_by_points(batch)


def to_act(state: State) -> tuple[Window, ...]:
    """Return the open windows: both mulligans at once, then one seat after the other.

    A seat without a play on a closed board is played at once (rulebook, R17).
    """
    if state.reason is not None:
        return ()
    if state.mover is None:
        return tuple(
            Window(seat=seat, kinds=MULLIGAN_KINDS, since=state.turn)
            for seat in SEATS
            if state.answers[seat] is None
        )
    is_stuck = is_closed(state) and not _plays(state, state.mover)
    return (Window(seat=state.mover, kinds=PLAY_KINDS, since=state.turn, at_once=is_stuck),)


def legal_moves(state: State, seat: int) -> Sequence[Move]:
    """Return every legal move in canonical order: both answers, else the plays, else the discards.

    Source: rulebook, R9 (discards only when no card can be played).
    """
    if not any(seat == each.seat for each in to_act(state)):
        return ()
    if state.mover is None:
        return m.Mulligan(take=False), m.Mulligan(take=True)
    return _plays(state, seat) or discards(cards_of(state, seat))


def default_move(state: State, seat: int, chance: Chance) -> Move | None:
    """Return what the table plays for ``seat``: the hand is kept, a play drawn from all.

    None under ``forfeit``, but neither for a mulligan nor on a closed board, where the seat has
    not been waited for.
    """
    if state.mover is None:
        return m.Mulligan(take=False)
    if to_act(state)[0].at_once:
        label = "closed_board"
    elif state.on_timeout == "forfeit":
        return None
    else:
        label = "time_out"
    legal = legal_moves(state, seat)
    return legal[chance.below(len(legal), label)]


def abandon(batch: Batch[State], seat: int, reason: str) -> None:
    """Record that ``seat`` is left for good; the other seat wins."""
    batch.add(m.SeatLeft(seat=seat, reason=reason))
    batch.add(m.GameEnded(winner=other(seat), reason=reason, scores=batch.state.scores))


def outcome(state: State) -> Outcome | None:
    """Return how the game ended; None while it runs."""
    if state.reason is None or state.winner is None:
        return None
    places = tuple(1 if seat == state.winner else 2 for seat in SEATS)
    return Outcome(winners=(state.winner,), places=places, scores=state.scores, reason=state.reason)


def _plays(state: State, seat: int) -> list[m.Play]:
    return plays(state.board, state.open_cells, cards_of(state, seat))


def _begin_play(batch: Batch[State]) -> None:
    """Reveal the mulligans and carry them out, the starting seat's first.

    Source: rulebook, R1 and R3.
    """
    answers = tuple(Ref[m.Mulligan](each.seq, 0) for each in batch.state.answers if each)
    batch.add(m.MulligansRevealed(answers=answers))
    starter = batch.state.starter
    for seat in (starter, other(starter)):
        answer = batch.state.answers[seat]
        if answer and answer.take:
            batch.add(m.HandLaidAside(seat=seat))
            _deal_anew(batch, seat, "mulligan")
    if KINGS.issuperset(cards_of(batch.state, starter)):
        kings = tuple(each.ref for each in batch.state.hands[starter])
        batch.add(m.KingsShown(seat=starter, cards=kings))
        _deal_anew(batch, starter, "kings")


def _deal_anew(batch: Batch[State], seat: int, label: str) -> None:
    """Give ``seat`` three new cards, then shuffle what it gave up into the deck."""
    batch.add(m.Dealt(seat=seat, cards=next_refs(batch.state, HAND_SIZE)))
    state = batch.state
    _shuffle(batch, in_order(state.deck[state.drawn :] + state.returning), label)


def _shuffle(batch: Batch[State], cards: Sequence[Card], label: str) -> None:
    """Record a deck of ``cards``, which are in canonical order; place i holds cards[order[i]]."""
    order = batch.chance.shuffle(len(cards), label)
    slips = (m.Slip(place=place, card=cards[index]) for place, index in enumerate(order))
    batch.add(m.Shuffled(places=tuple(Item(None, slip) for slip in slips)))


def _play(batch: Batch[State], seat: int, move: m.Play) -> None:
    state, cell = batch.state, (move.x, move.y)
    row_points, column_points = points({**state.board, cell: move.card}, cell)
    gained = row_points + column_points if state.board else FIRST_CARD
    event = EVENT_OF[type(move)](
        seat=seat,
        card=_ref(state, seat, move.card),
        x=move.x,
        y=move.y,
        row_points=row_points,
        column_points=column_points,
        points=gained,
        score=state.scores[seat] + gained,
    )
    batch.add(event)


def _ref(state: State, seat: int, card: Card) -> Ref[m.Slip]:
    """Return the item of a card that ``check`` has found in the hand."""
    found = held(state, seat, card)
    assert found is not None
    return found.ref


def _end_by_points(batch: Batch[State]) -> None:
    """Source: rulebook, R16.  The starting seat has a point, so that equal scores have a last one."""
    scores, scored_at = batch.state.scores, batch.state.scored_at
    if scores[0] == scores[1]:
        winner, reason = (0 if scored_at[0] < scored_at[1] else 1), "first_reached"
    else:
        winner, reason = (0 if scores[0] > scores[1] else 1), "deck_out"
    batch.add(m.GameEnded(winner=winner, reason=reason, scores=scores))
