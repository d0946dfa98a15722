"""What being verifiable costs: the shuffle from a keyed stream, and the chained canonical bytes."""

from __future__ import annotations

import random
from hashlib import sha256

import orjson

from bench.measure import Figure, Goal, compare, cpu_figure
from engines.chance import KeyedChance
from events import canonical

HEADER = {
    "v": 1,
    "table": "00112233445566778899aabbccddeeff",
    "seq": 41,
    "prev": "00" * 32,
    "type": "reafan.card_placed",
    "schema": 1,
    "actor": "seat:1",
    "at": 1_790_000_000_000,
    "public": {"seat": 1, "card": 1, "x": -2, "y": 3, "row_points": 2, "column_points": 0, "score": 9},
    "slots": [],
    "assigns": [],
    "opens": [[7, 31]],
    "draws": [],
}


def run(*, quick: bool) -> list[Figure]:
    """Return goals 22 and 23: our CPU time against the unverifiable equivalent's."""
    return [_shuffle(quick=quick), _chain(quick=quick)]


def _shuffle(*, quick: bool) -> Figure:
    def ours(count: int) -> None:
        chance = KeyedChance(bytes(32))
        for _ in range(count):
            chance.shuffle(52, "deck")
            chance.taken()

    def baseline(count: int) -> None:
        for _ in range(count):
            deck = list(range(52))
            random.shuffle(deck)

    found = compare(ours, baseline, count=1_000 if quick else 10_000, pairs=5 if quick else 9)
    return cpu_figure("22 verifiable shuffle of 52", "random.shuffle", found, Goal(5, 2.6, at_least=False))


def _chain(*, quick: bool) -> Figure:
    def ours(count: int) -> None:
        header, head = dict(HEADER), bytes(32)
        for number in range(count):
            header["seq"], header["prev"] = number, head.hex()
            head = canonical.event_hash(canonical.canonical(header))

    def baseline(count: int) -> None:
        header, head = dict(HEADER), bytes(32)
        for number in range(count):
            header["seq"], header["prev"] = number, head.hex()
            head = sha256(orjson.dumps(header, option=orjson.OPT_SORT_KEYS)).digest()

    found = compare(ours, baseline, count=20_000 if quick else 250_000, pairs=5 if quick else 9)
    return cpu_figure(
        "23 event to canonical bytes to chained hash",
        "orjson sorted + sha256",
        found,
        Goal(3, 1.5, at_least=False),
    )
