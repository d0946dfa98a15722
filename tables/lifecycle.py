"""The life of a table before, around and after its game: a pure decider.

It knows seats and their holders by pseudonym, settings, turns and deadlines; no rules of a
game, no rows, no clock.  What it makes of events is a ``TableState``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from engines.base import Outcome
from tables import entropy
from tables.clock import DAY_MS, time_left
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
    SeedRevealed,
    SettingsChosen,
    Started,
    VoteCalled,
    VoteCast,
    VoteDecided,
)
from tables.state import Holder, Pause, Presence, TableState, Vote

T = TypeVar("T")

STALE_MS = DAY_MS
"""A table that has waited longer asks whether everybody is still there before it starts."""
PRESENCE_MS = DAY_MS
"""How long it waits for the answers."""


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
