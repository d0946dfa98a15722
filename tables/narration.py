"""Events as sentences in English and Spanish, made from what a viewer may see and from nothing else.

A sentence stands in ``names.json`` beside the name of its event or kind of move; CONTRIBUTING,
"Word an event", says how.  Source: cases.md R52 (a log that bypasses the view leaks).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from engines.base import Game
from events.codec import MOVE_PLAYED
from tables import catalogue
from tables.shapes import EventAnswer

BLANK = re.compile(r"\{([a-z0-9_.]+)(?::(\w+))?\}")
"""``{path}`` or ``{path:kind}``; the path ``1`` is the seat 1 itself."""

Names = Mapping[int, str | None]
_AND = {"en": "and", "es": "y"}
_SOUNDS_LIKE_Y = re.compile(r"h?i(?![aeo])", re.IGNORECASE)


def narrate(game: Game[Any], event: EventAnswer, locale: str, names: Names) -> str:
    """Return an event, redacted for its viewer, as one sentence.

    ``names`` are those of the players by seat, None of one that is gone; a seat without one is called by its
    number.
    """
    told = entry_of(game, event.type, event.data)
    text = _said(game, told.get("sentence", told["name"]), event.data, locale, names)
    if event.type == MOVE_PLAYED and event.actor_seat is None:
        return f"{catalogue.table_names()['terms']['by_table'][locale]} {text}"
    return text


def item_in_words(
    game: Game[Any], event_type: str, field: str, item: Mapping[str, Any], locale: str, names: Names
) -> str:
    """Return what a hidden item of an event was, as one sentence.

    ``item`` is its payload with the seat that it was for as ``to``, None: for none.
    """
    return _said(game, entry_of(game, event_type, {})["items"][field], item, locale, names)


def ended(game: Game[Any], outcome: Mapping[str, Any], locale: str, names: Names) -> str:
    """Return one sentence of how a game ended."""
    return _said(
        game, catalogue.table_names()["events"]["table.finished"]["sentence"], outcome, locale, names
    )


def who_knew(game: Game[Any], how: str, data: Mapping[str, Any], locale: str, names: Names) -> str:
    """Return one sentence of the table's ``knowledge``."""
    return _said(game, catalogue.table_names()["knowledge"][how], data, locale, names)


def entry_of(game: Game[Any], event_type: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of ``names.json`` that words an event."""
    own = catalogue.names_of(game)
    if event_type == MOVE_PLAYED:
        move: dict[str, Any] = own["moves"][data["kind"]]
        return move
    events = own["events"] if event_type.startswith(f"{game.id}.") else catalogue.table_names()["events"]
    entry: dict[str, Any] = events[event_type.removeprefix(f"{game.id}.")]
    return entry


def holds(condition: str, data: Mapping[str, Any]) -> bool:
    """Tell whether ``path=value`` is so, the value in JSON or a bare text; ``else`` always is."""
    if condition == "else":
        return True
    path, _, wanted = condition.partition("=")
    value = value_at(path, data)
    return wanted == (value if isinstance(value, str) else json.dumps(value))


def value_at(path: str, data: Any) -> Any:
    """Return what lies at ``path``: of a list what is known of its items, None where nothing is."""
    if path.isdigit():
        return int(path)
    for step in path.split("."):
        if data is None:
            return None
        data = _known([each[step] for each in data] if isinstance(data, list) else data[step])
    return data


def _known(data: Any) -> Any:
    """Return a list without what is hidden from the viewer, None where all of it is."""
    if not isinstance(data, list) or None not in data:
        return data
    return [each for each in data if each is not None] or None


def _said(
    game: Game[Any], sentence: dict[str, Any], data: Mapping[str, Any], locale: str, names: Names
) -> str:
    text = _chosen(sentence, data)[locale]
    return BLANK.sub(lambda blank: _filled(game, blank, data, locale, names), text)


def _chosen(sentence: dict[str, Any], data: Mapping[str, Any]) -> dict[str, str]:
    """Return a sentence in both languages, or the first of several whose condition holds."""
    if "en" in sentence:
        return sentence
    found: dict[str, str] = next(each for condition, each in sentence.items() if holds(condition, data))
    return found


def _filled(game: Game[Any], blank: re.Match[str], data: Any, locale: str, names: Names) -> str:
    value = value_at(blank[1], data)
    many = value if isinstance(value, list) else [value]
    return joined([_word(game, blank[2], each, locale, names) for each in many], locale)


def _word(game: Game[Any], kind: str | None, value: Any, locale: str, names: Names) -> str:
    """Return one value in words.

    ``seat`` and, where a sentence begins, ``Seat`` are the name of a player; ``game`` is that of
    the game; ``time`` is a moment, ``span`` a number of seconds; ``reason`` one of the ``reasons``,
    ``term`` one of the ``terms``, any other kind the term ``<kind>_<value>``, of the game or of tables.
    """
    own, tables = catalogue.names_of(game), catalogue.table_names()
    if kind in ("seat", "Seat"):
        text = names.get(value) or f"{tables['terms'][kind][locale]} {value}"
        if value in names and names[value] is None:
            gone = "Gone" if kind == "Seat" else "gone"
            text = f"{tables['terms'][gone][locale]} ({tables['terms']['seat'][locale]} {value})"
        return text
    if kind == "game":
        return str(own["game"][locale])
    if kind == "span":
        return _span(value, locale)
    if kind == "time":
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    if kind is None:
        return str(value)
    area = "reasons" if kind == "reason" else "terms"
    word = str(value) if kind in ("reason", "term") else f"{kind}_{value}"
    found = own[area].get(word) or tables[area].get(word)
    return str(found[locale] if found else value)


def _span(seconds: int, locale: str) -> str:
    """Return a number of seconds in days, or in hours where it is no whole number of days."""
    whole_days, rest = divmod(seconds, 86_400)
    count, unit = (whole_days, "day") if whole_days and not rest else (max(1, seconds // 3600), "hour")
    word = catalogue.table_names()["terms"][unit if count == 1 else f"{unit}s"][locale]
    return f"{count} {word}"


def joined(words: Sequence[str], locale: str) -> str:
    """Return words as a list in a sentence: "a, b and c"; Spanish has "e" before the sound of i."""
    if len(words) < 2:
        return "".join(words)
    link = "e" if locale == "es" and _SOUNDS_LIKE_Y.match(words[-1]) else _AND[locale]
    return f"{', '.join(words[:-1])} {link} {words[-1]}"
