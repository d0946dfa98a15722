# SPDX-License-Identifier: MIT
"""Any view as something to look at, from its JSON Schema and the catalogue's words alone.

Objects with an ``x`` and a ``y`` are laid out as a board, other lists of objects as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clients.terminal.words import Words

Json = dict[str, Any]
TOLD_ELSEWHERE = ("viewer", "turn", "is_over")
LATEST = 12
"""How many rows of a long list are shown, the last ones."""
SHORT = 3
"""Codes of so few letters stand on a board as they are."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one game: those of the catalogue for its codes, the terminal's own for the rest."""

    names: Json
    say: Words

    def label(self, field: str) -> str:
        """Return the name of a field."""
        return str(self.names.get("terms", {}).get(field) or field.removeprefix("is_").replace("_", " "))

    def value(self, field: str, value: Any) -> str:
        """Return a value of a field in words: its term, such as ``card_A``, else as it is."""
        if isinstance(value, bool):
            return self.say("yes" if value else "no")
        if isinstance(value, list):
            return " ".join("?" if each is None else self.value(field, each) for each in value)
        if isinstance(value, dict):
            return ", ".join(
                f"{self.label(name)} {self.value(name, each)}"
                for name, each in value.items()
                if not _is_empty(each)
            )
        if value is None:
            return "-"
        terms = self.names.get("terms", {})
        return str(terms.get(f"{field}_{value}") or terms.get(value) or value)

    def kind(self, kind: str) -> str:
        """Return the name of a kind of move."""
        return str(self.names.get("moves", {}).get(kind, {}).get("name") or kind.replace("_", " "))

    def reason(self, code: str) -> str:
        """Return why a game has ended."""
        return str(self.names.get("reasons", {}).get(code) or code.replace("_", " "))


def properties(schema: Mapping[str, Any], part: Mapping[str, Any] | None = None) -> Json:
    """Return the fields that an object schema declares, with what it says of each.

    A ``$ref`` leads into the ``$defs`` of ``schema``, and of "this or null" this is meant.
    """
    part = schema if part is None else part
    if "$ref" in part:
        return properties(schema, schema["$defs"][part["$ref"].rsplit("/", 1)[-1]])
    for each in part.get("anyOf", ()):
        if each.get("type") != "null":
            return properties(schema, each)
    return dict(part.get("properties") or (properties(schema, part["items"]) if "items" in part else {}))


def picture(data: Mapping[str, Any], schema: Mapping[str, Any], lexicon: Lexicon) -> RenderableType:
    """Return what a viewer sees of a game."""
    parts: list[RenderableType] = []
    plain = Table.grid(padding=(0, 2))
    for field, told in properties(schema).items():
        value = data.get(field)
        if field in TOLD_ELSEWHERE or _is_empty(value):
            continue
        if isinstance(value, list) and isinstance(value[0], dict):
            columns = list(properties(schema, told)) or list(value[0])
            is_board = {"x", "y"} <= set(columns)
            parts.append(Text(f"\n{lexicon.label(field)}", style="bold"))
            parts.append(_board(value, lexicon) if is_board else _rows(value, columns, lexicon))
        else:
            plain.add_row(Text(lexicon.label(field), style="dim"), Text(lexicon.value(field, value)))
    return Group(plain, *parts)


def _rows(items: Sequence[Json], columns: Sequence[str], lexicon: Lexicon) -> RenderableType:
    """Return a list of objects as a table, without columns that say nothing."""
    shown = [each for each in columns if any(item.get(each) not in (None, False, [], {}) for item in items)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for each in shown:
        table.add_column(lexicon.label(each), overflow="fold")
    for item in items[-LATEST:]:
        table.add_row(*(Text(lexicon.value(each, item.get(each))) for each in shown))
    hidden = len(items) - LATEST
    return Group(Text(lexicon.say("earlier", count=hidden), style="dim"), table) if hidden > 0 else table


def _board(items: Sequence[Json], lexicon: Lexicon) -> RenderableType:
    """Return objects at their coordinates, y upwards; each is told by its first other field."""
    cells = {(each["x"], each["y"]): each for each in items}
    columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
    board = Table.grid(padding=(0, 1))
    for _ in range(len(columns) + 1):
        board.add_column(justify="right")
    for y in range(max(y for _, y in cells), min(y for _, y in cells) - 1, -1):
        board.add_row(Text(str(y), style="dim"), *(_cell(cells.get((x, y)), lexicon) for x in columns))
    board.add_row("", *(Text(str(x), style="dim") for x in columns))
    return board


def _cell(item: Json | None, lexicon: Lexicon) -> Text:
    if item is None:
        return Text("·", style="dim")
    told = [name for name, value in item.items() if name not in ("x", "y") and not _is_empty(value)]
    if not told:
        return Text("#")
    first, mark = item[told[0]], "+" if len(told) > 1 else ""
    is_short = isinstance(first, str) and len(first) <= SHORT  # such as 10d, for whose name there is no room
    return Text((str(first) if is_short else lexicon.value(told[0], first)) + mark, style="bold")


def _is_empty(value: Any) -> bool:
    return value is None or value == [] or value == {}
