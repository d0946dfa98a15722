"""When players may add to chance: no log is believed in which somebody was hurried, skipped or let off."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from engines.registry import GAMES
from events import canonical
from tests.verify import mutants
from tests.verify.plays import File, Play
from verify.transcript import judge

HOUR = 3_600_000


@cache
def genuine() -> File:
    """A game of Cthulhu: one seat committed and never revealed, all others did both."""
    for seed in range(999):
        play = Play("cthulhu", seed, fairness="players", series=False)
        persons, given = play.table.persons(), play.table.entropy
        if len(persons) == play.seats == len(given.seats) and len(given.missing()) == 1:
            return play.play().file("full")
    raise AssertionError("no such table")


def forged(change: Callable[[list[dict[str, Any]]], None]) -> list[int]:
    """Return where replay and fairness object to a log that was changed, its chain being right."""
    file = copy.deepcopy(genuine())
    change(file["events"])
    mutants.Lie(file, file, None).renumber(lambda seq: seq)  # type: ignore[arg-type]
    mutants.chain(file)
    found = judge(json.dumps(file).encode(), GAMES).verdicts
    return [each.position for name in ("replay", "fairness") for each in found[name].findings[:1]]


def at(events: list[dict[str, Any]], type_: str) -> int:
    """Return the index of the first event of a type."""
    return next(index for index, each in enumerate(events) if each["type"] == f"table.{type_}")


def shift(events: list[dict[str, Any]], since: int, by: int) -> None:
    for each in events[since:]:
        each["at"] += by


def test_a_genuine_log_is_believed() -> None:
    assert forged(lambda _events: None) == []


@pytest.mark.parametrize(
    ("type_", "by"),
    [
        ("entropy_missing", -HOUR),  # before the time to reveal is over
        ("entropy_revealed", 24 * HOUR),  # after it
        ("entropy_committed", 24 * HOUR),
    ],
)
def test_nobody_adds_late_or_is_found_missing_early(type_: str, by: int) -> None:
    place = at(genuine()["events"], type_)

    assert place + 1 in forged(lambda events: shift(events, place, by))


@pytest.mark.parametrize("type_", ["entropy_asked", "seating_closed"])
def test_the_time_is_that_of_a_turn(type_: str) -> None:
    place = at(genuine()["events"], type_)

    def shorten(events: list[dict[str, Any]]) -> None:
        events[place]["public"]["until"] -= 1

    assert forged(shorten)[0] == place + 1


def test_a_strict_table_does_not_begin_with_a_seat_missing() -> None:
    def make_strict(events: list[dict[str, Any]]) -> None:
        events[0]["public"]["seed_policy"] = "players_strict"

    assert forged(make_strict)[0] == at(genuine()["events"], "started") + 1


def test_at_a_table_of_the_server_nobody_adds() -> None:
    def make_the_servers(events: list[dict[str, Any]]) -> None:
        events[0]["public"]["seed_policy"] = "server"

    assert forged(make_the_servers)[0] == at(genuine()["events"], "entropy_asked") + 1


@pytest.mark.parametrize("type_", ["seating_closed", "entropy_missing"])
def test_nothing_is_skipped(type_: str) -> None:
    place = at(genuine()["events"], type_)

    def drop(events: list[dict[str, Any]]) -> None:
        del events[place]

    assert forged(drop)[0] == place + 1


def test_nobody_leaves_once_seating_is_closed() -> None:
    place = at(genuine()["events"], "seating_closed") + 1

    def leave(events: list[dict[str, Any]]) -> None:
        left = copy.deepcopy(events[place])
        left |= {"type": "table.seat_left", "public": {"seat": 0, "reason": "left"}, "actor": "seat:0"}
        events.insert(place, left)

    assert forged(leave)[0] == place + 1


def test_a_bot_commits_to_nothing() -> None:
    place = at(genuine()["events"], "entropy_committed")
    seat = genuine()["events"][place]["public"]["seat"]

    def make_a_bot(events: list[dict[str, Any]]) -> None:
        taken = next(
            each for each in events if each["type"] == "table.seat_taken" and each["public"]["seat"] == seat
        )
        taken["public"]["bot"] = "random"
        taken["actor"] = "table"

    assert forged(make_a_bot)[0] == place + 1


def test_a_seat_commits_for_itself() -> None:
    place = at(genuine()["events"], "entropy_committed")

    def speak_for_another(events: list[dict[str, Any]]) -> None:
        public = events[place]["public"]
        events[place]["actor"] = f"seat:{1 - min(public['seat'], 1)}"

    assert forged(speak_for_another)[0] == place + 1


def test_a_commitment_of_another_seat_fits_nothing() -> None:
    """Who repeats what another has sealed has sealed nothing that it can show."""
    tid = bytes.fromhex(genuine()["events"][0]["table"])
    revealed = genuine()["events"][at(genuine()["events"], "entropy_revealed")]["public"]
    value = bytes.fromhex(revealed["entropy"])
    commits = {canonical.entropy_commit(tid, epoch, seat, value) for seat in range(6) for epoch in range(3)}

    assert len(commits) == 18
