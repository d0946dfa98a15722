"""Nobody is shown, offered or refused anything that depends on what they may not know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engines.base import Batch, Game, Window
from engines.errors import RuleViolation
from tests import probe
from tests.probe import messages as m
from tests.probe.state import State, slot_of

from .plays import long_but_the_probe, setting
from .stories import Difference, Story, differences, told
from .worlds import Agreement, agreements

STORIES = range(6)
WORLDS = 24


def compared(game: Game[Any]) -> list[tuple[Story, Difference, Agreement]]:
    """Compare stories of a game with worlds in which hidden things are otherwise."""
    found = []
    for seed in STORIES:
        story = told(setting(game, Random(seed)), seed, absence=0.1 * (seed % 3))
        for difference in differences(story, Random(seed), WORLDS):
            found += [(story, difference, each) for each in agreements(story, difference)]
    return found


@long_but_the_probe
def test_nothing_that_reaches_a_viewer_depends_on_what_it_may_not_know(game: Game[Any]) -> None:
    """Views, legal moves, refusals, events, turns: security.md C4 to C9, C14, C22, C30."""
    found = compared(game)

    for viewer in (0, 1, None):
        mine = [each for _, _, each in found if each.viewer == viewer]
        assert sum(bool(each.differing) for each in mine) > len(mine) / 10, "hardly a secret was compared"
    for story in {id(story): story for story, _, _ in found}.values():
        reached = {n for this, _, each in found if this is story for n in each.differing}
        fifths = {5 * n // (len(story.acts) - 1) for n in reached}  # the last act opens everything
        assert len(fifths) >= 3, "there are stretches without a difference"


# The comparison bites


def view_with_the_mark(state: State, viewer: int | None) -> Any:
    return probe.GAME.view(state, viewer), state.cards.index(True) if state.cards else None


def view_with_the_picks(state: State, viewer: int | None) -> Any:
    return probe.GAME.view(state, viewer), [each and each.number for each in state.picks]


def moves_sorted_by_a_secret(state: State, seat: int) -> list[Any]:
    moves = list(probe.GAME.legal_moves(state, seat))
    return sorted(
        moves, key=lambda each: isinstance(each, m.Open) and state.cards[slot_of(each.owner, each.place)]
    )


def fewer_moves_for_a_secret(state: State, seat: int) -> list[Any]:
    moves = list(probe.GAME.legal_moves(state, seat))
    return moves[1:] if state.cards and state.cards[0] and len(moves) > 1 else moves


def refusal_that_tells_a_secret(state: State, seat: int, move: Any) -> None:
    try:
        probe.GAME.check(state, seat, move)
    except RuleViolation as refusal:
        raise RuleViolation(refusal.code, mark=True in state.cards[:3]) from refusal


def refusal_for_a_secret(state: State, seat: int, move: Any) -> None:
    try:
        probe.GAME.check(state, seat, move)
    except RuleViolation as refusal:
        raise RuleViolation("so_close" if True in state.cards[:3] else refusal.code) from refusal


def event_for_a_secret(batch: Batch[State], seat: int, move: Any) -> None:
    if isinstance(move, m.Pick) and move.number == 2:
        batch.add(m.FirstDrawn(seat=batch.state.first))
    probe.GAME.resolve(batch, seat, move)


def draw_for_a_secret(batch: Batch[State], seat: int, move: Any) -> None:
    if isinstance(move, m.Pick) and move.number == 2 and not all(batch.state.picks):
        batch.add(m.FirstDrawn(seat=batch.chance.below(1, "first")))
    probe.GAME.resolve(batch, seat, move)


def windows_for_a_secret(state: State) -> tuple[Window, ...]:
    return tuple(
        replace(each, kinds=(*each.kinds, "pick"))
        if "open" in each.kinds and each.seat == state.cards.index(True) // 3
        else each
        for each in probe.GAME.to_act(state)
    )


def view_with_the_tables_pick(state: State, viewer: int | None) -> Any:
    """The slot of such a pick is the server's: not even the seat knows it."""
    pick = None if viewer is None else state.picks[viewer]
    return probe.GAME.view(state, viewer), pick and pick.number


LEAKS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "a card in the view": ("view", {"view": view_with_the_mark}),
    "a sealed pick in the view": ("view", {"view": view_with_the_picks}),
    "what the table picked": ("view", {"view": view_with_the_tables_pick}),
    "the order of the legal moves": ("legal moves", {"legal_moves": moves_sorted_by_a_secret}),
    "the number of the legal moves": ("legal moves", {"legal_moves": fewer_moves_for_a_secret}),
    "a fact of a refusal": ("refusals", {"check": refusal_that_tells_a_secret}),
    "the code of a refusal": ("refusals", {"check": refusal_for_a_secret}),
    "an event": ("events", {"resolve": event_for_a_secret}),
    "a draw": ("events", {"resolve": draw_for_a_secret}),
    "the kinds awaited": ("awaited", {"to_act": windows_for_a_secret}),
}


@pytest.mark.parametrize(("channel", "leak"), LEAKS.values(), ids=LEAKS)
def test_a_leak_is_noticed(channel: str, leak: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match=f"^{channel} of viewer"):
        compared(replace(probe.GAME, **leak))
