"""Signs that something has happened: how far each table and its talk have come, and a player's notices.

A sign says where things stand, not what happened last: whoever missed some signs sees by the next one
that there is news, so nothing is lost where a look fails.  Sources: api.md 3.7; security.md C9.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db import connection


class TableSign(NamedTuple):
    """The versions of a table and of its talk."""

    version: int
    talk: int


class PlayerSign(NamedTuple):
    """The tables at which a player sits that are not over, and the number of the last notice."""

    tables: Mapping[uuid.UUID, TableSign]
    notices: int


class Signs(NamedTuple):
    """What one look has found."""

    tables: dict[uuid.UUID, TableSign]
    players: dict[uuid.UUID, PlayerSign]


_TALK = "LEFT JOIN events_head AS h ON h.stream = 'talk-' || t.id"
_TABLES = (
    f"SELECT t.id, t.version, coalesce(h.version, 0) FROM tables_table AS t {_TALK} WHERE t.id = ANY(%s)"  # noqa: S608
)
_SEATS = f"""
SELECT n.player_id, t.id, t.version, coalesce(h.version, 0)
FROM tables_tenure AS n JOIN tables_table AS t ON t.id = n.table_id {_TALK}
WHERE n.player_id = ANY(%s) AND n.until IS NULL AND t.status IN ('open', 'playing')
"""  # noqa: S608
_NOTICES = "SELECT player_id, last_number FROM tables_mailbox WHERE player_id = ANY(%s)"


def look(tables: Collection[uuid.UUID], players: Collection[uuid.UUID]) -> Signs:
    """Return the signs of tables that exist, and of players; three statements for any number of them."""
    found: dict[uuid.UUID, TableSign] = {}
    seats: dict[uuid.UUID, dict[uuid.UUID, TableSign]] = {each: {} for each in players}
    notices: dict[uuid.UUID, int] = {}
    with connection.cursor() as cursor:
        if tables:
            cursor.execute(_TABLES, [list(tables)])
            found = {table: TableSign(*versions) for table, *versions in cursor.fetchall()}
        if players:
            cursor.execute(_SEATS, [list(players)])
            for player, table, *versions in cursor.fetchall():
                seats[player][table] = TableSign(*versions)
            cursor.execute(_NOTICES, [list(players)])
            notices = dict(cursor.fetchall())
    return Signs(found, {each: PlayerSign(seats[each], notices.get(each, 0)) for each in players})
