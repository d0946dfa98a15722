"""Every write of an arbiter, and of the host about one: as in ``commands``."""

from __future__ import annotations

import uuid

from tables import access, arbiters
from tables.commands import at_table, locked, require_fields
from tables.hosting import Host
from tables.idempotency import Done, Idempotency
from tables.shapes import ArbiterChoice, NewRuling

_FIELDS = {"hours": ("pause", "extend"), "seat": ("remove",), "places": ("adjudicate",)}
"""Which rulings a field belongs to."""


def ask(
    player_id: uuid.UUID, table_id: uuid.UUID, body: ArbiterChoice, idempotency: Idempotency | None = None
) -> Done:
    """Ask a player to arbitrate, by the host, before the start.

    Raises NotFound, NotHost, TableNotOpen, HasArbiter, OwnAccount; BadField for a name that cannot be asked.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        access.require_host(player_id, table_id)
        arbiters.ask(host, player_id, body.player, "#/player")

    return at_table(player_id, table_id, idempotency, deed)


def accept(player_id: uuid.UUID, table_id: uuid.UUID, idempotency: Idempotency | None = None) -> Done:
    """Arbitrate from now on, by who was asked.  Raises NotFound, NotArbiter, TableNotPlaying."""
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        arbiters.accept(host, player_id)

    return at_table(player_id, table_id, idempotency, deed)


def release(player_id: uuid.UUID, table_id: uuid.UUID) -> None:
    """Let nobody arbitrate any more, or be asked to: by the arbiter, or by the host before yes or start.

    Raises NotFound, NotArbiter, TableNotOpen, TableNotPlaying.
    """
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:
        is_host = access.table_seen_by(player_id, table_id).host_id == player_id
        arbiters.release(host, player_id, is_host=is_host)


def rule(
    player_id: uuid.UUID, table_id: uuid.UUID, body: NewRuling, idempotency: Idempotency | None = None
) -> Done:
    """Decide something, by the arbiter.

    Raises NotFound, NotArbiter, TableNotPlaying, NoDeadline, NotPaused, AlreadyResigned; BadField for what
    does not belong to the ruling.
    """
    access.table_seen_by(player_id, table_id)
    arbiters.require_arbiter(player_id, table_id)
    require_fields(body, body.ruling, _FIELDS)

    def deed(host: Host) -> None:
        arbiters.require_arbiter(player_id, table_id)
        arbiters.rule(host, body)

    return at_table(player_id, table_id, idempotency, deed)
