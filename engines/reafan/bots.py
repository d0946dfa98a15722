"""Players without a person: they choose from the view of their seat and its legal moves."""

from __future__ import annotations

from collections.abc import Sequence

from engines.base import Move
from engines.chance import Chance
from engines.reafan.board import Board
from engines.reafan.cards import KINGS, PRINTED
from engines.reafan.messages import Cover, Discard, Mulligan, Place, Swap
from engines.reafan.scoring import points
from engines.reafan.search import appraised
from engines.reafan.view import View


def random(_view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return any legal move, each equally likely."""
    return legal[chance.below(len(legal), "bot")]


def greedy(view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return the move that scores most now; among equal ones the cheapest card, then any."""
    board = {(cell.x, cell.y): cell.card for cell in view.board}
    worth = [_worth(view, board, move) for move in legal]
    best = [move for move, each in zip(legal, worth, strict=True) if each == max(worth)]
    return best[chance.below(len(best), "bot")]


def searcher(view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return the play that looks best a few plies deep, over sampled hidden hands."""
    if isinstance(legal[0], Mulligan):
        return greedy(view, legal, chance)
    worth = appraised(view, legal, chance)
    best = [move for move, each in zip(legal, worth, strict=True) if each == max(worth)]
    return best[chance.below(len(best), "bot")]


def _worth(view: View, board: Board, move: Move) -> tuple[int, int]:
    """Return the points of ``move`` and how little is given up for them."""
    match move:
        case Mulligan(take=take):
            hand = view.seats[view.viewer].hand if view.viewer is not None else None
            return int(take == KINGS.issuperset(hand or ())), 0
        case Place() | Cover() | Swap():
            cell = move.x, move.y
            return sum(points({**board, cell: move.card}, cell)), -PRINTED[move.card]
        case Discard():
            return 0, -PRINTED[move.card]
    raise AssertionError(f"not a move of this game: {move!r}")
