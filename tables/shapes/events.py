"""What the API answers of a table's log: events, receipts, and the record for verifiers."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tables.shapes.fields import Answer, Moment, Uuid, known
from tables.shapes.server import SigningKey


class EventAnswer(Answer):
    """Something that happened at a table, as the caller learned it."""

    position: Annotated[int, Meta(ge=1, description="1, 2, 3 and so on, the same for every viewer.")]
    type: Annotated[
        str, Meta(description="`table.…`, `clock.…` or `<game>.…`; clients ignore types they do not know.")
    ]
    occurred_at: Moment
    actor_seat: Annotated[int | None, Meta(description="The seat whose doing it was; null for the table.")]
    data: Annotated[
        dict[str, Any],
        Meta(
            description=(
                "By the game's schema `event.<type>`; null stands for what the caller may not know. Times in"
                " it are milliseconds since 1970, and holders names of this table alone, which mean no more."
            )
        ),
    ]


class EventPage(Answer):
    """Events after a position, oldest first."""

    items: list[EventAnswer]
    last_position: Annotated[int, Meta(description="Send it as `after` for what follows.")]
    has_more: bool


class MyEvent(EventAnswer):
    """Something that happened at one of the caller's tables."""

    table_id: Uuid


class MyEventPage(Answer):
    """Events of the caller's tables: in order for each table, in none between tables."""

    items: list[MyEvent]
    cursor: Annotated[str, Meta(description="Send it as `after` for what follows.")]
    has_more: bool


class Receipt(Answer):
    """The server's signature under the log as it stands: Ed25519 of `ttx/head/v1`, a zero byte, and this
    record without `sig` in canonical JSON (RFC 8785)."""

    v: int
    table: Annotated[str, Meta(description="The table's id in hex.")]
    seq: Annotated[int, Meta(description="The position up to which the log is signed.")]
    head: Annotated[str, Meta(description="The hash of that event.")]
    at: Annotated[int, Meta(description="The event's time in milliseconds since 1970.")]
    kid: Annotated[str, Meta(description="The signing key, see `/v1/keys`; zeros while there is none.")]
    sig: Annotated[
        str | None, Meta(description="The signature in hex; null while pending: ask for the head later.")
    ]


class MoveReceipt(Answer):
    """What a move did."""

    receipt: Receipt
    events: Annotated[
        list[EventAnswer],
        Meta(description="The move itself, then what followed, as the caller may see it."),
    ]
    turn: Annotated[int, Meta(description="The turn open afterwards.")]
    version: Annotated[int, Meta(description="The position of the last of these events.")]
    etag: Annotated[str, Meta(description="The `ETag` of the caller's view afterwards.")]


class Opening(Answer):
    """A hidden item with the salt that opens its commitment."""

    seq: Annotated[int, Meta(description="The position of the event that the item is part of.")]
    slot: Annotated[int, Meta(description="Which of the `slots` of that event, from 0.")]
    salt: Annotated[str, Meta(description="32 bytes in hex.")]
    payload: Annotated[dict[str, Any], Meta(description="The item, as it was committed to.")]


class Engine(Answer):
    """The rules that a game is played by, as `table.started` names them."""

    game: str
    rules_version: int
    digest: Annotated[str, Meta(description="SHA-256 over the code of the game, in hex; informational.")]


class TranscriptAnswer(Answer):
    """The record of a table, for an offline verifier (`ttx v1`)."""

    format: Annotated[str, known("The format of the record.", "ttx/transcript/v1")]
    view: Annotated[
        str,
        Meta(
            description=("Whose openings these are: `public`, `seat:N`, or `full` once the seed is revealed.")
        ),
    ]
    events: Annotated[
        list[dict[str, Any]],
        Meta(description="Every event's header, oldest first, byte for byte what was hashed once canonical."),
    ]
    openings: Annotated[
        list[Opening], Meta(description="What the caller may know of what was hidden, by event and slot.")
    ]
    receipts: Annotated[
        list[Receipt], Meta(description="The server's signature under the last event; none while pending.")
    ]
    keys: Annotated[list[SigningKey], Meta(description="As `/v1/keys`.")]
    engine: Annotated[Engine | None, Meta(description="The rules in force; null before the start.")]
