# SPDX-License-Identifier: MIT
"""What a player's client commits to before a game whose chance the players add to."""

import hashlib
import uuid


def commitment(table_id: str, epoch: int, seat: int, drawn: bytes) -> str:
    """Return the ``commit`` of ``EntropyCommitment`` for a seat that has drawn these 32 bytes."""
    place = uuid.UUID(table_id).bytes + epoch.to_bytes(4, "big") + seat.to_bytes(2, "big")
    return hashlib.sha256(b"ttx/entropy/v1\0" + place + drawn).hexdigest()
