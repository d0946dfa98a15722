"""The move of a player or a bot: a command as those of ``commands``, which raises what they all raise."""

from __future__ import annotations

import uuid
from typing import Any

from engines import base
from engines.errors import RuleViolation
from tables import access, answers, lifecycle, reliability
from tables.commands import locked
from tables.errors import AlreadyMoved, NotFound, NotSeated, TurnNotReached, TurnPassed
from tables.hosting import Host
from tables.idempotency import Done, Idempotency, keep, keep_refusal, recall
from tables.moves import SentMove, earlier_answer, parse_params
from tables.operations import metrics


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
    answer = answers.move_receipt(host.game, table_id, seat, *span)
    return Done(answer, 200 if replayed and idempotency is None else 201, replayed)


def play_bot(table_id: uuid.UUID, seat: int, turn: int, move: Any) -> None:
    """Record the move that a bot has chosen at ``turn``, if its window is still open.

    Raises Refusal, like a player's move, when the table has gone on.
    """
    with locked(table_id) as host:
        _play(host, SentMove(seat=seat, turn=turn, move=move))


@metrics.counted
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
    if sent.seat in host.awaited():
        reliability.note(host, [sent.seat], in_time=True)
    batch = host.batch()
    base.play(batch, sent.seat, sent.move)
    host.take(batch)
    host.save()
    return (host.first, host.version), False
