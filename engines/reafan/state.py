"""The state of a game of Reafan, the empty one, and small questions about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engines.audience import Ref
from engines.reafan.board import Cell
from engines.reafan.cards import Card
from engines.reafan.messages import OnTimeout, Options, Slip

SEATS = (0, 1)
HAND_SIZE = 3


class Held(NamedTuple):
    """A card in a hand and the item under which it was committed."""

    card: Card
    ref: Ref[Slip]


class Answer(NamedTuple):
    """A mulligan decided in secret, and the position of the move that seals it."""

    seq: int
    take: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All that the rules look at, hidden cards included; never changed, only replaced.

    ``deck`` is the whole deck of the last shuffle, top first, of which the first ``drawn`` cards
    are gone.  ``mover`` is None during the mulligans and when the game is over.
    """

    on_timeout: OnTimeout
    turn: int = 1
    mover: int | None = None
    starter: int = 0
    answers: tuple[Answer | None, Answer | None] = (None, None)
    are_revealed: bool = False  # the answers
    laid_aside: tuple[tuple[Card, ...], tuple[Card, ...]] = ((), ())  # by seat, in a mulligan
    kings_shown: tuple[Card, ...] = ()
    returning: tuple[Card, ...] = ()  # out of the hands, until the next shuffle takes them in
    deck_at: int = 0  # the position of the last shuffle
    deck: tuple[Card, ...] = ()
    drawn: int = 0
    hands: tuple[tuple[Held, ...], tuple[Held, ...]] = ((), ())
    board: dict[Cell, Card]  # the top card of each cell
    covered: dict[Cell, tuple[Card, ...]]  # what lies below it, bottom first
    open_cells: tuple[Cell, ...] = ()  # the free cells that take a card of no power, by x, then y
    seen: dict[Card, Ref[Slip]]  # every card played so far
    discards: tuple[Card, ...] = ()  # oldest first
    scores: tuple[int, int] = (0, 0)
    scored_at: tuple[int, int] = (0, 0)  # the turn of each seat's last point
    winner: int | None = None
    reason: str | None = None  # why the game is over


def empty(options: Options, seats: int) -> State:
    """Return the state before the first event."""
    assert seats == len(SEATS)
    return State(on_timeout=options.on_timeout, board={}, covered={}, seen={})


def other(seat: int) -> int:
    """Return the opponent of ``seat``."""
    return 1 - seat


def deck_size(state: State) -> int:
    """Return how many cards are left to draw."""
    return len(state.deck) - state.drawn


def is_closed(state: State) -> bool:
    """Tell whether no free cell takes any card; it stays so for good.

    Source: rulebook, R17.
    """
    return bool(state.board) and not state.open_cells


def cards_of(state: State, seat: int) -> tuple[Card, ...]:
    """Return the hand of ``seat`` in the order in which it came."""
    return tuple(held.card for held in state.hands[seat])


def next_refs(state: State, count: int) -> tuple[Ref[Slip], ...]:
    """Return the items of the next ``count`` cards of the deck."""
    return tuple(Ref(state.deck_at, state.drawn + each) for each in range(count))


def held(state: State, seat: int, card: Card) -> Held | None:
    """Return ``card`` as ``seat`` holds it, None if it does not."""
    return next((each for each in state.hands[seat] if each.card == card), None)
