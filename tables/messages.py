"""What happens at a table, as events: their public fields, of what type, and their names.

Frozen by ``annex-v1.json``.  Times are milliseconds of database time, unless a field is in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from engines.audience import COMMITTED, OPENED, PUBLIC, Item, Ref
from tables import interventions


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """How time runs at a table, in seconds; None where the kind has no such thing.

    ``per_turn``: each turn has ``seconds``.  ``budget``: each seat has a bank of ``initial``, gains
    ``increment`` with each own move, up to ``cap``.  ``none``: no deadline.
    """

    kind: str
    seconds: int | None = None
    initial: int | None = None
    increment: int | None = None
    cap: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTime:
    """The clock of an awaited seat: milliseconds ``left``, and the moment when they have run out."""

    seat: int
    left: int
    due_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Event: the table exists; its seed is committed before anybody sits down."""

    seed_commit: Annotated[str, PUBLIC]
    seed_policy: Annotated[str, PUBLIC]
    kid: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChosen:
    """Event: what is to be played, and how.

    After ``max_timeouts`` turns in a row that a seat has not answered, ``absentee`` decides: a ``bot``
    plays on, the seat is ``open`` to others, or it is out for good (``forfeit``).  With ``vacations``
    the clocks of whoever is away stand still.
    """

    game: Annotated[str, PUBLIC]
    rules_version: Annotated[int, PUBLIC]
    options: Annotated[dict[str, Any], PUBLIC]
    seats: Annotated[int, PUBLIC]
    clock: Annotated[Clock, PUBLIC]
    max_timeouts: Annotated[int, PUBLIC]
    absentee: Annotated[str, PUBLIC]
    vacations: Annotated[bool, PUBLIC]
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
    """Event: the seat is free again, before the start: it was ``left``, or its holder was ``absent``."""

    seat: Annotated[int, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceAsked:
    """Event: the table is full after a long wait, and starts when everybody has said to be there."""

    until: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceConfirmed:
    """Event: the holder of the seat is there."""

    seat: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceLapsed:
    """Event: the ``seats`` have not said to be there; the table waits for others."""

    seats: Annotated[tuple[int, ...], PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyAsked:
    """Event: the seats have time to commit to what they add to the chance of the epoch."""

    epoch: Annotated[int, PUBLIC]
    until: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyCommitted:
    """Event: a seat has sealed what it adds to the chance of the epoch."""

    epoch: Annotated[int, PUBLIC]
    seat: Annotated[int, PUBLIC]
    commit: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatingClosed:
    """Event: nobody commits any more, nor takes or leaves a seat before the start; ``seats`` may reveal."""

    epoch: Annotated[int, PUBLIC]
    seats: Annotated[tuple[int, ...], PUBLIC]
    until: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyRevealed:
    """Event: a seat shows what it adds to the chance of the epoch."""

    epoch: Annotated[int, PUBLIC]
    seat: Annotated[int, PUBLIC]
    entropy: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyMissing:
    """Event: the ``seats`` add nothing to the chance of the epoch: they could not, or did not in time."""

    epoch: Annotated[int, PUBLIC]
    seats: Annotated[tuple[int, ...], PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """Event: the table will not be played: ``deserted``, ``expired`` or ``entropy_missing``."""

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
class SeatReplaced:
    """Event: another plays in the seat from now on.

    ``absent``, ``voted``: ``bot`` for its holder, until somebody takes the seat; ``taken_over`` by
    another person, ``returned``: the one who was absent is back.
    """

    seat: Annotated[int, PUBLIC]
    holder: Annotated[str, PUBLIC]
    bot: Annotated[str | None, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacementSought:
    """Event: the seat's holder is ``absent``; until a move of its own, another may take the seat."""

    seat: Annotated[int, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCalled:
    """Event: the ``seats`` may vote on a motion of one of them until it ends; ``needed`` must be for it.

    ``abandon`` the game, ``replace`` the holder of ``seat``, ``pause`` all clocks for ``seconds``.
    """

    vote: Annotated[int, PUBLIC]
    motion: Annotated[str, PUBLIC]
    seat: Annotated[int | None, PUBLIC]
    seconds: Annotated[int | None, PUBLIC]
    by: Annotated[int, PUBLIC]
    seats: Annotated[tuple[int, ...], PUBLIC]
    needed: Annotated[int, PUBLIC]
    until: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteCast:
    """Event: a seat is for the motion or against it."""

    vote: Annotated[int, PUBLIC]
    seat: Annotated[int, PUBLIC]
    in_favour: Annotated[bool, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteDecided:
    """Event: the motion has passed or failed."""

    vote: Annotated[int, PUBLIC]
    passed: Annotated[bool, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Event: the game is over, by its rules, abandoned, or by ruling.

    ``abandoned_by_vote``, ``abandoned_idle``, ``annulled``, or ``abandoned_entropy`` between two games of a
    series: nobody has won; ``adjudicated``: places as ruled.
    """

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
class EpochBegun:
    """Event: the next game of a series begins, now that the players have added to its chance."""

    epoch: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedRevealed:
    """Event: the epoch is over; its seed, and with it every hidden item, is public."""

    epoch: Annotated[int, PUBLIC]
    seed: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineSet:
    """Event: ``turn`` is open until ``deadline_at``; None: without end.

    ``clocks`` are those of the awaited seats; ``banks`` what each seat has in hand beside, in
    milliseconds, where the clock is a budget.
    """

    turn: Annotated[int, PUBLIC]
    deadline_at: Annotated[int | None, PUBLIC]
    clocks: Annotated[tuple[SeatTime, ...], PUBLIC]
    banks: Annotated[tuple[int, ...], PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Event: clocks stand still, the seat's or (None) everybody's: ``agreement``, ``vacation``, ``staff``."""

    reason: Annotated[str, PUBLIC]
    seat: Annotated[int | None, PUBLIC]
    since: Annotated[int, PUBLIC]
    until: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """Event: the pause that began ``since`` ends before its time, or does not begin."""

    reason: Annotated[str, PUBLIC]
    seat: Annotated[int | None, PUBLIC]
    since: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineExtended:
    """Event: the time of an ``outage`` of the server, or of the table's ``suspension``, does not count.

    Nor for an open vote, or the question who is there: they end so much later.
    """

    turn: Annotated[int, PUBLIC]
    reason: Annotated[str, PUBLIC]
    since: Annotated[int, PUBLIC]
    until: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Event: the deadline of ``turn`` was passed by ``seats``, as was seen at ``decided_at``."""

    turn: Annotated[int, PUBLIC]
    deadline_at: Annotated[int, PUBLIC]
    decided_at: Annotated[int, PUBLIC]
    seats: Annotated[tuple[int, ...], PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """Event: the game goes on as it stood at ``position`` of the table ``origin``, whose head was ``head``.

    What was hidden there is hidden here anew, an item a slot; ``refs`` are the names by which the game
    knows the items, and ``base`` its position before the first event of this log.  ``abandoned`` are the
    seats that were left for good.
    """

    origin: Annotated[str, PUBLIC]
    head: Annotated[str, PUBLIC]
    position: Annotated[int, PUBLIC]
    base: Annotated[int, PUBLIC]
    refs: Annotated[tuple[tuple[int, int], ...], PUBLIC]
    abandoned: Annotated[tuple[int, ...], PUBLIC]
    hidden: Annotated[tuple[Item[dict[str, Any]], ...], COMMITTED]
    shown: Annotated[tuple[Ref[dict[str, Any]], ...], OPENED]


EVENTS: dict[str, type] = {
    "table.opened": Opened,
    "table.settings_chosen": SettingsChosen,
    "table.seat_taken": SeatTaken,
    "table.seat_left": SeatLeft,
    "table.presence_asked": PresenceAsked,
    "table.presence_confirmed": PresenceConfirmed,
    "table.presence_lapsed": PresenceLapsed,
    "table.entropy_asked": EntropyAsked,
    "table.entropy_committed": EntropyCommitted,
    "table.seating_closed": SeatingClosed,
    "table.entropy_revealed": EntropyRevealed,
    "table.entropy_missing": EntropyMissing,
    "table.closed": Closed,
    "table.started": Started,
    "table.forked": Forked,
    "table.seat_abandoned": SeatAbandoned,
    "table.seat_replaced": SeatReplaced,
    "table.replacement_sought": ReplacementSought,
    "table.vote_called": VoteCalled,
    "table.vote_cast": VoteCast,
    "table.vote_decided": VoteDecided,
    "table.finished": Finished,
    "table.epoch_opened": EpochOpened,
    "table.epoch_begun": EpochBegun,
    "table.seed_revealed": SeedRevealed,
    "clock.deadline_set": DeadlineSet,
    "clock.expired": Expired,
    "clock.paused": Paused,
    "clock.resumed": Resumed,
    "clock.deadline_extended": DeadlineExtended,
    **interventions.EVENTS,
}
"""Every type of event of a table and its clock, but for ``table.move_played``."""
