"""Files of recorded games: what those of all titles have in common."""

from __future__ import annotations

import json
from typing import Any

from engines.base import Batch, Game, leave, play, play_default


def take(game: Game[Any], batch: Batch[Any], step: dict[str, Any]) -> None:
    """Play one step of a file: a time-out, a leaving or a move."""
    if "timeout" in step:
        for seat in step["timeout"]:
            if not play_default(batch, seat):
                leave(batch, seat, "timeout")
    elif "leave" in step:
        leave(batch, step["leave"], step["reason"])
    else:
        kind = game.move_type(step["kind"])
        assert kind is not None
        play(batch, step["seat"], kind(**step["params"]))


def written(file: dict[str, Any], own: str, told: str) -> str:
    """Return the text of a file, one step and one event a line; ``told`` is that of a game's ``own`` part."""
    text = json.dumps(file | {"steps": "STEPS", "expected": "EXPECTED"}, indent=1)
    expected = file["expected"]
    expected_text = (
        f'{{\n  "outcome": {json.dumps(expected["outcome"])},\n  "{own}": {told},\n'
        f'  "events": {lines(expected["events"], "   ")}\n }}'
    )
    return text.replace('"STEPS"', lines(file["steps"], "  ")).replace('"EXPECTED"', expected_text) + "\n"


def lines(entries: list[Any], indent: str) -> str:
    """Return a list as JSON, an entry a line."""
    inner = ",\n".join(indent + json.dumps(each) for each in entries)
    return f"[\n{inner}\n{indent[:-1]}]"
