"""What the database says of webhooks: what was to be told, and whether anything still is."""

from __future__ import annotations

import time
from typing import Final

from faults.checker import Delivery
from faults.rooms import rows

PATIENCE: Final = 90.0  # seconds; a delivery whose caller was killed is tried again after 30
_WRITTEN: Final = """
SELECT message::text, table_id::text, position FROM tables_webhookdelivery
WHERE position IS NOT NULL ORDER BY id
"""
_WAITING: Final = "SELECT count(*) FROM tables_webhookdelivery WHERE status = 'pending'"
_ACTIVE: Final = "SELECT count(*) FROM tables_webhookendpoint WHERE status = 'active'"


def await_active() -> bool:
    """Wait until an endpoint has shown whose it is; return whether it has in time."""
    return _until(_ACTIVE, 1)


def await_none() -> None:
    """Wait until nothing is to be sent any more; what still is when patience ends was not told."""
    _until(_WAITING, 0)


def written() -> list[Delivery]:
    """Return what was to be told, in order."""
    return [Delivery(*row) for row in rows(_WRITTEN, [])]


def _until(query: str, wanted: int) -> bool:
    until = time.monotonic() + PATIENCE
    while rows(query, []) != [(wanted,)]:
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True
