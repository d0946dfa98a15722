"""The life of a table before, around and after its game: a pure decider.

It knows seats and their holders by pseudonym, settings, turns and deadlines; no rules of a
game, no rows, no clock.  Times are milliseconds of database time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from engines.base import Outcome
from tables import entropy
from tables.clock import DAY_MS, Span, time_left
from tables.entropy import NO_ENTROPY, Entropy
from tables.errors import SeatsMissing, TableFull, TableNotOpen, TableNotPlaying
from tables.interventions import ArbiterNamed, Reinstated, RulingMade, StaffPeeked, Suspended, TimeAdded
from tables.messages import (
    Closed,
    DeadlineExtended,
    DeadlineSet,
    EntropyAsked,
    EntropyCommitted,
    EntropyMissing,
    EntropyRevealed,
    EpochBegun,
    EpochOpened,
    Expired,
    Finished,
    Forked,
    Opened,
    Paused,
    PresenceAsked,
    PresenceConfirmed,
    PresenceLapsed,
    ReplacementSought,
    Resumed,
    SeatAbandoned,
    SeatingClosed,
    SeatLeft,
    SeatReplaced,
    SeatTaken,
    SeatTime,
    SeedRevealed,
    SettingsChosen,
    Started,
    VoteCalled,
    VoteCast,
    VoteDecided,
)

T = TypeVar("T")

LOBBY_MS = 7 * DAY_MS
"""How long a table may wait for players."""
STALE_MS = DAY_MS
"""A table that has waited longer asks whether everybody is still there before it starts."""
PRESENCE_MS = DAY_MS
"""How long it waits for the answers."""
IDLE_MS = 180 * DAY_MS
"""A game without deadlines is over after so long without a move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a seat; ``bot`` is empty for a person."""

    pseudonym: str
    bot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time in which the clock of a seat, or (None) of everybody, stands still."""

    reason: str
    seat: int | None
    since: int
    until: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The question whether everybody is there: until when it stands, who has answered."""

    until: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """An open vote, and the seats for and against."""

    called: VoteCalled
    ayes: tuple[int, ...]
    noes: tuple[int, ...] = ()

    @property
    def verdict(self) -> bool | None:
        """Whether the motion has passed; None while both are possible."""
        if len(self.ayes) >= self.called.needed:
            return True
        return False if len(self.noes) > len(self.called.seats) - self.called.needed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """A table as its events tell it, but for the state of its game.

    ``abandoned`` are the seats left for good, ``drawn`` the draws that the epoch has used, ``at`` the
    time of the last event, ``moved_at`` that of the last move.  ``clocks`` are as they were at
    ``clocked_at``; ``lapsed`` the seats whose time has run out since.  ``strikes`` counts for each
    seat the turns in a row that ran out, ``returns`` how often its holder has come back, ``seeking`` are
    the seats that others may take over; outages up to ``credited_until`` have been made good.
    ``suspended_at`` is since when it is suspended, by the log.  ``is_dealing`` from the beginning of a game
    to its first turn.  ``fairness`` says whether players add ``entropy`` to the chance of an epoch.
    """

    status: str = "open"
    fairness: str = entropy.SERVER
    entropy: Entropy = NO_ENTROPY
    settings: SettingsChosen | None = None
    holders: tuple[Holder | None, ...] = ()
    abandoned: tuple[int, ...] = ()
    opened_at: int = 0
    presence: Presence | None = None
    turn: int = 0
    deadline_at: int | None = None
    clocks: tuple[SeatTime, ...] = ()
    clocked_at: int = 0
    banks: tuple[int, ...] = ()
    lapsed: tuple[int, ...] = ()
    pauses: tuple[Pause, ...] = ()
    credited_until: int = 0
    suspended_at: int | None = None
    strikes: tuple[int, ...] = ()
    returns: tuple[int, ...] = ()
    seeking: tuple[int, ...] = ()
    vote: Vote | None = None
    votes: int = 0
    moved_at: int = 0
    epoch: int = 0
    drawn: int = 0
    is_dealing: bool = False
    at: int = 0
    outcome: Outcome | None = None

    @property
    def due_at(self) -> int | None:
        """When time brings something about next: what, ``expiry`` knows."""
        if self.status == "open" and self.settings:
            if self.entropy.until is not None:
                return self.entropy.until
            return self.presence.until if self.presence else self.opened_at + LOBBY_MS
        if self.status != "playing" or self.settings is None:
            return None
        idle = self.moved_at + IDLE_MS if self.settings.clock.kind == "none" else None
        vote = self.vote.called.until if self.vote else None
        ends = (self.deadline_at, vote, idle, self.entropy.until)
        return min((each for each in ends if each is not None), default=None)

    @property
    def is_over(self) -> bool:
        """Whether nothing happens here any more: its game has ended, or it was closed without one."""
        return self.status not in ("open", "playing")

    @property
    def is_gathering(self) -> bool:
        """Whether a game waits for what its players add to its chance."""
        return self.entropy.until is not None

    def free_seats(self) -> list[int]:
        """Return the seats that nobody holds, ascending."""
        return [seat for seat, holder in enumerate(self.holders) if holder is None]

    def persons(self) -> list[int]:
        """Return the seats that a person holds and has not left for good, ascending."""
        held = (seat for seat, holder in enumerate(self.holders) if holder and not holder.bot)
        return [seat for seat in held if seat not in self.abandoned]

    def stops(self, seat: int) -> list[Span]:
        """Return when the clock of a seat stands still."""
        return [(each.since, each.until) for each in self.pauses if each.seat in (None, seat)]


def evolve(state: TableState, event: Any, at: int) -> TableState:  # noqa: C901 - a case an event
    """Return the table after one of its own events, ``at`` being its time."""
    match event:
        case SeedRevealed() | EntropyMissing() | StaffPeeked() | ArbiterNamed() | RulingMade():
            return state
        case Suspended():
            return replace(state, suspended_at=at)
        case Reinstated():
            return replace(state, suspended_at=None)
        case TimeAdded(added=added):
            return _with_time(state, added, at)
        case Opened(seed_policy=policy):
            return replace(state, opened_at=at, fairness=policy)
        case SettingsChosen(seats=seats):
            return replace(
                state,
                settings=event,
                holders=state.holders or (None,) * seats,
                strikes=(0,) * seats,
                returns=(0,) * seats,
                entropy=entropy.nothing(seats),
            )
        case EntropyAsked() | EntropyCommitted() | SeatingClosed() | EntropyRevealed():
            return replace(state, entropy=state.entropy.after(event))
        case EpochOpened(epoch=epoch):
            given = entropy.nothing(len(state.holders))
            is_dealing = not entropy.is_added(state.fairness)
            return replace(state, epoch=epoch, drawn=0, is_dealing=is_dealing, entropy=given)
        case EpochBegun():
            return replace(state, is_dealing=True, entropy=replace(state.entropy, until=None))
        case SeatTaken(seat=seat, holder=pseudonym, bot=bot):
            return _present(_seated(state, seat, pseudonym, bot), seat)
        case SeatLeft(seat=seat):
            given = replace(state.entropy.without(seat), until=None)
            return replace(state, holders=_with(state.holders, seat, None), entropy=given)
        case PresenceAsked(until=until):
            there = [seat for seat, holder in enumerate(state.holders) if holder and holder.bot]
            return replace(state, presence=Presence(until=until, seats=tuple(there)))
        case PresenceConfirmed(seat=seat):
            return _present(state, seat)
        case PresenceLapsed():
            return replace(state, presence=None)
        case Closed():
            return replace(state, status="closed", entropy=replace(state.entropy, until=None))
        case Started():
            return replace(
                state,
                status="playing",
                presence=None,
                moved_at=at,
                banks=_banks(state),
                is_dealing=True,
                entropy=replace(state.entropy, until=None),
            )
        case Forked(abandoned=abandoned):
            return replace(state, abandoned=abandoned)
        case SeatAbandoned(seat=seat):
            return replace(state, abandoned=(*state.abandoned, seat), seeking=_without(state.seeking, seat))
        case SeatReplaced():
            return _replaced(state, event)
        case ReplacementSought(seat=seat):
            return replace(state, seeking=(*state.seeking, seat))
        case VoteCalled(vote=number, by=by):
            return replace(state, vote=Vote(called=event, ayes=(by,)), votes=number)
        case VoteCast(seat=seat, in_favour=in_favour) if state.vote:
            vote = state.vote
            if in_favour:
                return replace(state, vote=replace(vote, ayes=(*vote.ayes, seat)))
            return replace(state, vote=replace(vote, noes=(*vote.noes, seat)))
        case VoteDecided():
            return replace(state, vote=None)
        case Finished(winners=winners, places=places, scores=scores, reason=reason):
            outcome = Outcome(winners=winners, places=places, scores=scores, reason=reason)
            return replace(
                state,
                status="finished",
                outcome=outcome,
                suspended_at=None,
                is_dealing=False,
                deadline_at=None,
                clocks=(),
                pauses=(),
                seeking=(),
                vote=None,
                entropy=replace(state.entropy, until=None),
            )
        case DeadlineSet(turn=turn, deadline_at=deadline_at, clocks=clocks, banks=banks):
            pauses = tuple(each for each in state.pauses if each.until > at)
            return replace(
                state,
                turn=turn,
                deadline_at=deadline_at,
                clocks=clocks,
                clocked_at=at,
                banks=banks,
                is_dealing=False,
                lapsed=state.lapsed if turn == state.turn else (),
                pauses=pauses,
            )
        case Expired(seats=seats):
            strikes = tuple(n + (seat in seats) for seat, n in enumerate(state.strikes))
            return replace(state, strikes=strikes, lapsed=seats)
        case Paused(reason=reason, seat=seat, since=since, until=until):
            return _paused(state, Pause(reason=reason, seat=seat, since=since, until=until))
        case Resumed(reason=reason, seat=seat, since=since):
            key = (reason, seat, since)
            ended = (
                replace(each, until=at) if (each.reason, each.seat, each.since) == key else each
                for each in state.pauses
            )
            return replace(state, pauses=tuple(each for each in ended if each.since < each.until))
        case DeadlineExtended(reason=reason, since=since, until=until):
            state = _paused(state, Pause(reason=reason, seat=None, since=since, until=until))
            return _extended(state, until - since, credited_until=max(state.credited_until, until))
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a table")


def moved(state: TableState, seat: int, at: int) -> TableState:
    """Return the table after a move of the seat's own: a person who moves is there, and keeps the seat."""
    holder = state.holders[seat]
    if holder and holder.bot:
        return replace(state, moved_at=at)
    strikes = _with(state.strikes, seat, 0)
    return replace(state, moved_at=at, strikes=strikes, seeking=_without(state.seeking, seat))


def _seated(state: TableState, seat: int, pseudonym: str, bot: str | None) -> TableState:
    holder = Holder(pseudonym=pseudonym, bot=bot or "")
    return replace(state, holders=_with(state.holders, seat, holder))


def _present(state: TableState, seat: int) -> TableState:
    if state.presence is None or seat in state.presence.seats:
        return state
    return replace(state, presence=replace(state.presence, seats=(*state.presence.seats, seat)))


def _replaced(state: TableState, event: SeatReplaced) -> TableState:
    """Return the table with another in the seat: strikes and vacation are gone, and the clock is new.

    But for a bot with so much for each turn: it goes on with what is left.
    """
    seat, is_bot = event.seat, event.bot is not None
    goes_on = is_bot and not state.banks
    returns = {"taken_over": 0, "returned": state.returns[seat] + 1}.get(event.reason, state.returns[seat])
    state = _seated(state, seat, event.holder, event.bot)
    return replace(
        state,
        strikes=_with(state.strikes, seat, 0),
        returns=_with(state.returns, seat, returns),
        seeking=(*_without(state.seeking, seat), seat) if is_bot else _without(state.seeking, seat),
        clocks=state.clocks if goes_on else tuple(each for each in state.clocks if each.seat != seat),
        banks=_banks_for_new(state, event),
        pauses=tuple(each for each in state.pauses if each.seat != seat),
        entropy=state.entropy.without(seat),
    )


def _banks(state: TableState) -> tuple[int, ...]:
    clock = state.settings.clock if state.settings else None
    return (clock.initial * 1000,) * len(state.holders) if clock and clock.initial else ()


def _banks_for_new(state: TableState, event: SeatReplaced) -> tuple[int, ...]:
    """Return the banks: who takes over has all of it, a bot that stands in a tenth of it at least.

    Who returns has a tenth, and each further time half of that: what the bot has gained is not its own,
    and however often somebody vanishes, all returns together give less than a fifth of a bank.
    """
    if not state.banks:
        return ()
    seat, whole = event.seat, _banks(state)[event.seat]
    if event.reason == "returned":
        return _with(state.banks, seat, (whole // 10) >> state.returns[seat])
    least = whole if event.reason == "taken_over" else whole // 10
    return _with(state.banks, seat, max(state.banks[seat], least))


def _paused(state: TableState, pause: Pause) -> TableState:
    return replace(state, pauses=(*state.pauses, pause))


def _extended(state: TableState, length: int, *, credited_until: int) -> TableState:
    """Return the table with an open vote, or another question to the seats, open for longer."""
    vote, presence, given = state.vote, state.presence, state.entropy
    if vote is not None:
        vote = replace(vote, called=replace(vote.called, until=vote.called.until + length))
    if presence is not None:
        presence = replace(presence, until=presence.until + length)
    if given.until is not None:
        given = replace(given, until=given.until + length)
    return replace(state, vote=vote, presence=presence, entropy=given, credited_until=credited_until)


def _with_time(state: TableState, added: int, at: int) -> TableState:
    """Return the table with so much more on the clocks that run; their ends are set next."""
    clocks = tuple(
        replace(each, left=added + time_left(each.left, state.clocked_at, at, state.stops(each.seat)))
        for each in state.clocks
    )
    return replace(state, clocks=clocks, clocked_at=at)


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


def require_full(state: TableState) -> SettingsChosen:
    """Return what is to be played, now that every seat is taken.  Raises TableNotOpen, SeatsMissing."""
    require_open(state)
    if (free := state.free_seats()) or state.settings is None:
        raise SeatsMissing(free=free)
    return state.settings


def start(state: TableState, engine: str) -> Started:
    """Return how play begins.  Raises TableNotOpen, SeatsMissing."""
    chosen = require_full(state)
    return Started(
        game=chosen.game,
        rules_version=chosen.rules_version,
        options=chosen.options,
        engine=engine,
        seats=tuple(holder.pseudonym for holder in state.holders if holder),
    )


def _with(all_: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*all_[:seat], value, *all_[seat + 1 :])


def _without(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(each for each in seats if each != seat)
