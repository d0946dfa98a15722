"""What the API takes and answers, as typed records: validation and the document derive from them.

Answers have open strings where a set may grow; requests are closed.  Times are milliseconds
since 1970 in UTC where a field ends in ``_ms``, else RFC 3339 text in UTC.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta


def known(text: str, *values: str) -> Meta:
    """Describe an open string: a client must accept values that are not listed."""
    return Meta(description=text, extra_json_schema={"x-known-values": list(values)})


Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Moment = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, description="UTC, with milliseconds.")
]
Status = Annotated[
    str,
    known("Where the table stands.", "open", "playing", "finished", "closed"),
]


class Request(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A body: nothing is coerced, no unknown field is taken."""


class Answer(msgspec.Struct, kw_only=True):
    """A body of the server's."""


class ClockChoice(Request):
    """How time runs at a table."""

    kind: Annotated[
        Literal["per_turn", "none"],
        Meta(description="`per_turn`: each turn has `seconds`. `none`: no deadline."),
    ] = "per_turn"
    seconds: (
        Annotated[int, Meta(ge=60, le=2_592_000, description="Seconds for a turn; with `per_turn` only.")]
        | None
    ) = None


class NewTable(Request):
    """A table to be opened; the caller is its host and takes its first free seat."""

    game: Annotated[str, Meta(min_length=1, max_length=40, description="An `id` of the catalogue.")]
    title: Annotated[str, Meta(max_length=80, description="Free text shown in the lobby.")] = ""
    seats: (
        Annotated[int, Meta(ge=1, le=20, description="How many seats; the game's fewest when left out.")]
        | None
    ) = None
    options: Annotated[dict[str, Any], Meta(description="The game's options, by its options schema.")] = {}
    clock: ClockChoice | None = None
    visibility: Annotated[
        Literal["public", "private"],
        Meta(description="A private table is seen by those with a seat or its invite code."),
    ] = "public"
    starts: Annotated[Literal["when_full", "by_host"], Meta(description="When play begins.")] = "when_full"
    bots: Annotated[list[str], Meta(max_length=19, description="Bots of the game to seat, by name.")] = []


class Join(Request):
    """A wish for a seat."""

    seat: (
        Annotated[int, Meta(ge=0, le=19, description="The seat wanted; the first free one when left out.")]
        | None
    ) = None
    invite_code: Annotated[str, Meta(max_length=32, description="Needed at a private table.")] | None = None


class Move(Request):
    """A move of any kind, for clients that play every game."""

    turn: Annotated[
        int, Meta(ge=1, le=2**31 - 1, description="The `turn` of the view that the move answers.")
    ]
    kind: Annotated[str, Meta(min_length=1, max_length=40, description="A `kind` of `legal_moves`.")]
    params: Annotated[dict[str, Any], Meta(description="The parameters of that kind.")] = {}


class SeatHolder(Answer):
    """One seat of a table."""

    seat: Annotated[int, Meta(ge=0)]
    player: Annotated[
        str | None, Meta(description="The player's name; null: free, a bot, or a player who is gone.")
    ]
    bot: Annotated[str | None, Meta(description="The bot that plays here, if one does.")]


class ClockAnswer(Answer):
    """How time runs at the table."""

    kind: Annotated[str, known("The kind of clock.", "per_turn", "none")]
    seconds: Annotated[int | None, Meta(description="Seconds for a turn.")]


class OutcomeAnswer(Answer):
    """How the game ended."""

    winners: Annotated[list[int], Meta(description="Seats, ascending; empty when nobody won.")]
    places: Annotated[
        list[int], Meta(description="The place of each seat, 1 for the first; equal ones share it.")
    ]
    scores: Annotated[
        list[int] | None, Meta(description="The points of each seat, where the game counts them.")
    ]
    reason: Annotated[str, Meta(description="A code worded in the game's catalogue.")]


class TableAnswer(Answer):
    """A table as the lobby shows it."""

    id: Uuid
    game: str
    rules_version: int
    title: str
    status: Status
    visibility: Annotated[str, known("Who may see it.", "public", "private")]
    starts: Annotated[str, known("When play begins.", "when_full", "by_host")]
    options: Annotated[dict[str, Any], Meta(description="The game's options in force.")]
    clock: ClockAnswer
    seats: list[SeatHolder]
    host: Annotated[str | None, Meta(description="The host's name.")]
    my_seat: Annotated[int | None, Meta(description="The caller's seat.")]
    invite_code: Annotated[str | None, Meta(description="Shown to those with a seat.")]
    turn: Annotated[int, Meta(description="The decision point now open; 0 before the start.")]
    version: Annotated[int, Meta(description="The position of the last event.")]
    awaited: Annotated[list[int], Meta(description="Seats that the table waits for.")]
    deadline_at: Moment | None
    created_at: Moment
    outcome: OutcomeAnswer | None


class TablePage(Answer):
    """A page of tables, newest first."""

    items: list[TableAnswer]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null at the end.")
    ]
    previous_cursor: Annotated[str | None, Meta(description="The page before; null at the beginning.")]


class LegalMove(Answer):
    """A move that the caller may send now."""

    kind: str
    params: Annotated[dict[str, Any], Meta(description="To be sent as they are.")]


class AwaitedSeat(Answer):
    """A seat that the table waits for."""

    seat: int
    kinds: Annotated[list[str], Meta(description="The kinds of move awaited.")]


class ViewAnswer(Answer):
    """What the caller sees of a game, in a shape common to all games."""

    table_id: Uuid
    game: str
    status: Status
    version: Annotated[int, Meta(description="The position of the last event that this view tells.")]
    turn: Annotated[int, Meta(description="Send it with a move.")]
    etag: Annotated[str, Meta(description="The `ETag` of this view.")]
    viewer: Annotated[int | None, Meta(description="The seat whose eyes these are; null for a spectator.")]
    awaited: list[AwaitedSeat]
    deadline_at: Moment | None
    expiring: Annotated[bool, Meta(description="The deadline has passed, and the turn is being resolved.")]
    server_time: Moment
    legal_moves: Annotated[list[LegalMove], Meta(description="Every move the caller may send now.")]
    outcome: OutcomeAnswer | None
    data: Annotated[
        dict[str, Any], Meta(description="The game's own view, by its view schema; empty before the start.")
    ]


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
        Meta(description="By the event's schema; null stands for what the caller may not know."),
    ]


class EventPage(Answer):
    """Events after a position, oldest first."""

    items: list[EventAnswer]
    last_position: Annotated[int, Meta(description="Send it as `after` for what follows.")]
    has_more: bool


class Receipt(Answer):
    """The server's signature under the log as it stands (Ed25519, `ttx v1`)."""

    v: int
    table: Annotated[str, Meta(description="The table's id in hex.")]
    seq: Annotated[int, Meta(description="The position up to which the log is signed.")]
    head: Annotated[str, Meta(description="The hash of that event.")]
    at: Annotated[int, Meta(description="The event's time in milliseconds since 1970.")]
    kid: Annotated[str, Meta(description="The signing key, see `/v1/keys`.")]
    sig: Annotated[str | None, Meta(description="The signature in hex; null while pending.")]


class MoveReceipt(Answer):
    """What a move did."""

    receipt: Receipt
    events: Annotated[
        list[EventAnswer],
        Meta(description="What followed, as the caller may see it; the move itself comes first."),
    ]
    turn: Annotated[int, Meta(description="The turn open afterwards.")]
    version: Annotated[int, Meta(description="The position of the last of these events.")]
    etag: Annotated[str, Meta(description="The `ETag` of the caller's view afterwards.")]


class TurnAnswer(Answer):
    """A table that waits for the caller."""

    table_id: Uuid
    game: str
    title: str
    seat: int
    turn: Annotated[int, Meta(description="The `turn` to send with the move.")]
    deadline_at: Moment | None


class TurnList(Answer):
    """The tables that wait for the caller, the most urgent first."""

    items: list[TurnAnswer]
    server_time: Moment
