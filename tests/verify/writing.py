"""``python -m tests.verify.writing``: vectors of what staff and arbiters do, of forks, and of rare events.

Byte for byte alike each time.  Writes the transcripts, and prints what both verifiers say of them for
``expected.json``, which whoever runs it reads before it is believed.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from engines.registry import GAMES
from tests.verify.forked import Fork
from tests.verify.mutants import chain, sign
from tests.verify.plays import File, Habits, Play
from tests.verify.rare import Closing, Waiting, with_kings
from tests.verify.staffed import by_arbiter, by_both
from verify.transcript import Judgement, judge, read

FOLDER = Path(__file__).parents[2] / "verify" / "vectors" / "transcripts"
ORIGINS = {
    "fork": ["reafan-full"],
    "fork-again": ["reafan-full", "fork-full"],
    "forged-fork": ["reafan-full"],
}
"""Behind which tables a fork lies, the oldest first, by the names of its files without the view."""

UNREST = Habits(absence=0.1, leaving=0.01, voting=0.04)


def made() -> dict[str, File]:
    """Return the transcripts by name."""
    staff, arbiter = by_both(), by_arbiter()
    origin = json.loads((FOLDER / "reafan-full.json").read_bytes())
    fork = Fork([origin], _turn(origin, 20), 1).play()
    again = Fork([origin, fork.file("full")], _turn(fork.file("full"), 9), 2).play()
    return {
        "staff-full": staff.file("full"),
        "staff-public": staff.file("public", staff.ends[-1]),
        "arbiter-full": arbiter.file("full"),
        "arbiter-seat-0": arbiter.file("seat:0", arbiter.ends[-9]),
        "closed-board-full": Closing("reafan", 185, fairness="server").play().file("full"),
        "kings-full": with_kings().file("full"),
        "covered-full": Play("reafan", 5391).play(Habits(absence=0.05, leaving=0.002)).file("full"),
        "leaver-full": Play("arrecife", 5007).play(UNREST).file("full"),
        "sought-full": Play("cthulhu", 5036, series=True).play(UNREST).file("full"),
        "waiting-public": Waiting("reafan", 1, fairness="server").file("public"),
        "fork-full": fork.file("full"),
        "fork-seat-1": fork.file("seat:1", fork.ends[12]),
        "fork-again-full": again.file("full"),
        "forged-closing": _with_a_seat_left_out(json.loads((FOLDER / "players-full.json").read_bytes())),
        "forged-ruling": _with_another_ruling(staff.file("full")),
        "forged-arbiter": _by_an_arbiter_who_is_gone(staff.file("full")),
        "forged-fork": _with_cards_exchanged(fork.file("full")),
    }


def origins_of(name: str) -> list[str]:
    """Return the names of the files without which all of a fork is not provable."""
    return next((behind for start, behind in reversed(ORIGINS.items()) if name.startswith(start)), [])


def written(file: File) -> bytes:
    """Return a transcript as it is kept."""
    return json.dumps(file, separators=(",", ":")).encode() + b"\n"


def expected(name: str, file: File) -> dict[str, Any]:
    """Return what the verifier says of a file, alone and with what it goes on from."""
    data = written(file)
    told = _told(judge(data, GAMES))
    if behind := origins_of(name):
        files = [read((FOLDER / f"{each}.json").read_bytes()) for each in behind]
        told["with"] = {"origins": behind, **_told(judge(data, GAMES, origins=files))}
    return told


def _told(judgement: Judgement) -> dict[str, Any]:
    verdicts = judgement.verdicts
    return {
        **{name: each.status for name, each in verdicts.items()},
        "fairness_of_epochs": [each.status for each in judgement.report.epochs],
        "signed_up_to": judgement.signed,
        "failed_at": {name: each.findings[0].position for name, each in verdicts.items() if each.findings},
        "exit_code": 0 if judgement.is_good else 1,
    }


def _turn(file: File, number: int) -> int:
    """Return the position at which a turn opened."""
    found: int = [each["seq"] for each in file["events"] if each["type"] == "clock.deadline_set"][number]
    return found


def _with_another_ruling(file: File) -> File:
    """Return a file in which something else is decided than done."""
    ruling = next(each for each in file["events"] if each["type"] == "table.ruling_made")
    ruling["public"]["ruling"] = "annul"
    return _dressed(file)


def _by_an_arbiter_who_is_gone(file: File) -> File:
    """Return a file in which an arbiter decides who does not arbitrate any more."""
    ruling = next(each for each in reversed(file["events"]) if each["type"] == "table.ruling_made")
    ruling["public"]["by"] = "arbiter"
    return _dressed(file)


def _with_a_seat_left_out(file: File) -> File:
    """Return a file in which nobody hears of a seat that had sealed its part, and then did not show it."""
    closed = next(each for each in file["events"] if each["type"] == "table.seating_closed")
    closed["public"]["seats"].remove(0)
    return _dressed(file)


def _with_cards_exchanged(file: File) -> File:
    """Return a fork that goes on with other cards than lay there: only its origin gives that away."""
    seq = next(each["seq"] for each in file["events"] if each["type"] == "table.forked")
    hidden = [each for each in file["openings"] if each["seq"] == seq and "place" in each["payload"]]
    one, other = hidden[-1], hidden[-2]
    one["payload"]["card"], other["payload"]["card"] = other["payload"]["card"], one["payload"]["card"]
    return _dressed(file)


def _dressed(file: File) -> File:
    file = copy.deepcopy(file)
    chain(file)
    sign(file)
    return file


def main() -> None:
    """Write them."""
    for name, file in made().items():
        (FOLDER / f"{name}.json").write_bytes(written(file))
        print(f" {json.dumps(name)}: {json.dumps(expected(name, file))},")  # noqa: T201 - a program


if __name__ == "__main__":
    main()
