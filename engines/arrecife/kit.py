"""The kit of nine cards that every player holds, and which of them may be laid."""

from __future__ import annotations

from functools import cache
from typing import Literal

Card = Literal["A", "B", "1", "2", "3", "4", "5", "+", "-"]
"""A card is one character, so that the cards a seat has shown are a text such as ``A3``."""

TEAMS: tuple[Card, ...] = ("A", "B")
VALUES: tuple[Card, ...] = ("1", "2", "3", "4", "5")
SIGNS: tuple[Card, ...] = ("+", "-")
KINDS = (TEAMS, VALUES, SIGNS)
"""In the order of ``card_order: fixed``; so is the whole kit, which is the canonical order."""

KIT: tuple[Card, ...] = TEAMS + VALUES + SIGNS
REVEALS = len(KINDS)

KIND_OF: dict[str, int] = {card: number for number, kind in enumerate(KINDS) for card in kind}
"""Which of the three kinds a card is, by its number in ``KINDS``."""


def highest_value(living: int) -> int:
    """Return the highest value that may be played with so many players alive at the start of a round.

    Source: rulebook, R13 (two alive: the final duel).
    """
    return 5 if living >= 5 else 4


@cache
def left_over(shown: str, highest: int) -> tuple[Card, ...]:
    """Return the cards of the kinds that are not among ``shown``, values up to ``highest``."""
    kinds = {KIND_OF[card] for card in shown}
    return tuple(card for card in KIT if KIND_OF[card] not in kinds and not _is_above(card, highest))


@cache
def playable(shown: str, highest: int, *, is_fixed: bool) -> tuple[Card, ...]:
    """Return the cards that may be laid next, in canonical order.

    Source: rulebook, R3; ``is_fixed`` is the option ``card_order``.
    """
    cards = left_over(shown, highest)
    return tuple(card for card in cards if not is_fixed or KIND_OF[card] == len(shown))


def _is_above(card: Card, highest: int) -> bool:
    return card in VALUES and int(card) > highest
