"""What a round does, once its cards lie open: teams, sums, damage, healing.  Pure arithmetic.

Source: rulebook, chapter Resolution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

HEALING = 2


class Hand(NamedTuple):
    """The three cards of one player as they count: the team, and value times sign."""

    team: str
    worth: int


class Reckoning(NamedTuple):
    """A round resolved; seats ascending, all as ``messages.RoundResolved`` tells it."""

    settled_by: str
    majority: tuple[int, ...]
    minority: tuple[int, ...]
    majority_sum: int
    minority_sum: int
    verdict: str
    damage: int
    struck: tuple[int, ...]
    is_rebound: bool
    healed: tuple[int, ...]


def hand_of(shown: str) -> Hand:
    """Return how three cards, in any order, count."""
    team = "A" if "A" in shown else "B"
    value = next(int(card) for card in shown if card.isdigit())
    return Hand(team, -value if "-" in shown else value)


def rammed(hand: Hand, effect: str) -> Hand:
    """Return how a hand counts after a ram: in the other team, or with the other sign.

    Source: rulebook, R7.
    """
    if effect == "flip_sign":
        return Hand(hand.team, -hand.worth)
    return Hand("B" if hand.team == "A" else "A", hand.worth)


def verdict_of(majority_sum: int, minority_sum: int, hands: int) -> str:
    """Return what two sums mean with so many hands on the table.

    ``healing``: nobody is struck, the minority heals.  ``above`` and ``inverted`` strike the
    majority, ``below`` the minority.  Source: rulebook, R4 (a damage that strikes the majority
    already is not inverted).
    """
    if majority_sum == 0:
        return "healing"
    if majority_sum > hands:
        return "above"
    return "inverted" if minority_sum > majority_sum else "below"


def reckon(hands: Mapping[int, Hand], *, amulet: int, worm: int | None) -> Reckoning:
    """Return what the round does to the seats of ``hands``, which ascend.

    ``worm`` is the one among them that has no life: the worm in the final duel.
    """
    settled_by, majority, minority = _sides(hands, amulet)
    majority_sum, minority_sum = _sum(hands, majority), _sum(hands, minority)
    verdict = verdict_of(majority_sum, minority_sum, len(hands))
    hit = {"healing": (), "below": minority}.get(verdict, majority)
    struck = _living(hit, worm)
    is_rebound = bool(hit) and not struck
    return Reckoning(
        settled_by=settled_by,
        majority=majority,
        minority=minority,
        majority_sum=majority_sum,
        minority_sum=minority_sum,
        verdict=verdict,
        damage=majority_sum,
        struck=_living(hands, worm) if is_rebound else struck,
        is_rebound=is_rebound,
        healed=_living(minority, worm) if verdict == "healing" else (),
    )


def _sides(hands: Mapping[int, Hand], amulet: int) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Return how majority and minority were settled, and both."""
    own = hands[amulet].team
    mates = tuple(seat for seat, hand in hands.items() if hand.team == own)
    others = tuple(seat for seat, hand in hands.items() if hand.team != own)
    if not others:
        return "amulet_alone", tuple(seat for seat in mates if seat != amulet), (amulet,)
    if len(mates) == len(others):
        return "amulet_tie", mates, others
    return ("size", mates, others) if len(mates) > len(others) else ("size", others, mates)


def _sum(hands: Mapping[int, Hand], seats: Iterable[int]) -> int:
    return abs(sum(hands[seat].worth for seat in seats))


def _living(seats: Iterable[int], worm: int | None) -> tuple[int, ...]:
    return tuple(seat for seat in seats if seat != worm)
