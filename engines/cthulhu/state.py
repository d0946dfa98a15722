"""The state of a game of Don't Mess with Cthulhu, the empty one, and small questions about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engines.cthulhu.messages import Counts, Declarations, Options, Side
from engines.cthulhu.setup import CTHULHU, FIRST_DEAL, FUTILE, SIGN, Role


class Statement(NamedTuple):
    """What a seat says of its cards this round, and the position of the move that seals it.

    Nulls are silence.  ``is_shown`` tells that everybody knows it.
    """

    seq: int
    elder_signs: int | None
    cthulhu: int | None
    is_shown: bool = False

    @property
    def is_silence(self) -> bool:
        """Whether nothing was said in time; the seat may still declare this round."""
        return self.elder_signs is None


class Said(NamedTuple):
    """A declaration that everybody knows, after so many investigations of its round."""

    round: int
    seat: int
    elder_signs: int | None
    cthulhu: int | None
    after: int


class Reveal(NamedTuple):
    """A card that lies face up: who investigated, and which letter it bears."""

    seat: int
    target: int
    place: int
    letter: str


class Played(NamedTuple):
    """All of one game; ``deals`` are one letter a card, by seat, then by place, one text a round."""

    roles: tuple[Role, ...] = ()  # of each seat, then those left over
    starters: tuple[int, ...] = ()  # the seat that was active as each round began
    deals: tuple[str, ...] = ()
    reveals: tuple[Reveal, ...] = ()  # oldest first; each round but the last one has one a seat
    said: tuple[Said, ...] = ()  # oldest first
    reason: str | None = None  # why the game is over
    side: Side | None = None
    winners: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """All that the rules look at, hidden cards included; never changed, only replaced.

    Everything from ``roles`` on is of the present game, and begins anew with the next of a series.
    """

    seats: int
    declarations: Declarations
    is_series: bool
    turn: int = 1
    left: tuple[int, ...] = ()  # seats left for good
    tokens: tuple[int, ...]  # insanity tokens, by seat
    past: tuple[Played, ...] = ()  # the games of the series before this one
    epoch: int = 0  # games over that another one follows
    roles: tuple[Role, ...] = ()
    starters: tuple[int, ...] = ()
    deals: tuple[str, ...] = ()
    reveals: tuple[Reveal, ...] = ()
    said: tuple[Said, ...] = ()
    active: int = 0
    since: int = 1  # the turn at which the round began
    laid_at: int = 0  # the position at which its cards were committed
    face_down: tuple[tuple[int, ...], ...] = ()  # the places not revealed, by seat
    is_declaring: bool = False  # nobody investigates yet
    spoken: int = 0  # in_order: how many have had their place in round 1
    statements: tuple[Statement | None, ...] = ()  # of this round, by seat
    reason: str | None = None
    side: Side | None = None
    winners: tuple[int, ...] = ()


def empty(options: Options, seats: int) -> State:
    """Return the state before the first event."""
    return State(
        seats=seats,
        declarations=options.declarations,
        is_series=options.series,
        tokens=(0,) * seats,
    )


def present(state: State) -> Played:
    """Return all of the present game."""
    return Played(
        state.roles,
        state.starters,
        state.deals,
        state.reveals,
        state.said,
        state.reason,
        state.side,
        state.winners,
    )


def cards_each(round_number: int) -> int:
    """Return how many cards are dealt to each seat in a round."""
    return FIRST_DEAL + 1 - round_number


def made(state: State) -> int:
    """Return how many investigations this round has seen."""
    return len(state.reveals) - (len(state.deals) - 1) * state.seats


def place_in_order(state: State, seat: int) -> int:
    """Return how many seats declare before ``seat`` in round 1."""
    return (seat - state.active) % state.seats


def may_declare(state: State, seat: int) -> bool:
    """Tell whether a seat has a declaration left in this round.

    Source: rulebook, R1; who was recorded silent may still speak.
    """
    said = state.statements[seat]
    return state.declarations != "none" and (said is None or (said.is_shown and said.is_silence))


def counts_in(deal: str, seat: int, each: int) -> Counts:
    """Return how many cards of each kind a deal of ``each`` cards a seat lays before a seat."""
    cards = deal[seat * each : (seat + 1) * each]
    return Counts(futile=cards.count(FUTILE), elder_signs=cards.count(SIGN), cthulhu=cards.count(CTHULHU))
