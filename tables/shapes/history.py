"""What the API answers of a table's past: where its turns opened, and who knew what, when."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tables.shapes.fields import Answer, Moment


class TurnPosition(Answer):
    """Where in the log a turn opened."""

    turn: Annotated[int, Meta(ge=1)]
    position: Annotated[int, Meta(description="Send it as `at` for the view at the beginning of the turn.")]
    occurred_at: Moment


class TurnPage(Answer):
    """Turns after a position, oldest first."""

    items: list[TurnPosition]
    last_position: Annotated[int, Meta(description="Send it as `after` for what follows.")]
    has_more: bool


class Knower(Answer):
    """A seat that knew something hidden before everybody did."""

    seat: int
    since: Annotated[int, Meta(description="The position at which it learned it.")]


class KnownItem(Answer):
    """Something hidden, and who knew it when."""

    slot: Annotated[int, Meta(description="Which of the hidden items of the event, from 0.")]
    payload: Annotated[dict[str, Any], Meta(description="The item, as it was committed to.")]
    seats: Annotated[list[Knower], Meta(description="By position; empty: no seat before everybody.")]
    public_since: Annotated[
        int, Meta(description="The position at which everybody learned it, at the latest when the seed did.")
    ]
    sentence: Annotated[str, Meta(description="All of this in the language of the caller.")]


class KnownEvent(Answer):
    """An event that hid something."""

    position: int
    type: str
    items: list[KnownItem]


class KnowledgePage(Answer):
    """Events after a position that hid something, oldest first."""

    items: list[KnownEvent]
    last_position: Annotated[int, Meta(description="Send it as `after` for what follows.")]
    has_more: bool
