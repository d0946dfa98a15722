"""What the frozen annex of a rules version says of each layout, held against the code."""

from __future__ import annotations

import json
from importlib.resources import files
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from engines.audience import Audience, about_of, fields_of, name_of
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
    told = {
        (name, group["counts_of"]["field"], group["field"]): group["counts_of"]
        for name, frozen in annex["events"].items()
        for group in (frozen["slots"] if isinstance(frozen["slots"], list) else ())
        if "counts_of" in group
    }
    assert told == {
        (each.type, each.items, each.counts): {"field": each.items, "by": each.by, "names": each.names}
        for each in game.tallies
    }
    for move in game.moves:
        frozen = annex["moves"][name_of(move)]
        assert frozen["public"] == [e.name for e in fields_of(move) if e.audience is Audience.PUBLIC], move
        assert bool(frozen["slots"]) == any(e.audience is Audience.SEALED for e in fields_of(move)), move


def check_vocabularies(game: Game[Any]) -> None:
    """Fail unless options, endings and every closed list of values are told as the code has them."""
    annex = annex_of(game)
    names = json.loads((files(game.package) / "names.json").read_text("utf-8"))
    assert annex["endings"] == list(names["reasons"])
    hints = get_type_hints(game.options, include_extras=True)
    assert annex["options"] == {name: _option(hint) for name, hint in hints.items()}
    told = {f"{game.id}.{name_of(each)}": each for each in game.events}
    for frozen, message in (
        *((annex["events"][name], message) for name, message in told.items()),
        *((annex["moves"][name_of(each)], each) for each in game.moves),
    ):
        values = frozen.get("values", {})
        assert values.keys() <= {each.name for each in fields_of(message)}, message
        for field in fields_of(message):
            closed = list(field.about.known if field.about else ()) or _closed(field.type)
            if closed:
                assert values[field.name] == closed, (message, field.name)
            elif isinstance(values.get(field.name), list):
                assert values[field.name] == annex["endings"], (message, field.name)


def _option(hint: Any) -> Any:
    """Return how an annex tells the values of an option."""
    bare, about = get_args(hint)[0] if about_of(hint) else hint, about_of(hint)
    if bare is bool:
        return "true or false"
    return _closed(bare) or f"{about and about.ge} to {about and about.le}"


def _closed(hint: Any) -> list[Any]:
    """Return the values of a type that lists them, None among them where it may be."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if get_origin(hint) not in (Union, UnionType):
        return []
    values = [value for each in get_args(hint) for value in _closed(each)]
    return [*values, None] if values else []
