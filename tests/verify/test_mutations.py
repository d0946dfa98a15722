"""No transcript that lies is accepted, and the two verifiers agree.  ``make mutations`` does it at length."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engines.registry import GAMES
from tests.verify import mutants
from tests.verify.judging import Tally, differences, genuine, tally
from tests.verify.mutants import Nothing
from tests.verify.plays import File, played
from verify.transcript import judge

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found() -> Tally:
    """More than 300 mutants, judged; every sixth table's in JavaScript too."""
    whole = Tally()
    for seed in range(6, 18):
        whole.add(tally(seed, count=26, by_both=seed % 6 == 0))
    return whole


@pytest.mark.long
def test_no_mutant_is_accepted(found: Tally) -> None:
    assert found.accepted == []


@pytest.mark.long
def test_the_verifiers_agree_on_mutants(found: Tally) -> None:
    assert found.differences == []


@pytest.mark.long
def test_mutants_are_of_every_kind_and_every_verdict_refuses_some(found: Tally) -> None:
    assert sum(found.kinds.values()) == 312
    assert found.kinds.keys() == mutants.KINDS.keys()
    assert found.refused.keys() >= {"integrity", "receipts", "fairness", "replay", "keys", "length"}


@pytest.mark.parametrize("seed", range(3))
def test_the_verifiers_agree_on_every_view_of_a_game(seed: int) -> None:
    told, count = differences(seed)

    assert told == []
    assert count >= 5


def test_the_verifiers_agree_on_a_series() -> None:
    """Whole, and while its second game is played: the first one's chance is proved to everybody."""
    seed = next(seed for seed in range(99) if _is_series(genuine(seed)[0]))

    assert differences(seed)[0] == []


def _is_series(file: File) -> bool:
    return any(each["type"] == "table.epoch_opened" for each in file["events"])


def test_what_is_played_from_a_seed_is_played_alike_again() -> None:
    one, other = (json.dumps(played("cthulhu", 5).file("full")) for _ in range(2))

    assert one == other


def test_time_outs_and_leavings_come_about() -> None:
    """Else the draws of default moves would be proved by nobody."""
    labels = {label for seed in range(24) for label in _labels(genuine(seed)[0])}

    assert labels >= {"deck", "starter", "time_out", "leaver", "roles", "first", "cards", "amulet"}


def _labels(file: File) -> Iterator[str]:
    return (label for event in file["events"] for _, label in event["draws"])


@pytest.mark.parametrize("kind", mutants.KINDS)
def test_each_kind_of_lie_changes_what_a_file_says(kind: str) -> None:
    file = genuine(0)[1] if kind == "called_whole" else genuine(2 if kind == "altered_counts" else 0)[0]
    random = Random(kind)
    for _ in range(100):
        forged = copy.deepcopy(file)
        try:
            mutants.KINDS[kind](mutants.Lie(forged, copy.deepcopy(genuine(3)[0]), random))
        except Nothing:
            continue
        if mutants.means(forged) != mutants.means(file):
            return
    pytest.fail("it changes nothing")


def test_a_file_chained_and_signed_anew_without_a_lie_is_proved() -> None:
    """Else every forgery would be refused for how it is dressed."""
    for seed in range(len(GAMES)):
        file = copy.deepcopy(genuine(seed)[0])
        mutants.chain(file)
        mutants.sign(file)
        assert judge(json.dumps(file).encode(), GAMES).is_proved


@pytest.mark.long
def test_the_long_check_is_a_program() -> None:
    command = ["-m", "tests.verify.mutations", "--genuine", "4", "--mutants", "25", "--seed", "1"]

    done = subprocess.run([sys.executable, *command], cwd=ROOT, env={}, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "25 mutants, 0 accepted" in done.stdout
