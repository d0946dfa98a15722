"""Positions of Reafan drawn in text, and moves played on them.

A board is drawn as the rulebook draws it: rows from the top down, ``.`` is a free cell, and
``Jd/9c`` a jack that covers a nine.  ``left`` and ``bottom`` are the coordinates of its lower
left corner.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from engines.audience import Ref
from engines.base import Batch, begin, play
from engines.chance import Chance, ScriptedChance
from engines.errors import RuleViolation
from engines.reafan import GAME
from engines.reafan.board import open_cells_after
from engines.reafan.cards import DECK
from engines.reafan.messages import CardCovered, CardPlaced, CardSwapped, Mulligan
from engines.reafan.scoring import points
from engines.reafan.state import Held, State

Cell = tuple[int, int]


def drawn(text: str, left: int = 0, bottom: int = 0) -> dict[Cell, list[str]]:
    """Return the cards of each taken cell, the top one first."""
    rows = [line.split() for line in text.strip().splitlines()]
    return {
        (left + x, bottom + len(rows) - 1 - y): token.split("/")
        for y, row in enumerate(rows)
        for x, token in enumerate(row)
        if token != "."
    }


def board(text: str, left: int = 0, bottom: int = 0) -> dict[Cell, str]:
    """Return the top card of each taken cell."""
    return {cell: cards[0] for cell, cards in drawn(text, left, bottom).items()}


def position(
    text: str,
    *,
    hand: str = "",
    other: str | None = None,
    deck: str | None = None,
    left: int = 0,
    bottom: int = 0,
    **changes: Any,
) -> State:
    """Return a state in which seat 0 is to move with ``hand`` on the board drawn in ``text``.

    The other hand, when not given, is three of the cards left; the deck all that are left then.
    """
    cells = drawn(text, left, bottom)
    top = {cell: cards[0] for cell, cards in cells.items()}
    below = {cell: tuple(reversed(cards[1:])) for cell, cards in cells.items() if cards[1:]}
    mine = hand.split()
    placed = [card for cards in cells.values() for card in cards]
    rest = [
        card for card in DECK if card not in {*placed, *mine, *(other or "").split(), *(deck or "").split()}
    ]
    theirs = rest[:3] if other is None else other.split()
    left_over = [card for card in rest if card not in theirs] if deck is None else deck.split()
    known = [*placed, *mine, *theirs]
    refs = {card: Ref(1, slot) for slot, card in enumerate(known)}
    facts: dict[str, Any] = {
        "on_timeout": "auto",
        "turn": 20,
        "mover": 0,
        "are_revealed": True,
        "deck_at": 1,
        "deck": (*known, *left_over),
        "drawn": len(known),
        "hands": (_held(mine, refs), _held(theirs, refs)),
        "board": top,
        "covered": below,
        "open_cells": _open_cells(top),
        "seen": {card: refs[card] for card in placed},
    }
    return State(**facts | changes)


def played(state: State, move: Any, seat: int = 0, chance: Chance | None = None) -> Batch[State]:
    """Return the batch that records ``move``, its state included."""
    batch = Batch(game=GAME, state=state, chance=chance or ScriptedChance(), position=100)
    play(batch, seat, move)
    return batch


def begun(deck: str, *later: Iterable[int], starter: int = 0) -> Batch[State]:
    """Return a game just begun in which the cards of ``deck`` lie on top, in that order.

    The starting seat is dealt the first three, the other the next three.  ``later`` are the
    orders of the shuffles that follow.
    """
    chance = ScriptedChance([starter, deck_order(deck), *later])
    batch = Batch(game=GAME, state=GAME.empty(GAME.options(), 2), chance=chance, position=1)
    begin(batch)
    return batch


def deck_order(top: str, cards: Iterable[str] = DECK) -> list[int]:
    """Return the order of a shuffle of ``cards`` that puts those of ``top`` on top."""
    canonical = sorted(cards, key=DECK.index)
    first = top.split()
    return [canonical.index(card) for card in [*first, *(card for card in canonical if card not in first)]]


def answer(batch: Batch[State], *takes: bool) -> Batch[State]:
    """Answer the mulligans of seat 0 and of seat 1."""
    for seat, take in enumerate(takes):
        play(batch, seat, Mulligan(take=take))
    return batch


def scored(state: State, move: Any) -> tuple[int, int]:
    """Return the points that ``move`` of seat 0 makes in its row and in its column."""
    for recorded in played(state, move).events:
        if isinstance(recorded.event, CardPlaced | CardCovered | CardSwapped):
            return recorded.event.row_points, recorded.event.column_points
    raise AssertionError("no card was played")


def refusal(state: State, move: Any, seat: int = 0) -> str:
    """Return the code with which ``move`` is refused, in play and by ``check`` alike."""
    with pytest.raises(RuleViolation) as refused:
        GAME.check(state, seat, move)
    batch = Batch(game=GAME, state=state, chance=ScriptedChance(), position=100)
    with pytest.raises(RuleViolation):
        play(batch, seat, move)
    assert batch.state is state
    assert batch.events == []
    return refused.value.code


def events_of(batch: Batch[State]) -> list[Any]:
    """Return the recorded events without their positions."""
    return [recorded.event for recorded in batch.events]


def hand_of(state: State, seat: int = 0) -> set[str]:
    """Return the cards in a hand."""
    return {held.card for held in state.hands[seat]}


def points_of(text: str, cell: Cell, left: int = 0, bottom: int = 0) -> tuple[int, int]:
    """Return the points of a card drawn as if it had just been played."""
    return points(board(text, left, bottom), cell)


def _held(cards: Iterable[str], refs: dict[str, Ref[Any]]) -> tuple[Held, ...]:
    return tuple(Held(card, refs[card]) for card in cards)


def _open_cells(top: dict[Cell, str]) -> tuple[Cell, ...]:
    """Return the open cells, found by laying the cards one after the other."""
    found: tuple[Cell, ...] = ()
    lying: dict[Cell, str] = {}
    for cell, card in top.items():
        lying[cell] = card
        found = open_cells_after(found, lying, cell)
    return found
