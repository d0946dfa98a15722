# SPDX-License-Identifier: MIT
"""Views and moves as text.  One game has a board of its own; any other is told field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from clients.posta import Game, Json, View

SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
RED = frozenset("dh")
SILENT = frozenset({"viewer", "turn", "is_over"})  # told elsewhere


@dataclass(frozen=True, slots=True)
class Board:
    """How a game is told: its view as a picture, a move with what followed from it as a line."""

    draw: Callable[[View], Text]
    tell: Callable[[Game, Json, Sequence[Json]], Text]


def board_of(game_id: str) -> Board:
    """Return the board of a game, the plain one for a game that has none."""
    return BOARDS.get(game_id, PLAIN)


def scores_of(view: View) -> list[int] | None:
    """Return the points of each seat, None where the view does not count them."""
    seats = view.data.get("seats")
    if not isinstance(seats, list) or not seats:
        return None
    scores = [each.get("score") if isinstance(each, dict) else None for each in seats]
    return [each for each in scores if isinstance(each, int)] if None not in scores else None


def word_for(game: Game, area: str, code: str) -> str:
    """Return the catalogue's name of a code, or the code itself, readable."""
    found = game.names.get(area, {}).get(code)
    if isinstance(found, Mapping):
        found = found.get("name")
    return str(found) if found else code.replace("_", " ")


# --- Any game -----------------------------------------------------------------------------------


def _draw_plain(view: View) -> Text:
    lines: list[str] = []
    for name, value in view.data.items():
        if name in SILENT or _is_empty(value):
            continue
        label = name.replace("_", " ")
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            lines += [f"  {label} {number}: {_plain(each)}" for number, each in enumerate(value)]
        else:
            lines.append(f"  {label}: {_plain(value)}")
    return Text("\n".join(lines))


def _tell_plain(game: Game, move: Json, _events: Sequence[Json]) -> Text:
    params = ", ".join(f"{name.replace('_', ' ')} {_plain(value)}" for name, value in move["params"].items())
    return Text(f"{word_for(game, 'moves', move['kind'])}{': ' if params else ''}{params}")


def _is_empty(value: Any) -> bool:
    return value is None or value == [] or value == {}


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        told = ((name, each) for name, each in value.items() if not _is_empty(each) and each is not False)
        return "  ".join(
            name.replace("_", " ") if each is True else f"{name.replace('_', ' ')} {_plain(each)}"
            for name, each in told
        )
    if isinstance(value, list):
        between = "; " if any(isinstance(each, dict) for each in value) else " "
        return "[" + between.join("?" if each is None else _plain(each) for each in value) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


# --- Reafan -------------------------------------------------------------------------------------


def _draw_reafan(view: View) -> Text:
    """Return the grid of cards, y upwards, a mark on jacks that lie on others; then hands and deck."""
    cells = {(each["x"], each["y"]): each for each in view.data["board"]}
    picture = Text()
    if cells:
        columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
        for y in range(max(y for _, y in cells), min(y for _, y in cells) - 1, -1):
            picture.append(f"  {y:>3} ", style="dim")
            for x in columns:
                picture.append_text(_cell(cells.get((x, y))))
            picture.append("\n")
        picture.append("      " + "".join(f"{x:>4} " for x in columns) + "\n", style="dim")
    for seat in view.data["seats"]:
        picture.append(f"  seat {seat['seat']}: {seat['score']:>3} points, ")
        if seat["hand"] is None:
            picture.append(f"cards in hand: {seat['hand_size']}\n")
        else:
            picture.append("hand: ").append_text(_cards(seat["hand"])).append("\n")
    picture.append(f"  cards in the deck: {view.data['deck_size']}")
    if view.data["discards"]:
        picture.append(", out of the game ").append_text(_cards(view.data["discards"]))
    return picture


def _cell(cell: Json | None) -> Text:
    if cell is None:
        return Text("   · ", style="dim")
    card, mark = _card(cell["card"]), "+" if cell["covered"] else " "
    return Text(" " * (4 - len(card))).append_text(card).append(mark, style="dim")


def _cards(cards: Sequence[str]) -> Text:
    return Text(" ").join(_card(each) for each in cards)


def _card(card: str) -> Text:
    rank, suit = card[:-1], card[-1]
    return Text(f"{rank}{SUITS.get(suit, suit)}", style="bold red" if suit in RED else "bold")


def _tell_reafan(game: Game, move: Json, events: Sequence[Json]) -> Text:
    params = move["params"]
    line = Text(word_for(game, "moves", move["kind"]))
    if "card" in params:
        line.append(" ").append_text(_card(params["card"]))
    if "x" in params:
        line.append(f" at ({params['x']}, {params['y']})")
    if "take" in params:
        line.append(f": {word_for(game, 'terms', 'take' if params['take'] else 'keep').lower()}")
    points = sum(each["data"].get("points") or 0 for each in events)
    return line.append(f"  +{points}", style="green") if points else line


PLAIN = Board(_draw_plain, _tell_plain)
BOARDS = {"reafan": Board(_draw_reafan, _tell_reafan)}
