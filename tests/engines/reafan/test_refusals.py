"""Every code with which a move is refused, and what a refusal leaves behind: nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engines.reafan
from engines.base import leave
from engines.errors import RuleViolation
from engines.reafan import GAME, engine
from engines.reafan.messages import Cover, Discard, Mulligan, Place, Swap
from engines.reafan.state import State

from .positions import played, position, refusal

NAMES = json.loads((Path(engines.reafan.__file__).parent / "names.json").read_text(encoding="utf-8"))
ROW = "7h 9c Qs"
BLOCK = """
    5c .
    3c 4c
    """

REFUSED: list[tuple[str, State, Any]] = [
    ("card_not_in_hand", position(ROW, hand="8d"), Place(card="9d", x=3, y=0)),
    ("card_not_in_hand", position(ROW, hand="8d"), Discard(card="9c")),
    ("card_not_in_hand", position(ROW, hand="8d"), Place(card="nonsense", x=3, y=0)),
    ("first_card_no_king", position("", hand="Kd 8d", mover=0), Place(card="Kd", x=0, y=0)),
    ("first_card_at_origin", position("", hand="Kd 8d"), Place(card="8d", x=0, y=1)),
    ("two_must_swap", position(ROW, hand="2d"), Place(card="2d", x=3, y=0)),
    ("cell_taken", position(ROW, hand="8d"), Place(card="8d", x=1, y=0)),
    ("not_adjacent", position(ROW, hand="8d"), Place(card="8d", x=1, y=2)),
    ("not_adjacent", position(ROW, hand="8d"), Place(card="8d", x=3, y=1)),
    ("not_adjacent", position(ROW, hand="8d"), Place(card="8d", x=10**12, y=-(10**12))),
    ("line_too_long", position("3c 4c 5c 6c 7c", hand="8d"), Place(card="8d", x=5, y=0)),
    ("block_completed", position(BLOCK, hand="8d"), Place(card="8d", x=1, y=1)),
    ("king_needs_figure", position(ROW, hand="Kd"), Place(card="Kd", x=0, y=1)),
    ("jack_beside_royal", position(ROW, hand="Jd"), Place(card="Jd", x=3, y=0)),
    ("jack_beside_royal", position(ROW, hand="Jd"), Cover(card="Jd", x=1, y=0)),
    ("only_jack_covers", position(ROW, hand="8d"), Cover(card="8d", x=0, y=0)),
    ("jack_cannot_cover", position(ROW, hand="Jd"), Cover(card="Jd", x=2, y=0)),
    ("no_card_there", position(ROW, hand="Jd"), Cover(card="Jd", x=10**12, y=0)),
    ("no_card_there", position(ROW, hand="2d"), Swap(card="2d", x=3, y=0)),
    ("no_card_there", position("", hand="2d"), Swap(card="2d", x=0, y=0)),
    ("only_two_swaps", position(ROW, hand="8d"), Swap(card="8d", x=0, y=0)),
    ("cannot_swap_two", position("7h 2c", hand="2d"), Swap(card="2d", x=1, y=0)),
    ("play_possible", position(ROW, hand="8d"), Discard(card="8d")),
    ("not_your_turn", position(ROW, hand="8d", mover=1), Place(card="8d", x=3, y=0)),
    ("not_your_turn", position(ROW, hand="8d"), Mulligan(take=True)),
    ("not_your_turn", position("", hand="8d", mover=None), Place(card="8d", x=0, y=0)),
]


@pytest.mark.parametrize(("code", "state", "move"), REFUSED)
def test_a_move_against_the_rules_is_refused_twice_and_changes_nothing(
    code: str, state: State, move: Any
) -> None:
    before = repr(state)
    assert [refusal(state, move), refusal(state, move)] == [code, code]
    assert repr(state) == before
    assert move not in engine.legal_moves(state, 0)


def test_a_game_that_is_over_takes_no_move() -> None:
    batch = played(position(ROW, hand="8d 9d"), Place(card="8d", x=0, y=1))
    leave(batch, 1, "resigned")
    assert refusal(batch.state, Place(card="9d", x=0, y=2)) == "game_over"


def test_every_code_that_is_worded_has_a_case_here() -> None:
    codes = {code for code, _, _ in REFUSED} | {"game_over"}
    assert set(NAMES["errors"]) == codes


@pytest.mark.parametrize(("code", "state", "move"), REFUSED)
def test_the_words_of_a_code_use_only_facts_that_it_carries(code: str, state: State, move: Any) -> None:
    with pytest.raises(RuleViolation) as refused:
        GAME.check(state, 0, move)
    for text in NAMES["errors"][code].values():
        assert "{" not in text.format(**refused.value.facts)
