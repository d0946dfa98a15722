"""The state of a game of Arrecife, the empty one, and small questions about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from engines.arrecife.kit import REVEALS, Card
from engines.arrecife.messages import AbilityName, Options


class Sealed(NamedTuple):
    """A card laid face down, and the position of the move that seals it.

    ``by_table``: the table chose it, so that nobody knows it, not even the seat.
    """

    seq: int
    card: Card
    by_table: bool


class Laid(NamedTuple):
    """The worm's ability before a living player; face down until ``is_turned``."""

    seq: int
    ability: AbilityName
    target: int
    by_table: bool
    is_turned: bool = False


class PastRound(NamedTuple):
    """A round that is over; everything in it is known to all.

    ``cards`` are those of each seat in the order in which it played them, such as ``3A-``;
    ``struck`` and ``healed`` were so after a rebound; ``hp`` is that of each seat afterwards.
    """

    amulet: int
    cards: tuple[str, ...]
    ability: AbilityName | None
    target: int | None
    majority: tuple[int, ...]
    minority: tuple[int, ...]
    majority_sum: int
    minority_sum: int
    verdict: str
    struck: tuple[int, ...]
    healed: tuple[int, ...]
    hp: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All that the rules look at, sealed cards included; never changed, only replaced.

    Tuples without another word are by seat.
    """

    options: Options
    turn: int = 1
    round: int = 0  # 0 before the first
    reveals: int = 0  # how many of this round are done
    players: tuple[int, ...] = ()  # who plays cards in this round, ascending
    alive: tuple[int, ...]  # ascending
    hp: tuple[int, ...]
    amulet: int = 0
    worm: int | None = None
    is_duel: bool = False
    laid: Laid | None = None
    picks: tuple[Sealed | None, ...]  # for the next reveal
    shown: tuple[str, ...]  # the cards on the table, in the order in which they were revealed
    out_at: tuple[int, ...]  # the round in which a seat fell, or left alive; 0 for none
    left: tuple[int, ...] = ()  # the seats left for good
    history: tuple[PastRound, ...] = ()
    winners: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    reason: str | None = None  # why the game is over


def empty(options: Options, seats: int) -> State:
    """Return the state before the first event."""
    return State(
        options=options,
        alive=tuple(range(seats)),
        hp=(options.starting_hp,) * seats,
        picks=(None,) * seats,
        shown=("",) * seats,
        out_at=(0,) * seats,
    )


def is_worm_awaited(state: State) -> bool:
    """Tell whether the worm has yet to lay its ability in this round."""
    return state.worm is not None and not state.is_duel and state.laid is None


def is_picking(state: State) -> bool:
    """Tell whether the table waits for cards."""
    return state.reason is None and state.round > 0 and state.reveals < REVEALS and not is_worm_awaited(state)


def owners(state: State) -> list[int]:
    """Return the seats alive that somebody holds, ascending."""
    return [seat for seat in state.alive if seat not in state.left]


def next_amulet(state: State) -> int:
    """Return where the amulet lies in the next round: counter-clockwise, before the next one alive.

    Source: rulebook, R2 (not before round 1; over the dead, and on from a holder who has died), R9.
    """
    if state.round == 0:
        return state.amulet
    return nearest(state, (seat for seat in state.alive if seat != state.amulet), state.amulet)


def nearest(state: State, seats: Iterable[int], start: int) -> int:
    """Return the first of ``seats`` counter-clockwise from ``start``, which itself is at distance 0."""
    return min(seats, key=lambda seat: (start - seat) % len(state.hp))
