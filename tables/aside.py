"""Events beside a game, appended without its rules: they get into the log where those fail.

Whoever appends holds the lock of the table's row.  The state of the game is taken on as it is, unread.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import msgspec
from django.db import connection

from events import store
from events.codec import Chain
from events.errors import StreamNotFound
from tables import catalogue, lifecycle
from tables.errors import NotFound
from tables.folding import stream_of
from tables.hosting import Kept
from tables.webhooks import announcing as webhooks

_FOLLOW = "UPDATE tables_table SET version = %s WHERE id = %s AND status IN ('open', 'playing')"


def append(table_id: uuid.UUID, event: Any, *, actor: str) -> int:
    """Append one event that changes nothing of a game; return its position.  Raises NotFound."""
    stream, codec = stream_of(table_id), catalogue.table_codec()
    try:
        loaded = store.load(stream, code=catalogue.code(), lock=True)
    except StreamNotFound:
        raise NotFound() from None
    version, hash_, before = loaded.head
    at = max(loaded.now, before)
    name, schema = codec.name_of(event)
    new = Chain(table_id.bytes, version, hash_, bytes).add(
        codec.encode(event), name=name, schema=schema, actor=actor, at=at, draws=()
    )
    head = store.append(stream, version, [new], _followed(loaded, event, at))
    with connection.cursor() as cursor:
        cursor.execute(_FOLLOW, [head.version, table_id])
        if not cursor.rowcount:
            raise AssertionError(f"{event} at a table that is over: its log is closed")
    webhooks.announce_aside(table_id, head.version, at)
    return head.version


def _followed(loaded: store.Loaded, event: Any, at: int) -> store.Snapshot | None:
    """Return the snapshot after the event; None where that before it is not at hand: a replay makes one."""
    snapshot = loaded.snapshot
    if snapshot is None or snapshot.position != loaded.head.version:
        return None
    try:
        kept = msgspec.msgpack.decode(snapshot.state, type=Kept)
    except msgspec.MsgspecError:
        return None
    kept.table = replace(lifecycle.evolve(kept.table, event, at), at=at)
    return store.Snapshot(snapshot.position + 1, snapshot.code, msgspec.msgpack.encode(kept))
