"""Two versions of one game side by side: new tables get the newest, the others keep their own."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from engines.registry import newest
from tables import catalogue, commands, hosting, queries
from tables.auditing import audit
from tables.errors import RulesMissing
from tables.shapes import Join, NewTable
from tests import probe, probe_v2
from tests.api.contract import Api
from tests.tables import rooms
from tests.tables.rooms import Room, open_room
from verify.transcript import Judgement, judge

BOTH = newest((probe_v2.GAME, probe.GAME))["probe"]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """A function that puts other rules of the probe, and so other code, under the tables that there are."""

    def put(game: Any) -> None:
        monkeypatch.setitem(catalogue.games(), "probe", game)
        monkeypatch.setattr(catalogue, "code", lambda: f"code {game.rules_version} {len(game.earlier)}")

    return put


def find_mark(room: Room) -> None:
    """Play until somebody opens the mark, which ends the game."""
    room.pick(*{0, 1, 2} - {each.public["seat"] for each in room.headers("table.move_played")})
    while (state := room.host.state).reason is None:
        owner, place = divmod(state.cards.index(True), 3)
        if owner == state.active:
            room.open_blank()
        else:
            room.send(state.active, "open", owner=owner, place=place)


def judged(room: Room, game: Any) -> Judgement:
    """Return what the offline verifier says of a room's transcript when it knows these rules."""
    file = json.dumps(queries.transcript(room.stranger, room.id)).encode()
    return judge(file, {"probe": game})


def test_a_game_goes_on_by_its_rules_when_a_newer_version_is_there(install: Callable[[Any], None]) -> None:
    old = open_room("probe")
    old.pick(0)
    install(BOTH)
    new = open_room("probe", bonus=4)
    for room in (old, new):
        find_mark(room)

    assert [each.row.settings["rules_version"] for each in (old, new)] == [1, 2]
    assert "probe.bonus_given" not in old.types()
    assert new.last("probe.bonus_given")["points"] == 4
    for room, version, gained in ((old, 1, 3), (new, 2, 7)):
        room.prove()
        before = hosting.peek(room.id).game.empty
        assert before is BOTH.under(version).empty
        opened = room.headers("probe.card_opened")[-1].public
        earlier = room.headers("probe.card_opened")[:-1] or room.headers("probe.picks_opened")
        seat = opened["seat"]
        assert opened["scores"][seat] - earlier[-1].public["scores"][seat] == gained


def test_offline_each_is_judged_by_its_own_rules(install: Callable[[Any], None]) -> None:
    old = open_room("probe")
    find_mark(old)
    install(BOTH)
    new = open_room("probe")
    find_mark(new)

    assert judged(old, BOTH).is_proved
    assert judged(new, BOTH).is_proved
    assert "rules version 1 of probe is not known" in str(judged(old, probe_v2.GAME).report.replay)
    assert "rules version 2 of probe is not known" in str(judged(new, probe.GAME).report.replay)


def test_what_happened_is_told_by_the_rules_of_the_table(install: Callable[[Any], None]) -> None:
    install(BOTH)
    room = open_room("probe")
    find_mark(room)

    told = [each.sentence for each in queries.narration(room.stranger, room.id, "es", limit=100).items]

    assert any(each.endswith("recibe 2 más por la marca.") for each in told)


def test_a_rematch_is_played_by_the_newest_rules_that_take_its_settings(
    install: Callable[[Any], None],
) -> None:
    old = open_room("probe", rounds=1)
    find_mark(old)
    install(BOTH)

    for player in old.players:
        again: Any = commands.rematch(player, old.id).answer

    settings = hosting.peek(uuid.UUID(again.table_id)).table.settings
    assert settings is not None
    assert (settings.rules_version, settings.options["rounds"], settings.options["bonus"]) == (2, 1, 2)


def test_without_its_rules_a_table_stands_still_and_is_still_listed(install: Callable[[Any], None]) -> None:
    install(BOTH)
    room = open_room("probe")
    version = room.row.version
    install(probe.GAME)

    for act in (lambda: room.view(0), lambda: room.pick(0), lambda: room.resign(0)):
        with pytest.raises(RulesMissing) as refused:
            act()
        assert refused.value.facts == {"game": "probe", "rules_version": 2}
    assert queries.table(room.players[0], room.id).rules_version == 2
    install(BOTH)
    assert room.row.version == version
    find_mark(room)
    room.prove()


def test_an_audit_without_the_rules_of_a_waiting_table_finds_that(install: Callable[[Any], None]) -> None:
    install(BOTH)
    opened: Any = commands.open_table(rooms.new_player(), NewTable(game="probe")).answer
    install(probe.GAME)

    (found,) = audit(uuid.UUID(opened.id)).findings
    assert found.what == "its rules are not here: {'game': 'probe', 'rules_version': 2}"
    install(BOTH)
    assert audit(uuid.UUID(opened.id)).findings == []


@pytest.mark.long
def test_a_server_without_the_rules_of_a_table_says_so(
    install: Callable[[Any], None], new_player: Callable[..., Api]
) -> None:
    """The API runs in a process of its own, which has the first version alone."""
    players = [new_player() for _ in range(3)]
    ids = [uuid.UUID(each.get("/v1/me").json()["id"]) for each in players]
    install(BOTH)
    opened: Any = commands.open_table(ids[0], NewTable(game="probe")).answer
    for each in ids[1:]:
        commands.join(each, uuid.UUID(opened.id), Join())

    body = {"turn": 1, "kind": "pick", "params": {"number": 1, "rival": 1}}
    path = f"/v1/tables/{opened.id}"
    for answer in (players[0].get(f"{path}/view"), players[0].post(f"{path}/moves", body)):
        assert (answer.status_code, answer.json()["code"]) == (503, "rules_missing")
        assert answer.json()["facts"] == {"game": "probe", "rules_version": 2}
        assert answer.json()["detail"].startswith("This server does not have version 2 of probe")
    assert players[0].get(path).json()["rules_version"] == 2
    assert opened.id in [each["id"] for each in players[0].get("/v1/tables?mine=true").json()["items"]]
