"""Moves and events of Don't Mess with Cthulhu: frozen records without behaviour.

A role token and a place before a seat are committed once, by the event that deals them; nobody
is ever handed the opening of a place, until an investigation opens it to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.audience import COMMITTED, OPENED, PUBLIC, SEALED, About, Item, Ref
from engines.base import Seat
from engines.cthulhu.setup import Kind, Role

Place = Annotated[
    int, About("A place before a seat, from 0; numbered anew by every deal, whatever lies there.", ge=0, le=4)
]
Round = Annotated[int, About("The round, from 1.", ge=1, le=4)]
Signs = Annotated[int, About("How many elder signs a seat says that it was dealt.", ge=0, le=5)]
Evil = Annotated[int, About("How many Cthulhu a seat says that it was dealt.", ge=0, le=1)]
Declarations = Literal["in_order", "any_order", "none"]
Side = Literal["investigators", "cultists"]
Seats = tuple[int, ...]

LEAVING = ("resigned", "removed", "timeout")
ENDINGS = ("cthulhu_revealed", "signs_found", "rounds_over")
SERIES_OVER = "series_over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the players of a table agree on before the game."""

    declarations: Annotated[
        Declarations,
        About(
            "How the first round is declared: in_order one seat after the other, any_order all before the"
            " first investigation, none by talk only."
        ),
    ] = "in_order"
    series: Annotated[
        bool, About("Whether games follow one another until somebody has three insanity tokens.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Investigate:
    """Move: reveal a face-down card of another seat, which then is the active one."""

    target: Annotated[Seat, PUBLIC]
    place: Annotated[Place, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare:
    """Move: say, truly or not, how many elder signs and how many Cthulhu you were dealt this round.

    Sent ahead of its place in round 1 it stays sealed until then.  Silence, recorded by the
    table alone, is a declaration of nulls.
    """

    elder_signs: Annotated[
        Signs | None, SEALED, About("How many elder signs; null is silence, which the table alone records.")
    ]
    cthulhu: Annotated[
        Evil | None, SEALED, About("How many Cthulhu; null is silence, which the table alone records.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Hidden item: a role token."""

    role: Annotated[Role, About("Which side the seat is on.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Hidden item: which card lies at a place; not even the seat before which it lies knows it."""

    seat: Seat
    place: Place
    kind: Annotated[Kind, About("What the card shows.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Hidden item: how many cards of each kind lie before a seat."""

    futile: Annotated[int, About("Futile investigations.", ge=0)]
    elder_signs: Annotated[int, About("Elder signs.", ge=0)]
    cthulhu: Annotated[int, About("Cthulhu.", ge=0, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolesDealt:
    """Event: every seat has looked at its role token; the left-over ones leave the game unseen."""

    tokens: Annotated[
        tuple[Item[Token], ...], COMMITTED, About("The token of each seat, then those left over.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstActive:
    """Event: chance has named the first active seat of a game."""

    seat: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsLaid:
    """Event: a round begins; each seat knows how many of each kind lie before it, nobody which is which."""

    round: Annotated[Round, PUBLIC]
    cards: Annotated[tuple[Item[Card], ...], COMMITTED, About("The cards, by seat, then by place.")]
    counts: Annotated[tuple[Item[Counts], ...], COMMITTED, About("What each seat is told of its cards.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Event: everybody learns what a seat declares of its cards, truly or not; nulls are silence."""

    seat: Annotated[Seat, PUBLIC]
    declaration: Annotated[Ref[Declare], OPENED, About("What the seat says.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRevealed:
    """Event: a card lies face up for the rest of the game; its owner is the active seat."""

    seat: Annotated[Seat, PUBLIC]
    target: Annotated[Seat, PUBLIC]
    place: Annotated[Place, PUBLIC]
    card: Annotated[Ref[Card], OPENED, About("The card; open to all from now on.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """Event: as many investigations as there are seats have been made; face-down cards are gathered."""

    round: Annotated[Round, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """Event: a game is over, and nothing in it is hidden any more."""

    reason: Annotated[str, PUBLIC, About("How it ended.", known=ENDINGS)]
    side: Annotated[Side | None, PUBLIC, About("The side that has won; null when all have lost.")]
    winners: Annotated[Seats, PUBLIC, About("The seats of that side that nobody has left, ascending.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensGiven:
    """Event: after a game of a series, one insanity token for each seat that has lost or was left."""

    seats: Annotated[Seats, PUBLIC, About("Who gets a token, ascending.")]
    tokens: Annotated[Seats, PUBLIC, About("The tokens of each seat afterwards.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """Event: a seat is left for good; the table plays it from now on, and its owner loses."""

    seat: Annotated[Seat, PUBLIC]
    reason: Annotated[str, PUBLIC, About("Why: it resigned, was removed, or ran out of time.", known=LEAVING)]


MOVES: tuple[type, ...] = (Investigate, Declare)
EVENTS: tuple[type, ...] = (
    RolesDealt,
    FirstActive,
    CardsLaid,
    Declared,
    CardRevealed,
    RoundEnded,
    GameEnded,
    TokensGiven,
    SeatLeft,
)
