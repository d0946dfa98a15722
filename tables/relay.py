"""Doing what the outbox says: at least once, by Celery or the daemon, whoever comes first."""

from __future__ import annotations

import logging
import secrets
import time
import uuid
from collections.abc import Callable
from functools import partial

from django.db import connection, transaction

from engines import base
from engines.base import Question
from engines.chance import KeyedChance
from tables import entropy, hosting, sandboxes, scripts
from tables.auditing import verify_finished
from tables.commands import take_up_vacations
from tables.erasure import erase
from tables.errors import Refusal
from tables.operations import metrics
from tables.playing import play_bot

logger = logging.getLogger(__name__)

MOST_SECONDS = 5.0
LEASE_SECONDS = 30

_CLAIM = """
UPDATE tables_outbox SET attempts = attempts + 1,
  next_attempt_at = clock_timestamp() + make_interval(secs => %s * (attempts + 1))
WHERE id = (
  SELECT id FROM tables_outbox
  WHERE done_at IS NULL AND kind <> 'notice' AND next_attempt_at <= clock_timestamp()
  ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id, table_id, kind, audience
"""
_PRUNE = """
DELETE FROM tables_outbox WHERE id IN (
  SELECT o.id FROM tables_outbox AS o LEFT JOIN tables_table AS t ON t.id = o.table_id
  WHERE o.done_at < clock_timestamp() - interval '30 days'
    AND (o.kind <> 'notice' OR t.status IS NULL OR t.status IN ('finished', 'closed'))
  LIMIT 5000)
"""
"""Of a running table what was told stays: it is told once."""
_DONE = "UPDATE tables_outbox SET done_at = clock_timestamp() WHERE id = %s"


def relay() -> int:
    """Do what is due until nothing is left or time runs out; return how much was done.

    What fails is tried again after its lease, later each time.
    """
    done = 0
    until = time.monotonic() + MOST_SECONDS
    while time.monotonic() < until:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_CLAIM, [LEASE_SECONDS])
            row = cursor.fetchone()
        if row is None:
            break
        outbox_id, table_id, kind, audience = row
        try:
            DEEDS[kind](table_id, audience)
        except Exception:
            logger.exception("a row of the outbox, of kind %s, failed", kind, extra={"table": table_id})
            continue
        with connection.cursor() as cursor:
            cursor.execute(_DONE, [outbox_id])
        done += 1
        metrics.RELAYED.inc()
    return done


def prune() -> int:
    """Delete what was done a month ago and is asked for no more; return how many of some thousand rows."""
    with connection.cursor() as cursor:
        cursor.execute(_PRUNE)
        return int(cursor.rowcount)


def ask_bot(table_id: uuid.UUID, audience: str, *, is_offer: bool = False) -> None:
    """Let the bot of a seat (``seat:N``) choose from its own view, and play what it chose.

    It may pass an offer, and is not asked again about that window.  Asked twice, by a repeat, it
    has nothing to choose any more, or its second move is refused.  Nothing is locked while it thinks;
    a table that has gone on meanwhile refuses the move.
    """
    seat = int(audience.removeprefix("seat:"))
    host = hosting.peek(table_id)
    holder = host.table.holders[seat]
    if holder is None or not holder.bot or host.table.status != "playing":
        return
    game = host.game
    legal = base.choices(game, host.state, Question(seat, is_offer=is_offer))
    if not legal:
        return
    plan = sandboxes.plan_of(table_id) if host.table.fairness == entropy.CHOSEN else None
    move = scripts.next_move(host, plan.script, seat, legal) if plan else None
    if move is None:
        key = plan.bot_key(seat, host.table.turn) if plan else secrets.token_bytes(32)
        move = game.bots[holder.bot](game.view(host.state, seat), legal, KeyedChance(key))
    if move is None and is_offer:
        return
    try:
        play_bot(table_id, seat, host.table.turn, move)
    except Refusal as refusal:
        logger.info("table %s: the bot of seat %d came too late: %s", table_id, seat, refusal.code)


DEEDS: dict[str, Callable[[uuid.UUID, str], None]] = {
    "bot": ask_bot,
    "bot_offer": partial(ask_bot, is_offer=True),
    "vacation": lambda table_id, _: take_up_vacations(table_id),
    "erase": lambda _, audience: erase(uuid.UUID(audience.removeprefix("player:"))),
    "verify": lambda table_id, _: verify_finished(table_id),
}
"""What is done about an outbox row of each kind, given its table and its audience."""
