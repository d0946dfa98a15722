"""What the API answers of events as sentences."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tables.shapes.fields import Answer, Moment


class Sentence(Answer):
    """An event as the caller learned it, in words."""

    position: Annotated[int, Meta(ge=1, description="As that of the event in `listEvents`.")]
    type: Annotated[str, Meta(description="As that of the event.")]
    occurred_at: Moment
    sentence: Annotated[
        str, Meta(description="One sentence of plain text, made from what the caller may know alone.")
    ]


class NarrationPage(Answer):
    """Sentences on the events after a position, oldest first."""

    items: list[Sentence]
    last_position: Annotated[int, Meta(description="Send it as `after` for what follows.")]
    has_more: bool
