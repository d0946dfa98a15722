"""What is written beside the code agrees with it: names, rulebooks, the frozen annex."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

import engines.reafan
from engines.audience import ASSIGNED, COMMITTED, OPENED, PUBLIC, SEALED, Audience, fields_of, name_of
from engines.reafan import GAME, engine
from engines.reafan.cards import RANKS, SUITS
from engines.reafan.messages import ENDINGS

FOLDER = Path(engines.reafan.__file__).parent
NAMES = json.loads((FOLDER / "names.json").read_text(encoding="utf-8"))
ANNEX = json.loads((FOLDER / "annex-v1.json").read_text(encoding="utf-8"))


def names_with(message: type, audience: Audience) -> list[str]:
    return [each.name for each in fields_of(message) if each.audience is audience]


def test_the_annex_lists_every_event_with_its_fields() -> None:
    assert set(ANNEX["events"]) == {f"{GAME.id}.{name_of(event)}" for event in GAME.events}
    assert (ANNEX["game"], ANNEX["rules_version"]) == (GAME.id, GAME.rules_version)
    for event in GAME.events:
        frozen = ANNEX["events"][f"{GAME.id}.{name_of(event)}"]
        assert frozen["schema"] == 1
        assert frozen["public"] == names_with(event, PUBLIC)
        assert frozen["assigns"] == names_with(event, ASSIGNED)
        assert frozen["opens"] == names_with(event, OPENED)
        committed = [each for each in fields_of(event) if each.audience is COMMITTED]
        if not committed:
            assert frozen["slots"] is None
            continue
        assert frozen["slots"]["field"] == committed[0].name
        assert frozen["slots"]["payload"] == list(committed[0].type.__dataclass_fields__)


def test_the_annex_lists_every_move_with_its_fields() -> None:
    assert set(ANNEX["moves"]) == {name_of(move) for move in GAME.moves}
    for move in GAME.moves:
        frozen = ANNEX["moves"][name_of(move)]
        assert frozen["public"] == names_with(move, PUBLIC)
        sealed = names_with(move, SEALED)
        assert (frozen["slots"]["payload"]["params"] if frozen["slots"] else []) == sealed


def test_the_annex_lists_every_draw_label() -> None:
    source = (FOLDER / "engine.py").read_text(encoding="utf-8")
    found = set(re.findall(r'"(starter|deck|mulligan|kings|time_out|closed_board)"', source))
    assert set(ANNEX["draws"]) == found
    on_events = {label for event in ANNEX["events"].values() for label in event["draws"]}
    assert on_events == {label for label, draw in ANNEX["draws"].items() if draw["on"] != "table.move_played"}


def test_everything_that_a_player_reads_has_a_name_in_both_languages() -> None:
    assert set(NAMES["moves"]) == {name_of(move) for move in GAME.moves}
    assert set(NAMES["events"]) == {name_of(event) for event in GAME.events}
    assert set(NAMES["reasons"]) == set(ENDINGS)
    assert set(NAMES["options"]) == {each.name for each in dataclasses.fields(GAME.options)}
    terms = {f"rank_{rank}" for rank in RANKS} | {f"suit_{suit}" for suit in SUITS}
    assert terms | {f"bot_{bot}" for bot in GAME.bots} <= set(NAMES["terms"])
    for texts in texts_in(NAMES):
        assert set(texts) == {"en", "es"}
        assert all(text.strip() for text in texts.values())


def texts_in(part: dict[str, Any]) -> list[dict[str, str]]:
    if "en" in part or "es" in part:
        return [part]
    return [texts for each in part.values() for texts in texts_in(each)]


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_rulebook_holds_every_ruling(language: str) -> None:
    text = (FOLDER / f"rulebook.{language}.md").read_text(encoding="utf-8")
    assert {int(number) for number in re.findall(r"\bR(\d+)\b", text)} == set(range(1, 18))
    for word in ("auto", "forfeit", "José Carlos de Diego"):
        assert word in text


def test_the_kinds_of_a_window_never_tell_what_the_hand_allows() -> None:
    assert set(engine.PLAY_KINDS) == {name_of(move) for move in GAME.moves} - {"mulligan"}
