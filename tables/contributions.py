"""The two commands by which a player adds to the chance of a game: commit, then reveal.

Refusals as in ``commands``.
"""

from __future__ import annotations

import uuid

from tables import access, gathering
from tables.commands import at_table
from tables.hosting import Host
from tables.idempotency import Done, Idempotency
from tables.shapes import EntropyCommitment, EntropyReveal


def commit(
    player_id: uuid.UUID, table_id: uuid.UUID, body: EntropyCommitment, idempotency: Idempotency | None = None
) -> Done:
    """Commit to what the caller adds.

    Raises NotFound, NotSeated, EntropyNotAsked, EntropyCommittedAlready.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        gathering.commit(host, access.required_seat(player_id, table_id), body.epoch, body.commit)

    return at_table(player_id, table_id, idempotency, deed)


def reveal(
    player_id: uuid.UUID, table_id: uuid.UUID, body: EntropyReveal, idempotency: Idempotency | None = None
) -> Done:
    """Show what the caller adds; the last one begins the game.

    Raises NotFound, NotSeated, EntropyNotAsked, EntropyMismatch.
    """
    access.table_seen_by(player_id, table_id)

    def deed(host: Host) -> None:
        gathering.reveal(host, access.required_seat(player_id, table_id), body.epoch, body.entropy)

    return at_table(player_id, table_id, idempotency, deed)
