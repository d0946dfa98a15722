"""What has happened at all tables of a player, as the player learned it.

A cursor packs the last position that a client has of each table that it follows: those at which the
player sits.  A table that is new to it is told from the beginning; one that is over is told to its end
and then forgotten; of one whose seat another has now, it is told until that event.
"""

from __future__ import annotations

import base64
import struct
import uuid
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from django.db import connection

from events import store
from events.codec import read_header
from tables import answers, catalogue
from tables.errors import BadField
from tables.folding import stream_of
from tables.shapes import MyEvent, MyEventPage

Positions = Mapping[uuid.UUID, int]

_ENTRY = struct.Struct(">16sI")
_FOLLOWED = """
SELECT t.id, t.game, (t.settings ->> 'rules_version')::int, t.status IN ('finished', 'closed'),
  max(n.seat) FILTER (WHERE n.until IS NULL),
  CASE WHEN bool_or(n.until IS NULL) THEN t.version ELSE max(n.until) END
FROM tables_tenure AS n JOIN tables_table AS t ON t.id = n.table_id
WHERE n.player_id = %s AND (t.id = ANY(%s) OR n.until IS NULL AND t.status IN ('open', 'playing'))
GROUP BY t.id ORDER BY t.id
"""


class _Followed(NamedTuple):
    """A table that a player follows, up to position ``upto``; ``seat`` None: another has it now."""

    id: uuid.UUID
    game: str
    rules_version: int
    is_over: bool
    seat: int | None
    upto: int


def my_events(player_id: uuid.UUID, after: Positions | None, limit: int) -> MyEventPage:
    """Return what has happened at a player's tables after the positions of a cursor.

    Without one there are no events: the new cursor says where the tables now stand.  Raises RulesMissing.
    """
    followed = _followed(player_id, after or {})
    if after is None:
        positions = {each.id: each.upto for each in followed if not each.is_over}
        return MyEventPage(items=[], cursor=cursor_of(positions), has_more=False)
    items: list[MyEvent] = []
    reached: dict[uuid.UUID, int] = {}
    has_more = False
    for table in followed:
        position = after.get(table.id, 0)
        if position < table.upto and len(items) < limit:
            found = _events(table, position, limit - len(items))
            items += found
            position = found[-1].position
        has_more = has_more or position < table.upto
        if position < table.upto or not table.is_over:
            reached[table.id] = position
    return MyEventPage(items=items, cursor=cursor_of(reached), has_more=has_more)


def cursor_of(positions: Positions) -> str:
    """Return the text that packs the positions of tables; never empty."""
    packed = b"".join(_ENTRY.pack(each.bytes, positions[each]) for each in sorted(positions))
    return "m" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def positions_of(cursor: str, pointer: str = "?after") -> dict[uuid.UUID, int]:
    """Return the positions that a cursor packs.  Raises BadField for one that this server did not give."""
    try:
        packed = base64.b64decode(cursor[1:] + "=" * (-len(cursor[1:]) % 4), altchars=b"-_", validate=True)
        found = {uuid.UUID(bytes=table): position for table, position in _ENTRY.iter_unpack(packed)}
    except (ValueError, struct.error):
        found = {}
    if cursor_of(found) != cursor:
        raise BadField(pointer=pointer, code="bad_format")
    return found


def _followed(player_id: uuid.UUID, after: Positions) -> list[_Followed]:
    with connection.cursor() as cursor:
        cursor.execute(_FOLLOWED, [player_id, list(after)])
        return [_Followed._make(row) for row in cursor.fetchall()]


def _events(table: _Followed, after: int, limit: int) -> list[MyEvent]:
    stream = stream_of(table.id)
    stored = store.read(stream, after=after, limit=limit, upto=table.upto)
    game = catalogue.rules_of(table.game, table.rules_version)
    headers = [read_header(each.header) for each in stored]
    return [
        MyEvent(table_id=str(table.id), **msgspec.structs.asdict(each))
        for each in answers.events_answer(game, stream, headers, table.seat)
    ]
