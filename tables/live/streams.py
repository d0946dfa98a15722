"""Streams of server-sent events: what one client gets, from its first byte to the last.

An event of a game has an id, its position or a cursor, so that whoever comes back with ``Last-Event-ID``
goes on where it was.  ``talk`` and ``notices`` have none: they say how far something has come, are told
anew at the beginning of each stream, and what is there is read by the API.  Whether the caller may
still see it is asked before every answer.  Source: api.md 3.7.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec

from tables import players, queries, talk
from tables.errors import Busy, NotFound, RulesMissing
from tables.live import feeds
from tables.live.feeds import Positions
from tables.live.hub import aside, hub
from tables.live.signs import PlayerSign, TableSign
from tables.players import Caller
from tables.shapes import EventPage, MyEventPage

HEARTBEAT_SECONDS = 15.0
"""Also how long a stream may outlive its token."""
MOST_SECONDS = 900.0
PAGE = 100
MOST_BEHIND = 1000

BEGIN = b"retry: 3000\n\n"
HEARTBEAT = b":\n\n"
_encode = msgspec.json.Encoder().encode


class _Over(Exception):
    """The stream ends here, for the reason ``kind``."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def of_table(caller: Caller, table_id: uuid.UUID, after: int) -> AsyncGenerator[bytes]:
    """Give what happens at a table after a position, as the caller learns it."""
    return _until_over(_of_table(caller, table_id, after))


def of_player(caller: Caller, after: Positions | None) -> AsyncGenerator[bytes]:
    """Give what happens at all tables of the caller after a cursor, or from now on; and notices."""
    return _until_over(_of_player(caller, after))


async def _of_table(caller: Caller, table_id: uuid.UUID, after: int) -> AsyncGenerator[bytes]:
    over_at, heard = time.monotonic() + MOST_SECONDS, 0

    def is_news(sign: TableSign) -> bool:
        return sign.version > after or sign.talk > heard

    with hub.table(table_id) as watch:
        while True:
            sign = await watch.until(is_news, _patience(over_at))
            if sign is None:
                yield await _heartbeat(caller)
                continue
            if sign.version - after > MOST_BEHIND:
                raise _Over("resync")
            page, hears = await aside(_table_news, caller, table_id, after, ask=sign.talk > heard)
            for event in page.items:
                yield _frame(event.type, event, event.position)
            after = page.last_position
            if hears:
                yield _frame("talk", {"table_id": str(table_id), "version": sign.talk})
            heard = sign.talk


async def _of_player(caller: Caller, after: Positions | None) -> AsyncGenerator[bytes]:
    over_at, noticed = time.monotonic() + MOST_SECONDS, 0
    heard: dict[uuid.UUID, int] = {}
    left: set[uuid.UUID] = set()
    handled: PlayerSign | None = None  # it may show less than has been read by now
    if after is None:
        begun = await aside(_player_news, caller, None)
        yield f"id: {begun.cursor}\n\n".encode()
    positions = dict(after) if after is not None else feeds.positions_of(begun.cursor)

    def is_news(sign: PlayerSign) -> bool:
        return sign is not handled and (
            sign.notices > noticed
            or positions.keys() - sign.tables.keys() != left
            or any(
                told.version > positions.get(table, 0) or told.talk > heard.get(table, 0)
                for table, told in sign.tables.items()
            )
        )

    with hub.player(caller.id) as watch:
        while True:
            sign = await watch.until(is_news, _patience(over_at))
            if sign is None:
                yield await _heartbeat(caller)
                continue
            if _behind(sign, positions) > MOST_BEHIND:
                raise _Over("resync")
            page = await aside(_player_news, caller, positions)
            for event in page.items:
                positions[uuid.UUID(event.table_id)] = event.position
                yield _frame(event.type, event, feeds.cursor_of(positions))
            positions = feeds.positions_of(page.cursor)
            left, handled = (set(), None) if page.has_more else (positions.keys() - sign.tables.keys(), sign)
            for table, told in sign.tables.items():
                if told.talk > heard.get(table, 0):
                    yield _frame("talk", {"table_id": str(table), "version": told.talk})
                    heard[table] = told.talk
            if sign.notices > noticed:
                yield _frame("notices", {"last_number": sign.notices})
                noticed = sign.notices


async def _until_over(stream: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Give a stream with its beginning, and say at its end why it ends."""
    yield BEGIN
    async with aclosing(stream):
        try:
            async for each in stream:
                yield each
        except _Over as over:
            yield _frame("end", {"kind": over.kind})
        except (NotFound, RulesMissing, Busy) as refusal:
            yield _frame("end", {"kind": refusal.code})


def _patience(over_at: float) -> float:
    """Return for how long to wait for news before the next sign of life.  Raises _Over at ``over_at``."""
    if (left := over_at - time.monotonic()) <= 0:
        raise _Over("renew")
    return min(HEARTBEAT_SECONDS, left)


async def _heartbeat(caller: Caller) -> bytes:
    """Return a sign of life.  Raises _Over for a token that is valid no more."""
    await aside(_require_signed_in, caller)
    return HEARTBEAT


def _table_news(caller: Caller, table_id: uuid.UUID, after: int, *, ask: bool) -> tuple[EventPage, bool]:
    """Return events after a position, and with ``ask`` whether the caller may hear what is said.

    Raises _Over, NotFound, RulesMissing.
    """
    _require_signed_in(caller)
    page = queries.events(caller.id, table_id, after=after, limit=PAGE, resolving=False)
    return page, ask and talk.hears_all(caller.id, table_id)


def _player_news(caller: Caller, after: Positions | None) -> MyEventPage:
    """Return events after a cursor.  Raises _Over, RulesMissing."""
    _require_signed_in(caller)
    return feeds.my_events(caller.id, after, PAGE)


def _require_signed_in(caller: Caller) -> None:
    if not players.is_signed_in(caller):
        raise _Over("unauthenticated")


def _behind(sign: PlayerSign, positions: Positions) -> int:
    """Return how much a client has missed of the tables that it knows."""
    return sum(told.version - positions[table] for table, told in sign.tables.items() if table in positions)


def _frame(event: str, data: Any, id: int | str | None = None) -> bytes:  # noqa: A002
    """Return one server-sent event; JSON has no line breaks."""
    head = f"event: {event}\n" if id is None else f"id: {id}\nevent: {event}\n"
    return head.encode() + b"data: " + _encode(data) + b"\n\n"
