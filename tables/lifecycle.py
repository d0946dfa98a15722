"""The life of a table before, around and after its game: a pure decider.

It knows seats and their holders by pseudonym, settings, turns and deadlines; no rules of a
game, no rows, no clock.  Times are milliseconds of database time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from engines.audience import PUBLIC
from engines.base import MovePlayed, Outcome
from tables.errors import SeatsMissing, TableFull, TableNotOpen, TableNotPlaying


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Event: the table exists; its seed is committed before anybody sits down."""

    seed_commit: Annotated[str, PUBLIC]
    seed_policy: Annotated[str, PUBLIC]
    kid: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChosen:
    """Event: what is to be played, and how.  ``clock_seconds`` None: no deadlines."""

    game: Annotated[str, PUBLIC]
    rules_version: Annotated[int, PUBLIC]
    options: Annotated[dict[str, Any], PUBLIC]
    seats: Annotated[int, PUBLIC]
    clock_seconds: Annotated[int | None, PUBLIC]
    visibility: Annotated[str, PUBLIC]
    starts: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken:
    """Event: ``holder`` is a pseudonym of this table alone; ``bot`` names a program, if it is one."""

    seat: Annotated[int, PUBLIC]
    holder: Annotated[str, PUBLIC]
    bot: Annotated[str | None, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """Event: the seat is free again, before the start."""

    seat: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """Event: the table will not be played."""

    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Event: play begins, with all that a verifier needs to play it again.

    ``engine`` is a digest of the game's code, ``seats`` the holders by pseudonym.
    """

    game: Annotated[str, PUBLIC]
    rules_version: Annotated[int, PUBLIC]
    options: Annotated[dict[str, Any], PUBLIC]
    engine: Annotated[str, PUBLIC]
    seats: Annotated[tuple[str, ...], PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAbandoned:
    """Event: the seat's player is gone for good: ``resigned``, ``removed`` or ``timeout``."""

    seat: Annotated[int, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Event: the game is over."""

    winners: Annotated[tuple[int, ...], PUBLIC]
    places: Annotated[tuple[int, ...], PUBLIC]
    scores: Annotated[tuple[int, ...] | None, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochOpened:
    """Event: the next game of a series is about to begin; its seed is committed."""

    epoch: Annotated[int, PUBLIC]
    seed_commit: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedRevealed:
    """Event: the epoch is over; its seed, and with it every hidden item, is public."""

    epoch: Annotated[int, PUBLIC]
    seed: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineSet:
    """Event: ``turn`` is open until ``deadline_at``; None: without end."""

    turn: Annotated[int, PUBLIC]
    deadline_at: Annotated[int | None, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Event: the deadline of ``turn`` was passed by ``seats``, as was seen at ``decided_at``."""

    turn: Annotated[int, PUBLIC]
    deadline_at: Annotated[int, PUBLIC]
    decided_at: Annotated[int, PUBLIC]
    seats: Annotated[tuple[int, ...], PUBLIC]


EVENTS: dict[str, type] = {
    "table.opened": Opened,
    "table.settings_chosen": SettingsChosen,
    "table.seat_taken": SeatTaken,
    "table.seat_left": SeatLeft,
    "table.closed": Closed,
    "table.started": Started,
    "table.seat_abandoned": SeatAbandoned,
    "table.finished": Finished,
    "table.epoch_opened": EpochOpened,
    "table.seed_revealed": SeedRevealed,
    "clock.deadline_set": DeadlineSet,
    "clock.expired": Expired,
}
"""Every type of event of a table and its clock, but for ``table.move_played``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a seat; ``bot`` is empty for a person."""

    pseudonym: str
    bot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """A table as its events tell it, but for the state of its game.

    ``abandoned`` are the seats left for good, ``drawn`` the draws that the epoch has used,
    ``at`` the time of the last event.
    """

    status: str = "open"
    settings: SettingsChosen | None = None
    holders: tuple[Holder | None, ...] = ()
    abandoned: tuple[int, ...] = ()
    turn: int = 0
    deadline_at: int | None = None
    epoch: int = 0
    drawn: int = 0
    at: int = 0
    outcome: Outcome | None = None

    def free_seats(self) -> list[int]:
        """Return the seats that nobody holds, ascending."""
        return [seat for seat, holder in enumerate(self.holders) if holder is None]


def evolve(state: TableState, event: Any) -> TableState:  # noqa: C901 - a case for each event
    """Return the table after one of its own events, moves included."""
    match event:
        case MovePlayed() | Opened() | SeedRevealed() | Expired():
            return state
        case SettingsChosen(seats=seats):
            return replace(state, settings=event, holders=state.holders or (None,) * seats)
        case EpochOpened(epoch=epoch):
            return replace(state, epoch=epoch, drawn=0)
        case SeatTaken(seat=seat, holder=pseudonym, bot=bot):
            return replace(
                state, holders=_with(state.holders, seat, Holder(pseudonym=pseudonym, bot=bot or ""))
            )
        case SeatLeft(seat=seat):
            return replace(state, holders=_with(state.holders, seat, None))
        case Closed():
            return replace(state, status="closed")
        case Started():
            return replace(state, status="playing")
        case SeatAbandoned(seat=seat):
            return replace(state, abandoned=(*state.abandoned, seat))
        case Finished(winners=winners, places=places, scores=scores, reason=reason):
            outcome = Outcome(winners=winners, places=places, scores=scores, reason=reason)
            return replace(state, status="finished", outcome=outcome, deadline_at=None)
        case DeadlineSet(turn=turn, deadline_at=deadline_at):
            return replace(state, turn=turn, deadline_at=deadline_at)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a table")


def join(state: TableState, seat: int | None, pseudonym: str, bot: str | None = None) -> SeatTaken:
    """Return how a holder takes ``seat``, or the first free one.

    Raises TableNotOpen, TableFull (also when that seat is taken or is none).
    """
    require_open(state)
    free = state.free_seats()
    if not free or (seat is not None and seat not in free):
        raise TableFull(free=free)
    return SeatTaken(seat=free[0] if seat is None else seat, holder=pseudonym, bot=bot)


def require_open(state: TableState) -> None:
    """Raise TableNotOpen when seats can no longer be taken or left."""
    if state.status != "open":
        raise TableNotOpen(table_status=state.status)


def require_playing(state: TableState) -> None:
    """Raise TableNotPlaying unless a game is under way."""
    if state.status != "playing":
        raise TableNotPlaying(table_status=state.status)


def start(state: TableState, engine: str) -> Started:
    """Return how play begins.  Raises TableNotOpen, SeatsMissing."""
    require_open(state)
    if (free := state.free_seats()) or state.settings is None:
        raise SeatsMissing(free=free)
    chosen = state.settings
    return Started(
        game=chosen.game,
        rules_version=chosen.rules_version,
        options=chosen.options,
        engine=engine,
        seats=tuple(holder.pseudonym for holder in state.holders if holder),
    )


def _with(holders: tuple[Holder | None, ...], seat: int, holder: Holder | None) -> tuple[Holder | None, ...]:
    return (*holders[:seat], holder, *holders[seat + 1 :])
