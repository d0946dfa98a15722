"""Which migrations of this code the database lacks."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db.migrations.loader import MigrationLoader


def missing(connection: Any) -> list[str]:
    """Return the migrations not applied, in the order in which they would be.

    ``connection`` is one of Django or psycopg.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(to_regclass('django_migrations'), 'SELECT')")
        if not cursor.fetchone()[0]:  # None: there is no such table
            return list(_all())
        cursor.execute("SELECT app || '.' || name FROM django_migrations")
        applied = {name for (name,) in cursor.fetchall()}
    return [name for name in _all() if name not in applied]


@cache
def _all() -> tuple[str, ...]:
    """Return the names of all migrations of this code, read from its files once."""
    loader = MigrationLoader(None)
    plan: dict[str, None] = {}
    for leaf in sorted(loader.graph.leaf_nodes()):
        plan |= {f"{app}.{name}": None for app, name in loader.graph.forwards_plan(leaf)}
    return tuple(plan)
