"""The rows beside a table's log: what its host reads from them, and writes to them in its transaction."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Any

import msgspec
from django.conf import settings
from django.db import connection
from psycopg.types.json import Jsonb

from engines import base
from tables import entropy
from tables.clock import QuietHours, check_quiet, moment
from tables.folding import Folded

if TYPE_CHECKING:
    from tables.hosting import Host

logger = logging.getLogger(__name__)


def columns(folded: Folded, version: int, awaited: tuple[int, ...]) -> dict[str, Any]:
    """Return the columns of a table's row that its log tells, after ``version`` events."""
    table = folded.table
    return {
        "status": table.status,
        "fairness": table.fairness,
        "settings": msgspec.to_builtins(table.settings),
        "version": version,
        "outcome": msgspec.to_builtins(table.outcome),
        "turn": table.turn,
        "awaited": list(awaited),
        "deadline_at": None if table.deadline_at is None else moment(table.deadline_at),
        "due_at": None if table.due_at is None else moment(table.due_at),
        "seeking": list(table.seeking),
        "finished_at": moment(table.at) if table.status in ("finished", "closed") else None,
    }


def save(host: Host) -> None:
    """Write the columns that the log tells."""
    values = columns(host.folded, host.version, host.awaited())
    for name in ("settings", "outcome"):
        values[name] = Jsonb(values[name])
    assignments = ", ".join(f"{name} = %s" for name in values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE tables_table SET {assignments}, expiry_attempts = 0, next_attempt_at = NULL"  # noqa: S608
            " WHERE id = %s",
            [*values.values(), host.id],
        )


def seed_of(table_id: uuid.UUID, epoch: int) -> bytes:
    """Return the secret seed of one epoch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seed FROM tables_seed WHERE table_id = %s AND epoch = %s", [table_id, epoch])
        (seed,) = cursor.fetchone()
    return bytes(seed)


def keep_seed(table_id: uuid.UUID, epoch: int, seed: bytes) -> None:
    """Write the secret seed of an epoch."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tables_seed (table_id, epoch, seed) VALUES (%s, %s, %s)", [table_id, epoch, seed]
        )


def quiet_hours(table_id: uuid.UUID) -> dict[int, QuietHours]:
    """Return the quiet hours of those who have a seat at a table and keep any.

    Left out are those in a zone that this machine does not know: nobody's zone stops a table.
    """
    found = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seat, zone, quiet_from, quiet_until FROM tables_tenure"
            " JOIN tables_player ON tables_player.id = player_id"
            " WHERE table_id = %s AND until IS NULL AND quiet_from IS NOT NULL",
            [table_id],
        )
        for seat, zone, start, end in cursor.fetchall():
            try:
                found[seat] = check_quiet(zone, start, end)
            except ValueError:
                logger.warning("somebody keeps quiet hours in a zone that is not known here")
    return found


def withdraw_offers(host: Host) -> None:
    """Let nobody hold an offer of a seat for which nobody is sought any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM tables_offer WHERE table_id = %s AND NOT seat = ANY(%s)",
            [host.id, list(host.table.seeking)],
        )


def have_verified(host: Host) -> None:
    """Write down, in the same transaction, that the whole log is to be verified now that the game is over."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tables_outbox (id, table_id, position, kind, audience, attempts, next_attempt_at)"
            " VALUES (gen_random_uuid(), %s, %s, 'verify', '', 0, clock_timestamp())",
            [host.id, host.version],
        )


def ask_bots(host: Host) -> None:
    """Write down, in the same transaction, what bots are to be asked after these events.

    Bots take their time, so that people can follow; not in a sandbox, where programs play.
    """
    if host.table.status != "playing":
        return
    pace = 0 if host.table.fairness == entropy.CHOSEN else settings.BOT_SECONDS
    with connection.cursor() as cursor:
        for seat, is_offer in base.questions(host.game, host.state, host.saved_turn):
            if (holder := host.table.holders[seat]) is None or not holder.bot:
                continue
            cursor.execute(
                "INSERT INTO tables_outbox"
                " (id, table_id, position, kind, audience, attempts, next_attempt_at)"
                " VALUES (gen_random_uuid(), %s, %s, %s, %s, 0,"
                " clock_timestamp() + make_interval(secs => %s))",
                [host.id, host.version, "bot_offer" if is_offer else "bot", f"seat:{seat}", pace],
            )
