"""Streams of server-sent events, in the live process."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, aclosing
from typing import Any, Final, TypeVar

from django.http import StreamingHttpResponse
from rest_framework.request import Request

from tables import access
from tables.api import headers, samples
from tables.api.parameters import AFTER, AFTER_ALL, Parameter, V
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.api.waiting import Asked, LiveView, Places
from tables.errors import BadField
from tables.live import feeds, streams
from tables.live.hub import aside

MEDIA: Final = "text/event-stream"
TEXT: Final = {"type": "string"}
R = TypeVar("R")
_STREAM: Final = (
    " `event` is the type of the event. `talk` says how far the talk of a table has come (`table_id`,"
    " `version`: more with each message, and with each that is hidden){notices}, without an `id`; it is told"
    " anew at the beginning of each stream. A comment every 15 s shows that the stream lives. `end` says why"
    " it ends, in `kind` of its data: `renew` after 15 minutes, `resync` when the client has missed over"
    " 1,000 events (read them, and begin anew), `unauthenticated` within 15 s of the end of the token,"
    " `not_found`, `rules_missing`, `busy`. Come back with `Last-Event-ID`: nothing is lost, and nothing"
    " repeated. A player may have five streams open. For browsers: read it with `fetch`, for `EventSource`"
    " sends no `Authorization`."
)

_streams = Places(Limit("streams", 5, 1))


class TableStream(LiveView):
    """The events of a table."""

    @operation(
        id="streamEvents",
        tag="live",
        summary="Stream events",
        description=(
            "What happens at a table after a position, as it happens: server-sent events whose `id` is the"
            " position and whose `data` is an `EventAnswer`." + _STREAM.format(notices="")
        ),
        answers={200: TEXT},
        media=MEDIA,
        parameters=(AFTER,),
        sent=(headers.LAST_EVENT_ID,),
        problems=(404,),
        examples=lambda: {"200": samples.stream(12)},
    )
    async def get(self, asked: Asked, *, table_id: uuid.UUID) -> StreamingHttpResponse:
        """Stream events."""
        after = _begin(asked.request, AFTER)
        await aside(access.viewer_of, asked.caller.id, table_id)
        place = _streams.take(asked.caller.id)
        return _response(streams.of_table(asked.caller, table_id, after or 0), place)


class MyStream(LiveView):
    """The events of all tables of the caller."""

    @operation(
        id="streamMyEvents",
        tag="live",
        summary="Stream events of the own tables",
        description=(
            "What happens at all tables at which the caller sits, as it happens: server-sent events whose"
            " `id` is a cursor and whose `data` is a `MyEvent`. Without `after` and `Last-Event-ID` it begins"
            " now, with an `id` alone, from which it can be resumed."
            + _STREAM.format(notices=", and `notices` how many notices there have been (`last_number`)")
        ),
        answers={200: TEXT},
        media=MEDIA,
        parameters=(AFTER_ALL,),
        sent=(headers.LAST_EVENT_ID,),
        examples=lambda: {"200": samples.stream(samples.CURSOR)},
    )
    async def get(self, asked: Asked) -> StreamingHttpResponse:
        """Stream events."""
        told = _begin(asked.request, AFTER_ALL)
        after = None if told is None else _given(asked.request, AFTER_ALL, feeds.positions_of, told)
        place = _streams.take(asked.caller.id)
        return _response(streams.of_player(asked.caller, after), place)


def _begin(request: Request, after: Parameter[V]) -> V | None:
    """Return where a stream is to go on: by the query, else by the header.  Raises BadField."""
    last = request._request.META.get("HTTP_LAST_EVENT_ID")
    if after.name in request._request.GET or last is None:
        return after.read(request)
    return _given(request, after, after.value_of, last)


def _given(request: Request, after: Parameter[Any], read: Callable[[str], R], told: str) -> R:
    """Return what was told by the query or the header.  Raises BadField, which points at it."""
    try:
        return read(told)
    except BadField as error:
        pointer = f"?{after.name}" if after.name in request._request.GET else "Last-Event-ID"
        raise BadField(**{**error.facts, "pointer": pointer}) from error


def _response(stream: AsyncGenerator[bytes], place: AbstractContextManager[None]) -> StreamingHttpResponse:
    """Return a stream as an answer that no proxy keeps back."""
    return StreamingHttpResponse(
        _held(stream, place),
        content_type=MEDIA,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _held(stream: AsyncGenerator[bytes], place: AbstractContextManager[None]) -> AsyncGenerator[bytes]:
    with place:
        async with aclosing(stream):
            async for each in stream:
                yield each
