"""One look at the database at a time, and an answer in time even where the database hangs."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Final, TypeVar

import psycopg
from django.db import DatabaseError, InterfaceError, connection, transaction

T = TypeVar("T")
LIMIT_SECONDS: Final = 2.0
_one = Lock()


class NoAnswer(Exception):
    """The database did not answer in time, or not at all."""


def look(find: Callable[[], T]) -> T:
    """Return what ``find`` finds in a transaction, in a thread and over a connection of its own.

    Raises NoAnswer when that takes over two seconds, the wait for an earlier look included.
    """
    until = time.monotonic() + LIMIT_SECONDS
    if not _one.acquire(timeout=LIMIT_SECONDS):
        raise NoAnswer
    found: SimpleQueue[tuple[T | None, Exception | None]] = SimpleQueue()

    def run() -> None:
        try:
            with closing(connection), transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute(f"SET LOCAL statement_timeout = '{LIMIT_SECONDS:.0f}s'")
                found.put((find(), None))
        except Exception as error:  # raised where the look was asked for
            found.put((None, error))
        finally:
            _one.release()

    Thread(target=run, name="look", daemon=True).start()
    try:
        result, error = found.get(timeout=max(until - time.monotonic(), 0))
    except Empty:
        raise NoAnswer from None
    if isinstance(error, DatabaseError | InterfaceError | psycopg.Error):
        raise NoAnswer from error
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # there is one where there is no error
