"""Long-polls: reads that wait for news, in the live process.

Their views are asynchronous, so they stand beside the framework's: who is let in, what is counted and
how a refusal is worded is the same.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakSet

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated
from rest_framework.request import Request

from tables import players, queries, turns
from tables.api import problems, rendering, samples, throttling
from tables.api.auth import BearerAuthentication
from tables.api.base import ApiView
from tables.api.parameters import AFTER, AFTER_ALL, EXPAND, LIMIT, WAIT
from tables.api.schema import operation
from tables.api.throttling import Limit, TooManyRequests
from tables.errors import Misdirected
from tables.live import feeds
from tables.live.hub import Watch, aside, hub
from tables.players import Caller
from tables.shapes import EventPage, MyEventPage, TurnList, ViewAnswer

WAITS = (
    " Waits up to `wait` seconds where there is nothing new yet; ask again at once after each answer. A"
    " player may have 20 requests waiting."
)
AGAIN_SECONDS = 3
FRESH = {"Cache-Control": "no-store"}


class TooManyAtOnce(TooManyRequests):
    """The caller has as many requests open as it may have."""

    code = "too_many_at_once"

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that tell the caller how many may be open."""
        name, most, _ = self.limit
        return {
            "Retry-After": str(self.wait),
            "RateLimit-Policy": f'"{name}";q={most};qu="concurrent-requests"',
            "RateLimit": f'"{name}";r=0',
        }


class _Place:
    """One of the few that a caller has; given up where it ends, or at the latest where it is forgotten."""


class Places:
    """How many requests of each caller may be open at once, in this process."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._taken: dict[uuid.UUID, WeakSet[_Place]] = {}

    def take(self, player_id: uuid.UUID) -> AbstractContextManager[None]:
        """Take a place, which the block gives up.  Raises TooManyAtOnce."""
        taken = self._taken.setdefault(player_id, WeakSet())
        if len(taken) >= self._limit.quota:
            raise TooManyAtOnce(self._limit, AGAIN_SECONDS)
        place = _Place()
        taken.add(place)
        return self._held(player_id, place)

    @contextmanager
    def _held(self, player_id: uuid.UUID, place: _Place) -> Iterator[None]:
        try:
            yield
        finally:
            if taken := self._taken.get(player_id):
                taken.discard(place)
                if not taken:
                    del self._taken[player_id]


class Asked(NamedTuple):
    """A request to the live process, and who sends it."""

    request: Request
    caller: Caller


class LiveView(ApiView):
    """A resource of the live process; its one method, ``get``, is a coroutine."""

    get: Callable[..., Awaitable[HttpResponseBase]]

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:  # noqa: ARG003
        """Return the view, which the document finds like any other."""

        async def view(request: HttpRequest, **where: Any) -> HttpResponseBase:
            return await cls._answer(Request(request), where)

        view.cls, view.initkwargs = cls, {}  # type: ignore[attr-defined]
        return view

    @classmethod
    async def _answer(cls, request: Request, where: dict[str, Any]) -> HttpResponseBase:
        self = cls()
        try:
            if request._request.method != "GET":
                raise MethodNotAllowed(request._request.method or "")
            if not isinstance(request._request, ASGIRequest):
                raise Misdirected(live_url=settings.LIVE_URL)
            found = await aside(BearerAuthentication().authenticate, request)
            if found is None:
                raise NotAuthenticated
            self.require_scope(found[0], "GET")
            throttling.spend(throttling.READS, str(found[0].id))
            self.require_known_parameters(request)
            answered: HttpResponseBase = await self.get(Asked(request, found[0]), **where)
        except Exception as error:
            refusal = problems.handle(error, {"request": request, "view": self})
            if refusal is None:
                raise
            return refusal
        return answered

    @property
    def allowed_methods(self) -> list[str]:
        """The one method."""
        return ["GET"]


_waits = Places(Limit("waits", 20, 1))


class TableEvents(LiveView):
    """The events of a table, as soon as there are any."""

    @operation(
        id="awaitEvents",
        tag="live",
        summary="Wait for events",
        description=(
            "As `GET /v1/tables/{table_id}/events`; answers as soon as there are events after `after`, with"
            " an empty page when there are none in time." + WAITS
        ),
        answers={200: EventPage},
        parameters=(AFTER, LIMIT, WAIT),
        problems=(404,),
        examples=lambda: {"200": samples.EVENTS},
    )
    async def get(self, asked: Asked, *, table_id: uuid.UUID) -> HttpResponse:
        """Return a page of events."""
        after, limit = AFTER.read(asked.request), LIMIT.read(asked.request)
        read = partial(queries.events, asked.caller.id, table_id, after=after, limit=limit, resolving=False)
        page = await _patiently(asked, read, lambda page: bool(page.items), partial(hub.table, table_id))
        return rendering.answer(page, headers=FRESH)


class MyEvents(LiveView):
    """The events of all tables of the caller, as soon as there are any."""

    @operation(
        id="awaitMyEvents",
        tag="live",
        summary="Wait for events of the own tables",
        description=(
            "As `GET /v1/me/events`; answers as soon as there are events after `after`, with an empty page"
            " when there are none in time. Without `after` it answers at once, with the cursor to begin from."
            + WAITS
        ),
        answers={200: MyEventPage},
        parameters=(AFTER_ALL, LIMIT, WAIT),
        examples=lambda: {"200": samples.my_events()},
    )
    async def get(self, asked: Asked) -> HttpResponse:
        """Return a page of events."""
        told, limit = AFTER_ALL.read(asked.request), LIMIT.read(asked.request)
        after = None if told is None else feeds.positions_of(told)
        read = partial(feeds.my_events, asked.caller.id, after, limit)
        page = await _patiently(
            asked,
            read,
            lambda page: after is None or bool(page.items),
            partial(hub.player, asked.caller.id),
        )
        return rendering.answer(page, headers=FRESH)


class View(LiveView):
    """The view of a table, as soon as it is another."""

    @operation(
        id="awaitView",
        tag="live",
        summary="Wait for another view",
        description=(
            "As `GET /v1/tables/{table_id}/view`, with the same `data` and `ETag` as a game's typed view;"
            " with the `ETag` of the view that the client holds in `If-None-Match` it answers as soon as"
            " there is another, and 304 when there is none in time." + WAITS
        ),
        answers={200: ViewAnswer},
        conditional=True,
        parameters=(WAIT,),
        problems=(404,),
        examples=lambda: {"200": samples.view_of(samples.first_game().id)},
    )
    async def get(self, asked: Asked, *, table_id: uuid.UUID) -> HttpResponse:
        """Return the view."""
        read = partial(queries.view, asked.caller.id, table_id, resolving=False)
        return await _changed(asked, read, lambda view: view.etag, partial(hub.table, table_id))


class MyTurns(LiveView):
    """Where the caller is to act, as soon as that has changed."""

    @operation(
        id="awaitMyTurns",
        tag="live",
        summary="Wait for a change of the tables that wait for the caller",
        description=(
            "As `GET /v1/me/turns`; with the `ETag` of the list that the client holds in `If-None-Match` it"
            " answers as soon as there is another, and 304 when there is none in time." + WAITS
        ),
        answers={200: TurnList},
        conditional=True,
        parameters=(EXPAND, WAIT),
        examples=lambda: {"200": samples.turns()},
    )
    async def get(self, asked: Asked) -> HttpResponse:
        """Return the tables."""
        read = partial(turns.turns, asked.caller.id, with_views=bool(EXPAND.read(asked.request)))
        return await _changed(asked, read, lambda found: found.etag, partial(hub.player, asked.caller.id))


Watching = Callable[[], AbstractContextManager[Watch[Any]]]


async def _changed(
    asked: Asked, read: Callable[[], Any], tag_of: Callable[[Any], str], watching: Watching
) -> HttpResponse:
    """Return what is read as soon as it is not what the client holds; 304 when time runs out before."""
    request = asked.request._request
    found = await _patiently(
        asked, read, lambda found: not rendering.matches(request, tag_of(found)), watching
    )
    return rendering.conditional(request, found, tag=tag_of(found))


async def _patiently(
    asked: Asked,
    read: Callable[[], Any],
    is_news: Callable[[Any], bool],
    watching: Watching,
) -> Any:
    """Return the first that is read and is news, or what there is when time has run out.

    It is read once for each change of what is watched.  Raises NotAuthenticated where the token ends
    meanwhile, TooManyAtOnce, and what ``read`` raises.
    """
    until = time.monotonic() + WAIT.read(asked.request)
    found = await aside(read)
    if is_news(found):
        return found
    with _waits.take(asked.caller.id), watching() as watch:
        seen: Any = None
        while (left := until - time.monotonic()) > 0:
            sign = await watch.until(lambda sign: sign != seen, left)  # noqa: B023 - awaited at once
            if sign is None:
                break
            seen = sign
            found = await aside(_once_more, asked.caller, read)
            if is_news(found):
                break
    return found


def _once_more(caller: Caller, read: Callable[[], Any]) -> Any:
    """Read for a caller who has waited.  Raises NotAuthenticated."""
    if not players.is_signed_in(caller):
        raise NotAuthenticated
    return read()
