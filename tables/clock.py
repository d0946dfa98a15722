"""Pure arithmetic of deadlines.  Times are milliseconds of database time."""

from __future__ import annotations


def deadline(now: int, seconds: int | None) -> int | None:
    """Return when a turn that opens at ``now`` ends; None: never."""
    return None if seconds is None else now + seconds * 1000


def is_due(deadline_at: int | None, now: int) -> bool:
    """Tell whether a turn is over: at its deadline, not after it.  There is no hidden grace."""
    return deadline_at is not None and now >= deadline_at
