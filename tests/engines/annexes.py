"""What the frozen annex of a rules version says of each layout, held against the code."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from engines.audience import Audience, fields_of, name_of
from engines.base import Game


def annex_of(game: Game[Any]) -> dict[str, Any]:
    """Return the annex of a game's rules version."""
    path = files(game.package) / f"annex-v{game.rules_version}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def check_layouts(game: Game[Any]) -> None:
    """Fail unless every move and event is named and laid out as the annex of its rules version says."""
    annex = annex_of(game)
    assert (annex["game"], annex["rules_version"]) == (game.id, game.rules_version)
    assert set(annex["events"]) == {f"{game.id}.{name_of(each)}" for each in game.events}
    assert set(annex["moves"]) == {name_of(each) for each in game.moves}
    for event in game.events:
        frozen = annex["events"][f"{game.id}.{name_of(event)}"]
        by_audience = {
            audience: [each.name for each in fields_of(event) if each.audience is audience]
            for audience in Audience
        }
        assert frozen["public"] == by_audience[Audience.PUBLIC], event
        assert frozen["assigns"] == by_audience[Audience.ASSIGNED], event
        assert frozen["opens"] == by_audience[Audience.OPENED], event
        assert bool(frozen["slots"]) == bool(by_audience[Audience.COMMITTED]), event
    for move in game.moves:
        frozen = annex["moves"][name_of(move)]
        assert frozen["public"] == [e.name for e in fields_of(move) if e.audience is Audience.PUBLIC], move
        assert bool(frozen["slots"]) == any(e.audience is Audience.SEALED for e in fields_of(move)), move
