"""Tables for whoever writes clients: a seed of their own, scripted bots, clocks of seconds; nothing is rated.

The first event of such a log says so: its ``seed_policy`` is ``chosen``.  All chance follows from one
``root``, that of the cards and that of the bots; the same root and the same moves give the same game.
"""

from __future__ import annotations

import hmac
import secrets
import uuid
from dataclasses import dataclass
from typing import Any

from tables.models import Sandbox

LEAST_SECONDS = 2
"""The shortest clock here; elsewhere people need the time to look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a sandbox plays: its root (32 bytes), and what its bots are to move, in order."""

    root: bytes
    script: list[dict[str, Any]]

    def seed(self, epoch: int) -> bytes:
        """Return the seed of a game of the series; the root does not follow from those of earlier ones."""
        return hmac.digest(self.root, b"posta/sandbox/seed/v1\x00" + epoch.to_bytes(4, "big"), "sha256")

    def bot_key(self, seat: int, turn: int) -> bytes:
        """Return the key of what a bot leaves to chance at a turn."""
        about = seat.to_bytes(2, "big") + turn.to_bytes(4, "big")
        return hmac.digest(self.root, b"posta/sandbox/bot/v1\x00" + about, "sha256")


def plan(seed: str | None, script: list[dict[str, Any]]) -> Plan:
    """Return the plan of a new sandbox; ``seed`` in hex, None: any."""
    return Plan(root=secrets.token_bytes(32) if seed is None else bytes.fromhex(seed), script=script)


def keep(table_id: uuid.UUID, chosen: Plan) -> None:
    """Write the plan of a sandbox down, in the caller's transaction."""
    Sandbox.objects.create(table_id=table_id, root=chosen.root, script=chosen.script)


def plan_of(table_id: uuid.UUID) -> Plan:
    """Return the plan of a sandbox."""
    row = Sandbox.objects.get(table=table_id)
    return Plan(root=bytes(row.root), script=row.script)
