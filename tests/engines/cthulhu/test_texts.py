"""What is written beside the code agrees with it: names, rulebooks, the frozen annex."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

import engines.cthulhu
from engines.audience import COMMITTED, SEALED, fields_of, name_of
from engines.cthulhu import GAME
from engines.cthulhu.messages import ENDINGS, SERIES_OVER, Side
from engines.cthulhu.setup import SETUPS, Kind, Role
from engines.cthulhu.view import Phase, Told

FOLDER = Path(engines.cthulhu.__file__).parent
NAMES = json.loads((FOLDER / "names.json").read_text(encoding="utf-8"))
ANNEX = json.loads((FOLDER / "annex-v1.json").read_text(encoding="utf-8"))


def test_the_annex_lists_every_hidden_item_with_its_fields() -> None:
    for event in GAME.events:
        frozen = ANNEX["events"][f"{GAME.id}.{name_of(event)}"]
        assert frozen["schema"] == 1
        committed = [each for each in fields_of(event) if each.audience is COMMITTED]
        assert [each["field"] for each in frozen["slots"] or ()] == [each.name for each in committed]
        for slots, each in zip(frozen["slots"] or (), committed, strict=True):
            assert slots["payload"] == list(each.type.__dataclass_fields__)
    for move in GAME.moves:
        slots = ANNEX["moves"][name_of(move)]["slots"]
        sealed = [each.name for each in fields_of(move) if each.audience is SEALED]
        assert (slots["payload"]["params"] if slots else []) == sealed


def test_the_annex_lists_every_draw_label() -> None:
    source = (FOLDER / "engine.py").read_text(encoding="utf-8")
    drawn = re.findall(r"chance\.(?:below|shuffle)\([^\"]*\"(\w+)\"\)", source)
    assert sorted(ANNEX["draws"]) == sorted(drawn)
    on_events = {label for event in ANNEX["events"].values() for label in event["draws"]}
    assert on_events == {label for label, draw in ANNEX["draws"].items() if draw["on"] != "table.move_played"}


def test_the_annex_and_the_rulebooks_hold_the_table_of_the_box() -> None:
    assert ANNEX["cards"]["kinds"] == list(get_args(Kind))
    assert ANNEX["roles"]["kinds"] == list(get_args(Role))
    for seats, setup in SETUPS.items():
        assert ANNEX["cards"]["deck"][str(seats)] == {
            "futile": setup.futile,
            "elder_sign": setup.elder_signs,
            "cthulhu": setup.cthulhu,
        }
        assert ANNEX["roles"]["pool"][str(seats)] == {
            "investigator": setup.investigators,
            "cultist": setup.cultists,
        }
        row = [seats, setup.investigators, setup.cultists, setup.futile, setup.elder_signs, setup.cthulhu]
        for language in ("en", "es"):
            text = (FOLDER / f"rulebook.{language}.md").read_text(encoding="utf-8")
            assert f"| {' | '.join(map(str, row))} |" in text
        assert setup.futile + setup.elder_signs + setup.cthulhu == 5 * seats
    assert tuple(SETUPS) == tuple(GAME.seats)


def test_everything_that_a_player_reads_has_a_name() -> None:
    assert set(NAMES["reasons"]) == {*ENDINGS, SERIES_OVER}
    terms = {
        *(f"role_{each}" for each in get_args(Role)),
        *(f"kind_{each}" for each in get_args(Kind)),
        *(f"side_{each}" for each in get_args(Side)),
        *(f"phase_{each}" for each in get_args(Phase)),
        *(f"told_{each}" for each in get_args(Told)),
    }
    assert terms <= set(NAMES["terms"])


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_rulebook_holds_every_ruling_and_option(language: str) -> None:
    text = (FOLDER / f"rulebook.{language}.md").read_text(encoding="utf-8")
    assert {int(number) for number in re.findall(r"\bR(\d+)\b", text)} == set(range(1, 6))
    for word in ("in_order", "any_order", "none", "series"):
        assert f"`{word}`" in text
