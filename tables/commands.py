"""Every write to a table but its moves: lock, decide, append, save.

Besides what they name, commands raise TableSuspended, and with an Idempotency-Key
IdempotencyKeyReused.

Commands return what the API answers.  Refusals change nothing; an expired turn that a command
comes upon is resolved first and stands, whatever becomes of the command.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from tables import (
    absences,
    access,
    answers,
    arbiters,
    blocks,
    forking,
    hosting,
    lifecycle,
    lobby,
    votes,
)
from tables.errors import (
    AlreadyResigned,
    AlreadySeated,
    BadField,
    HolderGone,
    SeatNotSought,
    TableNotFinished,
)
from tables.expiry import expire
from tables.gathering import go_on_without
from tables.hosting import Host
from tables.idempotency import Done, Idempotency, once
from tables.models import Offer, Player, Table, Tenure
from tables.notices import announcing
from tables.shapes import (
    Ballot,
    Join,
    NewFork,
    NewOffer,
    NewTable,
    NewVote,
    RematchAnswer,
    TableAnswer,
    TakeOver,
)

locked = partial(hosting.locked, expire=expire)


def at_table(
    player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None, deed: Callable[[Host], None]
) -> Done:
    """Let a player do something at a table, once for a key; return the table as the player sees it then.

    Whether the player sees it at all must have been asked before.
    """
    with locked(table_id) as host:

        def run() -> Done:
            deed(host)
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)


def require_fields(body: Any, chosen: str, of: Mapping[str, Sequence[str]]) -> None:
    """Raise BadField where a body lacks a field of what is ``chosen``, or has that of another choice.

    ``of`` tells to which choices a field belongs.
    """
    for name, choices in of.items():
        if (getattr(body, name) is None) == (chosen in choices):
            code = "missing_field" if chosen in choices else "unknown_field"
            raise BadField(pointer=f"#/{name}", code=code)


def open_table(player_id: uuid.UUID, body: NewTable, idempotency: Idempotency | None = None) -> Done:
    """Open a table; its host takes the first seat, the bots asked for those that follow.

    Raises NotFound for an unknown game; BadField, msgspec.ValidationError for what does not fit it;
    OwnAccount for an arbiter who is the caller.
    """

    return _opened(player_id, idempotency, lambda: lobby.open_table(player_id, body))


def fork(
    player_id: uuid.UUID, table_id: uuid.UUID, body: NewFork, idempotency: Idempotency | None = None
) -> Done:
    """Open a table that goes on from a finished one, against bots.

    Raises NotFound, TableNotFinished, ForksTooDeep; BadField for what does not fit that table.
    """
    row = access.table_seen_by(player_id, table_id)
    return _opened(player_id, idempotency, lambda: forking.fork(player_id, row, body))


def _opened(player_id: uuid.UUID, idempotency: Idempotency | None, make: Callable[[], Host]) -> Done:
    """Return the answer on a table that ``make`` opens, once for a key."""

    def run() -> Done:
        return Done(answers.table_answer(player_id, make().id), 201)

    try:
        with transaction.atomic():
            return once(player_id, idempotency, TableAnswer, run)
    except IntegrityError:
        if idempotency is None:
            raise
    with transaction.atomic():  # a twin with the same key was faster, and has committed
        return once(player_id, idempotency, TableAnswer, run)


def join(
    player_id: uuid.UUID, table_id: uuid.UUID, body: Join, idempotency: Idempotency | None = None
) -> Done:
    """Take a seat; the last one starts the game where the table says so.

    Raises NotFound, BadInvite, TableNotOpen, AlreadySeated, Arbitrates, TableFull, ReliabilityTooLow;
    BadField for a seat that the table does not have.
    """
    access.require_invitation(player_id, table_id, body.invite_code)

    def deed(host: Host) -> None:
        lifecycle.require_open(host.table)
        if access.seat_of(player_id, table_id) is not None:
            raise AlreadySeated()
        arbiters.require_no_arbiter(player_id, table_id)
        access.require_reliability(player_id, table_id)
        if body.seat is not None and body.seat >= (seats := len(host.table.holders)):
            raise BadField(pointer="#/seat", code="out_of_range", wanted=f"0..{seats - 1}")
        taken = lobby.seat(host, body.seat, player_id=player_id)
        lobby.start_if_full(host, taken)

    return at_table(player_id, table_id, idempotency, deed)


def leave(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Give a seat back before the start; a table that nobody is left at is closed.

    Raises NotFound, NotSeated, TableNotOpen.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        seat = access.required_seat(player_id, table_id)
        lifecycle.require_open(host.table)
        lobby.free(host, seat, "left")

    return at_table(player_id, table_id, idempotency, deed)


def start(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Begin play, by the host.  Raises NotFound, NotHost, TableNotOpen, SeatsMissing."""
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        access.require_host(player_id, table_id)
        lobby.start(host, access.seat_of(player_id, table_id))

    return at_table(player_id, table_id, idempotency, deed)


def confirm_presence(
    player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None
) -> Done:
    """Say to be there, where a table asks before it starts; the last one to say so starts the game.

    Raises NotFound, NotSeated, PresenceNotAsked.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        lobby.confirm_presence(host, access.required_seat(player_id, table_id))

    return at_table(player_id, table_id, idempotency, deed)


def take_over(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    seat: int,
    body: TakeOver,
    idempotency: Idempotency | None = None,
) -> Done:
    """Take the seat of somebody who is absent, in a running game; or come back to the own one.

    Raises NotFound, BadInvite, TableNotPlaying, AlreadySeated, Arbitrates, SeatNotSought, PlayedHere,
    ReliabilityTooLow.
    """
    access.require_invitation(player_id, table_id, body.invite_code)

    def deed(host: Host) -> None:
        lifecycle.require_playing(host.table)
        if access.seat_of(player_id, table_id) is not None:
            raise AlreadySeated()
        arbiters.require_no_arbiter(player_id, table_id)
        if seat not in host.table.seeking:
            raise SeatNotSought(seeking=list(host.table.seeking))
        returns = access.may_return(player_id, table_id, seat)
        if not returns:
            access.require_reliability(player_id, table_id)
        reason = "returned" if returns else "taken_over"
        absences.replace(host, seat, reason, player_id=player_id, actor=f"seat:{seat}")

    return at_table(player_id, table_id, idempotency, deed)


def offer_seat(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    seat: int,
    body: NewOffer,
    idempotency: Idempotency | None = None,
) -> Done:
    """Offer the seat of somebody who is absent to a player, who sees the table from now on.

    Nothing comes of it where the player has blocked who offers, or the host of a private table the player.
    Raises NotFound, NotSeated, TableNotPlaying, SeatNotSought, PlayedHere, Arbitrates; BadField for an
    unknown name.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        if access.required_seat(player_id, table_id) in host.table.abandoned:
            raise AlreadyResigned()
        lifecycle.require_playing(host.table)
        if seat not in host.table.seeking:
            raise SeatNotSought(seeking=list(host.table.seeking))
        player = Player.objects.filter(name__iexact=body.player).first()
        if player is None:
            raise BadField(pointer="#/player", code="unknown_value", wanted="the name of a player")
        access.may_return(player.id, table_id, seat)
        arbiters.require_no_arbiter(player.id, table_id)
        if blocks.is_blocked(player_id, by=player.id) or access.is_unwelcome(player.id, table_id):
            return  # a block is known to nobody but whom it protects
        _, is_new = Offer.objects.get_or_create(table_id=table_id, seat=seat, player=player)
        if is_new:
            announcing.tell(player.id, table_id, "invited", position=host.version, seat=seat)

    return at_table(player_id, table_id, idempotency, deed)


def call_vote(
    player_id: uuid.UUID, table_id: uuid.UUID, body: NewVote, idempotency: Idempotency | None = None
) -> Done:
    """Call a vote of those who play.

    Raises NotFound, NotSeated, TableNotPlaying, VoteOpen, VoteNotPossible; BadField for what does not
    belong to the motion.
    """
    access.table_seen_by(player_id, table_id)
    require_fields(body, body.motion, {"seat": ("replace",), "seconds": ("pause",)})

    def deed(host: Host) -> None:
        seat = access.required_seat(player_id, table_id)
        votes.call(host, seat, body.motion, seat=body.seat, seconds=body.seconds)

    return at_table(player_id, table_id, idempotency, deed)


def cast_vote(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    number: int,
    body: Ballot,
    idempotency: Idempotency | None = None,
) -> Done:
    """Vote.  Raises NotFound, NotSeated, NoVote, AlreadyVoted."""
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        seat = access.required_seat(player_id, table_id)
        votes.cast(host, number, seat, in_favour=body.in_favour)

    return at_table(player_id, table_id, idempotency, deed)


def resign(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Leave a running game for good.

    Raises NotFound, NotSeated, TableNotPlaying, AlreadyResigned.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        seat = access.required_seat(player_id, table_id)
        lifecycle.require_playing(host.table)
        if seat in host.table.abandoned:
            raise AlreadyResigned()
        host.leave(seat, "resigned", actor=f"seat:{seat}")
        go_on_without(host)

    return at_table(player_id, table_id, idempotency, deed)


def rematch(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Agree to play again; the last seat to agree opens a table with the same seats and settings.

    Raises NotFound, NotSeated, TableNotFinished, HolderGone.
    """
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:

        def run() -> Done:
            seat = access.required_seat(player_id, table_id)
            if host.table.status != "finished" or host.table.settings is None:
                raise TableNotFinished(table_status=host.table.status)
            row = Table.objects.get(id=table_id)
            held = Tenure.objects.filter(table=table_id, until__isnull=True)
            if held.filter(player=None, bot="").exists():
                raise HolderGone()
            held.filter(seat=seat).update(wants_rematch=True)
            if not row.rematches.exists() and not held.filter(bot="", wants_rematch=False).exists():
                lobby.open_again(row, host.table.settings, list(held))
            return Done(answers.rematch_answer(table_id))

        return once(player_id, idempotency, RematchAnswer, run)


def take_up_vacations(table_id: uuid.UUID) -> None:
    """Let a table know the vacations of those who play, as they stand."""
    with locked(table_id) as host:
        if host.table.status == "playing":
            absences.take_up_vacations(host)
