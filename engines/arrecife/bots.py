"""Players without a person: they choose from the view of their seat and its legal moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from engines.arrecife.kit import KINDS, VALUES, left_over
from engines.arrecife.messages import Ability, Pick
from engines.arrecife.reckoning import HEALING, Hand, Reckoning, hand_of, reckon
from engines.arrecife.view import View
from engines.base import Move
from engines.chance import Chance

World = dict[int, Hand]
"""How the round may end up on the table, by seat."""

WORLDS = 96
"""The reader looks at so many worlds drawn by chance, or at all where there are fewer."""

OWN = 1.5
"""What an hp of its own is worth to it, in hp of the average opponent."""

FALL = 10
"""What a fall weighs beside the hp lost by it."""


def random(_view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return any legal move, each equally likely."""
    return legal[chance.below(len(legal), "bot")]


def reader(view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return the move that, by what lies on the table, costs its seat least and the others most.

    A card counts by its expectation, cards not yet revealed as any that their seats may lay; on a
    bare table some value is laid, not the same by all who read alike.  The worm bites whoever has
    most hp.  Among equal moves chance decides.
    """
    if isinstance(legal[0], Ability):
        worth = [float(view.seats[each.target].hp) * (each.ability == "bite") for each in legal]
    elif any(seat.shown for seat in view.seats):
        worth = _expectations(view, legal, chance)
    else:
        worth = [float(each.card in VALUES) for each in legal]
    best = [move for move, each in zip(legal, worth, strict=True) if each == max(worth)]
    return best[chance.below(len(best), "bot")]


def _expectations(view: View, legal: Sequence[Pick], chance: Chance) -> list[float]:
    """Return what to expect of each card, the seat's own later cards being any, too."""
    assert view.viewer is not None
    worlds = list(_worlds(view, chance))
    shown = "".join(view.seats[view.viewer].shown)
    found = []
    for move in legal:
        hands = _hands(shown + move.card, view.highest_value)
        gains = [_gain(view, {**world, view.viewer: hand}) for hand in hands for world in worlds]
        found.append(sum(gains) / len(gains))
    return found


def _worlds(view: View, chance: Chance) -> Iterator[World]:
    """Yield hands of all others that go with what they have shown, each as likely as another."""
    others = [seat for seat in view.players if seat != view.viewer]
    hands = [_hands("".join(view.seats[seat].shown), view.highest_value) for seat in others]
    count = prod(len(each) for each in hands)
    if count <= WORLDS:
        yield from (dict(zip(others, each, strict=True)) for each in product(*hands))
        return
    for _ in range(WORLDS):
        number, world = chance.below(count, "bot"), {}
        for seat, each in zip(others, hands, strict=True):
            number, index = divmod(number, len(each))
            world[seat] = each[index]
        yield world


def _hands(shown: str, highest: int) -> list[Hand]:
    """Return every hand that begins with the cards of ``shown``."""
    left = left_over(shown, highest)
    kinds = [[card for card in left if card in kind] for kind in KINDS]
    return [hand_of(shown + "".join(rest)) for rest in product(*(kind for kind in kinds if kind))]


def _gain(view: View, world: World) -> float:
    """Return what the viewer gains in a world: its own hp less those of its average opponent."""
    hands = {seat: world[seat] for seat in view.players}
    reckoned = reckon(hands, amulet=view.amulet, worm=view.worm)
    changes = {seat: _change(view, seat, reckoned) for seat in (*reckoned.struck, *reckoned.healed)}
    opponents = sum(each.is_alive for each in view.seats if each.seat != view.viewer)
    return sum(
        change * OWN if seat == view.viewer else -change / opponents for seat, change in changes.items()
    )


def _change(view: View, seat: int, reckoned: Reckoning) -> int:
    hp = view.seats[seat].hp
    if seat in reckoned.healed:
        return min(HEALING, view.options.starting_hp - hp)
    return -reckoned.damage if reckoned.damage < hp else -hp - FALL
