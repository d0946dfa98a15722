"""What a card just played scores.  Pure arithmetic on the board as it then lies.

Source: rulebook, chapter Score.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.reafan.board import Board, Cell, column, is_beside, row
from engines.reafan.cards import ACES, PRINTED, QUEENS, SUIT

FIRST_CARD = 1
"""The first card of a game scores this, and nothing else."""


def points(board: Board, cell: Cell) -> tuple[int, int]:
    """Return what the card just played at ``cell`` scores in its row and in its column."""
    return _in_line(board, cell, row(board, cell)), _in_line(board, cell, column(board, cell))


def value(board: Board, cell: Cell, line: Sequence[Cell]) -> int:
    """Return the value of the top card at ``cell`` as a card of ``line``.

    Source: rulebook, R10 (an ace counts its suit), R11 (beside an ace all is worth 0).
    """
    card = board[cell]
    if is_beside(board, cell, ACES):
        return 0
    if card in ACES:
        suit = SUIT[card]
        return sum(SUIT[board[each]] == suit for each in line)
    return PRINTED[card]


def _in_line(board: Board, cell: Cell, line: Sequence[Cell]) -> int:
    """Source: rulebook, R12 (the last queen), R13 (an ace does not take her power)."""
    if len(line) < 2:
        return 0
    if board[cell] in QUEENS:
        return len(line)
    if any(board[each] in QUEENS for each in line):
        return 0
    played = value(board, cell, line)
    beaten = all(value(board, each, line) < played for each in line if each != cell)
    return len(line) if beaten else 0
