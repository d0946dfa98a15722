"""Who may hold which opening.

Source: transcript format ``ttx v1``, Who holds an opening.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from events.audit import Finding, Ref
from events.codec import Header, learned, seat_of
from verify.fairness import EPOCH_OPENED, SEED_REVEALED

FULL = "full"
PUBLIC = "public"


def check(headers: Sequence[Header], openings: Iterable[Ref], view: str) -> list[Finding]:
    """Return the openings that ``view`` holds before it may; the end of an epoch opens all of it."""
    if view == FULL:
        return []
    seat = None if view == PUBLIC else seat_of(view)
    known = {ref for header in headers for ref in learned(header, seat)}
    known |= of_epochs_over(headers)
    return [
        Finding(seq, f"slot {slot}: {view} may not hold its opening yet")
        for seq, slot in openings
        if (seq, slot) not in known
    ]


def of_epochs_over(headers: Sequence[Header]) -> set[Ref]:
    """Return the items of the epochs whose seed is revealed."""
    over = [header.public.get("epoch") for header in headers if header.type == SEED_REVEALED]
    epoch, found = 0, set()
    for header in headers:
        epoch += header.type == EPOCH_OPENED
        if epoch in over:
            found |= {(header.seq, slot) for slot in range(len(header.slots))}
    return found
