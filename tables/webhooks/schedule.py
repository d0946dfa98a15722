"""When a delivery that failed is tried again, and when an endpoint is given up.  Pure.

Times are milliseconds.  Source: api.md 3.8.
"""

from __future__ import annotations

from typing import Final

from tables.clock import DAY_MS, HOUR_MS

WAITS_MS: Final = (
    5_000,
    300_000,
    1_800_000,
    *(hours * HOUR_MS for hours in (2, 5, 10, 14, 20, 24)),
)
"""How long after its first attempt a delivery is tried again, after its second, and so on."""
JITTER: Final = 0.2
"""Waits are longer by up to so much of them, so that those who failed together do not come together."""
PAUSES_MS: Final = (5_000, 20_000, 80_000, 300_000)
"""How long an endpoint is left alone after its first failure in a row, its second, and so on."""
LOST_MS: Final = 5 * DAY_MS


def again_at(attempts: int, now: int, chance: float) -> int | None:
    """Return when to try again what has failed for the ``attempts``-th time; None: not any more.

    ``chance`` is from 0 to 1.
    """
    if not attempts <= len(WAITS_MS):
        return None
    wait = WAITS_MS[attempts - 1]
    return now + wait + int(wait * JITTER * chance)


def free_at(failures: int, now: int) -> int:
    """Return until when an endpoint is left alone that has failed so many times in a row."""
    return now + PAUSES_MS[min(failures, len(PAUSES_MS)) - 1]


def is_lost(failing_since: int, now: int) -> bool:
    """Tell whether an endpoint has failed for so long that it is given up."""
    return now - failing_since >= LOST_MS
