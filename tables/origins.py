"""The logs from which a table goes on, for whoever verifies it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from events import store
from events.audit import LinkLike
from events.codec import CorruptHeader, Header, read_header
from tables import catalogue
from tables.folding import stream_of
from tables.models import Table
from verify.continuing import FORKED
from verify.origin import Origin

MOST = 10
"""So many tables go on from one another at most: whoever proves the last one proves all before it."""


def may_go_on(row: Table) -> bool:
    """Tell whether another table may go on from this one: not from the last of so many."""
    depth, before = 0, row.forked_from
    while before is not None:
        depth, before = depth + 1, before.forked_from
    return depth < MOST


def origins_of(events: Sequence[LinkLike]) -> dict[str, Origin]:
    """Return the table from which a log goes on, by its id in hex, with those from which that one does.

    None where the log is no fork's, where it cannot be read, or where its origin is not here.
    """
    told = forked_in(events)
    try:
        table_id = uuid.UUID(told.public["origin"]) if told else None
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}
    if table_id is None or not (stored := store.read(stream_of(table_id))):
        return {}
    origin = Origin(
        tid=table_id.bytes,
        events=stored,
        openings=store.openings(stream_of(table_id)),
        games=catalogue.games(),
        origins=origins_of(stored),
    )
    return {table_id.hex: origin}


def forked_in(events: Sequence[LinkLike]) -> Header | None:
    """Return the event of a log that says from where it goes on."""
    for each in events:
        if FORKED.encode() not in each.header:
            continue
        try:
            header = read_header(each.header)
        except CorruptHeader:
            continue
        if header.type == FORKED:
            return header
    return None
