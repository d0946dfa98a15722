"""A second reading of the rules, slow and plain: it tries every cell and shares no code with the engine.

A board is ``{(x, y): top card}``.  Everything is judged on the whole board, after the card lies.
"""

from __future__ import annotations

from itertools import product

Cell = tuple[int, int]
Board = dict[Cell, str]
Found = tuple[str, str, int, int]
"""(kind, card, x, y)"""

SUITS = "cdhs"
RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
ALL_CARDS = [rank + suit for rank, suit in product(RANKS, SUITS)]


def rank(card: str) -> str:
    """Return everything but the last letter."""
    return card[:-1]


def window(board: Board) -> list[Cell]:
    """Return all cells up to two steps around the board."""
    if not board:
        return [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    xs, ys = [x for x, _ in board], [y for _, y in board]
    return [(x, y) for x in range(min(xs) - 2, max(xs) + 3) for y in range(min(ys) - 2, max(ys) + 3)]


def around(board: Board, cell: Cell) -> list[str]:
    """Return the cards at distance 1."""
    return [card for (x, y), card in board.items() if abs(x - cell[0]) + abs(y - cell[1]) == 1]


def lines(board: Board) -> list[list[Cell]]:
    """Return every unbroken run of taken cells, rows and columns, also those of one card."""
    found = []
    for axis in (0, 1):
        ordered = sorted(board, key=lambda cell: (cell[1 - axis], cell[axis]))
        run: list[Cell] = []
        for cell in ordered:
            follows = run and run[-1][1 - axis] == cell[1 - axis] and run[-1][axis] + 1 == cell[axis]
            if run and not follows:
                found.append(run)
                run = []
            run = [*run, cell]
        found.append(run)
    return found


def has_block(board: Board) -> bool:
    """Tell whether four cards lie in a square."""
    return any({(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)} <= set(board) for x, y in board)


def may_place(board: Board, card: str, cell: Cell) -> bool:
    """Rulebook, placing: neighbour, length, block, and the wants of jack, king and two."""
    if not board:
        return cell == (0, 0) and rank(card) != "K"
    near = [rank(each) for each in around(board, cell)]
    if cell in board or not near or rank(card) == "2":
        return False
    after = {**board, cell: card}
    if has_block(after) or max(len(line) for line in lines(after)) > 5:
        return False
    if rank(card) == "K":
        return any(each in "JQK" for each in near)
    return rank(card) != "J" or not any(each in "QK" for each in near)


def may_cover(board: Board, card: str, cell: Cell) -> bool:
    """Rulebook, jack: on anything but a figure, and not beside a queen or a king."""
    if rank(card) != "J" or cell not in board or rank(board[cell]) in "JQK":
        return False
    return not any(rank(each) in "QK" for each in around(board, cell))


def may_swap(board: Board, card: str, cell: Cell) -> bool:
    """Rulebook, two: on any card but a two."""
    return rank(card) == "2" and cell in board and rank(board[cell]) != "2"


RULES = {"place": may_place, "cover": may_cover, "swap": may_swap}


def plays(board: Board, hand: list[str]) -> set[Found]:
    """Return every legal play of the cards in ``hand``."""
    return {
        (kind, card, x, y)
        for kind, is_allowed in RULES.items()
        for card in hand
        for x, y in window(board)
        if is_allowed(board, card, (x, y))
    }


def value(board: Board, cell: Cell, line: list[Cell]) -> int:
    """Rulebook, values: aces zero their neighbours and count their suit in the line."""
    card = board[cell]
    if any(rank(each) == "A" for each in around(board, cell)):
        return 0
    if rank(card) == "A":
        return len([each for each in line if board[each][-1] == card[-1]])
    return 10 if rank(card) in ("J", "Q", "K") else int(rank(card))


def points(board: Board, cell: Cell) -> int:
    """Return what the card at ``cell`` scores when it is the one just played."""
    total = 0
    for line in lines(board):
        if cell not in line or len(line) == 1:
            continue
        others = [each for each in line if each != cell]
        has_queen = any(rank(board[each]) == "Q" for each in others)
        best = max(value(board, each, line) for each in others)
        if rank(board[cell]) == "Q" or (not has_queen and value(board, cell, line) > best):
            total += len(line)
    return total
