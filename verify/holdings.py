"""Who may hold which opening, and from when on.

Source: transcript format ``ttx v1``, Who holds an opening.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from events.audit import Finding, Ref
from events.codec import FULL, Header, learned, seat_of
from verify.fairness import EPOCH_OPENED, SEED_REVEALED

__all__ = ["FULL", "PUBLIC", "Held", "check", "held", "of_epochs_over"]

PUBLIC = "public"


@dataclass(slots=True)
class Held:
    """Who holds the opening of an item: each seat from a position on, all from ``public_since`` on.

    None: not everybody holds it yet.  Seats that learned it with all the others are not told apart.
    """

    seats: dict[int, int] = field(default_factory=dict)
    public_since: int | None = None


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
    told = [header.public.get("epoch") for header in headers if header.type == SEED_REVEALED]
    over = {each for each in told if type(each) is int}  # False is no epoch 0
    epoch, found = 0, set()
    for header in headers:
        epoch += header.type == EPOCH_OPENED
        if epoch in over:
            found |= {(header.seq, slot) for slot in range(len(header.slots))}
    return found


def held(headers: Sequence[Header]) -> dict[Ref, Held]:
    """Return for each item of a log, in order, who has held it since when.

    The log is read from its first event on; of what ends later, it says nothing yet.
    """
    found: dict[Ref, Held] = {}
    epochs: list[list[Ref]] = [[]]
    for header in headers:
        if header.type == EPOCH_OPENED:
            epochs.append([])
        for slot, each in enumerate(header.slots):
            found[header.seq, slot] = Held()
            epochs[-1].append((header.seq, slot))
            if (seat := seat_of(each.to)) is not None:
                found[header.seq, slot].seats[seat] = header.seq
        for seq, slot, seat in header.assigns:
            if found[seq, slot].public_since is None:
                found[seq, slot].seats.setdefault(seat, header.seq)
        opened = list(header.opens)
        if header.type == SEED_REVEALED:
            opened += epochs[header.public["epoch"]]
        for ref in opened:
            if found[ref].public_since is None:
                found[ref].public_since = header.seq
    return found
