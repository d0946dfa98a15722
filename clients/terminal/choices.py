# SPDX-License-Identifier: MIT
"""A legal move, found by a few small questions: its kind, then what its parameters can still be."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from clients.terminal.screen import Json, Lexicon, properties

Choose = Callable[[str, Sequence[str]], int | None]
"""Asks a question with these answers; returns the number of the one chosen, None to go back."""
SHORT = 9
"""As many moves as these are offered at once, each in one line."""


def choose_move(
    moves: Sequence[Json], schemas: Callable[[str], Json], lexicon: Lexicon, choose: Choose
) -> Json | None:
    """Return one of ``moves``, None when the player thought better of it."""
    if len(moves) <= SHORT:
        number = choose(lexicon.say("move"), [told(each, lexicon) for each in moves])
        return None if number is None else moves[number]
    kinds = list(dict.fromkeys(str(each["kind"]) for each in moves))
    number = choose(lexicon.say("move"), [lexicon.kind(each) for each in kinds]) if len(kinds) > 1 else 0
    if number is None:
        return None
    left = [each for each in moves if each["kind"] == kinds[number]]
    for field, about in properties(schemas(kinds[number])).items():
        values = {_key(each["params"].get(field)): each["params"].get(field) for each in left}
        if len(values) == 1:
            continue
        question = f"{lexicon.kind(kinds[number])}, {lexicon.label(field)}: {about.get('description', '')}"
        number_of_value = choose(question, [lexicon.value(field, each) for each in values.values()])
        if number_of_value is None:
            return None
        left = [each for each in left if _key(each["params"].get(field)) == list(values)[number_of_value]]
    return left[0]


def told(move: Json, lexicon: Lexicon) -> str:
    """Return a move in one line."""
    params = (f"{lexicon.label(name)} {lexicon.value(name, value)}" for name, value in move["params"].items())
    return ": ".join(each for each in (lexicon.kind(move["kind"]), ", ".join(params)) if each)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
