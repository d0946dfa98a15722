"""What has happened at all tables of a player, as the player learned it.

A cursor packs the last position that a client has of each table that it follows: those at which the
player sits.  A table that is new to it is told from the beginning; one that is over is told to its end
and then forgotten; of one whose seat another has now, it is told until that event.
"""

from __future__ import annotations

import base64
import struct
import uuid
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from django.db import connection

from events import store
from events.audit import Ref
from events.codec import Header, read_header
from events.store import Opening
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
    news = _news(followed, after, limit)
    items = _answers(followed, news)
    reached: dict[uuid.UUID, int] = {}
    has_more = False
    for table in followed:
        position = news[table.id][-1].seq if table.id in news else after.get(table.id, 0)
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


def _news(followed: list[_Followed], after: Positions, limit: int) -> dict[uuid.UUID, list[Header]]:
    """Return what has happened at each table where something has, ``limit`` events in all."""
    begins = {each: after.get(each.id, 0) for each in followed}
    spans = {stream_of(each.id): (begin, each.upto) for each, begin in begins.items() if begin < each.upto}
    found: dict[uuid.UUID, list[Header]] = defaultdict(list)
    for stream, stored in store.read_all(spans, limit) if spans else ():
        found[uuid.UUID(stream.removeprefix("table-"))].append(read_header(stored.header))
    return found


def _answers(followed: list[_Followed], news: Mapping[uuid.UUID, list[Header]]) -> list[MyEvent]:
    """Return what a player learned, in as many statements for one table as for many."""
    told = [(each, news[each.id]) for each in followed if each.id in news]
    wanted = {
        (stream_of(table.id), *ref) for table, headers in told for ref in answers.refs_of(headers, table.seat)
    }
    openings: dict[str, dict[Ref, Opening]] = defaultdict(dict)
    for (stream, *ref), opening in store.openings_all(wanted).items() if wanted else ():
        openings[stream][ref[0], ref[1]] = opening
    return [
        MyEvent(table_id=str(table.id), **msgspec.structs.asdict(each))
        for table, headers in told
        for each in answers.redacted(
            catalogue.rules_of(table.game, table.rules_version),
            headers,
            table.seat,
            openings[stream_of(table.id)],
        )
    ]
