"""Pages of rows by where the last one ended: a row that comes or goes meanwhile moves no other.

A cursor tells the order, the direction, and the value and id of the row at the edge of a page.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet

from tables.errors import BadField

M = TypeVar("M", bound=Model)


class Order(NamedTuple):
    """An order of rows: by a column that is never null in them, then by id.

    ``read`` gives the column's value back from its text; it raises ValueError.
    """

    name: str
    column: str
    is_descending: bool
    read: Callable[[str], Any]


class Page(NamedTuple, Generic[M]):
    """Rows in their order, and the cursors of the pages beside."""

    rows: list[M]
    next_cursor: str | None
    previous_cursor: str | None


def moment_of(text: str) -> datetime:
    """Return the time that a cursor tells.  Raises ValueError."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error


def number_of(text: str) -> int:
    """Return the number that a cursor tells.  Raises ValueError."""
    if not 0 < (found := int(text)) < 2**63:
        raise ValueError(text)
    return found


def page(rows: QuerySet[M], order: Order, *, limit: int, cursor: str | None) -> Page[M]:
    """Return a page of rows.  Raises BadField for a cursor that no page of this order had."""
    is_back = False
    if cursor is not None:
        is_back, edge, row_id = _read(cursor, order, rows.model)
        side = "lt" if order.is_descending != is_back else "gt"
        same = Q(**{order.column: edge, f"id__{side}": row_id})
        rows = rows.filter(Q(**{f"{order.column}__{side}": edge}) | same)
    sign = "-" if order.is_descending != is_back else ""
    found = list(rows.order_by(f"{sign}{order.column}", f"{sign}id")[: limit + 1])
    has_more, found = len(found) > limit, found[:limit]
    if is_back:
        found.reverse()
    has_next, has_previous = (True, has_more) if is_back else (has_more, cursor is not None)
    return Page(
        found,
        _cursor("next", order, found[-1]) if found and has_next else None,
        _cursor("previous", order, found[0]) if found and has_previous else None,
    )


def _cursor(direction: str, order: Order, row: Model) -> str:
    value = getattr(row, order.column)
    edge = value.isoformat() if isinstance(value, datetime) else value
    told = f"{direction} {order.name} {row.pk} {edge}"
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def _read(cursor: str, order: Order, model: type[Model]) -> tuple[bool, Any, Any]:
    try:
        told = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        direction, name, row_id, edge = told.split(" ", 3)
        if name != order.name or "\x00" in edge:
            raise ValueError(name)
        is_back = {"next": False, "previous": True}[direction]
        return is_back, order.read(edge), model._meta.pk.to_python(row_id)
    except (ValueError, KeyError, ValidationError):
        raise BadField(pointer="?cursor", code="bad_format") from None
