"""A seat holds the counts of its hidden cards against those that open, while the game runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.registry import GAMES
from tests.verify.javascript import VERIFIER, judge_many, node
from tests.verify.mutants import chain, sign
from verify.transcript import judge

RUNNING = VERIFIER.parent / "vectors" / "transcripts" / "cthulhu-seat-1.json"
CARDS, OWN = 25, 26
"""Of five seats in the first round: the slots of the cards, and the one of the counts of seat 1."""


def integrity_of(file: dict[str, Any]) -> tuple[str, int | None]:
    """Return status and position of both verifiers, which must agree."""
    chain(file)
    sign(file)
    data = json.dumps(file).encode()
    ours, (theirs,) = judge(data, GAMES).report.integrity, judge_many([data])
    found = ours.status, ours.findings[0].position if ours.findings else None
    told = theirs["verdicts"]["integrity"]
    assert found == (told["status"], told["findings"][0]["position"] if told["findings"] else None)
    return found


def read() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return a file of seat 1, its cards as they were laid first, and the counts that it was told."""
    file = json.loads(RUNNING.read_text("utf-8"))
    laid = next(each for each in file["events"] if each["type"] == "cthulhu.cards_laid")
    own = next(each for each in file["openings"] if (each["seq"], each["slot"]) == (laid["seq"], OWN))
    assert own["payload"] == {"futile": 4, "elder_signs": 1, "cthulhu": 0}
    return file, laid, own


def test_counts_that_fit_are_not_blamed() -> None:
    file, _, own = read()
    assert integrity_of(file) == ("proved", None)
    own["payload"] = {"futile": 3, "elder_signs": 2, "cthulhu": 0}  # another hand, of which as much is open
    assert integrity_of(file) == ("proved", None)


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param({"futile": 5, "elder_signs": 0, "cthulhu": 0}, id="fewer than are open"),
        pytest.param({"futile": 4, "elder_signs": 2, "cthulhu": 0}, id="more than were laid"),
        pytest.param({"futile": 4, "elder_signs": True, "cthulhu": 0}, id="no number"),
        pytest.param({"futile": 4, "elder_signs": 1}, id="a kind is lacking"),
        pytest.param([4, 1, 0], id="no counts"),
    ],
)
def test_counts_that_cannot_be_are_found(counts: Any) -> None:
    file, laid, own = read()
    own["payload"] = counts
    assert integrity_of(file) == ("failed", laid["seq"])


@pytest.mark.parametrize(
    "told", [{"cards": 20}, {"counts": 0}, {"cards": -5}, {"cards": None}, {"counts": 2**53 - 1}]
)
def test_slots_are_as_many_as_are_told(told: dict[str, Any]) -> None:
    file, laid, _ = read()
    laid["public"].update(told)
    assert integrity_of(file) == ("failed", laid["seq"])


def test_verify_mjs_knows_the_counts_that_the_annexes_tell() -> None:
    code = f"import({json.dumps(str(VERIFIER))}).then((it) => console.log(JSON.stringify(it.TALLIES)))"
    told = {
        game.id: {
            each.type: {"items": each.items, "counts": each.counts, "by": each.by, "names": each.names}
            for each in game.tallies
        }
        for game in GAMES.values()
        if game.tallies
    }
    assert json.loads(node(Path("--eval"), code).stdout) == told


def test_cards_that_are_all_open_are_those_that_are_counted() -> None:
    whole = json.loads((RUNNING.parent / "cthulhu-full.json").read_text("utf-8"))
    laid = next(each for each in whole["events"] if each["type"] == "cthulhu.cards_laid")
    assert (laid["public"]["cards"], integrity_of(whole)) == (CARDS, ("proved", None))
    of_seat_1 = [each for each in whole["openings"] if each["seq"] == laid["seq"] and 5 <= each["slot"] < 10]
    next(each for each in of_seat_1 if each["payload"]["kind"] == "futile")["payload"]["kind"] = "blank"
    assert integrity_of(whole) == ("failed", laid["seq"])
