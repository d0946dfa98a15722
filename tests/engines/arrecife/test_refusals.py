"""Every code with which a move is refused, and what a refusal leaves behind: nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engines.arrecife
from engines.arrecife import GAME, engine
from engines.arrecife.messages import Ability, Pick
from engines.arrecife.state import State
from engines.base import leave
from engines.errors import RuleViolation

from .positions import batch_on, lay, position, refusal

NAMES = json.loads((Path(engines.arrecife.__file__).parent / "names.json").read_text(encoding="utf-8"))


def after(state: State, cards: str, reveals: int = 1) -> State:
    """Return the state when the cards of some reveals are laid."""
    batch = batch_on(state)
    for reveal in range(reveals):
        lay(batch, cards, reveal)
    return batch.state


FIXED = {"card_order": "fixed"}
THREE, WORM = position([9, 9, 9]), position([9, 9, 0, 9, 0], worm=2)
ANY: Any = "nonsense"

REFUSED: list[tuple[str, State, int, Any]] = [
    ("no_such_card", THREE, 0, Pick(card=ANY)),
    ("no_such_card", THREE, 0, Pick(card="6")),  # type: ignore[arg-type]
    ("value_too_high", THREE, 0, Pick(card="5")),
    ("value_too_high", position([9, 9, 0, 9, 9], worm=2, laid=None, is_duel=True), 0, Pick(card="5")),
    ("value_too_high", position([9, 0, 9], worm=1), 1, Pick(card="5")),
    ("kind_already_shown", after(THREE, "A A A"), 0, Pick(card="B")),
    ("kind_already_shown", after(THREE, "A1 1A A1", 2), 1, Pick(card="2")),
    ("value_too_high", after(THREE, "A1 1A A1", 2), 1, Pick(card="5")),
    ("wrong_kind", position([9] * 3, options=FIXED), 0, Pick(card="1")),
    ("wrong_kind", position([9] * 3, options=FIXED), 0, Pick(card="+")),
    ("wrong_kind", after(position([9] * 3, options=FIXED), "A A B"), 0, Pick(card="A")),
    ("no_such_ability", WORM, 2, Ability(ability=ANY, target=0)),
    ("no_such_seat", WORM, 2, Ability(ability="ram", target=5)),
    ("no_such_seat", WORM, 2, Ability(ability="ram", target=-1)),
    ("target_not_alive", WORM, 2, Ability(ability="ram", target=2)),
    ("target_not_alive", WORM, 2, Ability(ability="bite", target=4)),
    ("not_your_turn", WORM, 0, Pick(card="A")),
    ("not_your_turn", WORM, 2, Pick(card="A")),
    ("not_your_turn", WORM, 0, Ability(ability="ram", target=1)),
    ("not_your_turn", WORM, 4, Ability(ability="ram", target=1)),
    ("not_your_turn", THREE, 0, Ability(ability="ram", target=1)),
    ("not_your_turn", THREE, 3, Pick(card="A")),
    ("not_your_turn", after(THREE, "A _ _"), 0, Pick(card="B")),
    ("not_your_turn", position([9, 0, 9], worm=1), 1, Ability(ability="ram", target=0)),
    ("not_your_turn", position([9, 0, 9, 0], worm=1), 3, Pick(card="A")),
]


@pytest.mark.parametrize(("code", "state", "seat", "move"), REFUSED)
def test_a_move_against_the_rules_is_refused_twice_and_changes_nothing(
    code: str, state: State, seat: int, move: Any
) -> None:
    before = repr(state)
    assert [refusal(state, seat, move), refusal(state, seat, move)] == [code, code]
    assert repr(state) == before
    assert move not in engine.legal_moves(state, seat)


def test_a_game_that_is_over_takes_no_move() -> None:
    batch = batch_on(position([9, 9, 0], worm=2))
    leave(batch, 1, "resigned")
    assert refusal(batch.state, 0, Pick(card="A")) == "game_over"


def test_every_code_that_is_worded_has_a_case_here() -> None:
    codes = {code for code, _, _, _ in REFUSED} | {"game_over"}
    assert set(NAMES["errors"]) == codes


@pytest.mark.parametrize(("code", "state", "seat", "move"), REFUSED)
def test_the_words_of_a_code_use_only_facts_that_it_carries(
    code: str, state: State, seat: int, move: Any
) -> None:
    with pytest.raises(RuleViolation) as refused:
        GAME.check(state, seat, move)
    for text in NAMES["errors"][code].values():
        assert "{" not in text.format(**refused.value.facts)
