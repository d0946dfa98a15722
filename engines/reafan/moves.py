"""Which plays the rules allow: one move judged with its reason, or all of them listed.

Both look at the board and at the mover's own hand, and at nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from engines.errors import RuleViolation
from engines.reafan.board import (
    LONGEST_LINE,
    Board,
    Cell,
    is_beside,
    longest_line,
    makes_block,
    touches,
)
from engines.reafan.cards import FIGURES, JACKS, KINGS, ROYALS, TWOS, Card, in_order
from engines.reafan.messages import Cover, Discard, Place, Play, Swap

ORIGIN = (0, 0)

_place = lru_cache(maxsize=1 << 15)(lambda card, x, y: Place(card=card, x=x, y=y))
_cover = lru_cache(maxsize=1 << 13)(lambda card, x, y: Cover(card=card, x=x, y=y))
_swap = lru_cache(maxsize=1 << 13)(lambda card, x, y: Swap(card=card, x=x, y=y))


def check_play(board: Board, move: Play) -> None:
    """Raise RuleViolation when the card may not be played so, whoever holds it.

    Codes: those of the three functions below.
    """
    match move:
        case Place():
            _check_place(board, move.card, (move.x, move.y))
        case Cover():
            _check_cover(board, move.card, (move.x, move.y))
        case Swap():
            _check_swap(board, move.card, (move.x, move.y))


def plays(board: Board, free: Sequence[Cell], hand: Iterable[Card]) -> list[Play]:
    """Return every legal play: by card in canonical order, then by x, then by y.

    ``free`` are the open cells of ``board``.  The placements of a jack come before its covers.
    """
    cards = in_order(hand)
    if not board:
        return [_place(card, *ORIGIN) for card in cards if card not in KINGS]
    found: list[Play] = []
    for card in cards:
        found += _plays_of(board, card, free)
    return found


def discards(hand: Iterable[Card]) -> list[Discard]:
    """Return a discard of each card, in canonical order."""
    return [Discard(card=card) for card in in_order(hand)]


def _plays_of(board: Board, card: Card, free: Sequence[Cell]) -> Sequence[Play]:
    if card in TWOS:
        return [_swap(card, x, y) for x, y in sorted(board) if board[x, y] not in TWOS]
    if card in KINGS:
        return [_place(card, x, y) for x, y in free if is_beside(board, (x, y), FIGURES)]
    if card in JACKS:
        placed = [_place(card, x, y) for x, y in free if not is_beside(board, (x, y), ROYALS)]
        covers = [_cover(card, x, y) for x, y in sorted(board) if _is_coverable(board, (x, y))]
        return [*placed, *covers]
    return [_place(card, x, y) for x, y in free]


def _is_coverable(board: Board, cell: Cell) -> bool:
    """Tell whether a jack may cover the card of a cell.  Source: rulebook, R6 (beside no royal)."""
    return board[cell] not in FIGURES and not is_beside(board, cell, ROYALS)


def _check_place(board: Board, card: Card, cell: Cell) -> None:
    """Codes: first_card_no_king, first_card_at_origin, two_must_swap, cell_taken, not_adjacent,
    line_too_long, block_completed, king_needs_figure, jack_beside_royal.  Source: rulebook, R4
    (lines), R5 (blocks), R6 (a jack lies beside no queen and no king).
    """
    if not board:
        return _check_first(card, cell)
    if card in TWOS:
        raise RuleViolation("two_must_swap", card=card)
    if cell in board:
        raise RuleViolation("cell_taken", card=board[cell])
    if not touches(board, cell):
        raise RuleViolation("not_adjacent")
    if (length := longest_line(board, cell)) > LONGEST_LINE:
        raise RuleViolation("line_too_long", length=length, longest=LONGEST_LINE)
    if makes_block(board, cell):
        raise RuleViolation("block_completed")
    if card in KINGS and not is_beside(board, cell, FIGURES):
        raise RuleViolation("king_needs_figure", card=card)
    if card in JACKS and is_beside(board, cell, ROYALS):
        raise RuleViolation("jack_beside_royal", card=card)
    return None


def _check_first(card: Card, cell: Cell) -> None:
    if card in KINGS:
        raise RuleViolation("first_card_no_king", card=card)
    if cell != ORIGIN:
        raise RuleViolation("first_card_at_origin")


def _check_cover(board: Board, card: Card, cell: Cell) -> None:
    """Codes: only_jack_covers, no_card_there, jack_cannot_cover, jack_beside_royal."""
    if card not in JACKS:
        raise RuleViolation("only_jack_covers", card=card)
    if cell not in board:
        raise RuleViolation("no_card_there")
    if board[cell] in FIGURES:
        raise RuleViolation("jack_cannot_cover", card=card, covered=board[cell])
    if is_beside(board, cell, ROYALS):
        raise RuleViolation("jack_beside_royal", card=card)


def _check_swap(board: Board, card: Card, cell: Cell) -> None:
    """Codes: only_two_swaps, no_card_there, cannot_swap_two.  Source: rulebook, R7."""
    if card not in TWOS:
        raise RuleViolation("only_two_swaps", card=card)
    if cell not in board:
        raise RuleViolation("no_card_there")
    if board[cell] in TWOS:
        raise RuleViolation("cannot_swap_two", card=card, taken=board[cell])
