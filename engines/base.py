"""The contract between a game and its table.

A game is a ``Game``: facts about itself and pure functions.  The functions of this module play
it: they hand every event to the game's ``evolve`` as it is recorded, so that what follows is
decided on the state as it then is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeVar

from engines.audience import About, name_of
from engines.chance import Chance, Draw
from engines.errors import RuleViolation

Seat = Annotated[int, About("A seat of the table, counted clockwise from 0.", ge=0)]
"""A place at a table, 0-based, clockwise."""

Move = Any
"""A frozen dataclass of a game's ``moves``."""


class GameState(Protocol):
    """What every state of every game tells."""

    @property
    def turn(self) -> int:
        """The decision point now open, from 1; it never restarts and never goes back."""


S = TypeVar("S", bound=GameState)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlayed:
    """Event, stored as ``table.move_played``: a move as it was sent, the first of its batch.

    ``window`` is the turn at which the window that it answers opened; ``by_table`` tells that
    the table chose it.  What is sealed in such a move nobody knows, not even the seat, until an
    event opens it: no view shows it before.
    """

    seat: Seat
    window: int
    move: Move
    by_table: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A chance to move: ``seat`` may send one move of each of ``kinds``, once.

    ``since`` is the turn at which it opened; that of an awaited window is the present turn, unless
    the seat could answer it ahead, while it was optional.
    The table waits for an awaited one, and plays an ``at_once`` one itself without waiting
    (a seat whose player left, or one without a choice worth days).  An optional window stays
    listed as ``answered`` until it closes, so that a repeated move is known as one.
    """

    seat: Seat
    kinds: tuple[str, ...]
    since: int
    awaited: bool = True
    at_once: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a game ended.

    ``places`` gives each seat's place, 1 for the first, equal ones shared; ``scores`` each
    seat's points where the game counts them; ``reason`` is worded in ``names.json``.
    """

    winners: tuple[Seat, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    reason: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its position, who caused it, and the draws that it consumed.

    ``actor`` is ``seat:N``, ``table`` or ``staff``.
    """

    position: int
    event: Any
    actor: str
    draws: tuple[Draw, ...]


Bot = Callable[[Any, Sequence[Move], Chance], Move | None]
"""Chooses one of the legal moves, from the view of its seat alone; None passes an optional window."""


class Question(NamedTuple):
    """What a bot is asked: to move, or (``is_offer``) whether it cares to, once an optional window."""

    seat: Seat
    is_offer: bool = False


class Tally(NamedTuple):
    """Hidden items of a type of event, and the counts of them that each seat is given with it.

    ``items`` and ``counts`` are the fields of the two; the items are as many for each seat, seat by seat.
    ``names`` tells which value of the key ``by`` of an item each key of the counts is the number of.
    """

    type: str
    items: str
    counts: str
    by: str
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Game(Generic[S]):
    """One title under one version of its rules.  The functions depend on nothing but their arguments.

    ``earlier`` are the versions before it, by which tables are still played and read; the registry
    fills it in.  ``package`` names the folder that holds ``names.json`` and the rulebooks, read by the
    server; ``clock_seconds`` is the time for a turn that suits the game; ``talk`` says when
    seats may speak: ``open`` or ``silent`` (until the end); by ``tallies`` seats check what was hidden
    from them.
    """

    id: str
    rules_version: int
    package: str
    seats: range
    options: type
    moves: tuple[type, ...]
    events: tuple[type, ...]
    state: type[S]
    view_type: type
    clock_seconds: int
    usual_turns: int
    talk: str
    bots: Mapping[str, Bot]
    tallies: tuple[Tally, ...] = ()
    earlier: tuple[Game[Any], ...] = ()

    empty: Callable[[Any, int], S]
    """(options, number of seats): the state before the first event."""
    start: Callable[[Batch[S]], None]
    """Record what begins the game, on an empty state."""
    check: Callable[[S, Seat, Move], None]
    """Raise RuleViolation when the move is refused, telling only what that seat may know.

    Called only where a window of the seat for that kind of move is open."""
    resolve: Callable[[Batch[S], Seat, Move], None]
    """Record what follows from an accepted move, which is recorded already."""
    evolve: Callable[[S, Any, int], S]
    """(state, event, its position): the next state.  Total; never draws."""
    to_act: Callable[[S], tuple[Window, ...]]
    """Every window open now; none when the game is over."""
    legal_moves: Callable[[S, Seat], Sequence[Move]]
    """Every move that ``check`` accepts in the seat's windows, from what the seat may know."""
    default_move: Callable[[S, Seat, Chance], Move | None]
    """What the table plays for a seat whose time is up; None: the seat leaves, by time-out.

    Draws are public: whether it draws may not depend on what is hidden."""
    abandon: Callable[[Batch[S], Seat, str], None]
    """Record what follows when a seat is left for good: ``resigned``, ``removed`` or ``timeout``."""
    view: Callable[[S, Seat | None], Any]
    """What a seat, or a spectator (None), may know: a ``view_type``."""
    outcome: Callable[[S], Outcome | None]
    """None while the game runs, or the series where it is one of several."""
    epoch: Callable[[S], int] = lambda _state: 0
    """How many games of a series are over.  When it rises, nobody is awaited: the table seals the
    chance of the next game and calls ``start`` on the state as it stands."""

    def under(self, rules_version: int) -> Game[Any] | None:
        """Return this game by the rules of a version, None where that is not at hand."""
        versions = (self, *self.earlier)
        return next((each for each in versions if each.rules_version == rules_version), None)

    def move_type(self, kind: str) -> type | None:
        """Return the type of the moves of ``kind``, None for an unknown kind."""
        return next((each for each in self.moves if name_of(each) == kind), None)


@dataclass(slots=True)
class Batch(Generic[S]):
    """The events of one decision, oldest first, and the state as they leave it.

    ``position`` is what the next event will have.
    """

    game: Game[S]
    state: S
    chance: Chance
    position: int
    actor: str = "table"
    events: list[Recorded] = field(default_factory=list)

    def add(self, event: Any) -> None:
        """Record an event of the game; the draws since the one before are its draws."""
        self.state = self.game.evolve(self.state, event, self.position)
        self.note(event)

    def note(self, event: Any) -> None:
        """Record an event that the game does not know, such as the table's own."""
        self.events.append(Recorded(self.position, event, self.actor, self.chance.taken()))
        self.position += 1


def begin(batch: Batch[S]) -> None:
    """Record the start of the game, and what the table plays at once."""
    batch.game.start(batch)
    _settle(batch)


def play(batch: Batch[S], seat: Seat, move: Move) -> None:
    """Record ``move`` of ``seat`` and all that follows from it.

    Raises RuleViolation: not_your_turn, or a code of the game; nothing is recorded then.
    """
    window = window_of(batch.game, batch.state, seat, name_of(type(move)))
    if window is None:
        raise RuleViolation("not_your_turn")
    batch.game.check(batch.state, seat, move)
    batch.actor = f"seat:{seat}"
    batch.add(MovePlayed(seat=seat, window=window.since, move=move))
    batch.game.resolve(batch, seat, move)
    _settle(batch)


def play_default(batch: Batch[S], seat: Seat) -> bool:
    """Record what the table plays for an awaited seat whose time is up.

    Returns False, and records nothing, when the game says that the seat leaves instead.
    """
    if not _play_for(batch, seat):
        return False
    _settle(batch)
    return True


def leave(batch: Batch[S], seat: Seat, reason: str) -> None:
    """Record that a seat is left for good: ``resigned``, ``removed`` or ``timeout``."""
    batch.actor = f"seat:{seat}" if reason == "resigned" else "table"
    batch.game.abandon(batch, seat, reason)
    _settle(batch)


def window_of(game: Game[S], state: S, seat: Seat, kind: str) -> Window | None:
    """Return the open window that a move of ``kind`` by ``seat`` answers, if there is one."""
    windows = (each for each in game.to_act(state) if each.seat == seat and kind in each.kinds)
    return next((each for each in windows if not each.answered), None)


def awaited(game: Game[S], state: S) -> tuple[Seat, ...]:
    """Return the seats that the table waits for, ascending."""
    return tuple(sorted({each.seat for each in game.to_act(state) if each.awaited}))


def questions(game: Game[S], state: S, after: int) -> list[Question]:
    """Return what the bots of all seats are to be asked: those awaited first, then the offers.

    Offered is each optional window that has opened after the turn ``after``.  An awaited seat is
    offered nothing: it is shown all its moves, and asked again until it is awaited no longer.
    """
    waited_for = awaited(game, state)
    opened = (each for each in game.to_act(state) if not each.awaited and each.since > after)
    offered = (each.seat for each in opened if not each.answered and each.seat not in waited_for)
    return [*map(Question, waited_for), *(Question(seat, is_offer=True) for seat in offered)]


def choices(game: Game[S], state: S, question: Question) -> Sequence[Move]:
    """Return the legal moves of whoever is asked; none where nothing is left to be asked."""
    is_awaited = question.seat in awaited(game, state)
    return () if is_awaited == question.is_offer else game.legal_moves(state, question.seat)


def _settle(batch: Batch[S]) -> None:
    """Play what the table plays without waiting, until somebody is awaited or the game is over."""
    while at_once := [each.seat for each in batch.game.to_act(batch.state) if each.at_once]:
        if not _play_for(batch, min(at_once)):
            raise AssertionError("a seat that is played at once must have a default move")


def _play_for(batch: Batch[S], seat: Seat) -> bool:
    move = batch.game.default_move(batch.state, seat, batch.chance)
    if move is None:
        return False
    window = window_of(batch.game, batch.state, seat, name_of(type(move)))
    if window is None:
        raise AssertionError("a default move must answer an open window of its seat")
    batch.actor = "table"
    batch.add(MovePlayed(seat=seat, window=window.since, move=move, by_table=True))
    batch.game.resolve(batch, seat, move)
    return True
