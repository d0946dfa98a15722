"""Every recorded game decided again, those stored as transcripts byte for byte.

``python -m tests.engines.recorded`` prints how many there are, and ends with 1 where one differs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engines.base import Game
from engines.registry import GAMES, newest
from events.audit import Link
from events.canonical import canonical
from events.codec import Opening
from tests import probe
from tests.engines.arrecife import golden as arrecife
from tests.engines.cthulhu import golden as cthulhu
from tests.engines.reafan import golden as reafan
from verify.stored import Difference, first_difference
from verify.transcript import judge

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "golden" / "stored"
ALL: dict[str, Game[Any]] = newest((*GAMES.values(), probe.GAME))
RESULTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "arrecife": arrecife.result,
    "cthulhu": cthulhu.result,
    "reafan": reafan.result,
}


def difference(path: Path, games: dict[str, Game[Any]]) -> Difference | None:
    """Return where a stored transcript first differs, as ``manage.py replay_all`` would tell it."""
    file = json.loads(path.read_bytes())
    events = [Link(position, canonical(each)) for position, each in enumerate(file["events"], start=1)]
    openings = {
        (each["seq"], each["slot"]): Opening(
            file["events"][each["seq"] - 1]["slots"][each["slot"]]["to"],
            bytes.fromhex(each["salt"]),
            canonical(each["payload"]),
        )
        for each in file["openings"]
    }
    return first_difference(bytes.fromhex(file["events"][0]["table"]), events, openings, games=games)


def failures() -> Iterator[tuple[str, str | None]]:
    """Yield every recorded game with what is wrong with it, or None."""
    for path in sorted(STORED.glob("*.json")):
        found = difference(path, ALL)
        if found is None and not judge(path.read_bytes(), ALL).is_proved:
            yield path.name, "it is not proved"
        else:
            yield path.name, found and f"position {found.position}: {found.what}"
    for name, result in RESULTS.items():
        for path in sorted((STORED.parent / name).glob("*.json")):
            file = json.loads(path.read_text("utf-8"))
            is_same = result(file)[1] == file["expected"]
            yield f"{name}/{path.name}", None if is_same else "it is decided otherwise"


def main() -> int:
    """Decide all again; return 1 where one differs."""
    told = dict(failures())
    wrong = {name: why for name, why in told.items() if why is not None}
    sys.stdout.writelines(f"{name}: {why}\n" for name, why in wrong.items())
    sys.stdout.write(f"{len(told)} recorded games, {len(wrong)} differ\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
