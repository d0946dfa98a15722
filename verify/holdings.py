"""Who may hold which opening.

Source: transcript format ``ttx v1``, Who holds an opening.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from events.audit import Finding, Ref
from events.codec import Header, learned, seat_of

FULL = "full"
PUBLIC = "public"


def check(headers: Sequence[Header], openings: Iterable[Ref], view: str) -> list[Finding]:
    """Return the openings that ``view`` holds before it may; the end of the game opens all."""
    if view == FULL or any(header.type == "table.seed_revealed" for header in headers):
        return []
    seat = None if view == PUBLIC else seat_of(view)
    known = {ref for header in headers for ref in learned(header, seat)}
    return [
        Finding(seq, f"slot {slot}: {view} may not hold its opening yet")
        for seq, slot in openings
        if (seq, slot) not in known
    ]
