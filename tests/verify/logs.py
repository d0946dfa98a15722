"""The logs of tables, to be forged."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from events import canonical, store
from events.audit import Link, OpeningLike
from events.codec import Opening
from tables import catalogue, messages
from tables.folding import stream_of
from tables.models import Seed
from verify import Report, verify

Ref = tuple[int, int]


class Told(NamedTuple):
    """Everything that a server knows of a table, in bytes."""

    seeds: Mapping[int, bytes]
    headers: Sequence[bytes]
    openings: Mapping[Ref, OpeningLike]


class Log:
    """A log, that of a stored table or as ``told``, in parts that a test may change.

    ``headers`` are objects, ``payloads`` and ``salts`` are by (position, slot).  What comes out is
    as the forger would write it.
    """

    def __init__(self, table_id: uuid.UUID, told: Told | None = None) -> None:
        self.tid = table_id.bytes
        told = told or _stored(table_id)
        self.seeds = dict(told.seeds)
        self.headers: list[dict[str, Any]] = [orjson.loads(each) for each in told.headers]
        self.payloads: dict[Ref, Any] = {
            ref: orjson.loads(each.payload) for ref, each in told.openings.items()
        }
        self.salts: dict[Ref, bytes] = {ref: each.salt for ref, each in told.openings.items()}

    def last(self, type_: str, where: Callable[[dict[str, Any]], bool] = bool) -> dict[str, Any]:
        """Return the last header of a type, to be changed."""
        return next(each for each in reversed(self.headers) if each["type"] == type_ and where(each))

    def openings(self) -> dict[Ref, Opening]:
        """Return the openings as the log now has them."""
        to = {
            (header["seq"], slot): each["to"]
            for header in self.headers
            for slot, each in enumerate(header["slots"])
        }
        return {
            ref: Opening(to[ref], self.salts[ref], canonical.canonical(payload))
            for ref, payload in self.payloads.items()
            if ref in to
        }

    def chained(self) -> list[Link]:
        """Return the events, every commitment and every hash made to hold again."""
        links, prev = [], canonical.ZERO_HASH
        for position, header in enumerate(self.headers, start=1):
            for slot, each in enumerate(header["slots"]):
                ref = (position, slot)
                payload = canonical.canonical(self.payloads[ref])
                each["c"] = canonical.commitment(self.salts[ref], self.tid, position, slot, payload).hex()
            header["prev"] = prev.hex()
            data = canonical.canonical(header)
            prev = canonical.event_hash(data)
            links.append(Link(position, data, prev))
        return links

    def verify(self, *, knows_seed: bool = True) -> Report:
        """Return the verdicts on the log as it now is, all of it at hand."""
        seeds = self.seeds if knows_seed else {}
        return verify(self.tid, self.chained(), self.openings(), games=catalogue.games(), seeds=seeds)

    def verify_as(self, view: str, openings: Mapping[Ref, Opening]) -> Report:
        """Return the verdicts of somebody who holds these openings and no other secret."""
        return verify(self.tid, self.chained(), openings, games=catalogue.games(), view=view)


def _stored(table_id: uuid.UUID) -> Told:
    stream = stream_of(table_id)
    seeds = {each.epoch: bytes(each.seed) for each in Seed.objects.filter(table=table_id)}
    return Told(seeds, [each.header for each in store.read(stream)], store.openings(stream))


def failed_at(report: Report) -> dict[str, int]:
    """Return the first position of each verdict that failed."""
    return {name: verdict.findings[0].position for name, verdict in report if verdict.findings}


TABLE_TYPES = frozenset(messages.EVENTS)
