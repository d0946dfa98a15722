"""What staff do at a table: stop its clocks, and let them run again.  Each is an event that players see."""

from __future__ import annotations

import uuid

from django.db import transaction

from tables import clock, hosting, lifecycle, messages
from tables.answers import rfc3339
from tables.commands import locked
from tables.errors import AlreadyResigned, NotSeated
from tables.hosting import milliseconds
from tables.models import Table


def pause(table_id: uuid.UUID, *, hours: int) -> str:
    """Stop all clocks of a running table; return until when.  Raises NotFound, TableNotPlaying."""
    with locked(table_id) as host:
        lifecycle.require_playing(host.table)
        host.pause("staff", hours * clock.HOUR_MS, actor="staff")
        return rfc3339(host.now + hours * clock.HOUR_MS)


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
            has_time = host.table.status == "playing" or host.table.is_gathering
            if has_time and since < host.now:
                host.add(
                    messages.DeadlineExtended(
                        turn=host.table.turn, reason="suspension", since=since, until=host.now
                    ),
                    actor="staff",
                )
                host.set_deadline()
        elif paused := [
            each for each in host.table.pauses if each.reason == "staff" and each.until > host.now
        ]:
            for each in paused:
                host.add(messages.Resumed(reason="staff", seat=None, since=each.since), actor="staff")
            host.set_deadline()
        else:
            return False
        host.save()
    return True


def remove(table_id: uuid.UUID, seat: int) -> None:
    """Remove the player of a seat from a running game for good.

    Raises NotFound, TableNotPlaying, NotSeated (no such seat), AlreadyResigned.
    """
    with locked(table_id) as host:
        lifecycle.require_playing(host.table)
        if not 0 <= seat < len(host.table.holders):
            raise NotSeated()
        if seat in host.table.abandoned:
            raise AlreadyResigned()
        host.leave(seat, "removed", actor="staff")
