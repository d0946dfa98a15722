"""Moves and events of Reafan: frozen records without behaviour.

A card is committed once, by the ``Shuffled`` that gave it its place in the deck, and referred
to ever after; its value stands in no other event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.audience import ASSIGNED, COMMITTED, OPENED, PUBLIC, SEALED, About, Item, Ref
from engines.base import Seat
from engines.reafan.cards import CARD_PATTERN, Card

FAR = 51
"""No card lies farther out: 51 cards follow the first, each one step from another."""

X = Annotated[int, About("The cell's column number; it grows to the right.", ge=-FAR, le=FAR)]
Y = Annotated[int, About("The cell's row number; it grows upwards.", ge=-FAR, le=FAR)]
HandCard = Annotated[str, About("A card of the mover's hand, such as 7h or 10d.", pattern=CARD_PATTERN)]

OnTimeout = Literal["auto", "forfeit"]

LEAVING = ("resigned", "removed", "timeout")
ENDINGS = ("deck_out", "first_reached", *LEAVING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the players of a table agree on before the game."""

    on_timeout: Annotated[
        OnTimeout,
        About("What a time-out does: auto plays a legal move drawn at random, forfeit loses the game."),
    ] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mulligan:
    """Move: once, before the first card, keep the hand or lay it aside for three new cards."""

    take: Annotated[bool, SEALED, About("True lays the whole hand aside, false keeps it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Move: put a card of the hand on a free cell."""

    card: Annotated[HandCard, PUBLIC]
    x: Annotated[X, PUBLIC]
    y: Annotated[Y, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Move: put a jack of the hand on top of a card of the board."""

    card: Annotated[HandCard, PUBLIC]
    x: Annotated[X, PUBLIC]
    y: Annotated[Y, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """Move: put a two of the hand in the place of a card of the board, and take that card."""

    card: Annotated[HandCard, PUBLIC]
    x: Annotated[X, PUBLIC]
    y: Annotated[Y, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """Move: put a card of the hand out of the game; only when no card can be played."""

    card: Annotated[HandCard, PUBLIC]


Play = Place | Cover | Swap


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """Hidden item: which card lies at a place of the deck."""

    place: Annotated[int, About("The place in the deck: 0 is on top.", ge=0, le=51)]
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterDrawn:
    """Event: chance has named the seat that lays the first card."""

    seat: Annotated[int, PUBLIC, About("The seat that lays the first card.", ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """Event: the deck lies shuffled anew; places of an earlier deck mean nothing any more.

    Slot i holds place i.  The cards laid aside before it are in this deck again.
    """

    places: Annotated[
        tuple[Item[Slip], ...],
        COMMITTED,
        About("One hidden item for each place of the deck, from the top down."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """Event: a seat holds three cards from the top of the deck."""

    seat: Annotated[Seat, PUBLIC]
    cards: Annotated[
        tuple[Ref[Slip], ...], ASSIGNED, About("The places of the cards, known to the seat alone.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class MulligansRevealed:
    """Event: both seats have decided, and everybody learns how."""

    answers: Annotated[
        tuple[Ref[Mulligan], ...], OPENED, About("The sealed answers of seat 0 and of seat 1.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLaidAside:
    """Event: a seat has laid its hand aside; nobody else sees it before the game ends."""

    seat: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class KingsShown:
    """Event: the starting seat holds three kings and no first card, and shows them."""

    seat: Annotated[Seat, PUBLIC]
    cards: Annotated[tuple[Ref[Slip], ...], OPENED, About("The three kings.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlayed:
    """What the three events of a card played tell alike; no event by itself."""

    seat: Annotated[Seat, PUBLIC]
    card: Annotated[Ref[Slip], OPENED, About("The card played; open to all from now on.")]
    x: Annotated[X, PUBLIC]
    y: Annotated[Y, PUBLIC]
    row_points: Annotated[int, PUBLIC, About("Points for the row of the card.", ge=0, le=5)]
    column_points: Annotated[int, PUBLIC, About("Points for the column of the card.", ge=0, le=5)]
    points: Annotated[
        int, PUBLIC, About("Points for this play: row and column, or 1 for the first card.", ge=0)
    ]
    score: Annotated[int, PUBLIC, About("The score of the seat after this play.", ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlaced(CardPlayed):
    """Event: a card lies on a cell that was free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCovered(CardPlayed):
    """Event: a jack lies on top of a card, which has lost its value and its powers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSwapped(CardPlayed):
    """Event: a two lies in the place of the cell's top card, which is in the seat's hand now.

    The card taken keeps the place under which it was committed, and stays open to all.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDiscarded:
    """Event: a card is out of the game, face up, because its seat could play none."""

    seat: Annotated[Seat, PUBLIC]
    card: Annotated[Ref[Slip], OPENED, About("The card discarded; open to all from now on.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn:
    """Event: a seat has taken the top card of the deck."""

    seat: Annotated[Seat, PUBLIC]
    card: Annotated[Ref[Slip], ASSIGNED, About("The place of the card, known to the seat alone.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """Event: a seat is left for good."""

    seat: Annotated[Seat, PUBLIC]
    reason: Annotated[str, PUBLIC, About("Why: it resigned, was removed, or lost on time.", known=LEAVING)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """Event: the game is over, and nothing in it is hidden any more."""

    winner: Annotated[int, PUBLIC, About("The seat that has won.", ge=0)]
    reason: Annotated[
        str,
        PUBLIC,
        About(
            "How: by points (deck_out), by the earlier last point of a tie (first_reached), or by leaving."
        ),
    ]
    scores: Annotated[tuple[int, ...], PUBLIC, About("The points of each seat.")]


MOVES: tuple[type, ...] = (Mulligan, Place, Cover, Swap, Discard)
EVENTS: tuple[type, ...] = (
    StarterDrawn,
    Shuffled,
    Dealt,
    MulligansRevealed,
    HandLaidAside,
    KingsShown,
    CardPlaced,
    CardCovered,
    CardSwapped,
    CardDiscarded,
    CardDrawn,
    SeatLeft,
    GameEnded,
)
