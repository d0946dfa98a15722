"""The log of a table in words."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from tables import queries
from tables.api import rendering, samples
from tables.api.base import ApiView, caller_of
from tables.api.parameters import AFTER, LIMIT, SEAT
from tables.api.problems import locale_of
from tables.api.schema import operation
from tables.shapes import NarrationPage


class Narration(ApiView):
    """Every event as one sentence."""

    @operation(
        id="getNarration",
        tag="play",
        summary="Read the events as sentences",
        description=(
            "The events of `listEvents`, each as one sentence in the language of the caller, made from what"
            " the caller may know and from nothing else. Players are called by their names at that moment;"
            " a bot, or a player who is gone, by the number of the seat. With `seat=full` what an event hid"
            " is not in its sentence, but in `getKnowledge`."
        ),
        answers={200: NarrationPage},
        conditional=True,
        localised=True,
        parameters=(AFTER, LIMIT, SEAT),
        problems=(403, 404),
        examples=lambda: {"200": _sample()},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return a page of sentences."""
        locale = locale_of(request._request)
        page = queries.narration(
            caller_of(request).id,
            table_id,
            locale,
            after=AFTER.read(request),
            limit=LIMIT.read(request),
            wish=SEAT.read(request),
        )
        return rendering.conditional(request._request, page, language=locale)


def _sample() -> dict[str, object]:
    event = samples.EVENT
    told = {name: event[name] for name in ("position", "type", "occurred_at")}
    sentence = "Turn 2 is open until 2026-01-07 18:00 UTC."
    return {"items": [{**told, "sentence": sentence}], "last_position": 12, "has_more": False}
