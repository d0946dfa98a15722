"""Events as the engines know them, and as headers with hidden items apart.

Pure, and shared with the offline verifier.  It knows no game: the types of messages, with the
audience of each of their fields, are handed in.  Layout (transcript format ``ttx v1``): a
public field stands in ``public``; a field of hidden items, or of references to them, stands
there as their number, and its items follow one another in ``slots``, ``assigns`` or ``opens``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

import msgspec

from events import canonical

MOVE_PLAYED = "table.move_played"
SERVER = "server"
FULL: Final = "full"

Viewer = int | Literal["full"] | None
"""Whose eyes: a seat's, a spectator's (None), or those that see what every seat and the server hold."""
Payload = Any
PayloadOf = Callable[[int, int], Payload]


class UnknownEvent(LookupError):
    """A stored event has a type or schema that this code has never written."""


class Slot(msgspec.Struct, frozen=True):
    """One hidden item of an event: its receiver and its commitment in hex."""

    to: str
    c: str


class Header(msgspec.Struct, frozen=True):
    """The public, hashed part of an event, field by field as in ``ttx v1``."""

    v: int
    table: str
    seq: int
    prev: str
    type: str
    schema: int
    actor: str
    at: int
    public: dict[str, Any]
    slots: tuple[Slot, ...]
    assigns: tuple[tuple[int, int, int], ...]
    opens: tuple[tuple[int, int], ...]
    draws: tuple[tuple[int, str], ...]


class FieldLike(Protocol):
    """What the codec must know of a field of a message."""

    @property
    def name(self) -> str: ...
    @property
    def audience(self) -> Any: ...
    @property
    def type(self) -> Any: ...
    @property
    def many(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class MessageType:
    """A type of event or move: ``name`` is its name in the log, ``schema`` its layout's number."""

    name: str
    cls: type
    fields: tuple[FieldLike, ...]
    schema: int = 1


@dataclass(frozen=True, slots=True)
class Parts:
    """What an event puts into its header: ``items`` are (receiver, payload), in slot order."""

    public: dict[str, Any]
    items: tuple[tuple[str, Payload], ...] = ()
    assigns: tuple[tuple[int, int, int], ...] = ()
    opens: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens a commitment; ``payload`` in canonical bytes."""

    to: str
    salt: bytes
    payload: bytes


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event ready to be stored: canonical header and the openings of its slots."""

    type: str
    at: int
    header: bytes
    openings: tuple[Opening, ...]


def read_header(header: bytes) -> Header:
    """Return a stored header.  Raises CorruptHeader when it is none."""
    try:
        return _HEADER.decode(header)
    except msgspec.MsgspecError as error:
        raise CorruptHeader(str(error)) from error


class CorruptHeader(ValueError):
    """Bytes that should be a header are none."""


class Chain:
    """The end of a stream, as it grows by new events.

    ``salt`` gives 32 fresh random bytes for each hidden item.
    """

    def __init__(self, tid: bytes, version: int, head: bytes, salt: Callable[[], bytes]) -> None:
        self.tid = tid
        self.version = version
        self.head = head
        self._salt = salt

    def add(
        self, parts: Parts, *, name: str, schema: int, actor: str, at: int, draws: Iterable[tuple[int, str]]
    ) -> NewEvent:
        """Return the next event of the stream, which the chain from now on ends with."""
        self.version += 1
        openings = tuple(
            Opening(to, self._salt(), canonical.canonical(payload)) for to, payload in parts.items
        )
        header = canonical.canonical(
            {
                "v": 1,
                "table": self.tid.hex(),
                "seq": self.version,
                "prev": self.head.hex(),
                "type": name,
                "schema": schema,
                "actor": actor,
                "at": at,
                "public": parts.public,
                "slots": [
                    {
                        "to": each.to,
                        "c": canonical.commitment(
                            each.salt, self.tid, self.version, slot, each.payload
                        ).hex(),
                    }
                    for slot, each in enumerate(openings)
                ],
                "assigns": [list(each) for each in parts.assigns],
                "opens": [list(each) for each in parts.opens],
                "draws": [list(each) for each in draws],
            }
        )
        self.head = canonical.event_hash(header)
        return NewEvent(name, at, header, openings)


class Codec:
    """Turns the events of one game and its table into parts of headers, and back.

    ``ref`` and ``item`` build a reference (seq, slot) and a committed item (receiver seat or
    None, value); ``move_played`` is the event class that holds a move as it was sent.
    """

    def __init__(
        self,
        events: Iterable[MessageType],
        moves: Iterable[MessageType],
        *,
        move_played: Callable[..., Any],
        ref: Callable[[int, int], Any],
        item: Callable[[int | None, Any], Any],
    ) -> None:
        self._events: dict[str, MessageType] = {each.name: each for each in events}
        self._by_class: dict[type, MessageType] = {each.cls: each for each in self._events.values()}
        self._moves: dict[str, MessageType] = {each.name: each for each in moves}
        self._kind_of: dict[type, MessageType] = {each.cls: each for each in self._moves.values()}
        self._move_played = move_played
        self._ref = ref
        self._item = item

    def field_of(self, header: Header, slot: int) -> str | None:
        """Return the name of the field whose hidden item lies in a slot; None for a sealed move."""
        if header.type == MOVE_PLAYED:
            return None
        for field in self._events[header.type].fields:
            if field.audience.value == "committed":
                if slot < (count := header.public[field.name]):
                    return field.name
                slot -= count
        raise LookupError(f"{header.type} at position {header.seq} has no such slot")

    def name_of(self, event: Any) -> tuple[str, int]:
        """Return the type and schema under which an event is stored."""
        found = self._by_class.get(type(event))
        return (found.name, found.schema) if found else (MOVE_PLAYED, 1)

    def encode(self, event: Any) -> Parts:
        """Return what ``event`` puts into its header."""
        found = self._by_class.get(type(event))
        if found is None:
            return self._encode_move(event)
        public: dict[str, Any] = {}
        items: list[tuple[str, Payload]] = []
        assigns: list[tuple[int, int, int]] = []
        opens: list[tuple[int, int]] = []
        for field in found.fields:
            value = getattr(event, field.name)
            audience = field.audience.value
            if audience == "public":
                public[field.name] = msgspec.to_builtins(value)
                continue
            many = value if field.many else (value,)
            public[field.name] = len(many)
            if audience == "committed":
                items += [(receiver(to), msgspec.to_builtins(payload)) for to, payload in many]
            elif audience == "assigned":
                assigns += [(seq, slot, event.seat) for seq, slot in many]
            else:
                opens += [(seq, slot) for seq, slot in many]
        return Parts(public, tuple(items), tuple(assigns), tuple(opens))

    def decode(self, header: Header, payload_of: PayloadOf) -> Any:
        """Return the event that a header and the payloads of its own slots tell.

        Raises UnknownEvent for a type or schema that is not in the closed list.
        """
        if header.type == MOVE_PLAYED:
            return self._decode_move(header, payload_of)
        found = self._events.get(header.type)
        if found is None or found.schema != header.schema:
            raise UnknownEvent(f"{header.type} schema {header.schema} at position {header.seq}")
        slots = assigns = opens = 0
        values: dict[str, Any] = {}
        for field in found.fields:
            raw = header.public[field.name]
            audience = field.audience.value
            if audience == "public":
                values[field.name] = msgspec.convert(raw, field.type)
                continue
            if audience == "committed":
                many = [
                    self._item(
                        seat_of(header.slots[slot].to),
                        msgspec.convert(payload_of(header.seq, slot), field.type),
                    )
                    for slot in range(slots, slots + raw)
                ]
                slots += raw
            elif audience == "assigned":
                many = [self._ref(each[0], each[1]) for each in header.assigns[assigns : assigns + raw]]
                assigns += raw
            else:
                many = [self._ref(*each) for each in header.opens[opens : opens + raw]]
                opens += raw
            values[field.name] = tuple(many) if field.many else many[0]
        return found.cls(**values)

    def redact(self, header: Header, payload_of: PayloadOf, viewer: Viewer) -> dict[str, Any]:
        """Return an event as ``viewer`` learned it when it happened.

        Hidden items appear by value where this very event made them known to the receiver,
        and as None elsewhere.  ``payload_of`` is asked for no other item than those, see
        ``learned``.
        """
        if header.type == MOVE_PLAYED:
            return self._redact_move(header, payload_of, viewer)
        found = self._events[header.type]
        slots = assigns = opens = 0
        data: dict[str, Any] = {}
        for field in found.fields:
            raw = header.public[field.name]
            audience = field.audience.value
            if audience == "public":
                data[field.name] = raw
                continue
            shown: list[Payload]
            if audience == "committed":
                shown = [
                    payload_of(header.seq, slot) if _is_shown(header.slots[slot].to, viewer) else None
                    for slot in range(slots, slots + raw)
                ]
                slots += raw
            elif audience == "assigned":
                shown = [
                    payload_of(seq, slot) if viewer in (FULL, to) else None
                    for seq, slot, to in header.assigns[assigns : assigns + raw]
                ]
                assigns += raw
            else:
                shown = [payload_of(*each) for each in header.opens[opens : opens + raw]]
                opens += raw
            data[field.name] = shown if field.many else shown[0]
        return data

    def _encode_move(self, event: Any) -> Parts:
        found = self._kind_of[type(event.move)]
        params: dict[str, Any] = {}
        sealed: dict[str, Any] = {}
        for field in found.fields:
            side = sealed if field.audience.value == "sealed" else params
            side[field.name] = msgspec.to_builtins(getattr(event.move, field.name))
        public = {"seat": event.seat, "window": event.window, "kind": found.name, "params": params}
        if not sealed:
            return Parts(public)
        to = SERVER if event.by_table else receiver(event.seat)
        return Parts(public, ((to, {"kind": found.name, "params": sealed}),))

    def _decode_move(self, header: Header, payload_of: PayloadOf) -> Any:
        public = header.public
        found = self._moves.get(public["kind"])
        if found is None:
            raise UnknownEvent(f"move {public['kind']} at position {header.seq}")
        params = dict(public["params"])
        if header.slots:
            params |= payload_of(header.seq, 0)["params"]
        move = found.cls(
            **{each.name: msgspec.convert(params[each.name], each.type) for each in found.fields}
        )
        return self._move_played(
            seat=public["seat"], window=public["window"], move=move, by_table=header.actor == "table"
        )

    def _redact_move(self, header: Header, payload_of: PayloadOf, viewer: Viewer) -> dict[str, Any]:
        public = header.public
        found = self._moves[public["kind"]]
        sealed: dict[str, Any] = {}
        if header.slots and _is_shown(header.slots[0].to, viewer):
            sealed = payload_of(header.seq, 0)["params"]
        params = {each.name: public["params"].get(each.name, sealed.get(each.name)) for each in found.fields}
        return {**public, "params": params}


def learned(header: Header, viewer: Viewer) -> list[tuple[int, int]]:
    """Return the (seq, slot) of the items that this event made known to ``viewer``."""
    return [
        *((header.seq, slot) for slot, each in enumerate(header.slots) if _is_shown(each.to, viewer)),
        *((seq, slot) for seq, slot, to in header.assigns if viewer in (FULL, to)),
        *header.opens,
    ]


def _is_shown(to: str, viewer: Viewer) -> bool:
    """Tell whether ``viewer`` sees an item as it is committed to a receiver."""
    return viewer == FULL or (viewer is not None and to == receiver(viewer))


def receiver(seat: int | None) -> str:
    """Return how a slot names its receiver: ``seat:N``, or ``server`` for None."""
    return SERVER if seat is None else f"seat:{seat}"


def seat_of(to: str) -> int | None:
    """Return the seat that a receiver names, None for the server."""
    return None if to == SERVER else int(to.removeprefix("seat:"))


_HEADER = msgspec.json.Decoder(Header)
