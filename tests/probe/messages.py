"""Moves and events of the probe: every audience but ``ASSIGNED``, alone and mixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.audience import COMMITTED, OPENED, PUBLIC, SEALED, About, Item, Ref
from engines.base import Seat

Number = Annotated[int, About("A number from 0 to 2.", ge=0, le=2)]
Place = Annotated[int, About("A place before a seat, the leftmost is 0.", ge=0, le=2)]
Marks = Annotated[int, About("How many of the three cards before a seat are the mark.", ge=0, le=1)]
Scores = Annotated[tuple[int, ...], PUBLIC, About("The points of each seat afterwards.")]

LEAVING = ("resigned", "removed", "timeout")
ENDINGS = ("mark_found", "rounds_over", "deserted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the players of a table agree on before the game."""

    rounds: Annotated[int, About("The most rounds that are played.", ge=1, le=3)] = 2
    on_timeout: Annotated[
        Literal["auto", "forfeit"],
        About("What a time-out does: auto plays a legal move drawn at random, forfeit leaves the game."),
    ] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """Move: choose a number in secret, and a rival openly."""

    number: Annotated[Number, SEALED]
    rival: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """Move: turn up a card that lies before another seat."""

    owner: Annotated[Seat, PUBLIC]
    place: Annotated[Place, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare:
    """Move: once a round, at any moment, say how many marks were dealt to you, truly or not."""

    marks: Annotated[Marks, SEALED]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Hidden item: what lies at a place."""

    owner: Seat
    place: Place
    is_mark: Annotated[bool, About("Whether it is the mark.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Hidden item: what a seat is told of its cards, which it cannot tell apart."""

    marks: Marks


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDrawn:
    """Event: chance has named the seat that opens first."""

    seat: Annotated[Seat, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class PicksOpened:
    """Event: all have picked, and everybody learns what."""

    picks: Annotated[tuple[Ref[Pick], ...], OPENED, About("The sealed picks, by seat.")]
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsLaid:
    """Event: nine cards lie face down, three before each seat; one of them is the mark.

    Nobody knows which.  The cards of an earlier round mean nothing any more.
    """

    round: Annotated[int, PUBLIC, About("The round that begins, from 1.", ge=1)]
    cards: Annotated[tuple[Item[Card], ...], COMMITTED, About("By owner, then by place.")]
    hints: Annotated[tuple[Item[Hint], ...], COMMITTED, About("One for each seat, by seat.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOpened:
    """Event: a card lies face up; its owner opens next."""

    seat: Annotated[Seat, PUBLIC]
    owner: Annotated[Seat, PUBLIC]
    place: Annotated[Place, PUBLIC]
    card: Annotated[Ref[Card], OPENED, About("The card; open to all from now on.")]
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarationsOpened:
    """Event: the round is over, and everybody learns what the seats have declared in it."""

    seats: Annotated[tuple[int, ...], PUBLIC, About("Who has declared, ascending.")]
    declarations: Annotated[tuple[Ref[Declare], ...], OPENED, About("What, in the same order.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """Event: a seat is left for good; the table plays it from now on."""

    seat: Annotated[Seat, PUBLIC]
    reason: Annotated[str, PUBLIC, About("Why: it resigned, was removed, or ran out of time.", known=LEAVING)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """Event: the game is over."""

    reason: Annotated[str, PUBLIC, About("How it ended.", known=ENDINGS)]


MOVES: tuple[type, ...] = (Pick, Open, Declare)
EVENTS: tuple[type, ...] = (
    FirstDrawn,
    PicksOpened,
    CardsLaid,
    CardOpened,
    DeclarationsOpened,
    SeatLeft,
    GameEnded,
)
