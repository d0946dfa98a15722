"""Answers that are kept for repeats and name others: changed where one of these is forgotten, or renamed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from django.db import connection, transaction

from tables.models import IdempotencyRecord

_MENTIONED = """
SELECT id FROM tables_idempotencyrecord
WHERE strpos(answer::text, to_json(%s::text)::text) > 0 OR answer -> 'body' ->> 'id' = ANY(%s)
"""


def forget(name: str, titled: Collection[str]) -> None:
    """Take a name, and the titles of tables, out of the answers; others get them again without."""
    _change(name, titled, partial(_without, name=name, titled=titled))


def rename(name: str, wanted: str) -> None:
    """Put another name in the place of one."""
    _change(name, (), partial(_renamed, name=name, wanted=wanted))


def _change(name: str, titled: Collection[str], change: Callable[[dict[str, Any]], None]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_MENTIONED, [name, list(titled)])
        found = [row[0] for row in cursor.fetchall()]
    for number in found:
        with transaction.atomic():
            record = IdempotencyRecord.objects.select_for_update().filter(id=number).first()
            if record is not None:
                change(record.answer.get("body") or {})
                record.save(update_fields=["answer"])


def _without(table: dict[str, Any], *, name: str, titled: Collection[str]) -> None:
    """Change a ``TableAnswer`` to what it would be without a player; other answers name nobody."""
    if table.get("host") == name:
        table["host"] = None
    arbiter = table.get("arbiter")
    if isinstance(arbiter, dict) and arbiter.get("player") == name:
        arbiter["player"] = None
    if table.get("id") in titled:
        table["title"] = ""
    for seat in table["seats"] if isinstance(table.get("seats"), list) else ():
        if seat.get("player") == name:
            seat |= {"player": None, "gone": True}


def _renamed(table: dict[str, Any], *, name: str, wanted: str) -> None:
    """Change a ``TableAnswer`` to what it would be under a player's other name."""
    if table.get("host") == name:
        table["host"] = wanted
    places = [table.get("arbiter"), *(table["seats"] if isinstance(table.get("seats"), list) else ())]
    for each in places:
        if isinstance(each, dict) and each.get("player") == name:
            each["player"] = wanted
