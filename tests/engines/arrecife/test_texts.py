"""What is written beside the code agrees with it: names, rulebooks, the frozen annex."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import engines.arrecife
from engines.arrecife import GAME
from engines.arrecife.engine import ABILITIES
from engines.arrecife.kit import KIT
from engines.arrecife.messages import ENDINGS, SETTLING, VERDICTS, Options
from engines.audience import SEALED, fields_of, name_of

FOLDER = Path(engines.arrecife.__file__).parent
NAMES = json.loads((FOLDER / "names.json").read_text(encoding="utf-8"))
ANNEX = json.loads((FOLDER / "annex-v1.json").read_text(encoding="utf-8"))


def test_the_annex_tells_the_cards_the_sealed_params_and_the_draws() -> None:
    assert ANNEX["cards"]["canonical_order"].split() == list(KIT)
    for move in GAME.moves:
        sealed = [each.name for each in fields_of(move) if each.audience is SEALED]
        payload = ANNEX["moves"][name_of(move)]["slots"]["payload"]
        assert payload == {"kind": name_of(move), "params": sealed}
    source = (FOLDER / "engine.py").read_text(encoding="utf-8")
    assert set(ANNEX["draws"]) == set(re.findall(r'"(amulet|time_out|leaver)"', source))
    on_events = {label for event in ANNEX["events"].values() for label in event["draws"]}
    assert on_events == {label for label, draw in ANNEX["draws"].items() if draw["on"] != "table.move_played"}


def test_every_word_of_an_event_has_a_name() -> None:
    assert set(NAMES["reasons"]) == set(ENDINGS)
    words = {f"verdict_{each}" for each in VERDICTS} | {f"settled_by_{each}" for each in SETTLING}
    assert words | set(ABILITIES) | {f"card_{card}" for card in KIT} <= set(NAMES["terms"])


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_rulebook_holds_every_ruling_and_option(language: str) -> None:
    text = (FOLDER / f"rulebook.{language}.md").read_text(encoding="utf-8")
    assert {int(number) for number in re.findall(r"\bR(\d+)\b", text)} == set(range(1, 16))
    for word in (
        *Options.__dataclass_fields__,
        "free",
        "fixed",
        "switch_team",
        "flip_sign",
        "silent",
        "open",
    ):
        assert word in text
