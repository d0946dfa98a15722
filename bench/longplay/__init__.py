"""A game without rules, for measuring: two seats step in turn, as often as the table wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from engines.audience import PUBLIC, About
from engines.base import Batch, Game, Move, MovePlayed, Outcome, Seat, Window
from engines.chance import Chance

KINDS = ("step",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the players of a table agree on before the game."""

    steps: Annotated[int, About("How many steps the game has.", ge=1, le=1_000_000)] = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Move: go on."""

    width: Annotated[int, PUBLIC, About("How far.", ge=1, le=9)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """Event: a seat has gone on."""

    seat: Annotated[Seat, PUBLIC]
    width: Annotated[int, PUBLIC, About("How far.")]
    walked: Annotated[int, PUBLIC, About("How far that seat has come.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far the seats have come."""

    steps: int
    turn: int = 1
    walked: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything: nothing is hidden."""

    turn: Annotated[int, About("The decision point now open.")]
    walked: Annotated[tuple[int, ...], About("How far each seat has come.")]


def _start(_batch: Batch[State]) -> None:
    """Nothing begins the game but its table."""


def _check(_state: State, _seat: int, _move: Move) -> None:
    """Accept any step."""


def _resolve(batch: Batch[State], seat: int, move: Step) -> None:
    walked = batch.state.walked[seat] + move.width
    batch.add(Stepped(seat=seat, width=move.width, walked=walked))


def _evolve(state: State, event: Any, _at: int) -> State:
    if isinstance(event, MovePlayed):
        return state
    first, second = state.walked
    walked = (event.walked, second) if event.seat == 0 else (first, event.walked)
    return replace(state, turn=state.turn + 1, walked=walked)


def _to_act(state: State) -> tuple[Window, ...]:
    if state.turn > state.steps:
        return ()
    return (Window(seat=(state.turn - 1) % 2, kinds=KINDS, since=state.turn),)


def _legal_moves(state: State, seat: int) -> Sequence[Move]:
    is_open = any(window.seat == seat for window in _to_act(state))
    return [Step(width=width) for width in range(1, 10)] if is_open else []


def _default_move(_state: State, _seat: int, _chance: Chance) -> Move | None:
    return Step(width=1)


def _abandon(_batch: Batch[State], _seat: int, _reason: str) -> None:
    """Nobody leaves a benchmark."""


def _view(state: State, _viewer: int | None) -> View:
    return View(turn=state.turn, walked=state.walked)


def _outcome(state: State) -> Outcome | None:
    if state.turn <= state.steps:
        return None
    return Outcome(winners=(), places=(1, 1), scores=state.walked, reason="arrived")


GAME: Game[State] = Game(
    id="longplay",
    rules_version=1,
    package=__name__,
    seats=range(2, 3),
    options=Options,
    moves=(Step,),
    events=(Stepped,),
    state=State,
    view_type=View,
    clock_seconds=24 * 60 * 60,
    usual_turns=1000,
    talk="open",
    bots={},
    empty=lambda options, _seats: State(steps=options.steps),
    start=_start,
    check=_check,
    resolve=_resolve,
    evolve=_evolve,
    to_act=_to_act,
    legal_moves=_legal_moves,
    default_move=_default_move,
    abandon=_abandon,
    view=_view,
    outcome=_outcome,
)
