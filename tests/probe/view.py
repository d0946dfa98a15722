"""What a seat, or a spectator, may know of a game of the probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engines.audience import About
from engines.base import Seat
from tests.probe.messages import Marks, Number, Place
from tests.probe.state import SEATS, State, marks_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """A card that lies face up."""

    owner: Seat
    place: Place
    is_mark: Annotated[bool, About("Whether it is the mark.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidView:
    """A declaration that everybody knows."""

    round: Annotated[int, About("The round of the declaration.", ge=1)]
    seat: Seat
    marks: Marks


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat as the viewer knows it."""

    seat: Seat
    score: Annotated[int, About("Points so far.", ge=0)]
    has_left: Annotated[bool, About("Whether the table plays the seat for good.")]
    has_picked: Annotated[bool, About("Whether the seat has picked its number.")]
    rival: Annotated[Seat | None, About("The rival that it named; null before its pick.")]
    pick: Annotated[
        Number | None, About("The number that you picked, or any once all have picked; else null.")
    ]
    has_declared: Annotated[bool, About("Whether the seat has declared in this round.")]
    declared: Annotated[Marks | None, About("What you have declared in this round; null for others.")]
    marks: Annotated[
        Marks | None,
        About("How many marks were dealt to the seat: your own, or any after the end; else null."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one viewer knows it."""

    viewer: Annotated[Seat | None, About("The seat whose view this is; null for a spectator.")]
    turn: Annotated[int, About("The decision point now open, from 1.", ge=1)]
    round: Annotated[int, About("The round; 0 while numbers are picked.", ge=0)]
    rounds: Annotated[int, About("The most rounds that are played.", ge=1, le=3)]
    active: Annotated[
        Seat | None, About("Whose turn it is to open; null during the picks and after the end.")
    ]
    seats: Annotated[tuple[SeatView, ...], About("The seats, by number.")]
    opened: Annotated[tuple[CardView, ...], About("The cards opened in this round, the oldest first.")]
    said: Annotated[tuple[SaidView, ...], About("The declarations of rounds that are over.")]
    cards: Annotated[
        tuple[bool, ...] | None,
        About("By owner, then by place, whether the card is the mark; null until the game is over."),
    ]


def view(state: State, viewer: int | None) -> View:
    """Return what ``viewer`` may know; None is a spectator."""
    return View(
        viewer=viewer,
        turn=state.turn,
        round=state.round,
        rounds=state.rounds,
        active=state.active,
        seats=tuple(_seat(state, seat, is_own=seat == viewer) for seat in range(SEATS)),
        opened=tuple(CardView(owner=o, place=p, is_mark=is_mark) for o, p, is_mark in state.opened),
        said=tuple(SaidView(round=number, seat=seat, marks=marks) for number, seat, marks in state.said),
        cards=state.cards if state.reason is not None else None,
    )


def _seat(state: State, seat: int, *, is_own: bool) -> SeatView:
    is_over = state.reason is not None
    pick, declared = state.picks[seat], state.declarations[seat]
    sees_pick = is_over or state.round > 0 or (is_own and pick is not None and not pick.by_table)
    return SeatView(
        seat=seat,
        score=state.scores[seat],
        has_left=seat in state.left,
        has_picked=pick is not None,
        rival=state.rivals[seat],
        pick=pick.number if pick and sees_pick else None,
        has_declared=declared is not None,
        declared=declared.number if declared and (is_own or is_over) else None,
        marks=marks_of(state, seat) if state.cards and (is_own or is_over) else None,
    )
