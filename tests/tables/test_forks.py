"""A finished game goes on from an earlier position, at a table of its own whose log starts clean."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from events import store
from tables import (
    answers,
    catalogue,
    commands,
    hosting,
    imports,
    origins,
    playing,
    queries,
    relay,
    transcripts,
)
from tables.errors import BadField, ForksTooDeep, NotFound, TableNotFinished
from tables.folding import replay
from tables.imports import NotImportable
from tables.management.commands.verify_streams import audit
from tables.models import AwaitedTurn, Table
from tables.shapes import NewFork
from tests import probe
from tests.verify.javascript import judge_many
from tests.verify.plays import Habits, Play
from verify.__main__ import main
from verify.continuing import FORKED
from verify.transcript import judge, read
from verify.verdicts import Report
from verify.verifier import verify

from .rooms import Room, new_player, open_room, running_room
from .test_imports import lose

GAMES = ("probe", "reafan", "arrecife", "cthulhu")


def finished(game: str, moves: int = 6, **options: Any) -> Room:
    """Return a table whose game went on for some moves, and then to its end."""
    room = open_room(game, **options)
    room.play_on(moves)
    for seat in range(len(room.players)):
        if room.row.status == "playing":
            room.resign(seat)
    return room


def forked(room: Room, position: int, seat: int, player: uuid.UUID | None = None) -> Room:
    """Return the fork of a table, with a player in one seat and nobody in the others."""
    player = player or new_player()
    answer: Any = msgspec.to_builtins(
        commands.fork(player, room.id, NewFork(position=position, seat=seat)).answer
    )
    return Room(uuid.UUID(answer["id"]), [player] * len(room.players), new_player())


def play_out(room: Room, seed: int = 1, moves: int = 400) -> None:
    """Play random legal moves of every seat, those of bots included."""
    dice = Random(seed)
    for _ in range(moves):
        host = hosting.peek(room.id)
        if host.table.status != "playing":
            return
        able = [
            (seat, move)
            for seat in range(len(room.players))
            for move in host.game.legal_moves(host.state, seat)
        ]
        seat, move = dice.choice(able)
        playing.play_bot(room.id, seat, host.table.turn, move)


def turns(room: Room) -> list[int]:
    return [each.position for each in queries.turn_positions(room.players[0], room.id, limit=200).items]


def first_free(room: Room, position: int) -> int:
    gone = replay(room.id, upto=position).table.abandoned
    return next(seat for seat in range(len(room.players)) if seat not in gone)


# What goes over


@pytest.mark.parametrize("game", GAMES)
def test_every_seat_sees_at_first_what_it_saw_there(game: str) -> None:
    room = finished(game)
    for position in turns(room)[::2]:
        seat = first_free(room, position)
        fork = forked(room, position, seat)
        at = fork.row.version
        here: dict[str, Any] = msgspec.to_builtins(queries.view(fork.players[0], fork.id))
        there = msgspec.to_builtins(queries.view(room.stranger, room.id, at=position, wish=seat))
        for name in ("data", "turn", "awaited", "viewer"):
            assert here[name] == there[name]
        state, before = replay(fork.id, upto=at), replay(room.id, upto=position)
        assert state.game_state == before.game_state
        for other in range(len(room.players)):
            seen = answers.view_answer(fork.row, hosting.peek(fork.id), state, at, other).data
            assert seen == queries.view(room.stranger, room.id, at=position, wish=other).data
        assert here["legal_moves"] or seat not in [each["seat"] for each in here["awaited"]]


@pytest.mark.parametrize(
    "game", [GAMES[0], *(pytest.param(each, marks=pytest.mark.long) for each in GAMES[1:])]
)
def test_a_fork_plays_to_its_end_and_is_proved_with_its_origin(game: str) -> None:
    room = finished(game, moves=10)
    for number, position in enumerate(turns(room)[::3]):
        fork = forked(room, position, first_free(room, position))
        play_out(fork, seed=number)
        assert fork.row.status == "finished"
        told = audit(fork.id)
        assert not told.findings, told.findings


def see(fork: Room) -> None:
    """Let everybody see a fork, which is private."""
    Table.objects.filter(id=fork.id).update(visibility="public")


def test_a_series_goes_on_with_its_next_game() -> None:
    room = open_room("cthulhu", series=True)
    while room.host.table.epoch == 0:
        room.play_on(1)
    for seat in range(len(room.players)):
        if room.row.status == "playing":
            room.resign(seat)
    position = turns(room)[-1]
    assert replay(room.id, upto=position).table.epoch >= 1
    fork = forked(room, position, first_free(room, position))
    state = hosting.peek(fork.id)
    begun = state.game.epoch(state.state)
    assert (state.table.epoch, begun >= 1) == (0, True)
    play_out(fork)
    assert fork.row.status == "finished"
    assert not audit(fork.id).findings


def test_a_fork_of_a_fork() -> None:
    room = finished("reafan", 8)
    first = forked(room, turns(room)[3], 0)
    play_out(first, moves=5)
    commands.resign(first.players[0], first.id)
    again = forked(first, turns(first)[-1], 1, first.players[0])
    assert again.headers(FORKED)[0].public["base"] > first.headers(FORKED)[0].public["base"]
    assert again.host.state == replay(first.id, upto=turns(first)[-1]).game_state
    play_out(again)
    assert not audit(again.id).findings
    files = [msgspec.json.encode(transcripts.of(each.row, None)) for each in (room, first, again)]
    oldest, older = (read(each) for each in files[:2])
    assert judge(files[2], catalogue.games(), origins=[oldest, older]).is_proved
    assert not judge(files[2], catalogue.games(), origins=[older, oldest]).is_proved
    itself = judge(files[2], catalogue.games(), origins=[read(files[2])]).verdicts["replay"]
    assert itself.status == "not_provable"


def test_a_position_within_a_turn_goes_back_to_its_beginning() -> None:
    room = finished("reafan", 8)
    second, third = turns(room)[2:4]
    for position in range(second, third):
        assert forked(room, position, 0).row.forked_at == second


def test_seats_left_for_good_stay_so() -> None:
    room = open_room("arrecife", seats=4)
    room.resign(1)
    room.play_on(8)
    for seat in (0, 2, 3):
        if room.row.status == "playing":
            room.resign(seat)
    position = turns(room)[-1]
    gone = replay(room.id, upto=position).table.abandoned
    assert 1 in gone
    with pytest.raises(BadField) as refused:
        forked(room, position, 1)
    assert refused.value.facts["pointer"] == "#/seat"
    fork = forked(room, position, first_free(room, position))
    assert set(fork.host.table.abandoned) == set(gone)


def test_the_bots_of_a_fork_answer() -> None:
    room = finished("reafan", 8)
    position = next(
        each
        for each in turns(room)
        if [seat.seat for seat in queries.view(room.stranger, room.id, at=each).awaited] == [1]
    )
    fork = forked(room, position, 0)
    before = fork.row.version
    while relay.relay():
        pass
    assert fork.row.version > before
    assert fork.row.status == "finished" or list(fork.row.awaited) == [0]


# Its log


def test_the_log_starts_clean_and_says_where_it_goes_on() -> None:
    room = finished("probe", 5)
    position = turns(room)[-1]
    fork = forked(room, position, 2)
    types = [each.type for each in fork.headers()]
    assert types == [
        "table.opened",
        "table.settings_chosen",
        *["table.seat_taken"] * 3,
        "table.started",
        FORKED,
        "clock.deadline_set",
    ]
    told = fork.headers(FORKED)[0].public
    assert (told["origin"], told["position"]) == (room.id.hex, position)
    assert told["head"] == store.read(room.stream)[position - 1].hash.hex()
    salts = {each.salt for each in store.openings(fork.stream).values()}
    assert not salts & {each.salt for each in store.openings(room.stream).values()}


def test_what_a_seat_did_not_hold_there_it_does_not_hold_here() -> None:
    room = finished("reafan", 6)
    position = turns(room)[2]
    fork = forked(room, position, 0)
    file = queries.transcript(fork.players[0], fork.id)
    at = fork.headers(FORKED)[0].seq
    own = {each["slot"] for each in file["openings"] if each["seq"] == at}
    header = fork.headers(FORKED)[0]
    assert own == {
        slot
        for slot, each in enumerate(header.slots)
        if each.to == "seat:0" or (at, slot) in {tuple(ref) for ref in header.opens}
    }
    assert 0 < len(own) < len(header.slots)


# Who may, and what it counts


def test_only_a_finished_game_goes_on_elsewhere() -> None:
    room = running_room("probe", 3)
    with pytest.raises(TableNotFinished):
        forked(room, room.row.version, 0)
    Table.objects.filter(id=room.id).update(visibility="private")
    with pytest.raises(NotFound):
        forked(room, room.row.version, 0)


def chain_of_forks(count: int) -> list[Room]:
    """Return a finished game, and forks each of which goes on from the one before."""
    rooms = [finished("probe", 3)]
    for _ in range(count):
        see(rooms[-1])
        fork = forked(rooms[-1], turns(rooms[-1])[0], 0, rooms[0].players[0])
        commands.resign(fork.players[0], fork.id)
        play_out(fork)
        rooms.append(fork)
    return rooms


def test_of_forks_of_forks_each_log_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = chain_of_forks(4)
    judged: list[uuid.UUID] = []

    def noted(tid: bytes, *rest: Any, **more: Any) -> Report:
        judged.append(uuid.UUID(bytes=tid))
        return verify(tid, *rest, **more)

    monkeypatch.setattr("verify.origin.verify", noted)
    assert not audit(rooms[-1].id).findings
    assert sorted(judged) == sorted(each.id for each in rooms[:-1])


def test_forks_go_only_so_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origins, "MOST", 2)
    *_, last = chain_of_forks(2)
    position = turns(last)[0]
    with pytest.raises(ForksTooDeep) as refused:
        forked(last, position, 0, last.players[0])
    assert refused.value.facts == {"most": 2}


@pytest.mark.parametrize(
    ("position", "seat", "pointer"), [(1, 0, "#/position"), (9999, 0, "#/position"), (30, 9, "#/seat")]
)
def test_what_does_not_fit_is_told(position: int, seat: int, pointer: str) -> None:
    room = finished("reafan", 8)
    count = Table.objects.count()
    with pytest.raises(BadField) as refused:
        forked(room, position, seat)
    assert refused.value.facts["pointer"] == pointer
    assert Table.objects.count() == count


def test_a_fork_is_private_linked_and_rated_nowhere() -> None:
    room = finished("reafan", 8)
    fork = forked(room, turns(room)[3], 0)
    player = fork.players[0]
    play_out(fork)
    table = queries.table(player, fork.id)
    assert table.forked_from is not None
    assert (table.forked_from.table_id, table.forked_from.position) == (str(room.id), turns(room)[3])
    assert (table.visibility, table.origin, table.clock.kind) == ("private", None, "none")
    assert [each.bot for each in table.seats] == [None, "searcher"]
    assert not AwaitedTurn.objects.filter(table=fork.id).exists()
    agreed: Any = commands.rematch(player, fork.id).answer
    assert agreed.games == 0
    with pytest.raises(NotFound):
        queries.table(room.stranger, fork.id)


# Offline


def test_offline_a_fork_is_proved_with_its_origin_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room = finished("probe", 6)
    fork, other = forked(room, turns(room)[-1], 0), finished("probe", 6)
    play_out(fork)
    see(fork)
    own, origin, wrong = (tmp_path / name for name in ("fork.json", "origin.json", "other.json"))
    for path, table in ((own, fork), (origin, room), (wrong, other)):
        path.write_bytes(msgspec.json.encode(queries.transcript(table.stranger, table.id)))
    game = ["--game", probe.__name__]
    assert main([str(own), *game]) == 1
    alone = capsys.readouterr().out
    assert f"replay: not provable from this view: it goes on from position {turns(room)[-1]}" in alone
    assert "integrity: proved" in alone
    assert main([str(own), *game, "--origin", str(wrong)]) == 1
    assert "whose log is not at hand" in capsys.readouterr().out
    assert main([str(own), *game, "--origin", str(wrong), "--origin", str(origin)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("proved: ")


def test_offline_another_beginning_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The origin is another than the one that the fork went on from, under the same id."""
    room = finished("probe", 6)
    fork = forked(room, turns(room)[-1], 0)
    play_out(fork)
    see(fork)
    file = queries.transcript(fork.stranger, fork.id)
    origin = queries.transcript(room.stranger, room.id)
    forged = json.loads(msgspec.json.encode(origin))
    forged["events"][7]["public"] = {**forged["events"][7]["public"], "round": 2}
    for name, told in (("fork.json", file), ("origin.json", forged)):
        (tmp_path / name).write_bytes(msgspec.json.encode(told))
    arguments = [str(tmp_path / "fork.json"), "--game", probe.__name__]
    assert main([*arguments, "--origin", str(tmp_path / "origin.json")]) == 1
    assert "from which it goes on, is not proved" in capsys.readouterr().out


def test_an_origin_that_tells_two_stories_is_found() -> None:
    """Both logs of it are whole and proved; the fork goes on from one of them."""
    one, other = (Play("reafan", 81).play(habits).file("full") for habits in (Habits(absence=0.2), Habits()))
    opened = [
        {each["seq"] for each in file["events"] if each["type"] == "clock.deadline_set"}
        for file in (one, other)
    ]
    position = min(
        each for each in opened[0] & opened[1] if one["events"][each - 1] != other["events"][each - 1]
    )
    room = Room(
        imports.import_table(json.dumps(one).encode(), visibility="public").table_id, [], new_player()
    )
    answer: Any = commands.fork(room.stranger, room.id, NewFork(position=position, seat=0)).answer
    fork = Room(uuid.UUID(answer.id), [room.stranger] * 2, new_player())
    play_out(fork)
    assert not audit(fork.id).findings
    data = msgspec.json.encode(queries.transcript(fork.players[0], fork.id))
    verdicts = {}
    for name, file in (("one", one), ("other", other)):
        origin = read(json.dumps(file).encode())
        verdicts[name] = judge(data, catalogue.games(), origins=[origin]).verdicts["replay"]
    assert verdicts["one"].status == "proved"
    assert str(verdicts["other"]).startswith("FAILED at position 6: table.forked: head is")
    assert len(verdicts["other"].findings) == 1


def test_the_verifier_in_javascript_says_so_too() -> None:
    room = finished("reafan", 8)
    fork = forked(room, turns(room)[3], 0)
    play_out(fork)
    data = msgspec.json.encode(queries.transcript(fork.players[0], fork.id))
    (told,) = judge_many([data])
    here = judge(data, catalogue.games())
    for name in ("receipts", "integrity", "fairness"):
        assert told["verdicts"][name]["status"] == here.verdicts[name].status
    assert told["verdicts"]["fairness"]["doubt"] == here.verdicts["fairness"].doubt
    assert here.verdicts["fairness"].doubt is not None


def test_a_fork_is_imported_where_its_origin_is(superuser_url: str) -> None:
    room = finished("reafan", 8)
    fork = forked(room, turns(room)[3], 0)
    play_out(fork)
    see(fork)
    file = queries.transcript(fork.stranger, fork.id)
    lose(fork, superuser_url)
    imports.import_table(msgspec.json.encode(file), visibility="public")
    assert queries.transcript(fork.stranger, fork.id) == file
    assert not audit(fork.id).findings
    table = queries.table(fork.stranger, fork.id)
    assert table.forked_from is not None
    assert table.forked_from.table_id == str(room.id)
    lose(fork, superuser_url)
    lose(room, superuser_url)
    with pytest.raises(NotImportable, match="not provable from this view: it goes on from"):
        imports.import_table(msgspec.json.encode(file))


def test_a_fork_that_goes_deeper_than_forks_may_is_not_imported(
    superuser_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, before, last = chain_of_forks(3)
    see(last)
    file = queries.transcript(last.stranger, last.id)
    lose(last, superuser_url)
    monkeypatch.setattr(origins, "MOST", 2)
    with pytest.raises(NotImportable, match=f"tables go on from one another up to {before.id}, and no more"):
        imports.import_table(msgspec.json.encode(file))
    assert not Table.objects.filter(id=last.id).exists()
    monkeypatch.setattr(origins, "MOST", 3)
    assert imports.import_table(msgspec.json.encode(file)).is_new
