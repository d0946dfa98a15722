"""One statement on Django's connection, with the parameters sent apart from its text.

Django's own cursors write the parameters into the text, so PostgreSQL plans it anew each time; and
a new psycopg cursor looks up again how to send and read each type.  Together that costs a third of
an append.  Here each thread keeps one cursor for the connection that it has.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper


class _Kept(threading.local):
    cursor: psycopg.Cursor[tuple[Any, ...]] | None = None


_kept = _Kept()


def fetch(statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
    """Run a statement that returns rows, in the transaction of Django's connection; return them.

    It raises what Django's cursors raise, and is seen by Django's wrappers and query log if
    there are any.  Plans are kept if the option ``prepare_threshold`` of the database says so.
    """
    database = connections[DEFAULT_DB_ALIAS]
    database.close_if_health_check_failed()
    database.ensure_connection()
    if database.execute_wrappers or database.queries_logged:
        return _watched(database, statement, parameters)
    database.validate_no_broken_transaction()
    cursor = _kept.cursor
    if cursor is None or cursor.connection is not database.connection:
        cursor = _kept.cursor = psycopg.Cursor(database.connection)
    with database.wrap_database_errors:
        cursor.execute(statement, parameters)
        return cursor.fetchall()


def _watched(
    database: BaseDatabaseWrapper, statement: str, parameters: Sequence[object]
) -> list[tuple[Any, ...]]:
    plain: Any = psycopg.Cursor(database.connection)
    cursor: Any = (
        database.make_debug_cursor(plain) if database.queries_logged else database.make_cursor(plain)
    )
    cursor.execute(statement, parameters)
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
