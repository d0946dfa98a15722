"""Every write to a table: lock, decide, append, save.

Besides what they name, commands raise TableSuspended, and with an Idempotency-Key
IdempotencyKeyReused.

Commands return what the API answers.  Refusals change nothing; an expired turn that a command
comes upon is resolved first and stands, whatever becomes of the command.
"""

from __future__ import annotations

import secrets
import uuid
from functools import partial
from typing import Any

import msgspec
from django.db import IntegrityError, transaction

from engines import base
from engines.base import Game
from engines.errors import RuleViolation
from events import canonical
from tables import access, answers, catalogue, hosting, lifecycle
from tables.errors import (
    AlreadyMoved,
    AlreadyResigned,
    AlreadySeated,
    BadField,
    NotFound,
    NotSeated,
    TableNotOpen,
    TurnNotReached,
    TurnPassed,
)
from tables.expiry import expire
from tables.hosting import Host
from tables.idempotency import Done, Idempotency, keep, keep_refusal, once, recall
from tables.models import Seed, Table, Tenure
from tables.moves import SentMove, earlier_answer, parse_params
from tables.shapes import ClockChoice, Join, NewTable, TableAnswer
from tables.signing import signing_key

locked = partial(hosting.locked, expire=expire)


def open_table(player_id: uuid.UUID, body: NewTable, idempotency: Idempotency | None = None) -> Done:
    """Open a table; its host takes the first seat, the bots asked for those that follow.

    Raises NotFound for an unknown game; BadField, msgspec.ValidationError for what does not fit it.
    """

    def run() -> Done:
        host = _opened(player_id, body)
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
            _seat(host, body.seat, player_id=player_id)
            _start_if_full(host)
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
            _pass_on_or_close(host, player_id)
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)


def start(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Begin play, by the host.  Raises NotFound, NotHost, TableNotOpen, SeatsMissing."""
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:

        def run() -> Done:
            access.require_host(player_id, table_id)
            _start(host)
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


def _opened(player_id: uuid.UUID, body: NewTable) -> Host:
    game = catalogue.game_of(body.game)
    seats = game.seats[0] if body.seats is None else body.seats
    if seats not in game.seats:
        raise BadField(pointer="#/seats", code="out_of_range", wanted=f"{game.seats[0]}..{game.seats[-1]}")
    if len(body.bots) >= seats:
        raise BadField(pointer="#/bots", code="bad_length", wanted=f"0..{seats - 1}")
    options = msgspec.convert(body.options, catalogue.options_struct(game.id))
    host = hosting.opened(uuid.uuid4())
    seed = secrets.token_bytes(32)
    _insert_rows(host.id, player_id, body, seats, seed)
    host.add(
        _genesis(host.id, seed),
        lifecycle.SettingsChosen(
            game=game.id,
            rules_version=game.rules_version,
            options=msgspec.to_builtins(options),
            seats=seats,
            clock_seconds=_clock_seconds(game, body.clock),
            visibility=body.visibility,
            starts=body.starts,
        ),
    )
    _seat(host, None, player_id=player_id)
    for number, bot in enumerate(body.bots):
        if bot not in game.bots:
            raise BadField(pointer=f"#/bots/{number}", code="unknown_value", wanted=", ".join(game.bots))
        _seat(host, None, bot=bot)
    _start_if_full(host)
    host.save()
    return host


def _insert_rows(table_id: uuid.UUID, player_id: uuid.UUID, body: NewTable, seats: int, seed: bytes) -> None:
    Table.objects.create(
        id=table_id,
        game=body.game,
        title=body.title,
        visibility=body.visibility,
        invite_code=secrets.token_urlsafe(12),
        host_id=player_id,
        status="open",
        seats=seats,
    )
    Seed.objects.create(table_id=table_id, epoch=0, seed=seed)


def _genesis(table_id: uuid.UUID, seed: bytes) -> lifecycle.Opened:
    commit = canonical.seed_commit(table_id.bytes, 0, seed)
    return lifecycle.Opened(seed_commit=commit.hex(), seed_policy="server", kid=signing_key().kid)


def _clock_seconds(game: Game[Any], clock: ClockChoice | None) -> int | None:
    if clock is None:
        return game.clock_seconds
    if clock.kind == "none":
        if clock.seconds is not None:
            raise BadField(pointer="#/clock/seconds", code="unknown_field")
        return None
    return game.clock_seconds if clock.seconds is None else clock.seconds


def _seat(host: Host, seat: int | None, *, player_id: uuid.UUID | None = None, bot: str = "") -> None:
    taken = lifecycle.join(host.table, seat, secrets.token_hex(16), bot or None)
    host.add(taken, actor="table" if bot else f"seat:{taken.seat}")
    Tenure.objects.create(
        table_id=host.id,
        seat=taken.seat,
        player_id=player_id,
        bot=bot,
        pseudonym=taken.holder,
        since=host.version,
    )


def _start_if_full(host: Host) -> None:
    settings = host.table.settings
    if settings and settings.starts == "when_full" and not host.table.free_seats():
        _start(host)


def _start(host: Host) -> None:
    if host.table.settings is None:
        raise TableNotOpen()
    host.add(lifecycle.start(host.table, catalogue.digest_of(host.table.settings.game)))
    batch = host.batch()
    base.begin(batch)
    host.take(batch)


def _pass_on_or_close(host: Host, player_id: uuid.UUID) -> None:
    """Make the longest-seated person the host where the host has left; close where nobody is."""
    row = Table.objects.get(id=host.id)
    if row.host_id != player_id:
        return
    heir = (
        Tenure.objects.filter(table=host.id, until__isnull=True, player__isnull=False)
        .order_by("since")
        .first()
    )
    Table.objects.filter(id=host.id).update(host=heir.player_id if heir else None)
    if heir is None:
        host.add(lifecycle.Closed(reason="deserted"))
