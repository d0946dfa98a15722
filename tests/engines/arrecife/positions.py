"""Positions of Arrecife at the start of a round, and rounds played on them.

A round is written as one word a seat, its cards in the order in which it lays them: ``A3+ B4- .``
is team A with +3, team B with -4, and a seat that plays no card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from engines.arrecife import GAME
from engines.arrecife.messages import Ability, Options, Pick, RoundResolved
from engines.arrecife.state import State
from engines.base import Batch, begin, play
from engines.chance import Chance, ScriptedChance
from engines.errors import RuleViolation


def position(
    hp: Sequence[int],
    *,
    amulet: int = 0,
    worm: int | None = None,
    round_: int = 5,
    left: tuple[int, ...] = (),
    options: dict[str, Any] | None = None,
    **changes: Any,
) -> State:
    """Return the state at the start of a round; who has no hp fell in round 1, or as ``out_at`` says.

    With two alive it is a round of the final duel.
    """
    assert hp[amulet], "the amulet lies before somebody alive"
    alive = tuple(seat for seat, each in enumerate(hp) if each)
    is_duel = len(alive) == 2
    assert worm is not None or len(alive) == len(hp), "somebody fell, so that there is a worm"
    facts: dict[str, Any] = {
        "options": Options(**options or {}),
        "turn": 20,
        "round": round_,
        "players": tuple(sorted((*alive, worm))) if is_duel and worm is not None else alive,
        "alive": alive,
        "hp": tuple(hp),
        "amulet": amulet,
        "worm": worm,
        "is_duel": is_duel,
        "picks": (None,) * len(hp),
        "shown": ("",) * len(hp),
        "out_at": tuple(
            round_ if seat in left and each else 0 if each else 1 for seat, each in enumerate(hp)
        ),
        "left": left,
    }
    return State(**facts | changes)


def batch_on(state: State, chance: Chance | None = None, at: int = 100) -> Batch[State]:
    """Return an empty batch on a state."""
    return Batch(game=GAME, state=state, chance=chance or ScriptedChance(), position=at)


def played(
    state: State, cards: str, *, ram: int | None = None, bite: int | None = None, chance: Chance | None = None
) -> Batch[State]:
    """Return the batch of a whole round: the worm's ability, if one is given, then all cards."""
    batch = batch_on(state, chance)
    for ability, target in (("ram", ram), ("bite", bite)):
        if target is not None:
            assert state.worm is not None
            play(batch, state.worm, Ability(ability=ability, target=target))  # type: ignore[arg-type]
    for reveal in range(3):
        lay(batch, cards, reveal)
    return batch


def lay(batch: Batch[State], cards: str, reveal: int) -> None:
    """Let all seats lay the card of one reveal, by seat; ``_`` and seats that were left lay none."""
    for seat, word in enumerate(cards.split()):
        if word not in (".", "_") and seat not in batch.state.left:
            play(batch, seat, Pick(card=word[reveal]))  # type: ignore[arg-type]


def drawn(cards: str, *more: int) -> ScriptedChance:
    """Return the chance that draws three cards, with values up to 4, for the one seat that was left."""
    legal, outcomes = "AB1234+-", []
    for card in cards:
        outcomes.append(legal.index(card))
        kind = next(kind for kind in ("AB", "1234", "+-") if card in kind)
        legal = legal.replace(kind, "")
    return ScriptedChance([*outcomes, *more])


def begun(seats: int, *, amulet: int = 0, **options: Any) -> Batch[State]:
    """Return a game just begun with the amulet before a seat."""
    state = GAME.empty(Options(**options), seats)
    batch = Batch(game=GAME, state=state, chance=ScriptedChance([amulet]), position=1)
    begin(batch)
    return batch


def events_of(batch: Batch[State]) -> list[Any]:
    """Return the recorded events without their positions."""
    return [recorded.event for recorded in batch.events]


def the(kind: type, batch: Batch[State]) -> Any:
    """Return the one event of a kind."""
    (found,) = (event for event in events_of(batch) if isinstance(event, kind))
    return found


def resolved(batch: Batch[State]) -> RoundResolved:
    """Return how the one round of a batch was resolved."""
    found: RoundResolved = the(RoundResolved, batch)
    return found


def sums(batch: Batch[State]) -> tuple[int, int]:
    """Return the sums of the majority and of the minority."""
    event = resolved(batch)
    return event.majority_sum, event.minority_sum


def lost(before: State, batch: Batch[State]) -> tuple[int, ...]:
    """Return the hp that each seat has lost; negative for hp regained."""
    return tuple(old - new for old, new in zip(before.hp, batch.state.hp, strict=True))


def refusal(state: State, seat: int, move: Any) -> str:
    """Return the code with which a move is refused, in play and by ``check`` alike."""
    with pytest.raises(RuleViolation) as refused:
        GAME.check(state, seat, move)
    batch = batch_on(state)
    with pytest.raises(RuleViolation):
        play(batch, seat, move)
    assert batch.state is state
    assert batch.events == []
    return refused.value.code
