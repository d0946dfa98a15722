"""Who waits for what: one look at the database, four times a second, for all who wait in this process.

Looking was chosen over LISTEN and NOTIFY: the commits of all that notify wait for one lock of the whole
database, so that every move would pay for those who watch, and what is notified while nobody listens
is lost.  Everything here runs on one event loop; the database is asked aside, by a few threads.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Generic, ParamSpec, TypeVar

import psycopg
from django.db import OperationalError, close_old_connections

from tables.errors import Busy
from tables.live.signs import PlayerSign, Signs, TableSign, look

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
AGAIN_SECONDS = 1.0
READERS = 5
"""Threads that read for all who wait, each with one connection; one more looks for signs."""

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", TableSign, PlayerSign)

_readers = ThreadPoolExecutor(READERS, thread_name_prefix="reader")
_looker = ThreadPoolExecutor(1, thread_name_prefix="looker")


class Watch(Generic[S]):
    """What those who wait for one table, or for one player, have been shown last."""

    def __init__(self) -> None:
        self.count = 0
        self.sign: S | None = None
        self._changed = asyncio.Event()

    async def until(self, is_news: Callable[[S], bool], seconds: float) -> S | None:
        """Return the first sign that is news; None when time has run out before."""
        try:
            async with asyncio.timeout(seconds):
                while self.sign is None or not is_news(self.sign):
                    await self._changed.wait()
        except TimeoutError:
            return None
        return self.sign

    def show(self, sign: S | None) -> None:
        """Wake whoever waits, in the order in which they came, where the sign is another."""
        if sign is not None and sign != self.sign:
            self.sign = sign
            self._changed.set()
            self._changed = asyncio.Event()


class Hub:
    """All watches of a process."""

    def __init__(self) -> None:
        self._tables: dict[uuid.UUID, Watch[TableSign]] = {}
        self._players: dict[uuid.UUID, Watch[PlayerSign]] = {}
        self._looking: asyncio.Task[None] | None = None

    @contextmanager
    def table(self, table_id: uuid.UUID) -> Iterator[Watch[TableSign]]:
        """Watch a table during the block."""
        with self._watching(self._tables, table_id) as watch:
            yield watch

    @contextmanager
    def player(self, player_id: uuid.UUID) -> Iterator[Watch[PlayerSign]]:
        """Watch all tables and the notices of a player during the block."""
        with self._watching(self._players, player_id) as watch:
            yield watch

    @contextmanager
    def _watching(self, watches: dict[uuid.UUID, Watch[S]], key: uuid.UUID) -> Iterator[Watch[S]]:
        watch = watches.setdefault(key, Watch())
        watch.count += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        try:
            yield watch
        finally:
            watch.count -= 1
            if not watch.count:
                del watches[key]

    async def _look(self) -> None:
        """Look for signs as long as anybody waits."""
        while self._tables or self._players:
            try:
                found = await _run(_looker, look, list(self._tables), list(self._players))
            except Exception as error:  # whoever waits goes on waiting, and finds the news later
                logger.warning("nobody could look for news, trying again: %s", type(error).__name__)
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self._show(found)
            await asyncio.sleep(LOOK_SECONDS)

    def _show(self, found: Signs) -> None:
        for table, at_table in list(self._tables.items()):
            at_table.show(found.tables.get(table))
        for player, of_player in list(self._players.items()):
            of_player.show(found.players.get(player))


hub = Hub()


async def aside(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a read of the database returns, without holding up anybody else.  Raises Busy."""
    return await _run(_readers, read, *args, **kwargs)


async def _run(pool: ThreadPoolExecutor, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, partial(_and_give_back, read, *args, **kwargs))


def _and_give_back(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what ``read`` returns, the thread's connection given back to the pool.

    Raises Busy where the database does not answer.
    """
    try:
        return read(*args, **kwargs)
    except (OperationalError, psycopg.OperationalError):
        raise Busy() from None
    finally:
        close_old_connections()
