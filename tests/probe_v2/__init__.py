"""The probe by a second version of its rules: whoever finds the mark gets a bonus, by an event of its own.

Tests register it beside the first, which it leaves as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

from engines.audience import PUBLIC, About
from engines.base import Batch, Game, Move, Seat
from tests import probe
from tests.probe import engine, messages
from tests.probe import state as first
from tests.probe.messages import Open
from tests.probe.state import slot_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(messages.Options):
    """What the players of a table agree on before the game."""

    bonus: Annotated[int, About("What the mark scores beyond its 3.", ge=1, le=9)] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusGiven:
    """Event: a seat gets more for the mark that it is about to open."""

    seat: Annotated[Seat, PUBLIC]
    points: Annotated[int, PUBLIC, About("How many points.", ge=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class State(first.State):
    """The first version's, and the bonus."""

    bonus: int


def empty(options: Options, seats: int) -> State:
    """Return the state before the first event."""
    begun = first.empty(options, seats)
    told = {each.name: getattr(begun, each.name) for each in fields(begun)}
    return State(**told, bonus=options.bonus)


def resolve(batch: Batch[State], seat: int, move: Move) -> None:
    """Record the bonus where it is due, and what follows by the first version."""
    if isinstance(move, Open) and batch.state.cards[slot_of(move.owner, move.place)]:
        batch.add(BonusGiven(seat=seat, points=batch.state.bonus))
    engine.resolve(batch, seat, move)


def evolve(state: State, event: Any, position: int) -> State:
    """Return the state after ``event``, recorded at ``position``."""
    if isinstance(event, BonusGiven):
        scores = (points + event.points * (seat == event.seat) for seat, points in enumerate(state.scores))
        return replace(state, scores=tuple(scores))
    return engine.evolve(state, event, position)


GAME: Game[State] = replace(
    probe.GAME,
    rules_version=2,
    package=__name__,
    options=Options,
    events=(*messages.EVENTS, BonusGiven),
    state=State,
    empty=empty,
    resolve=resolve,
    evolve=evolve,
)
