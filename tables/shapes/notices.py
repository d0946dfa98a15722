"""What the API takes and answers of notices: the list, the choices of mails, the address."""

from __future__ import annotations

import uuid
from typing import Annotated, Literal, get_args

from msgspec import Meta

from tables.shapes.fields import Answer, Moment, Request, Uuid, known

MODES = ("immediate", "hourly", "daily", "never")

_MAIL = "When mails are sent: `immediate` (after a minute), `hourly`, `daily` at `daily_at`, or `never`."
ModeChoice = Annotated[Literal["immediate", "hourly", "daily", "never"], Meta(description=_MAIL)]
Mode = Annotated[str, known(_MAIL, *MODES)]
_Kinds = Literal[
    "your_turn",
    "reminder",
    "started",
    "finished",
    "invited",
    "replaced",
    "message",
    "vote",
    "pause",
    "staff",
    "webhook",
]
KINDS: tuple[str, ...] = get_args(_Kinds)
KindName = Annotated[_Kinds, Meta(description="A `kind` of notices.")]
Kind = Annotated[str, known("What the notice is about.", *KINDS)]
_DAILY_AT = Meta(ge=0, le=23, description="The hour of the daily mail, by the clocks of the player's zone.")


class NoticeAnswer(Answer):
    """Something that a player is told about a table."""

    id: Uuid
    number: Annotated[int, Meta(ge=1, description="Counts the caller's notices, 1, 2, 3; for `upto`.")]
    kind: Kind
    what: Annotated[str, Meta(description="What it says, more closely; clients show those they do not know.")]
    table_id: Uuid
    table: Annotated[str, Meta(description="Title and game, in the language of the answer.")]
    turn: Annotated[int | None, Meta(description="The turn that it is about.")]
    created_at: Moment
    read: bool
    title: Annotated[str, Meta(description="A few words, in the language of the answer.")]
    text: Annotated[str, Meta(description="A sentence, in the language of the answer.")]


class NoticePage(Answer):
    """A page of notices, newest first."""

    items: list[NoticeAnswer]
    unread: Annotated[int, Meta(description="How many of all the caller's notices are unread.")]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null at the end.")
    ]
    previous_cursor: Annotated[str | None, Meta(description="The page before; null at the beginning.")]


class NoticesRead(Request):
    """How far the caller has read."""

    upto: Annotated[int, Meta(ge=0, le=2**31 - 1, description="The `number` of the newest notice read.")]


class NoticesReadAnswer(Answer):
    """How far the caller has read; it never goes back."""

    read_upto: int
    unread: int


class KindChoice(Request):
    """When mails of a kind of notices are sent."""

    kind: KindName
    mail: ModeChoice


class TableChoice(Request):
    """When mails about a table are sent."""

    table_id: Annotated[uuid.UUID, Meta(description="A table that the caller sees.")]
    mail: ModeChoice


class ChoicesChange(Request):
    """What a player wants to be mailed from now on.

    A kind with `never` is mailed from no table; else a table's choice comes before that of a kind.
    """

    mail: ModeChoice = "immediate"
    daily_at: Annotated[int, _DAILY_AT] = 8
    kinds: Annotated[list[KindChoice], Meta(max_length=20, description="Choices for single kinds.")] = []
    tables: Annotated[list[TableChoice], Meta(max_length=200, description="Choices for single tables.")] = []


class KindChoiceAnswer(Answer):
    """When mails of a kind of notices are sent."""

    kind: Kind
    mail: Mode


class TableChoiceAnswer(Answer):
    """When mails about a table are sent."""

    table_id: Uuid
    mail: Mode


class NoticeChoicesAnswer(Answer):
    """What a player wants to be mailed."""

    mail: Mode
    daily_at: Annotated[int, _DAILY_AT]
    kinds: list[KindChoiceAnswer]
    tables: list[TableChoiceAnswer]


class EmailChange(Request):
    """An address for notices."""

    email: Annotated[
        str,
        Meta(
            min_length=3,
            max_length=254,
            description="A code is mailed to it, which confirms it.",
            extra_json_schema={"format": "email"},
        ),
    ]
    password: Annotated[
        str, Meta(max_length=200, description="The caller's own; left out by a guest, who has none.")
    ] = ""


class EmailConfirmation(Request):
    """What was mailed to an address."""

    code: Annotated[
        str, Meta(min_length=1, max_length=40, description="In any case, hyphens left out or not.")
    ]


class EmailAnswer(Answer):
    """The caller's address."""

    email: str | None
    confirmed: Annotated[bool, Meta(description="Nothing is mailed to an address before it is confirmed.")]
