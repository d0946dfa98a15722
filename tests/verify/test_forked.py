"""What a table that goes on from another one has as that one; on the server: ``tests/tables``."""

from __future__ import annotations

import copy
import json

import pytest

from engines.registry import GAMES
from tests.verify.forked import Fork
from tests.verify.mutants import chain, sign
from tests.verify.plays import File, Habits, Play
from verify.transcript import judge, read


def turn_of(file: File, number: int) -> int:
    """Return the position at which a turn opened."""
    opened: list[int] = [each["seq"] for each in file["events"] if each["type"] == "clock.deadline_set"]
    return opened[number]


@pytest.fixture(scope="module")
def files() -> tuple[File, File, File]:
    """A game, one that goes on from it, and one that goes on from that."""
    origin = Play("arrecife", 7, fairness="server").play(Habits(leaving=0.01)).file("full")
    fork = Fork([origin], turn_of(origin, 9), 8).play().file("full")
    return origin, fork, Fork([origin, fork], turn_of(fork, 3), 9).play().file("full")


def replay(file: File, *origins: File) -> str:
    chain(file)
    sign(file)
    behind = [read(json.dumps(each).encode()) for each in origins]
    return str(judge(json.dumps(file).encode(), GAMES, origins=behind).report.replay)


def test_forks_are_proved_with_what_they_go_on_from(files: tuple[File, File, File]) -> None:
    origin, fork, again = map(copy.deepcopy, files)
    assert replay(fork, origin) == "proved"
    assert replay(again, origin, fork) == "proved"
    assert replay(again, origin).startswith("not provable")


def test_a_fork_plays_what_its_origin_played(files: tuple[File, File, File]) -> None:
    """Nothing that is played afterwards betrays it: the state that is taken over has options of its own."""
    origin, fork, _ = map(copy.deepcopy, files)
    for each in fork["events"]:
        if "options" in each["public"]:
            each["public"]["options"]["bite_damage"] %= 5
            each["public"]["options"]["bite_damage"] += 1
    assert replay(fork, origin).endswith("it goes on with other options than its origin")
