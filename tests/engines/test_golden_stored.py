"""What was stored is read for ever: changes of the code that must not matter, and those that are refused.

Each test changes a copy of a game for real, and has the stored games judged by it.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engines.base import Game
from engines.registry import newest
from tests.engines.annexes import check_layouts
from tests.engines.recorded import ALL, RESULTS, ROOT, STORED, difference

Changes = Mapping[str, Mapping[str, str]]
Patch = Callable[[str, Changes], Game[Any]]


@pytest.fixture(params=sorted(ALL))
def stored(request: pytest.FixtureRequest) -> Path:
    """Return the transcript of a whole game, recorded anew first when that is asked for."""
    path = STORED / f"{request.param}.json"
    if request.config.getoption("--regenerate-golden", default=False):
        request.getfixturevalue("database")
        path.write_text(recorded(request.param), encoding="utf-8")
    return path


def recorded(game_id: str) -> str:
    """Return the transcript of a game that chance has played, one event and one opening a line."""
    from tables import queries
    from tests.tables.rooms import open_room

    room = open_room(game_id)
    room.play_on(5)
    dice = Random(1)
    while room.row.status == "playing":
        if room.row.version > 60 and len(room.players) > 2 and not room.host.table.abandoned:
            room.resign(dice.randrange(len(room.players)))
        room.play_on(1, seed=dice.randrange(1000))
    file = queries.transcript(room.stranger, room.id)
    lists = ("events", "openings")
    text = json.dumps({**file, **{name: name.upper() for name in lists}}, indent=1)
    for name in lists:
        lines = ",\n".join("  " + json.dumps(each, separators=(",", ":")) for each in file[name])
        text = text.replace(f'"{name.upper()}"', f"[\n{lines}\n ]")
    return text + "\n"


@pytest.fixture
def patched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patch:
    """A function that returns a game whose code is a copy of another's, but for changed texts."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def copy(package: str, changes: Changes) -> Game[Any]:
        name = f"patched_{tmp_path.name}"
        for source in (ROOT / package.replace(".", "/")).iterdir():
            if source.suffix not in (".py", ".json"):
                continue
            text = source.read_text("utf-8")
            for old, new in changes.get(source.name, {}).items():
                assert old in text, f"{source.name} has no {old}"
                text = text.replace(old, new)
            target = tmp_path / name / source.name
            target.parent.mkdir(exist_ok=True)
            target.write_text(text.replace(package, name), "utf-8")
        game: Game[Any] = importlib.import_module(name).GAME
        assert game.package == name
        return game

    return copy


def judged(path: Path, game: Game[Any]) -> str | None:
    """Return where a stored game differs by the code of ``game``."""
    found = difference(path, newest([game]))
    return None if found is None else found.what


def test_a_stored_game_is_decided_as_it_was(stored: Path) -> None:
    assert difference(stored, ALL) is None


def test_every_title_has_a_stored_game_and_its_recorded_ones() -> None:
    assert {each.stem for each in STORED.glob("*.json")} == set(ALL)
    assert set(RESULTS) == set(ALL) - {"probe"}


# --- Changes that do not matter -------------------------------------------------------------------

HARMLESS = {
    "the order of moves, events and closed lists": (
        "tests.probe",
        {
            "messages.py": {
                '("resigned", "removed", "timeout")': '("timeout", "resigned", "removed")',
                '("mark_found", "rounds_over", "deserted")': '("deserted", "mark_found", "rounds_over")',
                'Literal["auto", "forfeit"]': 'Literal["forfeit", "auto"]',
                "= (Pick, Open, Declare)": "= (Declare, Open, Pick)",
                "    FirstDrawn,\n    PicksOpened,\n": "    PicksOpened,\n    FirstDrawn,\n",
            }
        },
    ),
    "the order of an enum of cards": (
        "engines.cthulhu",
        {
            "setup.py": {
                'Literal["futile", "elder_sign", "cthulhu"]': 'Literal["cthulhu", "elder_sign", "futile"]',
                'Literal["investigator", "cultist"]': 'Literal["cultist", "investigator"]',
            }
        },
    ),
    "the name of a field of the state": (
        "tests.probe",
        {
            "state.py": {"    laid_at: int": "    committed_at: int"},
            "engine.py": {"laid_at=position": "committed_at=position", "state.laid_at": "state.committed_at"},
        },
    ),
    "the order of the fields of the state, and a new one": (
        "tests.probe",
        {
            "state.py": {
                "    rounds: int\n    on_timeout: str\n": "    on_timeout: str\n    rounds: int\n",
                "    reason: str | None = None\n": "    reason: str | None = None\n    mood: str = ''\n",
            }
        },
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_change_within_the_code_leaves_stored_games_alone(name: str, patched: Patch) -> None:
    package, changes = HARMLESS[name]
    game = patched(package, changes)

    assert judged(STORED / f"{game.id}.json", game) is None
    check_layouts(game)


# --- Changes that are refused ---------------------------------------------------------------------

HARMFUL = {
    "the name of an event's class": (
        "tests.probe",
        {file: {"CardOpened": "CardTurned"} for file in ("messages.py", "engine.py")},
    ),
    "the name of a move's class": (
        "tests.probe",
        {
            "messages.py": {"class Pick:": "class Choice:", "Ref[Pick]": "Ref[Choice]", "(Pick,": "(Choice,"},
            "engine.py": {"m.Pick": "m.Choice", "m.ChoicesOpened": "m.PicksOpened"},
        },
    ),
    "the name of an event's field": (
        "tests.probe",
        {
            "messages.py": {"    round: Annotated[int, PUBLIC": "    number: Annotated[int, PUBLIC"},
            "engine.py": {"m.CardsLaid(round=": "m.CardsLaid(number="},
        },
    ),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_the_frozen_annex_refuses_what_stored_games_would_not_survive(name: str, patched: Patch) -> None:
    package, changes = HARMFUL[name]
    game = patched(package, changes)

    assert judged(STORED / f"{game.id}.json", game) is not None
    with pytest.raises(AssertionError):
        check_layouts(game)


def test_an_order_from_which_chance_draws_is_part_of_the_rules(patched: Patch) -> None:
    """Reafan's annex freezes the canonical order of cards; a stored game tells where it has changed."""
    game = patched("engines.reafan", {"cards.py": {'("c", "d", "h", "s")': '("s", "d", "h", "c")'}})

    told = judged(STORED / "reafan.json", game)
    assert told is not None
    assert re.fullmatch(r"the hidden item in slot \d+ is not the one that follows", told)


# --- Another interpreter, other libraries ---------------------------------------------------------

OTHER_JSON = '''
"""Another library in the place of orjson: the standard one, with the same options."""
import json as _json
OPT_SORT_KEYS, OPT_STRICT_INTEGER, OPT_PASSTHROUGH_SUBCLASS = 1, 2, 4
OPT_PASSTHROUGH_DATETIME, OPT_PASSTHROUGH_DATACLASS, OPT_NON_STR_KEYS = 8, 16, 32
JSONDecodeError, loads = _json.JSONDecodeError, _json.loads
def dumps(value, default=None, option=0):
    text = _json.dumps(value, sort_keys=bool(option & 1), separators=(",", ":"), ensure_ascii=False)
    return text.encode()
'''


def replayed(*options: str, folder: Path | None = None, hash_seed: str = "0") -> tuple[int, str]:
    """Decide every recorded game again in an interpreter of its own."""
    path = os.pathsep.join([*([str(folder)] if folder else []), str(ROOT)])
    ran = subprocess.run(
        [sys.executable, *options, "-m", "tests.engines.recorded"],
        cwd=folder or ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("options", "hash_seed"), [((), "0"), ((), "4242"), (("-O",), "4242")], ids=["0", "4242", "optimised"]
)
def test_recorded_games_replay_alike_in_any_interpreter(options: tuple[str, ...], hash_seed: str) -> None:
    code, said = replayed(*options, hash_seed=hash_seed)
    assert code == 0, said
    assert said.endswith(" 0 differ\n")


def test_recorded_games_replay_alike_with_another_json_library(tmp_path: Path) -> None:
    (tmp_path / "orjson.py").write_text(OTHER_JSON)
    code, said = replayed(folder=tmp_path)
    assert code == 0, said
