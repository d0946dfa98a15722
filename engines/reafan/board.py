"""Where a card may lie: lines, blocks, neighbours.  It knows no hands, turns or points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engines.reafan.cards import Card

Cell = tuple[int, int]
"""(x, y): x to the right, y up; the first card of a game lies at (0, 0)."""

Board = Mapping[Cell, Card]
"""The top card of every taken cell; no rule looks below it."""

LONGEST_LINE = 5


def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the four cells that share a side with ``cell``."""
    x, y = cell
    return (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)


def is_beside(board: Board, cell: Cell, cards: frozenset[Card]) -> bool:
    """Tell whether one of ``cards`` shares a side with ``cell``."""
    x, y = cell
    top = board.get
    return (
        top((x - 1, y)) in cards
        or top((x + 1, y)) in cards
        or top((x, y - 1)) in cards
        or top((x, y + 1)) in cards
    )


def touches(board: Board, cell: Cell) -> bool:
    """Tell whether any card shares a side with ``cell``."""
    return any(each in board for each in neighbours(cell))


def row(board: Board, cell: Cell) -> list[Cell]:
    """Return the cells of the row through ``cell``, left to right, ``cell`` included."""
    x, y = cell
    left = x - _run(board, x, y, -1, 0)
    right = x + _run(board, x, y, 1, 0)
    return [(each, y) for each in range(left, right + 1)]


def column(board: Board, cell: Cell) -> list[Cell]:
    """Return the cells of the column through ``cell``, bottom to top, ``cell`` included."""
    x, y = cell
    low = y - _run(board, x, y, 0, -1)
    high = y + _run(board, x, y, 0, 1)
    return [(x, each) for each in range(low, high + 1)]


def longest_line(board: Board, cell: Cell) -> int:
    """Return the length of the longer line that a card at the free ``cell`` would be in.

    Source: rulebook, R4.
    """
    return max(len(row(board, cell)), len(column(board, cell)))


def makes_block(board: Board, cell: Cell) -> bool:
    """Tell whether a card at the free ``cell`` would complete a 2 x 2 block.

    Source: rulebook, R5.
    """
    x, y = cell
    west, east = (x - 1, y) in board, (x + 1, y) in board
    if not (west or east):
        return False
    return any(
        (x, beyond) in board and ((west and (x - 1, beyond) in board) or (east and (x + 1, beyond) in board))
        for beyond in (y - 1, y + 1)
    )


def is_open(board: Board, cell: Cell) -> bool:
    """Tell whether a card of no power could be placed at the free ``cell``."""
    x, y = cell
    west, east = (x - 1, y) in board, (x + 1, y) in board
    south, north = (x, y - 1) in board, (x, y + 1) in board
    if not (west or east or south or north):
        return False
    if (west or east) and (south or north) and makes_block(board, cell):
        return False
    in_row = (west and _run(board, x, y, -1, 0)) + (east and _run(board, x, y, 1, 0))
    in_column = (south and _run(board, x, y, 0, -1)) + (north and _run(board, x, y, 0, 1))
    return in_row < LONGEST_LINE and in_column < LONGEST_LINE


def open_cells_after(before: Iterable[Cell], board: Board, cell: Cell) -> tuple[Cell, ...]:
    """Return every open cell of ``board``, by x, then by y.

    ``before`` were the open cells when ``cell``, taken just now, was still free.  Only the cells
    around it and at the ends of its lines can have changed.
    """
    x, y = cell
    changed = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    changed.add((x - 1 - _run(board, x, y, -1, 0), y))
    changed.add((x + 1 + _run(board, x, y, 1, 0), y))
    changed.add((x, y - 1 - _run(board, x, y, 0, -1)))
    changed.add((x, y + 1 + _run(board, x, y, 0, 1)))
    open_now = [each for each in changed if each not in board and is_open(board, each)]
    open_now += [each for each in before if each not in changed]
    return tuple(sorted(open_now))


def _run(board: Board, x: int, y: int, dx: int, dy: int) -> int:
    """Return how many cards follow without a gap from (x, y), itself left out."""
    length = 0
    while (x := x + dx, y := y + dy) in board:
        length += 1
    return length
