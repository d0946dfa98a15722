"""A table that goes on from a position of another one: what it takes over from there.

The log of the fork says from where, and hides anew what was hidden; the state of its game follows from
the log of the origin, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from events.audit import Ref
from events.codec import MOVE_PLAYED, Header, Parts, receiver
from events.continued import Continued
from verify.fairness import EPOCH_OPENED
from verify.holdings import held

FORKED = "table.forked"


class Taken(NamedTuple):
    """An item that goes over: its place in the log, its name in the game, and who holds it."""

    place: Ref
    name: Ref
    to: int | None
    is_open: bool


class TakenOver(NamedTuple):
    """What a fork begins with.

    ``head`` is that of the origin at the position, ``base`` as in Continued, ``settings`` what it played.
    What goes on from a sandbox is one.
    """

    settings: Mapping[str, Any]
    head: str
    base: int
    items: tuple[Taken, ...]
    payloads: tuple[Any, ...]
    abandoned: tuple[int, ...]
    state: Any
    is_sandbox: bool

    def told(self, origin: str, position: int, at: int) -> Parts:
        """Return what ``table.forked`` tells, as the event at position ``at`` of the fork."""
        return Parts(
            {
                "origin": origin,
                "head": self.head,
                "position": position,
                "base": self.base,
                "refs": [list(each.name) for each in self.items],
                "abandoned": list(self.abandoned),
                "hidden": len(self.items),
                "shown": sum(each.is_open for each in self.items),
            },
            items=tuple(
                (receiver(each.to), payload) for each, payload in zip(self.items, self.payloads, strict=True)
            ),
            opens=tuple((at, slot) for slot, each in enumerate(self.items) if each.is_open),
        )

    def continued(self, at: int, *, epochs: int) -> Continued:
        """Return how the fork names what it took over by its event at position ``at``."""
        return Continued(base=self.base, at=at, refs=tuple(each.name for each in self.items), epochs=epochs)


class OriginLike(Protocol):
    """A table from which others go on."""

    def taken_over(self, position: int) -> TakenOver:
        """Return what a fork at a position begins with.  Raises Undecided."""


def items_at(headers: Sequence[Header], continued: Continued | None) -> tuple[Taken, ...]:
    """Return the items of the present game that its state may still name, in order.

    ``headers`` are those of a log up to the position, ``continued`` tells whether it is a fork itself.
    Sealed moves that are open are named no more.  Of an item that several seats hold, the last one that
    learned it holds it in the fork.
    """
    begun = max((each.seq for each in headers if each.type == EPOCH_OPENED), default=1)
    types = {each.seq: each.type for each in headers}
    return tuple(
        Taken(
            place=place,
            name=place if continued is None else continued.in_game(place),
            to=max(who.seats, key=lambda seat: (who.seats[seat], seat)) if who.seats else None,
            is_open=who.public_since is not None,
        )
        for place, who in held(headers).items()
        if place[0] >= begun and (who.public_since is None or types[place[0]] != MOVE_PLAYED)
    )


def turns_opened(headers: Sequence[Header]) -> dict[int, int]:
    """Return the position at which each turn opened, by turn."""
    found: dict[int, int] = {}
    for each in headers:
        if each.type == "clock.deadline_set":
            found.setdefault(each.public["turn"], each.seq)
    return found
