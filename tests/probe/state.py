"""The state of a game of the probe, and small questions about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tests.probe.messages import Options

SEATS = 3
PLACES = 3


class Pending(NamedTuple):
    """A sealed number and the position of the move that seals it.

    ``by_table``: the table chose it, so that nobody knows it, not even the seat.
    """

    seq: int
    number: int
    by_table: bool = False


class Opened(NamedTuple):
    """A card turned up in this round."""

    owner: int
    place: int
    is_mark: bool


class Said(NamedTuple):
    """A declaration that everybody knows."""

    round: int
    seat: int
    marks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All that the rules look at; ``round`` 0 is that of the picks.

    ``cards`` tells by owner, then by place, which is the mark.
    """

    rounds: int
    on_timeout: str
    turn: int = 1
    first: int = 0
    active: int | None = None
    picks: tuple[Pending | None, ...] = (None,) * SEATS
    rivals: tuple[int | None, ...] = (None,) * SEATS
    round: int = 0
    since: int = 1  # the turn at which the round began
    laid_at: int = 0  # the position at which its cards were committed
    cards: tuple[bool, ...] = ()
    opened: tuple[Opened, ...] = ()
    declarations: tuple[Pending | None, ...] = (None,) * SEATS
    said: tuple[Said, ...] = ()
    scores: tuple[int, ...] = (0,) * SEATS
    left: tuple[int, ...] = ()
    reason: str | None = None


def empty(options: Options, seats: int) -> State:
    """Return the state before the first event."""
    assert seats == SEATS
    return State(rounds=options.rounds, on_timeout=options.on_timeout)


def slot_of(owner: int, place: int) -> int:
    """Return the slot of the card at a place."""
    return owner * PLACES + place


def marks_of(state: State, owner: int) -> int:
    """Return how many marks lie, or lay in this round, before a seat."""
    return sum(state.cards[slot_of(owner, 0) : slot_of(owner + 1, 0)])


def is_face_down(state: State, owner: int, place: int) -> bool:
    """Tell whether a card has not been opened in this round."""
    return not any((each.owner, each.place) == (owner, place) for each in state.opened)
