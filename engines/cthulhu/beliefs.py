"""What can be reckoned from a view: who may be a cultist, and what lies before whom.

Every set of cultists that the pool allows is weighed by how likely it makes all that was declared
and revealed, if investigators tell the truth and look away from Cthulhu, and cultists say anything
and look for it.  Nobody has to play so; hence a share of doubt in every round, and no pick is proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, perm

from engines.cthulhu.view import RoundView, View

DOUBT = 0.05
"""How likely it is that an investigator's declaration of a round says nothing."""
ANYTHING = 1 / 8
"""How likely a liar is to say just what it says."""
RECKLESS = {False: 0.03, True: 0.4}
"""How likely an investigator, and a cultist, is to look where Cthulhu is said to lie."""


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards that are alike to the reckoner: those of one seat, or of several that nobody vouches for."""

    cards: int
    signs: int
    cthulhu: int
    seen: int  # of them, revealed
    seen_signs: int
    seen_cthulhu: int

    def likelihood(self) -> float:
        """Return the number of ways to lay it, times the chance of what was revealed of it."""
        futile = self.cards - self.signs - self.cthulhu
        seen_futile = self.seen - self.seen_signs - self.seen_cthulhu
        if min(futile, self.signs, self.cthulhu) < 0:
            return 0.0
        ways = comb(self.cards, self.signs) * comb(self.cards - self.signs, self.cthulhu)
        shown = perm(self.signs, self.seen_signs) * perm(self.cthulhu, self.seen_cthulhu)
        return ways * shown * perm(futile, seen_futile) / perm(self.cards, self.seen)

    def odds(self) -> tuple[float, float]:
        """Return the chances that a card left of it is an elder sign, and that it is Cthulhu."""
        left = max(1, self.cards - self.seen)
        return max(0, self.signs - self.seen_signs) / left, max(0, self.cthulhu - self.seen_cthulhu) / left


@dataclass(frozen=True, slots=True)
class Belief:
    """The chances, as one seat sees them: of being a cultist, and of the next card of each seat."""

    cultist: tuple[float, ...]
    sign: tuple[float, ...]
    cthulhu: tuple[float, ...]


def belief(view: View) -> Belief:
    """Return what the viewer, a seat, may believe."""
    seats = len(view.seats)
    weights: list[float] = []
    cultists, signs, cthulhu = [0.0] * seats, [0.0] * seats, [0.0] * seats
    for liars, weight in _suspicions(view):
        branches = _branches(view, view.rounds[-1], liars)
        for piles, likelihood in branches:
            share = weight * likelihood
            weights.append(share)
            for seat in range(seats):
                sign, evil = piles[seat].odds()
                cultists[seat] += share * (seat in liars)
                signs[seat] += share * sign
                cthulhu[seat] += share * evil
    total = sum(weights) or 1.0
    return Belief(
        tuple(each / total for each in cultists),
        tuple(each / total for each in signs),
        tuple(each / total for each in cthulhu),
    )


def _suspicions(view: View) -> Iterator[tuple[frozenset[int], float]]:
    """Yield the sets of other seats that may be cultists, each with its weight before this round."""
    assert view.viewer is not None
    others = [seat for seat in range(len(view.seats)) if seat != view.viewer]
    evil = int(view.seats[view.viewer].role == "cultist")
    bad, good = view.pool.count("cultist"), view.pool.count("investigator")
    for count in range(len(others) + 1):
        prior = perm(bad, count + evil) * perm(good, len(others) + 1 - count - evil)
        for liars in combinations(others, count) if prior else ():
            weight = prior * _daring(view, frozenset(liars))
            for each in view.rounds[:-1]:
                weight *= sum(likelihood for _, likelihood in _branches(view, each, frozenset(liars)))
            yield frozenset(liars), weight


def _daring(view: View, liars: frozenset[int]) -> float:
    """Return how likely all others were to look, or not, where Cthulhu was said to lie, as they did."""
    likelihood = 1.0
    for each in view.rounds:
        since = {said.seat: said.after for said in each.declarations if said.cthulhu}
        for number, reveal in enumerate(each.reveals):
            feared = {seat for seat, after in since.items() if after <= number and seat != reveal.seat}
            if feared and reveal.seat != view.viewer:
                reckless = RECKLESS[reveal.seat in liars]
                likelihood *= reckless if reveal.target in feared else 1 - reckless
    return likelihood


def _branches(view: View, round_view: RoundView, liars: Iterable[int]) -> list[tuple[dict[int, Pile], float]]:
    """Return the piles as the declarations tell them, and as they may be for all we know."""
    assert view.viewer is not None
    own = round_view.dealt[view.viewer]
    assert own is not None
    claims = {
        said.seat: (said.elder_signs, said.cthulhu)
        for said in round_view.declarations
        if said.elder_signs is not None and said.cthulhu is not None
    }
    told = {seat: claim for seat, claim in claims.items() if seat not in liars} | {
        view.viewer: (own.elder_signs, own.cthulhu)
    }
    lies = ANYTHING ** sum(seat in claims for seat in liars)
    known = {view.viewer: told[view.viewer]}
    trusting, doubting = _piles(view, round_view, told), _piles(view, round_view, known)
    return [
        (trusting[0], (1 - DOUBT) * lies * trusting[1]),
        (doubting[0], DOUBT * ANYTHING ** len(claims) * doubting[1]),
    ]


def _piles(
    view: View, round_view: RoundView, told: dict[int, tuple[int, int]]
) -> tuple[dict[int, Pile], float]:
    """Return the pile of each seat if ``told`` is true, and how likely that makes what was seen."""
    each = round_view.cards
    before = [card for past in view.rounds if past.round < round_view.round for card in past.reveals]
    signs = view.deck.elder_signs - sum(card.kind == "elder_sign" for card in before)
    piles: dict[int, Pile] = {}
    rest = [seat for seat in range(len(view.seats)) if seat not in told]
    for seat, (claimed, evil) in told.items():
        piles[seat] = Pile(each, claimed, evil, *_seen(round_view, {seat}))
    if rest:
        said_signs, said_evil = (sum(claim[which] for claim in told.values()) for which in (0, 1))
        common = Pile(each * len(rest), signs - said_signs, 1 - said_evil, *_seen(round_view, set(rest)))
        piles |= dict.fromkeys(rest, common)
    is_whole = sum(pile.signs for pile in piles.values()) == signs
    is_whole = is_whole and sum(pile.cthulhu for pile in piles.values()) == 1
    likelihood = 1.0 if rest or is_whole else 0.0
    for pile in {id(pile): pile for pile in piles.values()}.values():
        likelihood *= pile.likelihood()
    return piles, likelihood


def _seen(round_view: RoundView, seats: set[int]) -> tuple[int, int, int]:
    """Return how many cards of seats were revealed, how many elder signs, and how many Cthulhu."""
    kinds = [card.kind for card in round_view.reveals if card.target in seats]
    return len(kinds), kinds.count("elder_sign"), kinds.count("cthulhu")
