"""The 52 cards: their texts, classes and values.  It knows no board."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from engines.audience import About

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("c", "d", "h", "s")

CARD_PATTERN = "^(A|[2-9]|10|J|Q|K)[cdhs]$"

Card = Annotated[
    str,
    About(
        "A card: its rank (A, 2 to 10, J, Q, K) and its suit (c clubs, d diamonds, h hearts, s spades).",
        pattern=CARD_PATTERN,
    ),
]

DECK: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""All cards in canonical order: suits c d h s, in each the ranks A 2 3 ... 10 J Q K."""

ORDER = {card: index for index, card in enumerate(DECK)}
SUIT = {card: card[-1] for card in DECK}
PRINTED = {card: min(index % 13 + 1, 10) for index, card in enumerate(DECK)}
"""The values of cards that no ace touches; an ace has none of its own."""


def _of_rank(*ranks: str) -> frozenset[str]:
    return frozenset(card for card in DECK if card[:-1] in ranks)


ACES = _of_rank("A")
TWOS = _of_rank("2")
JACKS = _of_rank("J")
QUEENS = _of_rank("Q")
KINGS = _of_rank("K")
ROYALS = QUEENS | KINGS
FIGURES = JACKS | ROYALS


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return ``cards`` in canonical order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))
