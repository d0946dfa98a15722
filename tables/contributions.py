"""The two commands by which a player adds to the chance of a game: commit, then reveal.

Refusals as in ``commands``.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

from tables import access, answers, gathering
from tables.commands import locked
from tables.hosting import Host
from tables.idempotency import Done, Idempotency, once
from tables.shapes import EntropyCommitment, EntropyReveal, TableAnswer


def commit(
    player_id: uuid.UUID, table_id: uuid.UUID, body: EntropyCommitment, idempotency: Idempotency | None = None
) -> Done:
    """Commit to what the caller adds.

    Raises NotFound, NotSeated, EntropyNotAsked, EntropyCommittedAlready.
    """
    return _add(
        player_id,
        table_id,
        lambda host, seat: gathering.commit(host, seat, body.epoch, body.commit),
        idempotency,
    )


def reveal(
    player_id: uuid.UUID, table_id: uuid.UUID, body: EntropyReveal, idempotency: Idempotency | None = None
) -> Done:
    """Show what the caller adds; the last one begins the game.

    Raises NotFound, NotSeated, EntropyNotAsked, EntropyMismatch.
    """
    return _add(
        player_id,
        table_id,
        lambda host, seat: gathering.reveal(host, seat, body.epoch, body.entropy),
        idempotency,
    )


def _add(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    deed: Callable[[Host, int], None],
    idempotency: Idempotency | None,
) -> Done:
    access.table_seen_by(player_id, table_id)
    with locked(table_id) as host:

        def run() -> Done:
            deed(host, access.required_seat(player_id, table_id))
            host.save()
            return Done(answers.table_answer(player_id, table_id))

        return once(player_id, idempotency, TableAnswer, run)
