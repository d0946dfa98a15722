"""What staff do at a table, each an event that players see: rulings, the end of a suspension, a peek."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction

from tables import clock, gathering, hosting, messages, rulings
from tables.answers import rfc3339
from tables.clock import milliseconds
from tables.commands import locked
from tables.errors import TableSuspended
from tables.hosting import Host
from tables.interventions import Reinstated
from tables.models import Table

BY = "staff"


def pause(table_id: uuid.UUID, reason: str, *, hours: int) -> str:
    """Stop all clocks of a running table; return until when.  Raises NotFound, TableNotPlaying."""
    with locked(table_id) as host:
        rulings.pause(host, BY, reason, hours=hours)
        return rfc3339(host.now + hours * clock.HOUR_MS)


def resume(table_id: uuid.UUID, reason: str) -> bool:
    """End a suspension or a pause by ruling; return whether there was one.

    What could not be resolved is tried anew by the next sweep.  Raises NotFound.
    """
    with transaction.atomic():
        host, suspended_at = hosting.lock_suspended(table_id)
        if suspended_at is not None:
            _reinstate(host, suspended_at, reason)
        elif not rulings.resume(host, BY, reason):
            return False
        host.save()
    return True


def extend(table_id: uuid.UUID, reason: str, *, hours: int) -> str | None:
    """Give more time to whoever is awaited; return until when.

    Raises NotFound, TableNotPlaying, NoDeadline.
    """
    with locked(table_id) as host:
        rulings.extend(host, BY, reason, hours=hours)
        return None if host.table.deadline_at is None else rfc3339(host.table.deadline_at)


def remove(table_id: uuid.UUID, reason: str, *, seat: int) -> None:
    """Remove the player of a seat from a running game for good.

    Raises NotFound, TableNotPlaying, AlreadyResigned; BadField for no seat.
    """
    with locked(table_id) as host:
        rulings.remove(host, BY, reason, seat=seat)


def adjudicate(table_id: uuid.UUID, reason: str, *, places: Sequence[int]) -> None:
    """End a running game, suspended or not, with a result.  Raises NotFound, TableNotPlaying, BadField."""
    _end(table_id, lambda host: rulings.adjudicate(host, BY, reason, places=places))


def annul(table_id: uuid.UUID, reason: str) -> None:
    """End a running game, suspended or not, without a result.  Raises NotFound, TableNotPlaying."""
    _end(table_id, lambda host: rulings.annul(host, BY, reason))


def _end(table_id: uuid.UUID, act: Callable[[Host], None]) -> None:
    try:
        with locked(table_id) as host:
            act(host)
    except TableSuspended:
        with transaction.atomic():
            host, _ = hosting.lock_suspended(table_id)
            act(host)
            host.save()
            _let_go(table_id)


def _reinstate(host: Host, suspended_at: datetime, reason: str) -> None:
    """Let a table go on, and make its suspension good; the log of a game that has ended is closed."""
    _let_go(host.id)
    table = host.table
    if table.is_over:
        return
    told = milliseconds(suspended_at) if table.suspended_at is None else table.suspended_at
    since = min(told, host.now)
    host.add(Reinstated(reason=reason, since=since), actor="staff")
    is_asking = table.presence is not None or table.is_gathering
    if (table.status == "playing" or is_asking) and since < host.now:
        host.add(
            messages.DeadlineExtended(turn=table.turn, reason="suspension", since=since, until=host.now),
            actor="staff",
        )
        if table.status == "playing":
            host.set_deadline()
    gathering.go_on_without(host)


def _let_go(table_id: uuid.UUID) -> None:
    Table.objects.filter(id=table_id).update(suspended_at=None, expiry_attempts=0, next_attempt_at=None)
