"""What the API answers of vacations."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tables.shapes.fields import Answer, Moment, Uuid


class VacationAnswer(Answer):
    """A time in which the player is away."""

    id: Uuid
    since: Moment
    until: Moment


class VacationList(Answer):
    """The caller's vacations, the latest first, and what is left of this year's."""

    items: list[VacationAnswer]
    seconds_left: Annotated[int, Meta(description="Of this calendar year, in the caller's time zone.")]
