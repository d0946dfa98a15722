"""What a seat, or a spectator, may know of a game of Arrecife."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engines.arrecife.kit import Card, highest_value, left_over
from engines.arrecife.messages import VERDICTS, AbilityName, Options, Seats
from engines.arrecife.state import PastRound, State, is_picking
from engines.audience import About
from engines.base import Seat

Cards = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat as the viewer knows it."""

    seat: Seat
    hp: Annotated[int, About("The hit points left.", ge=0)]
    is_alive: Annotated[bool, About("Whether the seat has not fallen.")]
    is_worm: Annotated[bool, About("Whether the seat is the worm.")]
    has_left: Annotated[bool, About("Whether the seat was left for good; the table plays it by chance.")]
    out_at: Annotated[
        int | None, About("The round in which the seat fell, or was left alive, the earlier of both.")
    ]
    shown: Annotated[Cards, About("Its cards on the table, in the order in which they were revealed.")]
    hand: Annotated[
        Cards, About("The cards of its kit that it may still lay in this round, as far as all know.")
    ]
    has_picked: Annotated[bool, About("Whether it has picked its card for the next reveal.")]
    pick: Annotated[
        Card | None,
        About("The card that you picked, or any one when the game is over; null if the table picked it."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidView:
    """The worm's ability, before a living player."""

    target: Seat
    ability: Annotated[
        AbilityName | None, About("Which it is; null while it is face down, but for your own.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """A round that is over; lists of one entry a seat are by seat."""

    round: Annotated[int, About("The round, from 1.", ge=1)]
    amulet: Annotated[int, About("The seat before which the amulet lay.", ge=0)]
    cards: Annotated[
        Cards,
        About("The cards of each seat in the order in which it played them, such as 3A-; empty for none."),
    ]
    ability: Annotated[AbilityName | None, About("The ability that the worm had laid.")]
    target: Annotated[Seat | None, About("The seat before which it lay.")]
    majority: Annotated[Seats, About("The seats of the majority.")]
    minority: Annotated[Seats, About("The seats of the minority.")]
    majority_sum: Annotated[int, About("The absolute sum of the majority, the damage.", ge=0)]
    minority_sum: Annotated[int, About("The absolute sum of the minority.", ge=0)]
    verdict: Annotated[str, About("What the two sums meant.", known=VERDICTS)]
    struck: Annotated[Seats, About("The seats that were struck.")]
    healed: Annotated[Seats, About("The seats that healed.")]
    hp: Annotated[Seats, About("The hp of each seat afterwards, a bite included.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one viewer knows it."""

    viewer: Annotated[Seat | None, About("The seat whose view this is; null for a spectator.")]
    options: Annotated[Options, About("The table's options.")]
    turn: Annotated[int, About("The decision point now open, from 1.", ge=1)]
    round: Annotated[int, About("The round, from 1.", ge=0)]
    reveal: Annotated[
        int,
        About("The reveal that cards are picked for; 0 while the worm lays its ability, and after the end."),
    ]
    amulet: Annotated[int, About("The seat before which the amulet lies.", ge=0)]
    highest_value: Annotated[int, About("The highest value that may be played in this round.", ge=4, le=5)]
    players: Annotated[Seats, About("The seats that play cards in this round, ascending.")]
    worm: Annotated[Seat | None, About("The seat that is the worm, if there is one.")]
    is_duel: Annotated[bool, About("Whether this is the final duel, in which the worm plays cards.")]
    laid: Annotated[LaidView | None, About("The worm's ability of this round, once it is laid.")]
    seats: Annotated[tuple[SeatView, ...], About("The seats, by number.")]
    history: Annotated[tuple[RoundView, ...], About("The rounds that are over, the oldest first.")]
    winners: Annotated[Seats, About("The seats that have won; nobody before the end.")]
    is_over: Annotated[bool, About("Whether the game is over.")]


def view(state: State, viewer: int | None) -> View:
    """Return what ``viewer`` may know; None is a spectator."""
    return View(
        viewer=viewer,
        options=state.options,
        turn=state.turn,
        round=state.round,
        reveal=state.reveals + 1 if is_picking(state) else 0,
        amulet=state.amulet,
        highest_value=highest_value(len(state.alive)),
        players=state.players,
        worm=state.worm,
        is_duel=state.is_duel,
        laid=_laid(state, viewer),
        seats=tuple(_seat(state, seat, is_own=seat == viewer) for seat in range(len(state.hp))),
        history=tuple(_past(number, each) for number, each in enumerate(state.history, start=1)),
        winners=state.winners,
        is_over=state.reason is not None,
    )


def _laid(state: State, viewer: int | None) -> LaidView | None:
    """What the table has laid for the worm is not even known to the worm."""
    laid = state.laid
    if laid is None:
        return None
    is_own = viewer == state.worm and not laid.by_table
    is_open = laid.is_turned or state.reason is not None
    return LaidView(target=laid.target, ability=laid.ability if is_own or is_open else None)


def _seat(state: State, seat: int, *, is_own: bool) -> SeatView:
    is_over = state.reason is not None
    pick, shown = state.picks[seat], state.shown[seat]
    plays = seat in state.players and not is_over
    sees_pick = pick is not None and (is_over or (is_own and not pick.by_table))
    return SeatView(
        seat=seat,
        hp=state.hp[seat],
        is_alive=seat in state.alive,
        is_worm=seat == state.worm,
        has_left=seat in state.left,
        out_at=state.out_at[seat] or None,
        shown=tuple(shown),
        hand=left_over(shown, highest_value(len(state.alive))) if plays else (),
        has_picked=pick is not None,
        pick=pick.card if pick is not None and sees_pick else None,
    )


def _past(number: int, past: PastRound) -> RoundView:
    return RoundView(round=number, **past._asdict())
