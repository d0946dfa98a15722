"""What staff do at a table: stop its clocks, and let them run again.  Each is an event that players see."""

from __future__ import annotations

import uuid

from django.db import transaction

from tables import hosting, lifecycle
from tables.answers import rfc3339
from tables.commands import locked
from tables.hosting import milliseconds
from tables.models import Table

HOUR_MS = 3_600_000


def pause(table_id: uuid.UUID, *, hours: int) -> str:
    """Stop all clocks of a running table; return until when.  Raises NotFound, TableNotPlaying."""
    with locked(table_id) as host:
        lifecycle.require_playing(host.table)
        host.pause("staff", hours * HOUR_MS, actor="staff")
        return rfc3339(host.now + hours * HOUR_MS)


def resume(table_id: uuid.UUID) -> bool:
    """End a suspension or a pause by staff; return whether there was one.

    What could not be resolved is tried anew by the next sweep.  Raises NotFound.
    """
    with transaction.atomic():
        host, suspended_at = hosting.lock_suspended(table_id)
        if suspended_at is not None:
            Table.objects.filter(id=table_id).update(
                suspended_at=None, expiry_attempts=0, next_attempt_at=None
            )
            since = milliseconds(suspended_at)
            if host.table.status == "playing" and since < host.now:
                host.add(
                    lifecycle.DeadlineExtended(
                        turn=host.table.turn, reason="suspension", since=since, until=host.now
                    ),
                    actor="staff",
                )
                host.set_deadline()
        elif any(each.reason == "staff" and each.until > host.now for each in host.table.pauses):
            host.add(lifecycle.Resumed(reason="staff", seat=None), actor="staff")
            host.set_deadline()
        else:
            return False
        host.save()
    return True
