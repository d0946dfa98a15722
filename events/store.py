"""Read and append: bytes in, bytes out, through Django's connection and without the ORM.

What is locked, checked and written is decided in the database, by the functions of
``migrations/0001_initial.sql``.  What the bytes mean is the codec's business.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import connections, transaction

from events.canonical import ZERO_HASH
from events.codec import NewEvent, Opening
from events.errors import StreamNotFound, VersionConflict
from events.statements import fetch

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
    "erase",
    "head_of",
    "last_of_type",
    "load",
    "load_all",
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
    rows = fetch("SELECT version, hash, at FROM events_head WHERE stream = %s", [stream])
    if not rows:
        raise StreamNotFound(stream)
    return Head._make(rows[0])


def load(stream: str, *, code: str | None = None, lock: bool = False) -> Loaded:
    """Return head, snapshot and time in one round trip.

    ``code`` is the version of the code that will fold on: a snapshot of any other is left out, as
    is a damaged one (None accepts any).  With ``lock``, inside a transaction, other writers wait
    until it ends.  Raises StreamNotFound.
    """
    rows = fetch("SELECT * FROM events_load(%s, %s)", [stream, lock])
    if not rows:
        raise StreamNotFound(stream)
    return _loaded(stream, rows[0], code)


def load_all(streams: Iterable[str], *, code: str) -> dict[str, Loaded]:
    """Return what ``load`` returns of those streams that exist, in one round trip."""
    names = "{" + ",".join(streams) + "}"
    rows = fetch("SELECT s, l.* FROM unnest(%s::text[]) AS s, events_load(s, false) AS l", [names])
    return {stream: _loaded(stream, row, code) for stream, *row in rows}


def read(
    stream: str, *, after: int = 0, limit: int | None = None, upto: int | None = None
) -> list[StoredEvent]:
    """Return the events after position ``after`` up to ``upto``, oldest first, at most ``limit``.

    A stream that does not exist has none.
    """
    rows = fetch(_READ, [stream, after, _LAST if upto is None else upto, limit])
    return [StoredEvent._make(row) for row in rows]


def read_all(spans: Mapping[str, tuple[int, int]], limit: int) -> list[tuple[str, StoredEvent]]:
    """Return the events of several streams, each after a position up to another, in one round trip.

    Streams follow one another in their order here, events oldest first; at most ``limit`` in all.
    """
    names = "{" + ",".join(spans) + "}"
    afters, uptos = ([each[side] for each in spans.values()] for side in (0, 1))
    rows = fetch(_READ_ALL, [names, _numbers(afters), _numbers(uptos), limit, limit])
    return [(stream, StoredEvent._make(row)) for stream, *row in rows]


def last_of_type(stream: str, type: str, upto: int | None = None) -> StoredEvent | None:  # noqa: A002
    """Return the newest event of ``type`` up to position ``upto``, or None."""
    rows = fetch(_LAST_OF_TYPE, [stream, type, _LAST if upto is None else upto])
    return StoredEvent._make(rows[0]) if rows else None


def all_of_type(stream: str, type: str) -> list[StoredEvent]:  # noqa: A002
    """Return every event of ``type``, oldest first."""
    return [StoredEvent._make(row) for row in fetch(_ALL_OF_TYPE, [stream, type])]


def end_of_batch(stream: str, batch: int) -> int:
    """Return the last position of the append that began at position ``batch``."""
    ((last,),) = fetch(_END_OF_BATCH, [stream, batch])
    return int(last)


def openings(stream: str, refs: Iterable[tuple[int, int]] | None = None) -> dict[tuple[int, int], Opening]:
    """Return the openings of ``stream`` by (position, slot): all, or those of ``refs`` that exist."""
    query, parameters = _OPENINGS, [stream]
    if refs is not None:
        pairs = list(refs)
        query += _OF_REFS
        parameters += [_numbers(position for position, _ in pairs), _numbers(slot for _, slot in pairs)]
    return {(row[0], row[1]): Opening(*row[2:]) for row in fetch(query, parameters)}


def openings_all(refs: Iterable[tuple[str, int, int]]) -> dict[tuple[str, int, int], Opening]:
    """Return the openings that exist of (stream, position, slot), in one round trip."""
    wanted = list(refs)
    names = "{" + ",".join(stream for stream, _, _ in wanted) + "}"
    positions = _numbers(position for _, position, _ in wanted)
    rows = fetch(_OPENINGS_ALL, [names, positions, _numbers(slot for _, _, slot in wanted)])
    return {(row[0], row[1], row[2]): Opening(*row[3:]) for row in rows}


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
    ((status, version, hash_, at),) = fetch(_APPEND, parameters)
    if status != "appended":
        raise VersionConflict(stream, expected_version, version)
    return Head(version, hash_, at)


def erase(stream: str, *positions: int, using: str) -> int:
    """Delete the openings of events for good; return how many there were.  Commitments stay.

    ``using`` is a connection whose role may act as the eraser, who alone may do this.
    """
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE posta_eraser")
        cursor.execute(
            "DELETE FROM events_secret WHERE stream = %s AND position = ANY(%s)", [stream, list(positions)]
        )
        return int(cursor.rowcount)


def drop_snapshots(stream: str | None = None) -> int:
    """Delete the snapshot of ``stream``, or all; return how many there were.  Nothing is lost but time."""
    if stream is None:
        return len(fetch("DELETE FROM events_snapshot RETURNING 1", []))
    return len(fetch("DELETE FROM events_snapshot WHERE stream = %s RETURNING 1", [stream]))


_COLUMNS = "position, type, at, batch, header, hash"
_READ = (
    f"SELECT {_COLUMNS} FROM events_event"  # noqa: S608
    " WHERE stream = %s AND position > %s AND position <= %s ORDER BY position LIMIT %s::bigint"
)
_READ_ALL = (
    f"SELECT s.stream, e.* FROM unnest(%s::text[], %s::integer[], %s::integer[])"  # noqa: S608
    " WITH ORDINALITY AS s(stream, after, upto, number) CROSS JOIN LATERAL ("
    f" SELECT {_COLUMNS} FROM events_event AS e WHERE e.stream = s.stream AND position > s.after"
    " AND position <= s.upto ORDER BY position LIMIT %s::bigint) AS e"
    " ORDER BY s.number, e.position LIMIT %s::bigint"
)
_LAST_OF_TYPE = (
    f"SELECT {_COLUMNS} FROM events_event"  # noqa: S608
    " WHERE stream = %s AND type = %s AND position <= %s ORDER BY position DESC LIMIT 1"
)
_ALL_OF_TYPE = f"SELECT {_COLUMNS} FROM events_event WHERE stream = %s AND type = %s ORDER BY position"  # noqa: S608
_END_OF_BATCH = "SELECT max(position) FROM events_event WHERE stream = %s AND batch = %s"
_OPENINGS = 'SELECT position, slot, "to", salt, payload FROM events_secret WHERE stream = %s'
_OF_REFS = " AND (position, slot) IN (SELECT * FROM unnest(%s::integer[], %s::integer[]))"
_OPENINGS_ALL = (
    'SELECT stream, position, slot, "to", salt, payload FROM events_secret WHERE (stream, position, slot) IN'
    " (SELECT * FROM unnest(%s::text[], %s::integer[], %s::integer[]))"
)
_APPEND = (
    "SELECT * FROM events_append(%s, %s::integer, %s::bytea[], %s::bytea[], %s::bytea[],"
    " %s::integer, %s, %s::bytea, %s::bytea)"
)
_NO_SNAPSHOT = (None, None, None, None)


def _bytea(values: Iterable[bytes]) -> str:
    """Return an array literal; psycopg's own dumper of lists takes several times as long."""
    return "{" + ",".join(f'"\\\\x{value.hex()}"' for value in values) + "}"


def _numbers(values: Iterable[int]) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def _loaded(stream: str, row: Sequence[Any], code: str | None) -> Loaded:
    version, hash_, at, now, position, snapshot_code, state, checksum = row
    head = Head(version, hash_, at)
    snapshot = None if position is None else Snapshot(position, snapshot_code, state)
    return Loaded(head, _usable(stream, head, snapshot, checksum, code), now)


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
