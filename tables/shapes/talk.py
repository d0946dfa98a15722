"""What the API takes and answers of talk: messages, marks, reports, mutes and notes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tables.shapes.fields import Answer, Moment, Request, known

HIDE_REASONS = ("abuse", "spam", "spoiler", "other")

SpectatorTalkChoice = Annotated[
    Literal["none", "read", "write"],
    Meta(description="Whether those without a seat may read what is said at the table, or speak too."),
]


class NewMessage(Request):
    """Something to be said at a table."""

    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2000,
            description=(
                "Plain text, never markup, and not only blanks; no control characters but newline and tab."
            ),
        ),
    ]


class NewReport(Request):
    """Why staff should look at a message."""

    reason: Annotated[str, Meta(min_length=1, max_length=500, description="In the player's own words.")]


class ReadMark(Request):
    """How far the caller has read."""

    position: Annotated[
        int, Meta(ge=0, le=2**31 - 1, description="The position of the last message read; 0: none.")
    ]


class NoteChange(Request):
    """A note as it is from now on."""

    text: Annotated[str, Meta(max_length=4000, description="Plain text; empty: no note.")]


class MessageAnswer(Answer):
    """A message, as the caller may read it."""

    position: Annotated[int, Meta(ge=1, description="Ascending, with gaps; it names the message.")]
    seat: Annotated[int | None, Meta(description="The seat that spoke; null for a spectator.")]
    player: Annotated[
        str | None,
        Meta(description="Who held the seat then, or who looked on; null: an account that is gone."),
    ]
    said_at: Moment
    game_position: Annotated[
        int, Meta(description="The position of the table's last event when this was said, for replays.")
    ]
    text: Annotated[
        str | None, Meta(description="Plain text; null when the message is hidden, erased or muted.")
    ]
    hidden: Annotated[str | None, known("Why staff have hidden it; null: they have not.", *HIDE_REASONS)]
    erased: Annotated[bool, Meta(description="The text is gone for good.")]
    muted: Annotated[bool, Meta(description="The caller has muted this player.")]


class MessagePage(Answer):
    """Messages after a position, oldest first; or before one, newest first."""

    items: list[MessageAnswer]
    last_position: Annotated[
        int, Meta(description="Send it as `after`, or else as `before`, for what follows.")
    ]
    has_more: bool
    last_read: Annotated[int, Meta(description="How far the caller has read.")]
    unread: Annotated[int, Meta(description="How many messages of others, not muted, come after that.")]


class ReadAnswer(Answer):
    """How far the caller has read."""

    last_read: int
    unread: Annotated[int, Meta(description="How many messages of others, not muted, come after that.")]


class ReportAnswer(Answer):
    """A report to staff."""

    position: Annotated[int, Meta(description="The message.")]
    reason: str
    reported_at: Moment


class MuteAnswer(Answer):
    """A player whose messages the caller does not want to read."""

    player: Annotated[str, Meta(description="The player's name.")]
    since: Moment


class MuteList(Answer):
    """The players whom the caller has muted, by name."""

    items: list[MuteAnswer]


class NoteAnswer(Answer):
    """The caller's own note at a table."""

    text: Annotated[str, Meta(description="Empty: no note.")]
    changed_at: Moment | None
