"""How a log that goes on from another one names what was hidden there.

A game names a hidden item by the position at which it was hidden, and keeps that name in its state.  So
for the game positions run on from those of the other log; in the log's own headers what was hidden
before stands in the slots of the one event that hid it anew.  Pure, and shared with the verifier.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from events.audit import Ref
from events.codec import Header, Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """Where a log goes on: ``base`` is the game's position before its first event.

    ``refs`` are the names of the items that were hidden anew at position ``at``, in the order of its slots;
    ``epochs`` how many games of a series were over before.
    """

    base: int
    at: int
    refs: tuple[Ref, ...]
    epochs: int = 0

    def in_log(self, ref: Ref) -> Ref:
        """Return the position and slot of an item in this log, from its name in the game."""
        seq, slot = ref
        return (seq - self.base, slot) if seq > self.base else (self.at, self.refs.index((seq, slot)))

    def in_game(self, ref: Ref) -> Ref:
        """Return the name of an item in the game, from its position and slot in this log."""
        seq, slot = ref
        return self.refs[slot] if seq == self.at else (seq + self.base, slot)

    def outward(self, parts: Parts) -> Parts:
        """Return what an event of the game puts into its header, with the log's own references."""
        return replace(
            parts,
            assigns=tuple((*self.in_log((seq, slot)), seat) for seq, slot, seat in parts.assigns),
            opens=tuple(self.in_log(each) for each in parts.opens),
        )

    def inward(self, header: Header) -> Header:
        """Return a header with the references that the game knows; all else is as it was."""
        return msgspec.structs.replace(
            header,
            assigns=tuple((*self.in_game((seq, slot)), seat) for seq, slot, seat in header.assigns),
            opens=tuple(self.in_game(each) for each in header.opens),
        )
