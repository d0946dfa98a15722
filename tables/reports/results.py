"""Results of games that are over as CSV, a line a seat, for whoever organises them.

A text that a spreadsheet would take for a formula begins with an apostrophe, and so does what follows a
semicolon in it, which many of them take for the end of a cell.  Source: security.md, C36.
"""

from __future__ import annotations

import csv
import re
import uuid
from collections.abc import Iterable, Iterator
from io import StringIO

from django.db.models import Q, QuerySet

from tables import entropy, queries
from tables.answers import text_of
from tables.models import Table, Tenure

COLUMNS = (
    "table",
    "game",
    "rules_version",
    "title",
    "created_at",
    "finished_at",
    "seat",
    "player",
    "bot",
    "gone",
    "place",
    "winner",
    "score",
    "reason",
    "verdict",
    "sandbox",
)
AT_ONCE = 200
_FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠]|[\t\r\n])")  # noqa: RUF001

Cell = str | int | bool | None


def seen_by(
    player_id: uuid.UUID, *, game: str | None = None, mine: bool | None = None, sandbox: bool | None = None
) -> Iterator[str]:
    """Return the results of all tables that a player may see, by the filters of the list of tables."""
    return _text(queries.listed(player_id, game=game, status="finished", mine=mine, sandbox=sandbox))


def of_all(*, game: str | None = None) -> Iterator[str]:
    """Return the results of all tables, for staff."""
    rows = Table.objects.filter(status="finished")
    return _text(rows if game is None else rows.filter(game=game))


def _text(rows: QuerySet[Table]) -> Iterator[str]:
    """Yield the text in parts: its head, then so many tables at a time, the newest first."""
    yield _csv([COLUMNS])
    last: Table | None = None
    while True:
        page = rows if last is None else rows.filter(_older_than(last))
        found = list(page.order_by("-created_at", "-id")[:AT_ONCE])
        if not found:
            return
        yield _csv(_lines(found))
        last = found[-1]


def _older_than(row: Table) -> Q:
    return Q(created_at__lt=row.created_at) | Q(created_at=row.created_at, id__lt=row.id)


def _lines(rows: list[Table]) -> Iterator[tuple[Cell, ...]]:
    held: dict[uuid.UUID, list[Tenure]] = {row.id: [] for row in rows}
    tenures = Tenure.objects.filter(table__in=held, until__isnull=True).select_related("player")
    for tenure in tenures.order_by("seat"):
        held[tenure.table_id].append(tenure)
    for row in rows:
        for tenure in held[row.id]:
            yield _line(row, tenure)


def _line(row: Table, held: Tenure) -> tuple[Cell, ...]:
    outcome = row.outcome or {"winners": [], "places": [None] * row.seats, "scores": None, "reason": ""}
    return (
        str(row.id),
        row.game,
        row.settings["rules_version"],
        row.title,
        text_of(row.created_at),
        text_of(row.finished_at) if row.finished_at else None,
        held.seat,
        held.player.name if held.player else None,
        held.bot or None,
        held.player is None and not held.bot and row.imported_from is None,
        outcome["places"][held.seat],
        held.seat in outcome["winners"],
        outcome["scores"][held.seat] if outcome["scores"] else None,
        outcome["reason"],
        row.verdict,
        row.fairness == entropy.CHOSEN,
    )


def _csv(lines: Iterable[tuple[Cell, ...]]) -> str:
    """Return lines as RFC 4180 has them."""
    text = StringIO()
    csv.writer(text).writerows([_cell(each) for each in line] for line in lines)
    return text.getvalue()


def _cell(value: Cell) -> str:
    """Return a cell; a number is one, whatever its sign, and no text is a formula."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    return _FORMULA.sub(r"\1'", value)
