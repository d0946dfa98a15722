"""Streams to try the store with: headers of ttx v1 without any game behind them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from events import canonical, codec
from events.codec import NewEvent, Opening


@dataclass
class Writer:
    """Makes the next events of a stream that nobody else has used; it does not store them."""

    table: UUID = field(default_factory=uuid4)
    version: int = 0
    head: bytes = canonical.ZERO_HASH

    @property
    def stream(self) -> str:
        return f"table-{self.table}"

    @property
    def tid(self) -> bytes:
        return self.table.bytes

    def events(self, count: int, *, hidden: int = 0, at: int = 1_700_000_000_000) -> list[NewEvent]:
        """Return the next ``count`` events, each with so many hidden items."""
        return [self.event(hidden=hidden, at=at) for _ in range(count)]

    def event(
        self,
        *,
        hidden: int = 0,
        at: int = 1_700_000_000_000,
        type_name: str = "probe.happened",
        **changed: Any,
    ) -> NewEvent:
        """Return the next event; ``changed`` replaces fields of its header, to make it wrong."""
        self.version += 1
        openings = tuple(sealed(number) for number in range(hidden))
        header: dict[str, Any] = {
            "v": 1,
            "table": self.tid.hex(),
            "seq": self.version,
            "prev": self.head.hex(),
            "type": type_name,
            "schema": 1,
            "actor": "table",
            "at": at,
            "public": {"number": self.version},
            "slots": [
                {
                    "to": each.to,
                    "c": canonical.commitment(each.salt, self.tid, self.version, slot, each.payload).hex(),
                }
                for slot, each in enumerate(openings)
            ],
            "assigns": [],
            "opens": [],
            "draws": [],
        } | changed
        data = canonical.canonical(header)
        self.head = canonical.event_hash(data)
        return codec.NewEvent(str(header["type"]), at, data, openings)


def sealed(number: int) -> Opening:
    """Return a fresh opening; even numbers belong to the server, odd ones to seat 1."""
    to = "seat:1" if number % 2 else "server"
    return Opening(to, secrets.token_bytes(32), canonical.canonical({"card": number}))


def stored(events: Sequence[NewEvent]) -> list[bytes]:
    """Return the headers of ``events``."""
    return [event.header for event in events]
