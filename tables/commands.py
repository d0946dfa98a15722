"""Every write to a table: lock, decide, append, save.

Besides what they name, commands raise TableSuspended, and with an Idempotency-Key
IdempotencyKeyReused.

Commands return what the API answers.  Refusals change nothing; an expired turn that a command
comes upon is resolved first and stands, whatever becomes of the command.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from engines import base
from engines.errors import RuleViolation
from tables import access, answers, hosting, lifecycle, lobby
from tables.errors import (
    AlreadyMoved,
    AlreadyResigned,
    AlreadySeated,
    HolderGone,
    NotFound,
    NotSeated,
    TableNotFinished,
    TurnNotReached,
    TurnPassed,
)
from tables.expiry import expire
from tables.hosting import Host
from tables.idempotency import Done, Idempotency, keep, keep_refusal, once, recall
from tables.models import Table, Tenure
from tables.moves import SentMove, earlier_answer, parse_params
from tables.shapes import Join, NewTable, RematchAnswer, TableAnswer

locked = partial(hosting.locked, expire=expire)


def open_table(player_id: uuid.UUID, body: NewTable, idempotency: Idempotency | None = None) -> Done:
    """Open a table; its host takes the first seat, the bots asked for those that follow.

    Raises NotFound for an unknown game; BadField, msgspec.ValidationError for what does not fit it.
    """

    def run() -> Done:
        host = lobby.open_table(player_id, body)
        return Done(answers.table_answer(player_id, host.id), 201)

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

    Raises NotFound, BadInvite, TableNotOpen, AlreadySeated, TableFull.
    """
    access.require_invitation(player_id, table_id, body.invite_code)
    with locked(table_id) as host:

        def run() -> Done:
            lifecycle.require_open(host.table)
            if access.seat_of(player_id, table_id) is not None:
                raise AlreadySeated()
            lobby.seat(host, body.seat, player_id=player_id)
            lobby.start_if_full(host)
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)


def leave(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Give a seat back before the start; a table that nobody is left at is closed.

    Raises NotFound, NotSeated, TableNotOpen.
    """
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:

        def run() -> Done:
            seat = access.required_seat(player_id, table_id)
            lifecycle.require_open(host.table)
            host.add(lifecycle.SeatLeft(seat=seat), actor=f"seat:{seat}")
            Tenure.objects.filter(table=table_id, seat=seat, until__isnull=True).delete()
            lobby.pass_on_or_close(host, player_id)
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)


def start(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Begin play, by the host.  Raises NotFound, NotHost, TableNotOpen, SeatsMissing."""
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:

        def run() -> Done:
            access.require_host(player_id, table_id)
            lobby.start(host)
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)


def resign(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Leave a running game for good.

    Raises NotFound, NotSeated, TableNotPlaying, AlreadyResigned.
    """
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:

        def run() -> Done:
            seat = access.required_seat(player_id, table_id)
            lifecycle.require_playing(host.table)
            if seat in host.table.abandoned:
                raise AlreadyResigned()
            host.add(lifecycle.SeatAbandoned(seat=seat, reason="resigned"), actor=f"seat:{seat}")
            batch = host.batch()
            base.leave(batch, seat, "resigned")
            host.take(batch)
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)


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


def play_move(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    *,
    turn: int,
    kind: str,
    params: dict[str, Any],
    game: str | None = None,
    idempotency: Idempotency | None = None,
) -> Done:
    """Record what follows from one seat's move; ``turn`` is the decision point that it answers.

    ``game`` is what the caller takes the table's game for.  The same move of the same window
    again gets the first answer.  Raises NotFound (also for another game), NotSeated, BadField,
    TableNotPlaying, TurnPassed, TurnNotReached, AlreadyMoved, RuleViolation.
    """
    seat = access.required_seat(player_id, table_id)
    try:
        with locked(table_id) as host:
            if game not in (None, host.game.id):
                raise NotFound()
            if access.seat_of(player_id, table_id) != seat:  # it was given back while we waited
                raise NotSeated()
            sent = SentMove(seat=seat, turn=turn, move=parse_params(host.game, kind, params))
            if (kept := recall(player_id, idempotency)) is not None:
                span, replayed = (kept["first"], kept["last"]), True
            else:
                span, replayed = _play(host, sent)
                keep(player_id, idempotency, {"first": span[0], "last": span[1]})
    except RuleViolation as refusal:
        keep_refusal(player_id, idempotency, refusal)
        raise
    answer = answers.move_receipt(host.game.id, table_id, seat, *span)
    return Done(answer, 200 if replayed and idempotency is None else 201, replayed)


def play_bot(table_id: uuid.UUID, seat: int, turn: int, move: Any) -> None:
    """Record the move that a bot has chosen, unless the table no longer waits for it."""
    with locked(table_id) as host:
        if host.table.turn == turn and seat in host.awaited():
            _play(host, SentMove(seat=seat, turn=turn, move=move))


def _play(host: Host, sent: SentMove) -> tuple[tuple[int, int], bool]:
    """Add the batch of a move, or find that of an equal one; return its span, and which it was."""
    kind = sent.kind
    window = (
        base.window_of(host.game, host.state, sent.seat, kind) if host.table.status == "playing" else None
    )
    if window is None or not window.since <= sent.turn <= host.table.turn:
        if (earlier := earlier_answer(host, sent)) is not None:
            if earlier.is_same:
                return (earlier.first, earlier.last), True
            raise AlreadyMoved(turn=host.table.turn)
        lifecycle.require_playing(host.table)
        if sent.turn < host.table.turn:
            raise TurnPassed(turn=host.table.turn)
        if sent.turn > host.table.turn:
            raise TurnNotReached(turn=host.table.turn)
    batch = host.batch()
    base.play(batch, sent.seat, sent.move)
    host.take(batch)
    host.save()
    return (host.first, host.version), False
