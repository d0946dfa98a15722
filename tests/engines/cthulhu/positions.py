"""Deals drawn in text, and games played from them.

A deal is drawn seat by seat, place by place: ``f`` futile, ``s`` elder sign, ``c`` Cthulhu.
Roles are drawn seat by seat: ``i`` investigator, ``c`` cultist.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from engines.base import Batch, MovePlayed, awaited, begin, play
from engines.chance import KeyedChance, ScriptedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu.messages import CardRevealed, Declare, Investigate
from engines.cthulhu.state import State
from engines.errors import RuleViolation

POOL = {3: "iiicc", 4: "iiicc", 5: "iiiicc", 6: "iiiicc"}


def begun(
    deal: str, *later: str, roles: str = "", first: int = 0, declarations: str = "none", series: bool = False
) -> Batch[State]:
    """Return a game just begun with ``deal``; ``later`` are the deals that follow."""
    seats = len(deal.split())
    options = GAME.options(declarations=declarations, series=series)
    chance = ScriptedChance(game_outcomes(deal, *later, roles=roles, first=first))
    batch = Batch(game=GAME, state=GAME.empty(options, seats), chance=chance, position=1)
    begin(batch)
    return batch


def game_outcomes(deal: str, *later: str, roles: str = "", first: int = 0) -> list[Any]:
    """Return what chance must answer for a game with these roles, first seat and deals."""
    pool = POOL[len(deal.split())]
    wanted = list(roles or pool[: len(deal.split())])
    left_over = list(pool)
    for role in wanted:
        left_over.remove(role)
    return [order_of([*wanted, *left_over], "ic"), first, *(deal_order(each) for each in (deal, *later))]


def random_game(seats: int, seed: int, **options: Any) -> Batch[State]:
    """Return a game just begun, dealt by chance."""
    state = GAME.empty(GAME.options(**options), seats)
    batch = Batch(game=GAME, state=state, chance=KeyedChance(seed.to_bytes(32, "big")), position=1)
    begin(batch)
    return batch


def next_game(batch: Batch[State], deal: str, *later: str, roles: str = "", first: int = 0) -> None:
    """Begin the next game of a series, as its table does."""
    assert engine.outcome(batch.state) is None
    assert engine.to_act(batch.state) == ()
    batch.chance = ScriptedChance(game_outcomes(deal, *later, roles=roles, first=first))
    begin(batch)


def deal_order(deal: str) -> list[int]:
    """Return the order of the shuffle that lays ``deal``."""
    return order_of(list(deal.replace(" ", "")), "fsc")


def order_of(wanted: list[str], kinds: str) -> list[int]:
    """Return the shuffle that makes ``wanted`` of its own letters in canonical order."""
    canonical = sorted(wanted, key=kinds.index)
    free = list(range(len(canonical)))
    order = []
    for letter in wanted:
        index = next(each for each in free if canonical[each] == letter)
        free.remove(index)
        order.append(index)
    return order


def investigate(batch: Batch[State], *picks: str) -> Batch[State]:
    """Let the active seat, time after time, reveal ``target.place``."""
    for pick in picks:
        target, place = map(int, pick.split("."))
        play(batch, batch.state.active, Investigate(target=target, place=place))
    return batch


def declare(batch: Batch[State], seat: int, elder_signs: int, cthulhu: int = 0) -> Batch[State]:
    """Let a seat declare."""
    play(batch, seat, Declare(elder_signs=elder_signs, cthulhu=cthulhu))
    return batch


def refusal(state: State, seat: int, move: Any) -> str:
    """Return the code with which ``move`` is refused, in play and by ``check`` alike."""
    batch = Batch(game=GAME, state=state, chance=ScriptedChance(), position=100)
    with pytest.raises(RuleViolation) as refused:
        play(batch, seat, move)
    with pytest.raises(RuleViolation):
        GAME.check(state, seat, move)
    assert batch.state is state
    assert batch.events == []
    return refused.value.code


def facts(batch: Batch[State]) -> list[Any]:
    """Return the events, moves left out."""
    return [each.event for each in batch.events if not isinstance(each.event, MovePlayed)]


def last_kinds(batch: Batch[State], count: int) -> list[str]:
    """Return what the last cards revealed show."""
    return [card.kind for each in GAME.view(batch.state, None).rounds for card in each.reveals][-count:]


def waited_for(batch: Batch[State]) -> tuple[int, ...]:
    """Return the seats that the table waits for."""
    return awaited(GAME, batch.state)


def picks(state: State) -> Iterable[str]:
    """Return what the active seat may reveal."""
    return [
        f"{move.target}.{move.place}"
        for move in engine.legal_moves(state, state.active)
        if isinstance(move, Investigate)
    ]


def revealed(batch: Batch[State]) -> list[CardRevealed]:
    """Return the reveals, oldest first."""
    return [each for each in facts(batch) if isinstance(each, CardRevealed)]
