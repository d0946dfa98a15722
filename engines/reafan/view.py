"""What a seat, or a spectator, may know of a game of Reafan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engines.audience import About
from engines.base import Seat
from engines.reafan.cards import CARD_PATTERN, Card, in_order
from engines.reafan.messages import OnTimeout, X, Y
from engines.reafan.state import SEATS, State, cards_of, deck_size, is_closed

Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """A taken cell."""

    x: X
    y: Y
    card: Annotated[str, About("The top card, the only one that counts.", pattern=CARD_PATTERN)]
    covered: Annotated[Cards, About("The cards below it, the lowest first.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat as the viewer knows it."""

    seat: Seat
    score: Annotated[int, About("Points so far.", ge=0)]
    hand_size: Annotated[int, About("How many cards the seat holds.", ge=0)]
    shown: Annotated[Cards, About("Cards of the hand that all have seen, taken from the board by a two.")]
    hand: Annotated[Cards | None, About("The whole hand: your own, or any when the game is over; else null.")]
    has_answered: Annotated[bool, About("Whether the seat has decided about its mulligan.")]
    mulligan: Annotated[
        bool | None,
        About("Whether the seat laid its hand aside; null until both have decided, but for your own answer."),
    ]
    laid_aside: Annotated[
        Cards | None, About("The hand laid aside in a mulligan; null until the game is over.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one viewer knows it."""

    viewer: Annotated[Seat | None, About("The seat whose view this is; null for a spectator.")]
    on_timeout: Annotated[OnTimeout, About("The table's option.")]
    turn: Annotated[int, About("The decision point now open, from 1.", ge=1)]
    mover: Annotated[Seat | None, About("Whose turn it is; null during the mulligans and after the end.")]
    starter: Annotated[int, About("The seat that lays the first card.", ge=0)]
    board: Annotated[tuple[CellView, ...], About("The taken cells, by x, then by y.")]
    is_closed: Annotated[bool, About("Whether no free cell takes any card any more.")]
    seats: Annotated[tuple[SeatView, ...], About("The seats, by number.")]
    deck_size: Annotated[int, About("How many cards are left to draw.", ge=0)]
    deck: Annotated[Cards | None, About("The cards left, the next one first; null until the game is over.")]
    discards: Annotated[Cards, About("The cards out of the game, the oldest first.")]
    kings_shown: Annotated[
        Cards, About("The three kings that the starting seat showed and gave back, if it did.")
    ]
    is_over: Annotated[bool, About("Whether the game is over.")]


def view(state: State, viewer: int | None) -> View:
    """Return what ``viewer`` may know; None is a spectator.  Hands are in canonical order."""
    is_over = state.reason is not None
    cells = (
        CellView(x=x, y=y, card=state.board[x, y], covered=state.covered.get((x, y), ()))
        for x, y in sorted(state.board)
    )
    return View(
        viewer=viewer,
        on_timeout=state.on_timeout,
        turn=state.turn,
        mover=state.mover,
        starter=state.starter,
        board=tuple(cells),
        is_closed=is_closed(state),
        seats=tuple(
            _seat(state, seat, sees_all=is_over or seat == viewer, is_over=is_over) for seat in SEATS
        ),
        deck_size=deck_size(state),
        deck=state.deck[state.drawn :] if is_over else None,
        discards=state.discards,
        kings_shown=in_order(state.kings_shown),
        is_over=is_over,
    )


def _seat(state: State, seat: int, *, sees_all: bool, is_over: bool) -> SeatView:
    hand = in_order(cards_of(state, seat))
    answer = state.answers[seat]
    return SeatView(
        seat=seat,
        score=state.scores[seat],
        hand_size=len(hand),
        shown=tuple(card for card in hand if card in state.seen),
        hand=hand if sees_all else None,
        has_answered=answer is not None,
        mulligan=answer.take if answer and (sees_all or state.are_revealed) else None,
        laid_aside=in_order(state.laid_aside[seat]) if is_over else None,
    )
