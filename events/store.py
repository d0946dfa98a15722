"""Read and append: bytes in, bytes out, through Django's connection and without the ORM.

What is locked, checked and written is decided in the database, by the functions of
``migrations/0001_initial.sql``.  What the bytes mean is the codec's business.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from django.db import connection

from events.canonical import ZERO_HASH
from events.codec import NewEvent, Opening
from events.errors import StreamNotFound, VersionConflict

__all__ = [
    "Head",
    "Loaded",
    "NewEvent",
    "Opening",
    "Snapshot",
    "StoredEvent",
    "all_of_type",
    "append",
    "drop_snapshots",
    "end_of_batch",
    "head_of",
    "last_of_type",
    "load",
    "openings",
    "read",
]

logger = logging.getLogger(__name__)

_LAST = 2**31 - 1  # no position is beyond


class Head(NamedTuple):
    """Where a stream ends: version, hash and time (milliseconds) of its last event."""

    version: int
    hash: bytes
    at: int


EMPTY = Head(0, ZERO_HASH, 0)


class StoredEvent(NamedTuple):
    """An event as stored.  ``batch`` is the first position of the append that it came with."""

    position: int
    type: str
    at: int
    batch: int
    header: bytes
    hash: bytes


class Snapshot(NamedTuple):
    """A state folded up to ``position`` by the version ``code`` of the code.  It may vanish at any time."""

    position: int
    code: str
    state: bytes


class Loaded(NamedTuple):
    """What a writer starts from.  ``now`` is database time in milliseconds, read under the lock if locked."""

    head: Head
    snapshot: Snapshot | None
    now: int


def head_of(stream: str) -> Head:
    """Return the head of ``stream``.  Raises StreamNotFound."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT version, hash, at FROM events_head WHERE stream = %s", [stream])
        row = cursor.fetchone()
    if row is None:
        raise StreamNotFound(stream)
    return Head(*row)


def load(stream: str, *, code: str | None = None, lock: bool = False) -> Loaded:
    """Return head, snapshot and time in one round trip.

    ``code`` is the version of the code that will fold on: a snapshot of any other is left out, as
    is a damaged one (None accepts any).  With ``lock``, inside a transaction, other writers wait
    until it ends.  Raises StreamNotFound.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM events_load(%s, %s)", [stream, lock])
        row = cursor.fetchone()
    if row is None:
        raise StreamNotFound(stream)
    head = Head(*row[:3])
    snapshot = None if row[4] is None else Snapshot(*row[4:7])
    return Loaded(head, _usable(stream, head, snapshot, row[7], code), row[3])


def read(
    stream: str, *, after: int = 0, limit: int | None = None, upto: int | None = None
) -> list[StoredEvent]:
    """Return the events after position ``after`` up to ``upto``, oldest first, at most ``limit``.

    A stream that does not exist has none.
    """
    with connection.cursor() as cursor:
        cursor.execute(_READ, [stream, after, _LAST if upto is None else upto, limit])
        return [StoredEvent._make(row) for row in cursor.fetchall()]


def last_of_type(stream: str, type: str, upto: int | None = None) -> StoredEvent | None:  # noqa: A002
    """Return the newest event of ``type`` up to position ``upto``, or None."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST_OF_TYPE, [stream, type, _LAST if upto is None else upto])
        row = cursor.fetchone()
    return None if row is None else StoredEvent._make(row)


def all_of_type(stream: str, type: str) -> list[StoredEvent]:  # noqa: A002
    """Return every event of ``type``, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_ALL_OF_TYPE, [stream, type])
        return [StoredEvent._make(row) for row in cursor.fetchall()]


def end_of_batch(stream: str, batch: int) -> int:
    """Return the last position of the append that began at position ``batch``."""
    with connection.cursor() as cursor:
        cursor.execute(_END_OF_BATCH, [stream, batch])
        (last,) = cursor.fetchone()
    return int(last)


def openings(stream: str, refs: Iterable[tuple[int, int]] | None = None) -> dict[tuple[int, int], Opening]:
    """Return the openings of ``stream`` by (position, slot): all, or those of ``refs`` that exist."""
    query, parameters = _OPENINGS, [stream]
    if refs is not None:
        pairs = list(refs)
        query += " AND (position, slot) IN (SELECT * FROM unnest(%s::integer[], %s::integer[]))"
        parameters += [_numbers(position for position, _ in pairs), _numbers(slot for _, slot in pairs)]
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return {(row[0], row[1]): Opening(*row[2:]) for row in cursor.fetchall()}


def append(
    stream: str, expected_version: int, events: Sequence[NewEvent], snapshot: Snapshot | None = None
) -> Head:
    """Add ``events`` to the end of ``stream`` in one round trip; return its new head.

    ``expected_version`` is the version that the caller decided on, 0 for a new stream.
    ``snapshot``, if given, replaces the stream's.  Raises VersionConflict, and writes nothing,
    when another writer came first; IntegrityError when a header does not continue the chain or
    openings do not match slots, which is a bug of the caller.
    """
    given = [opening for event in events for opening in event.openings]
    parameters = [
        stream,
        expected_version,
        _bytea(event.header for event in events),
        _bytea(opening.salt for opening in given),
        _bytea(opening.payload for opening in given),
        *(_NO_SNAPSHOT if snapshot is None else (*snapshot, _checksum(stream, snapshot))),
    ]
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, parameters)
        status, version, hash_, at = cursor.fetchone()
    if status != "appended":
        raise VersionConflict(stream, expected_version, version)
    return Head(version, hash_, at)


def drop_snapshots(stream: str | None = None) -> int:
    """Delete the snapshot of ``stream``, or all; return how many there were.  Nothing is lost but time."""
    with connection.cursor() as cursor:
        if stream is None:
            cursor.execute("DELETE FROM events_snapshot")
        else:
            cursor.execute("DELETE FROM events_snapshot WHERE stream = %s", [stream])
        return int(cursor.rowcount)


_COLUMNS = "position, type, at, batch, header, hash"
_READ = (
    f"SELECT {_COLUMNS} FROM events_event"  # noqa: S608
    " WHERE stream = %s AND position > %s AND position <= %s ORDER BY position LIMIT %s"
)
_LAST_OF_TYPE = (
    f"SELECT {_COLUMNS} FROM events_event"  # noqa: S608
    " WHERE stream = %s AND type = %s AND position <= %s ORDER BY position DESC LIMIT 1"
)
_ALL_OF_TYPE = f"SELECT {_COLUMNS} FROM events_event WHERE stream = %s AND type = %s ORDER BY position"  # noqa: S608
_END_OF_BATCH = "SELECT max(position) FROM events_event WHERE stream = %s AND batch = %s"
_OPENINGS = 'SELECT position, slot, "to", salt, payload FROM events_secret WHERE stream = %s'
_APPEND = (
    "SELECT * FROM events_append(%s, %s, %s::bytea[], %s::bytea[], %s::bytea[], %s, %s, %s::bytea, %s::bytea)"
)
_NO_SNAPSHOT = (None, None, None, None)


def _bytea(values: Iterable[bytes]) -> str:
    """Return an array literal; psycopg's own dumper of lists takes several times as long."""
    return "{" + ",".join(f'"\\\\x{value.hex()}"' for value in values) + "}"


def _numbers(values: Iterable[int]) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def _checksum(stream: str, snapshot: Snapshot) -> bytes:
    code = f"{stream}\n{snapshot.position}\n{snapshot.code}\n".encode()
    return sha256(code + snapshot.state).digest()


def _usable(
    stream: str, head: Head, snapshot: Snapshot | None, checksum: bytes, code: str | None
) -> Snapshot | None:
    """Return ``snapshot`` if it can be trusted and used, else None; say why in the log."""
    if snapshot is None:
        return None
    if snapshot.position > head.version or _checksum(stream, snapshot) != checksum:
        logger.warning("%s: the snapshot at %d is damaged, replaying instead", stream, snapshot.position)
        return None
    if code is not None and snapshot.code != code:
        logger.info("%s: the snapshot at %d is of code %s", stream, snapshot.position, snapshot.code)
        return None
    return snapshot
