"""Players without a person: they choose from the view of their seat and its legal moves."""

from __future__ import annotations

from collections.abc import Sequence

from engines.base import Move
from engines.chance import Chance
from engines.cthulhu.beliefs import belief
from engines.cthulhu.messages import Declare, Investigate
from engines.cthulhu.view import SeatView, View

FEAR = 3.0
"""How many elder signs an investigator lets go for not waking Cthulhu."""
DISTRUST = 0.6
"""What it costs, in elder signs, to let a cultist investigate next."""


def random(_view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return any legal move, each equally likely."""
    return legal[chance.below(len(legal), "bot")]


def counting(view: View, legal: Sequence[Move], chance: Chance) -> Move:
    """Return a move by counting: investigators tell the truth and trust what adds up; cultists lie.

    It declares as soon as it may, ahead of its place too, in every round.
    """
    assert view.viewer is not None
    seat = view.seats[view.viewer]
    wanted = _declaration(view, seat)
    if wanted in legal:
        return wanted
    worth = _worth(view, is_cultist=seat.role == "cultist")
    best = max(worth[move.target] for move in legal if isinstance(move, Investigate))
    chosen = [move for move in legal if isinstance(move, Investigate) and worth[move.target] == best]
    return chosen[chance.below(len(chosen), "bot")]


def _declaration(view: View, seat: SeatView) -> Declare:
    """Return what to say: the truth; of a cultist, one elder sign too many, and never Cthulhu.

    Whoever believes it looks where a sign is missing, or where Cthulhu lies, and hands it the turn.
    It says nothing that the cards revealed, or the number of signs in the deck, belie.
    """
    dealt, remaining = seat.dealt, seat.remaining
    assert dealt is not None
    assert remaining is not None
    if seat.role == "investigator":
        return Declare(elder_signs=dealt.elder_signs, cthulhu=dealt.cthulhu)
    elsewhere = view.deck.elder_signs - view.revealed.elder_signs - remaining.elder_signs
    is_credible = elsewhere > 0 and remaining.futile + remaining.cthulhu > 0
    return Declare(elder_signs=dealt.elder_signs + is_credible, cthulhu=0)


def _worth(view: View, *, is_cultist: bool) -> list[float]:
    """Return what a card of each seat is worth to the viewer."""
    found = belief(view)
    worth = []
    for cultist, sign, cthulhu in zip(found.cultist, found.sign, found.cthulhu, strict=True):
        mine = FEAR * cthulhu - sign + DISTRUST * cultist
        worth.append(mine if is_cultist else -mine)
    return worth
