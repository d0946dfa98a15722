"""What staff and arbiters do at a table, as events; their reasons are closed lists, never free text.

Frozen, like ``messages``, by ``annex-v1.json``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from engines.audience import PUBLIC

REASONS = ("conduct", "dispute", "fault", "law", "mended", "request")
"""Why somebody steps in: how a player behaves; players do not agree; the server is at fault; an authority
demands it; what was wrong is mended; a player has asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """Event: the table stands still until staff have looked at it; what is due is ``unresolved``."""

    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinstated:
    """Event: staff let a table go on that was suspended ``since``; that time does not count."""

    reason: Annotated[str, PUBLIC]
    since: Annotated[int, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffPeeked:
    """Event: staff are about to look at what is hidden: what ``seat`` knows, or (None) all of it."""

    seat: Annotated[int | None, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterNamed:
    """Event: who arbitrates from now on, a pseudonym of this table alone; None: nobody any more."""

    arbiter: Annotated[str | None, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingMade:
    """Event: ``staff``, or the ``arbiter``, have decided what the next event does.

    ``pause``, ``resume``, ``extend``: of the clocks; ``remove`` the player of ``seat``; end the game:
    ``adjudicate`` it, or ``annul`` it.
    """

    by: Annotated[str, PUBLIC]
    ruling: Annotated[str, PUBLIC]
    seat: Annotated[int | None, PUBLIC]
    reason: Annotated[str, PUBLIC]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAdded:
    """Event: by ruling, each seat awaited at ``turn`` has so many milliseconds more."""

    turn: Annotated[int, PUBLIC]
    added: Annotated[int, PUBLIC]


EVENTS: dict[str, type] = {
    "table.suspended": Suspended,
    "table.reinstated": Reinstated,
    "table.staff_peeked": StaffPeeked,
    "table.arbiter_named": ArbiterNamed,
    "table.ruling_made": RulingMade,
    "clock.time_added": TimeAdded,
}
