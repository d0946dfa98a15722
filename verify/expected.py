"""What must be recorded at a position, and how a recorded event differs from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from events.audit import LinkLike, OpeningLike, Ref
from events.canonical import canonical
from events.codec import Header, Parts


class Undecided(Exception):
    """Nothing more can be decided with what is at hand; the message says why."""


class NotOpen(Undecided):
    """This view lacks an opening that the replay needs."""

    def __init__(self, seq: int, slot: int) -> None:
        super().__init__(f"slot {slot} of event {seq} is not open")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """An event that a decision led to, but for its place in the chain and its salts."""

    type: str
    parts: Parts
    schema: int = 1
    actor: str = "table"
    draws: tuple[tuple[int, str], ...] = ()


def difference(
    expected: Expected, header: Header, event: LinkLike, openings: Mapping[Ref, OpeningLike]
) -> str | None:
    """Return how a recorded event, as ``header`` and in bytes, differs; None where it does not.

    Values of hidden items are never told.  Raises NotOpen.
    """
    if canonical(_as_recorded(expected, header)) != event.header and (why := _named(expected, header)):
        return why
    for slot, (_, payload) in enumerate(expected.parts.items):
        if (opening := openings.get((header.seq, slot))) is None:
            raise NotOpen(header.seq, slot)
        if not _is_spelt(canonical(payload), opening.payload):
            return f"the hidden item in slot {slot} is not the one that follows"
    return None


def _as_recorded(expected: Expected, header: Header) -> dict[str, Any]:
    """Return the header that ``expected`` has in the place, and with the commitments, of ``header``."""
    parts = expected.parts
    return {
        "v": header.v,
        "table": header.table,
        "seq": header.seq,
        "prev": header.prev,
        "type": expected.type,
        "schema": expected.schema,
        "actor": expected.actor,
        "at": header.at,
        "public": parts.public,
        "slots": [{"to": to, "c": slot.c} for (to, _), slot in zip(parts.items, header.slots, strict=False)],
        "assigns": [list(each) for each in parts.assigns],
        "opens": [list(each) for each in parts.opens],
        "draws": [list(each) for each in expected.draws],
    }


def _named(expected: Expected, header: Header) -> str | None:
    """Return the first field in which they differ; None where only the spelling does."""
    if header.type != expected.type:
        return f"{expected.type} should follow, {header.type} is recorded"
    if header.schema != expected.schema:
        return f"{header.type}: schema is {header.schema}, {expected.schema} follows"
    if header.actor != expected.actor:
        return f"{header.type} by {header.actor}, by {expected.actor} follows"
    parts = expected.parts
    following, recorded = _plain(parts.public), _plain(header.public)
    for name in sorted(following.keys() | recorded.keys()):
        if following.get(name) != recorded.get(name) or (name in following) != (name in recorded):
            return f"{header.type}: {name} is {recorded.get(name)}, {following.get(name)} follows"
    if [to for to, _ in parts.items] != [slot.to for slot in header.slots]:
        return f"{header.type}: its slots are not those that follow"
    for name, wanted, found in (
        ("assigns", parts.assigns, header.assigns),
        ("opens", parts.opens, header.opens),
        ("draws", expected.draws, header.draws),
    ):
        if _plain([list(each) for each in wanted]) != _plain([list(each) for each in found]):
            return f"{header.type}: its {name} are not those that follow"
    return None


def _plain(value: Any) -> Any:
    return orjson.loads(canonical(value))


def _is_spelt(following: bytes, recorded: bytes) -> bool:
    """Whether the bytes tell the same value; that its spelling is the canonical one, integrity judges."""
    try:
        return following == recorded or orjson.loads(following) == orjson.loads(recorded)
    except orjson.JSONDecodeError:
        return False
