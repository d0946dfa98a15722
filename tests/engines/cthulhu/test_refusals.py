"""Every code with which a move is refused, and what a refusal leaves behind: nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import engines.cthulhu
from engines.cthulhu import GAME, engine
from engines.cthulhu.messages import Declare, Investigate
from engines.cthulhu.state import State
from engines.errors import RuleViolation

from .positions import begun, declare, investigate, refusal

NAMES = json.loads((Path(engines.cthulhu.__file__).parent / "names.json").read_text(encoding="utf-8"))
DEAL = "sffff fsfff ffsff fffsc"
OPEN = investigate(begun(DEAL), "1.0", "0.0").state
DECLARING = begun(DEAL, declarations="in_order").state
LATER = investigate(
    declare(
        declare(
            declare(declare(begun(DEAL, "ssff ffff ffss fffc", declarations="any_order"), 0, 0), 1, 0), 2, 0
        ),
        3,
        0,
    ),
    "1.0",
    "2.0",
    "3.0",
    "0.1",
).state


def say(elder_signs: int | None, cthulhu: int | None) -> Declare:
    return Declare(elder_signs=elder_signs, cthulhu=cthulhu)


REFUSED: list[tuple[str, State, Any]] = [
    ("no_such_seat", OPEN, Investigate(target=4, place=0)),
    ("no_such_seat", OPEN, Investigate(target=-1, place=0)),
    ("own_card", OPEN, Investigate(target=0, place=1)),
    ("own_card", OPEN, Investigate(target=0, place=9)),
    ("no_such_place", OPEN, Investigate(target=1, place=5)),
    ("no_such_place", OPEN, Investigate(target=1, place=-1)),
    ("no_such_place", LATER, Investigate(target=1, place=4)),
    ("already_revealed", OPEN, Investigate(target=1, place=0)),
    ("not_your_turn", DECLARING, Investigate(target=1, place=0)),
    ("not_your_turn", OPEN, say(0, 0)),
    ("nothing_declared", DECLARING, say(None, None)),
    ("nothing_declared", DECLARING, say(None, 0)),
    ("nothing_declared", LATER, say(1, None)),
    ("no_such_declaration", DECLARING, say(6, 0)),
    ("no_such_declaration", DECLARING, say(5, 1)),
    ("no_such_declaration", DECLARING, say(0, 2)),
    ("no_such_declaration", DECLARING, say(-1, 0)),
    ("no_such_declaration", DECLARING, say(1, -1)),
    ("no_such_declaration", LATER, say(4, 1)),
]


@pytest.mark.parametrize(("code", "state", "move"), REFUSED)
def test_a_move_against_the_rules_is_refused_twice_and_changes_nothing(
    code: str, state: State, move: Any
) -> None:
    before = repr(state)
    if code != "not_your_turn":
        assert [refusal(state, 0, move), refusal(state, 0, move)] == [code, code]
    else:
        assert refusal(state, 0, move) == code
    assert repr(state) == before
    assert move not in engine.legal_moves(state, 0)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_only_the_active_seat_investigates(seat: int) -> None:
    assert refusal(OPEN, seat, Investigate(target=0, place=1)) == "not_your_turn"


def test_a_game_that_is_over_takes_no_move() -> None:
    over = investigate(begun(DEAL), "3.4").state
    with pytest.raises(RuleViolation) as refused:
        GAME.check(over, 3, Investigate(target=0, place=0))
    assert refused.value.code == "game_over"
    assert not any(engine.legal_moves(over, seat) for seat in range(4))


def test_every_code_that_is_worded_has_a_case_here() -> None:
    codes = {code for code, _, _ in REFUSED} | {"game_over"}
    assert set(NAMES["errors"]) == codes


@pytest.mark.parametrize(("code", "state", "move"), REFUSED)
def test_the_words_of_a_code_use_only_facts_that_it_carries(code: str, state: State, move: Any) -> None:
    with pytest.raises(RuleViolation) as refused:
        GAME.check(state, 0, move)
    for text in NAMES["errors"][code].values():
        assert "{" not in text.format(**refused.value.facts)
