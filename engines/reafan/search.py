"""A few plies of search over sampled hidden cards: what a play gains, allows and leaves open.

It knows nothing but a view; the hand of the opponent and the next card are dealt from the unseen ones.
A play is worth what it scores, less what its card would usually have scored, less the same of the
opponent's reply, and a part of the same of the seat's next play.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engines.chance import Chance
from engines.reafan.board import Board, Cell, column, is_beside, is_open, neighbours, open_cells_after, row
from engines.reafan.cards import (
    ACES,
    DECK,
    FIGURES,
    JACKS,
    KINGS,
    PRINTED,
    QUEENS,
    RANKS,
    ROYALS,
    SUIT,
    SUITS,
    TWOS,
    Card,
)
from engines.reafan.messages import Discard, Play, Swap
from engines.reafan.moves import ORIGIN
from engines.reafan.scoring import FIRST_CARD, points
from engines.reafan.view import View

DEALS = 24
"""So many ways to deal the unseen cards are looked at."""
FOLLOWED = 8
"""Of so many plays, the best two plies deep, the seat's own next play is looked at."""
FOLLOWED_DEALS = 12
"""In so many of the deals."""
PATIENCE = 0.6
"""What a point of the seat's next play weighs beside one of this play."""
USUAL = dict(zip(RANKS, (2.2, 0.4, 1.0, 1.5, 2.0, 2.5, 2.8, 3.1, 3.5, 3.7, 5.2, 4.7, 0.4), strict=True))
"""What a card of each rank scores on the average of 300 games between greedy bots."""
UNDRAWN = 1.3
"""What half a card of the deck is worth: a two leaves it to whoever draws it."""
THRIFT = 0.7
"""How much of what a card usually scores is given up when it is played."""
NEVER = 99
"""A value that no card has."""

Needs = tuple[int, int, int, int]
"""By suit: a card of it scores a line when its value is greater than this."""
BARRED: Needs = (NEVER, NEVER, NEVER, NEVER)
"""What a line needs that no value scores: it holds a queen, or an ace zeroes the card to come."""


class Sight(NamedTuple):
    """What a cell offers to the card played there next."""

    row: int  # the cards of the line then, 0 for one alone
    row_needs: Needs
    column: int
    column_needs: Needs
    by_figure: bool
    by_royal: bool


class Position(NamedTuple):
    """A board, its open cells, and what every cell offers that a card can be played on."""

    board: Board
    free: tuple[Cell, ...]  # those of the longest lines first
    sights: dict[Cell, Sight]


class Best(NamedTuple):
    """The best play of a card: what it scores, and where; None where it has none."""

    points: int
    cell: Cell | None


class Deal(NamedTuple):
    """One way to deal the unseen cards: the opponent's hand, and what the seat draws next."""

    hand: tuple[Card, ...]
    draw: Card | None


class Plan(NamedTuple):
    """A play of the seat and all that is known of what follows."""

    move: Play | Discard
    position: Position  # after it
    replies: dict[Card, Best]  # to it, by card
    worth: float  # what it gains less what the opponent is expected to gain next


def appraised(view: View, legal: Sequence[Play | Discard], chance: Chance) -> list[float]:
    """Return what each play is worth to the viewer, in points of its lead.

    First all plays, one reply deep, in all deals; then the best of them one play deeper.
    """
    assert view.viewer is not None
    mine = view.seats[view.viewer].hand or ()
    unseen, deals = _deals(view, chance)
    now = position_of({(each.x, each.y): each.card for each in view.board})
    plans = [_plan(now, move, unseen, deals) for move in legal]
    found = {plan.move: plan.worth - NEVER for plan in plans}
    for plan in sorted(plans, key=lambda each: -each.worth)[:FOLLOWED]:
        hand = _hand_after(now, mine, plan.move)
        follow = [_next_gain(plan, hand, deal) for deal in deals[:FOLLOWED_DEALS]]
        found[plan.move] = plan.worth + PATIENCE * sum(follow) / len(follow)
    return [found[move] for move in legal]


def _plan(now: Position, move: Play | Discard, unseen: Sequence[Card], deals: Sequence[Deal]) -> Plan:
    position = now if isinstance(move, Discard) else after(now, move.card, (move.x, move.y))
    replies = {card: best(position, card) for card in unseen}
    lost = sum(_lost(deal.hand, replies) for deal in deals) / len(deals)
    return Plan(move, position, replies, _gain(now, position, move) - lost)


def best(position: Position, card: Card) -> Best:
    """Return the best play of ``card``, whoever holds it."""
    board, _, sights = position
    suit, worth = SUITS.index(SUIT[card]), PRINTED[card]
    most, where = -1, None
    for cell in _targets(position, card):
        sight = sights[cell]
        if (full := sight.row + sight.column) <= most:
            continue
        if card in QUEENS:
            scored = full
        elif card in ACES:
            scored = sum(points({**board, cell: card}, cell))
        else:
            scored = sight.row if worth > sight.row_needs[suit] else 0
            scored += sight.column if worth > sight.column_needs[suit] else 0
        if scored > most:
            most, where = scored, cell
    return Best(max(most, 0), where)


def _targets(position: Position, card: Card) -> Iterable[Cell]:
    """Return where a card may be played."""
    board, free, sights = position
    if card in TWOS and board:
        return [cell for cell in board if board[cell] not in TWOS]
    if card in KINGS:
        return [cell for cell in free if sights[cell].by_figure]
    if card in JACKS:
        placed = [cell for cell in free if not sights[cell].by_royal]
        return placed + [cell for cell in board if board[cell] not in FIGURES and not sights[cell].by_royal]
    return free


def position_of(board: Board) -> Position:
    """Return the position of a board."""
    beside = {each for cell in board for each in neighbours(cell)}
    free = (
        [cell for cell in sorted(beside) if cell not in board and is_open(board, cell)] if board else [ORIGIN]
    )
    return _seen(board, free, {})


def after(position: Position, card: Card, cell: Cell) -> Position:
    """Return the position after a play; what a cell offers changes in the lines around it alone."""
    before = position.board.get(cell)
    board = {**position.board, cell: card}
    free = position.free if before else open_cells_after(position.free, board, cell)
    reach = int(card in ACES or before in ACES)  # an ace tells on the lines beside it
    x, y = cell
    kept = {
        each: sight
        for each, sight in position.sights.items()
        if abs(each[0] - x) > reach and abs(each[1] - y) > reach
    }
    return _seen(board, free, kept)


def _seen(board: Board, free: Iterable[Cell], sights: dict[Cell, Sight]) -> Position:
    """Return a position, the sights that are missing added, and the widest free cells first."""
    aces = [cell for cell, card in board.items() if card in ACES]
    shadow = {each for cell in aces for each in neighbours(cell)}
    for cell in (*board, *free):
        if cell not in sights:
            sights[cell] = _sight(board, cell, shadow)
    ranked = sorted(free, key=lambda cell: -sights[cell].row - sights[cell].column)
    return Position(board, tuple(ranked), sights)


def _sight(board: Board, cell: Cell, shadow: set[Cell]) -> Sight:
    if board.get(cell) in ACES:
        others = [each for each in board if board[each] in ACES and each != cell]
        shadow = {each for ace in others for each in neighbours(ace)}
    in_row, in_column = row(board, cell), column(board, cell)
    zeroed = cell in shadow
    return Sight(
        row=len(in_row) if len(in_row) > 1 else 0,
        row_needs=BARRED if zeroed else _needs(board, cell, in_row, shadow),
        column=len(in_column) if len(in_column) > 1 else 0,
        column_needs=BARRED if zeroed else _needs(board, cell, in_column, shadow),
        by_figure=is_beside(board, cell, FIGURES),
        by_royal=is_beside(board, cell, ROYALS),
    )


def _needs(board: Board, cell: Cell, line: Sequence[Cell], shadow: set[Cell]) -> Needs:
    """Return the greatest value in the rest of a line, its aces counting a card to come."""
    rest = [board[each] for each in line if each != cell]
    if not QUEENS.isdisjoint(rest):
        return BARRED
    top, aces = 0, []
    for each in line:
        if each == cell or each in shadow:
            continue
        if (card := board[each]) in ACES:
            aces.append(SUIT[card])
        else:
            top = max(top, PRINTED[card])
    if not aces:
        return top, top, top, top
    counts = [(suit, sum(SUIT[card] == suit for card in rest)) for suit in aces]
    clubs, diamonds, hearts, spades = (
        max(top, *(count + (suit == own) for suit, count in counts)) for own in SUITS
    )
    return clubs, diamonds, hearts, spades


def _deals(view: View, chance: Chance) -> tuple[list[Card], list[Deal]]:
    """Return the cards that the opponent may hold, and samples of what it holds."""
    assert view.viewer is not None
    theirs = view.seats[1 - view.viewer]
    seen = {*(view.seats[view.viewer].hand or ()), *view.discards, *theirs.shown}
    for cell in view.board:
        seen |= {cell.card, *cell.covered}
    unseen = [card for card in DECK if card not in seen]
    hidden = theirs.hand_size - len(theirs.shown)
    deals = []
    for _ in range(DEALS):
        order = [unseen[index] for index in chance.shuffle(len(unseen), "bot")]
        draw = order[hidden] if view.deck_size else None
        deals.append(Deal((*theirs.shown, *order[:hidden]), draw))
    return [*theirs.shown, *unseen], deals


def _reply(hand: Sequence[Card], found: dict[Card, Best]) -> tuple[int, int, Card | None]:
    """Return what the opponent would play or discard: what scores most, with the cheapest card."""
    able = [card for card in hand if found[card].cell is not None] or hand
    return max(((found[card].points, -PRINTED[card], card) for card in able), default=(0, 0, None))


def _lost(hand: Sequence[Card], found: dict[Card, Best]) -> float:
    """Return what the opponent's reply is worth to it, its card being spent then."""
    scored, _, card = _reply(hand, found)
    return scored - _usual(card) if card else 0.0


def _usual(card: Card) -> float:
    """Return what it costs to have played a card: it scores nothing later."""
    return THRIFT * USUAL[card[:-1]]


def _next_gain(plan: Plan, hand: Sequence[Card], deal: Deal) -> float:
    """Return what the seat's own next play is worth after the reply."""
    position = plan.position
    card = _reply(deal.hand, plan.replies)[2]
    if card is not None and (cell := plan.replies[card].cell) is not None:
        position = after(position, card, cell)
    held = [*hand, deal.draw] if deal.draw and not isinstance(plan.move, Swap) else hand
    return max((best(position, each).points - _usual(each) for each in held), default=0)


def _gain(now: Position, then: Position, move: Play | Discard) -> float:
    """Return what a play of the seat scores, less what its card is worth in the hand."""
    if isinstance(move, Discard):
        return -_usual(move.card)
    cell = move.x, move.y
    gain = float(sum(points(then.board, cell)) if now.board else FIRST_CARD)
    if isinstance(move, Swap):
        gain += _usual(now.board[cell]) - THRIFT * UNDRAWN
    return gain - _usual(move.card)


def _hand_after(now: Position, hand: Sequence[Card], move: Play | Discard) -> list[Card]:
    """Return the rest of the hand, with what a two takes."""
    rest = [card for card in hand if card != move.card]
    return [*rest, now.board[move.x, move.y]] if isinstance(move, Swap) else rest
