"""``manage.py replay_all``: every stored game decided again, by its own rules or by others."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from engines.base import Batch
from engines.registry import newest
from tables import catalogue
from tests import probe, probe_v2
from tests.tables.rooms import Room, open_room
from tests.tables.test_rules_versions import find_mark


@pytest.fixture
def title(monkeypatch: pytest.MonkeyPatch) -> str:
    """A title of this test's own, the probe by both versions, so that no other stored game counts."""
    install(monkeypatch, probe.GAME, probe_v2.GAME)
    return "duo"


def install(monkeypatch: pytest.MonkeyPatch, *games: Any) -> None:
    game = newest([replace(each, id="duo") for each in games])["duo"]
    monkeypatch.setitem(catalogue.games(), "duo", game)


def replayed(*arguments: str) -> tuple[int, list[str]]:
    out, code = io.StringIO(), 0
    try:
        call_command("replay_all", "--game", "duo", *arguments, stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue().splitlines()


def told_of(lines: list[str], room: Room) -> list[str]:
    return [each for each in lines if str(room.id) in each]


def test_by_their_own_rules_all_are_decided_alike_whatever_else_is_there(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, probe.GAME)
    first, running = open_room(title), open_room(title)
    find_mark(first)
    running.pick(0)
    install(monkeypatch, probe.GAME, probe_v2.GAME)
    second = open_room(title)
    find_mark(second)

    code, lines = replayed()
    assert code == 0
    assert not [each for room in (first, running, second) for each in told_of(lines, room)]

    code, lines = replayed("--against", "2")
    assert code == 0  # other rules may lead elsewhere
    (told,) = told_of(lines, first)
    mark = first.headers(f"{title}.card_opened")[-1].seq
    assert f"position {mark}: {title}.bonus_given should follow, {title}.card_opened is recorded" in told
    assert not told_of(lines, second)
    assert not told_of(lines, running)

    _, lines = replayed("--against", "1", "--json")
    (told,) = told_of(lines, second)
    bonus = second.headers(f"{title}.bonus_given")[-1].seq
    assert json.loads(told) == {
        "table": str(second.id),
        "game": title,
        "rules_version": 2,
        "position": bonus,
        "what": f"{title}.card_opened should follow, {title}.bonus_given is recorded",
    }


def test_a_rule_that_changed_without_a_new_version_is_found(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = open_room(title)
    find_mark(room)

    def generous(batch: Batch[Any], seat: int, move: Any) -> None:
        raised = replace(batch.state, bonus=9)
        batch.state = raised
        probe_v2.resolve(batch, seat, move)

    install(monkeypatch, replace(probe_v2.GAME, resolve=generous))
    code, lines = replayed()

    assert code == 1
    (told,) = told_of(lines, room)
    assert told.endswith(f"{title}.bonus_given: points is 2, 9 follows")
    monkeypatch.setitem(catalogue.games(), "duo", replace(probe_v2.GAME, id="duo", rules_version=7))
    code, lines = replayed("--json")
    assert code == 1
    assert "rules version 2 of duo is not known" in json.loads(told_of(lines, room)[0])["what"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "chess"], "There is no game chess; there are "),
        (["--game", "duo", "--against", "9"], "This server does not have version 9 of duo."),
        (["--against", "9"], "This server does not have version 9 of any game."),
    ],
)
def test_what_is_not_there_is_said(title: str, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said.replace(".", r"\.")):
        call_command("replay_all", *arguments)
