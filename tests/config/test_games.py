"""Games are added without a line outside of theirs: what hosts them names none."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from engines.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("folder", ["tables", "events", "config"])
def test_no_file_of_what_hosts_games_names_one(folder: str) -> None:
    """By id or by English name, in code, texts and comments; migrations are history."""
    named = re.compile(rf"\b({'|'.join(map(re.escape, _names()))})\b", re.IGNORECASE)
    read = [path for path in (ROOT / folder).rglob("*") if path.is_file() and _is_text(path)]
    assert read

    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in read
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if named.search(line)
    ]

    assert found == []


def _names() -> set[str]:
    texts = (json.loads((files(game.package) / "names.json").read_text()) for game in GAMES.values())
    return set(GAMES) | {each["game"]["en"] for each in texts}


def _is_text(path: Path) -> bool:
    return path.suffix != ".pyc" and "migrations" not in path.relative_to(ROOT).parts
