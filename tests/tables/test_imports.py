"""Tables of other servers: checked as a whole, kept as they are, or not at all."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any, LiteralString

import msgspec
import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from events import store
from events.audit import LAST_TIME
from events.errors import StreamNotFound
from tables import catalogue, imports, queries, relay, signing
from tables.errors import NotFound
from tables.folding import stream_of
from tables.imports import NotImportable
from tables.management.commands.verify_streams import audit
from tables.models import Import, Seed, Table, Tenure
from tests.tables.attacks import OFF
from tests.verify.mutants import chain, sign
from tests.verify.plays import FORGER, SERVER, Habits, Play, listed
from verify.transcript import Key

from .rooms import Room, new_player, running_room

File = dict[str, Any]
BUSY = Habits(absence=0.1, leaving=0.03, voting=0.05)


def foreign(game: str = "reafan", seed: int = 1) -> File:
    """Return the full transcript of a game that no database of ours has seen."""
    return Play(game, seed).play(BUSY).file("full")


def bytes_of(file: Any) -> bytes:
    return json.dumps(file).encode()


def id_of(file: File) -> uuid.UUID:
    return uuid.UUID(file["events"][0]["table"])


# What comes of it


def test_a_log_of_times_that_no_database_holds_is_refused() -> None:
    file = foreign(seed=772)
    late = LAST_TIME + 1 - file["events"][-1]["at"]
    for each in file["events"]:
        each["at"] += late
    chain(file)
    sign(file)
    with pytest.raises(NotImportable, match="at is behind the year 9999"):
        imports.import_table(bytes_of(file))


@pytest.mark.parametrize(("game", "seed"), [("reafan", 11), ("arrecife", 12), ("cthulhu", 13)])
def test_a_table_of_another_server_is_what_it_was_there(game: str, seed: int) -> None:
    file, stranger = foreign(game, seed), new_player()
    found = imports.import_table(bytes_of(file), visibility="public")
    assert found.is_new
    table_id = found.table_id
    assert queries.transcript(stranger, table_id) == file
    assert msgspec.to_builtins(queries.head(stranger, table_id)) == file["receipts"][-1]
    assert not audit(table_id).findings
    while relay.relay():
        pass
    table = queries.table(stranger, table_id)
    assert table.verification is not None
    assert (table.verification.verdict, table.version) == ("proved", len(file["events"]))
    assert (table.status, table.imported_from, table.host) == ("finished", SERVER.kid, None)
    assert table.created_at == queries.events(stranger, table_id).items[0].occurred_at
    bots = {each["public"]["seat"] for each in file["events"] if each["public"].get("bot")}
    assert {each.seat for each in table.seats if each.bot} <= bots
    assert not any(each.player or each.gone for each in table.seats)


def test_no_key_of_another_server_becomes_one_of_ours() -> None:
    file = foreign(seed=21)
    table_id = imports.import_table(bytes_of(file), visibility="public").table_id
    assert SERVER.kid not in {each["kid"] for each in signing.listed()}
    assert not signing.is_ours(file["receipts"][-1])
    transcript = queries.transcript(new_player(), table_id)
    assert {each["kid"] for each in transcript["keys"] + transcript["receipts"]} == {SERVER.kid}


def test_its_players_are_called_by_their_seats() -> None:
    file = foreign(seed=22)
    table_id = imports.import_table(bytes_of(file), visibility="public").table_id
    sentences = [each.sentence for each in queries.narration(new_player(), table_id, "en").items]
    assert "Seat 0 joins the table." in sentences
    assert not [each for each in sentences if "who left" in each]


def test_it_is_private_unless_it_is_said_to_be_public() -> None:
    table_id = imports.import_table(bytes_of(foreign(seed=23))).table_id
    with pytest.raises(NotFound):
        queries.table(new_player(), table_id)


def test_a_file_that_is_here_already_changes_nothing() -> None:
    data = bytes_of(foreign(seed=24))
    first = imports.import_table(data, visibility="public")
    again = imports.import_table(data)
    assert (again.table_id, again.is_new) == (first.table_id, False)
    assert Table.objects.get(id=first.table_id).visibility == "public"


def test_a_server_that_lost_a_table_gets_back_the_same(superuser_url: str) -> None:
    """Head, views at all positions for all eyes, events, knowledge, transcript and verdict."""
    room = running_room("reafan", 6)
    room.resign(0)
    before = answers_of(room)
    lose(room, superuser_url)
    with pytest.raises(NotFound):
        queries.table(room.stranger, room.id)
    imports.import_table(bytes_of(before["transcript"]), visibility="public")
    assert answers_of(room) == before


def answers_of(room: Room) -> dict[str, Any]:
    """Return all that a stranger is told of a finished table, names and the time of day left out."""
    while relay.relay():
        pass
    eyes: list[Any] = [0, 1, "public", "full"]
    verification = queries.table(room.stranger, room.id).verification
    knowledge = queries.knowledge(room.stranger, room.id, "en", limit=200)
    return {
        "head": queries.head(room.stranger, room.id),
        "transcript": queries.transcript(room.stranger, room.id),
        "views": [
            msgspec.to_builtins(queries.view(room.stranger, room.id, at=at, wish=wish)) | {"server_time": ""}
            for wish in eyes
            for at in range(1, room.row.version + 1)
        ],
        "events": [queries.events(room.stranger, room.id, limit=200, wish=wish) for wish in eyes],
        "turns": queries.turn_positions(room.stranger, room.id),
        "knowledge": [
            msgspec.structs.asdict(item) | {"sentence": ""} for each in knowledge.items for item in each.items
        ],
        "verdict": verification and (verification.verdict, verification.position),
    }


def lose(room: Room, superuser_url: str) -> None:
    """Delete a table and its log, as only a superuser can."""
    rows: list[LiteralString] = [
        "DELETE FROM events_snapshot WHERE stream = %(stream)s",
        "DELETE FROM events_secret WHERE stream = %(stream)s",
        "DELETE FROM events_event WHERE stream = %(stream)s",
        "DELETE FROM events_head WHERE stream = %(stream)s",
        "DELETE FROM tables_tenure WHERE table_id = %(id)s",
        "DELETE FROM tables_seed WHERE table_id = %(id)s",
        "DELETE FROM tables_outbox WHERE table_id = %(id)s",
        "DELETE FROM tables_import WHERE table_id = %(id)s",
        "DELETE FROM tables_table WHERE id = %(id)s",
    ]
    with psycopg.connect(superuser_url) as superuser:
        for off in OFF:
            superuser.execute(off)
        for each in rows:
            superuser.execute(each, {"stream": room.stream, "id": room.id})
        for off in OFF:
            superuser.execute(off.replace("DISABLE TRIGGER", "ENABLE ALWAYS TRIGGER"))


# What is refused


def altered(file: File) -> File:
    file["events"][4]["public"]["seat"] = 0
    return file


def cut_off(file: File) -> File:
    file["events"].pop()
    return file


def unsigned(file: File) -> File:
    return {**file, "receipts": []}


def unopened(file: File) -> File:
    file["openings"].pop()
    return file


def of_a_seat(file: File) -> File:
    return {**file, "view": "seat:0"}


def with_a_key_under_another_name(file: File) -> File:
    """Return a file whose signer calls its key by the name of another's."""
    last, liar = file["receipts"][-1], copy.copy(FORGER)
    liar.kid = SERVER.kid
    told = {name: last[name] for name in ("seq", "at")}
    receipt = liar.receipt(bytes.fromhex(last["table"]), head=bytes.fromhex(last["head"]), **told)
    return {**file, "receipts": [dict(receipt)], "keys": [{**listed(FORGER), "kid": SERVER.kid}]}


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        (altered, "integrity: FAILED|receipts: FAILED"),
        (cut_off, "receipts: FAILED"),
        (unsigned, "receipts: not provable"),
        (unopened, "integrity: FAILED"),
        (of_a_seat, "it holds the view seat:0"),
        (with_a_key_under_another_name, "receipts: FAILED"),
    ],
    ids=lambda each: each.__name__ if callable(each) else "",
)
def test_a_file_that_is_not_all_proved_changes_nothing(lie: Callable[[File], File], why: str) -> None:
    file = lie(foreign(seed=31))
    with pytest.raises(NotImportable, match=why):
        imports.import_table(bytes_of(file))
    nothing_is_here(id_of(file))


@pytest.mark.parametrize(
    "wrong",
    [
        {"kid": "\0"},
        {"kid": "\ud800"},
        {"kid": "k" * 5000},
        {"public": "zz"},
        {"from": -1},
        {"until": 2**70},
        {"kid": SERVER.kid[::-1]},
    ],
    ids=lambda each: next(iter(each)),
)
def test_a_list_with_something_that_is_no_key_changes_nothing(wrong: File) -> None:
    """What a file lists is kept and given to whoever asks for the transcript."""
    file = foreign(seed=39)
    file["keys"].append({**listed(FORGER), **wrong})
    with pytest.raises(NotImportable, match="the list of keys holds one that is none, '"):
        imports.import_table(bytes_of(file))
    nothing_is_here(id_of(file))


def test_a_game_that_is_not_over_changes_nothing() -> None:
    play = Play("reafan", 32).play(most=9)
    file = play.file("full")
    with pytest.raises(NotImportable, match="fairness: not provable"):
        imports.import_table(bytes_of(file))
    nothing_is_here(id_of(file))


def test_a_server_that_is_not_named_signs_nothing() -> None:
    file = foreign(seed=33)
    forger = msgspec.convert(listed(FORGER), Key)
    with pytest.raises(NotImportable, match="receipts: FAILED"):
        imports.import_table(bytes_of(file), [forger])
    nothing_is_here(id_of(file))
    assert imports.import_table(bytes_of(file), [forger, msgspec.convert(listed(SERVER), Key)]).is_new


def test_a_game_by_rules_that_are_not_here_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    file = foreign(seed=34)
    others = {name: game for name, game in catalogue.games().items() if name != "reafan"}
    monkeypatch.setattr(catalogue, "games", lambda: others)
    with pytest.raises(NotImportable, match="the game reafan is not known"):
        imports.import_table(bytes_of(file))
    nothing_is_here(id_of(file))


def test_another_log_of_a_table_that_is_here_changes_nothing() -> None:
    file, other = foreign(seed=35), Play("reafan", 35).play().file("full")
    assert id_of(file) == id_of(other)
    imports.import_table(bytes_of(file))
    head = store.head_of(stream_of(id_of(file)))
    with pytest.raises(NotImportable, match="is here already, with another log"):
        imports.import_table(bytes_of(other))
    assert store.head_of(stream_of(id_of(file))) == head


def test_an_import_that_fails_at_its_last_step_changes_nothing(tmp_path: Path, superuser_url: str) -> None:
    """Everything is written, and then the database refuses the row that has the table verified."""
    file, path = foreign(seed=36), tmp_path / "file.json"
    path.write_bytes(bytes_of(file))
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        superuser.execute(
            "CREATE FUNCTION no_verdicts() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no room is left'; END $$"
        )
        superuser.execute(
            "CREATE TRIGGER no_verdicts BEFORE INSERT ON tables_outbox FOR EACH ROW"
            " WHEN (NEW.kind = 'verify') EXECUTE FUNCTION no_verdicts()"
        )
        try:
            with pytest.raises(CommandError, match="Nothing is imported, for the database failed: no room"):
                said("import_table", str(path))
        finally:
            superuser.execute("DROP FUNCTION no_verdicts() CASCADE")
    nothing_is_here(id_of(file))
    assert imports.import_table(bytes_of(file)).is_new


def test_of_imports_at_once_one_counts() -> None:
    data = bytes_of(foreign(seed=37))

    def run(_: int) -> bool:
        try:
            return imports.import_table(data).is_new
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(run, range(4))) == [False, False, False, True]


def nothing_is_here(table_id: uuid.UUID) -> None:
    with pytest.raises(StreamNotFound):
        store.head_of(stream_of(table_id))
    for model in (Seed, Tenure, Import):
        assert not model.objects.filter(table=table_id).exists()
    assert not Table.objects.filter(id=table_id).exists()


# The commands


def said(*arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def test_export_and_import_by_command(tmp_path: Path) -> None:
    file, path, keys = foreign(seed=41), tmp_path / "theirs.json", tmp_path / "keys.json"
    path.write_bytes(bytes_of(file))
    keys.write_bytes(bytes_of({"items": [listed(SERVER)]}))
    told = said("import_table", str(path), keys=keys)
    assert f"Table {id_of(file)} is imported: {len(file['events'])} events" in told
    assert f"signed by key {SERVER.kid} of those that the server lists." in told
    assert "is here already, with the same log" in said("import_table", str(path))
    exported = tmp_path / "ours.json"
    assert f"{len(file['events'])} events are in" in said("export_table", str(id_of(file)), str(exported))
    assert json.loads(exported.read_bytes()) == file


def test_an_own_table_is_exported_with_our_key(tmp_path: Path) -> None:
    room = running_room("probe", 3)
    for seat in (0, 1, 2):
        if room.row.status == "playing":
            room.resign(seat)
    said("export_table", str(room.id), str(tmp_path / "own.json"))
    assert json.loads((tmp_path / "own.json").read_bytes()) == queries.transcript(room.stranger, room.id)
    assert "is here already, with the same log" in said("import_table", str(tmp_path / "own.json"))


def test_what_cannot_be_is_said_in_a_sentence(tmp_path: Path) -> None:
    room, there = running_room("probe", 1), tmp_path / "there.json"
    there.write_text("no JSON")
    with pytest.raises(CommandError, match="The game is not over"):
        said("export_table", str(room.id), str(tmp_path / "new.json"))
    with pytest.raises(CommandError, match="There is no table"):
        said("export_table", str(uuid.uuid4()), str(tmp_path / "new.json"))
    with pytest.raises(CommandError, match="No such file"):
        said("import_table", str(tmp_path / "none.json"))
    with pytest.raises(CommandError, match="it is not JSON"):
        said("import_table", str(there))
    with pytest.raises(CommandError, match="no list of keys"):
        said("import_table", str(there), keys=there)
    imported = foreign(seed=42)
    there.write_bytes(bytes_of(unsigned(imported)))
    with pytest.raises(CommandError, match="Nothing is imported: receipts"):
        said("import_table", str(there))
    table_id = imports.import_table(bytes_of(imported)).table_id
    with pytest.raises(CommandError, match="cannot be written: File exists"):
        said("export_table", str(table_id), str(there))
