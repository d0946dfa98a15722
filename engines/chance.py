"""Labelled draws from a keyed stream, so that anybody who holds the key can recompute them.

Source: transcript format ``ttx v1``, Randomness, steps 5 to 7.  The key is an argument; no
randomness of the interpreter is used anywhere in the engines.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from itertools import chain
from struct import unpack
from typing import NamedTuple, Protocol

WORD = 1 << 64


class Draw(NamedTuple):
    """One draw of a game's stream: ``n`` counts from 0 within the epoch."""

    n: int
    label: str


class Chance(Protocol):
    """What an engine may ask of chance.  Each call is one labelled draw."""

    def below(self, bound: int, label: str) -> int:
        """Return a number from 0 to ``bound`` - 1, each equally likely."""

    def shuffle(self, count: int, label: str) -> tuple[int, ...]:
        """Return the numbers 0 to ``count`` - 1 in random order."""

    def taken(self) -> tuple[Draw, ...]:
        """Return the draws made since the last call of ``taken``, oldest first."""


class KeyedChance:
    """The stream of one epoch: HMAC-SHA256 in counter mode under ``key`` (32 bytes).

    ``drawn`` is the number of draws that the epoch has used before.
    """

    def __init__(self, key: bytes, drawn: int = 0) -> None:
        self._key = key
        self.drawn = drawn
        self._taken: list[Draw] = []

    def below(self, bound: int, label: str) -> int:
        return _below(bound, self._draw(label))

    def shuffle(self, count: int, label: str) -> tuple[int, ...]:
        words = self._draw(label)
        order = list(range(count))
        fair = WORD - count  # below it a word is free of bias whatever the bound
        for i in range(count - 1, 0, -1):
            word = next(words)
            j = word % (i + 1) if word < fair else _below(i + 1, chain((word,), words))
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def taken(self) -> tuple[Draw, ...]:
        taken, self._taken = tuple(self._taken), []
        return taken

    def _draw(self, label: str) -> Iterator[int]:
        n = self.drawn
        self.drawn += 1
        self._taken.append(Draw(n, label))
        message = b"ttx/draw/v1\x00" + n.to_bytes(4, "big") + label.encode("ascii")
        return _words(hmac.digest(self._key, message, "sha256"))


class ScriptedChance:
    """Dictated outcomes, in order: worked examples and positions of other people.

    An outcome is a number for ``below`` and a sequence of numbers for ``shuffle``.  Raises
    ValueError for an outcome that does not fit its draw, and when none is left.
    """

    def __init__(self, outcomes: Iterable[int | Iterable[int]] = (), drawn: int = 0) -> None:
        self._outcomes = iter(outcomes)
        self.drawn = drawn
        self._taken: list[Draw] = []

    def below(self, bound: int, label: str) -> int:
        outcome = self._next(label)
        if not isinstance(outcome, int) or not 0 <= outcome < bound:
            raise ValueError(f"{label}: {outcome!r} is no number from 0 to {bound - 1}")
        return outcome

    def shuffle(self, count: int, label: str) -> tuple[int, ...]:
        outcome = self._next(label)
        order = () if isinstance(outcome, int) else tuple(outcome)
        if sorted(order) != list(range(count)):
            raise ValueError(f"{label}: {outcome!r} is no order of the numbers below {count}")
        return order

    def taken(self) -> tuple[Draw, ...]:
        taken, self._taken = tuple(self._taken), []
        return taken

    def _next(self, label: str) -> int | Iterable[int]:
        try:
            outcome = next(self._outcomes)
        except StopIteration:
            raise ValueError(f"{label}: the script has no outcome left") from None
        self._taken.append(Draw(self.drawn, label))
        self.drawn += 1
        return outcome


def _words(key: bytes) -> Iterator[int]:
    """Yield the 64-bit words of the stream of one draw, without end."""
    block = 0
    while True:
        yield from unpack(">4Q", hmac.digest(key, block.to_bytes(4, "big"), "sha256"))
        block += 1


def _below(bound: int, words: Iterator[int]) -> int:
    """Return the next word that is free of modulo bias, modulo ``bound``."""
    limit = WORD - WORD % bound
    while (word := next(words)) >= limit:
        pass
    return word % bound
