"""``manage.py verify_streams`` finds what somebody with all power over the database has changed.

Each test puts everything back, for other tests verify all tables.
"""

from __future__ import annotations

import io
import json
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg.sql import SQL, Composed, Identifier

from events import store
from tables.folding import stream_of
from tests.services import SimulatedClock
from tests.tables.rooms import Room, open_room, running_room
from tests.verify.logs import Log

GUARDS = (
    ("events_event", "events_event_keep"),
    ("events_secret", "events_secret_keep"),
    ("events_secret", "events_secret_erase"),
)
LOG = ("events_event", "events_secret", "events_head", "events_snapshot")
DERIVED = (
    "status",
    "settings",
    "version",
    "outcome",
    "turn",
    "awaited",
    "deadline_at",
    "finished_at",
    "seats",
)

Execute = Callable[..., Any]


@pytest.fixture(scope="module")
def room(database: None, superuser_url: str) -> Room:
    """A game of Reafan to its end, one turn of it by the table; whole again after each test."""
    room = open_room("reafan")
    room.play_on(moves=4)
    room.let_time_pass(SimulatedClock(superuser_url))
    room.play_on(seed=5)
    return room


@pytest.fixture
def forge(room: Room, superuser_url: str) -> Iterator[Callable[..., None]]:
    """A function that executes a statement with ``%(stream)s`` and ``%(id)s``, past every guard."""
    with psycopg.connect(superuser_url) as connection:
        given = {"stream": stream_of(room.id), "id": room.id}
        _keep(connection, given)

        def execute(statement: LiteralString | Composed, **values: Any) -> None:
            with _unguarded(connection):
                changed = connection.execute(statement, given | values).rowcount
            assert changed > 0

        yield execute
        _restore(connection, given)
    assert _run(room.id)[0] == 0


def test_among_all_tables_those_that_hold_are_not_named(room: Room) -> None:
    """Other tests leave streams in the store that are no tables, and worlds of other seeds."""
    running = running_room("probe", moves=3)

    _, lines = _run()

    assert not any(str(each.id) in line for each in (room, running) for line in lines)
    assert re.fullmatch(r"\d+ tables, \d+ events: .* \(.* s, \d+ tables/s, \d+ events/s\)", lines[-1])


def test_one_table_is_told_verdict_by_verdict(room: Room) -> None:
    code, lines = _run(room.id)

    assert code == 0
    assert lines[:3] == ["integrity: proved", "fairness: proved", "replay: proved"]


def test_programs_get_an_object_a_line(room: Room, forge: Execute) -> None:
    forge("UPDATE tables_table SET turn = turn + 1 WHERE id = %(id)s")

    code, lines = _run(room.id, as_json=True)

    found, summary = [json.loads(line) for line in lines]
    assert code == 1
    assert found["table"] == str(room.id)
    assert found["replay"] == "proved"
    assert [each["check"] for each in found["findings"]] == ["columns"]
    assert summary.items() >= {"tables": 1, "failing": 1, "findings": 1}.items()


@pytest.mark.parametrize("text", ["nonsense", "", str(uuid.UUID(int=7))])
def test_a_table_that_is_none_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(CommandError, match=r"^(There is no table .*|--table wants .*)\.$"):
        call_command("verify_streams", table=text)


# --- What a superuser changes -------------------------------------------------------------------


def test_a_byte_of_a_header(room: Room, forge: Execute) -> None:
    forge(
        "UPDATE events_event SET header = set_byte(header, length(header) - 60, 65)"
        " WHERE stream = %(stream)s AND position = 20"
    )

    assert _found(room)["integrity"] == 20


def test_a_byte_of_a_hash(room: Room, forge: Execute) -> None:
    forge(
        "UPDATE events_event SET hash = set_byte(hash, 0, 255 - get_byte(hash, 0))"
        " WHERE stream = %(stream)s AND position = 30"
    )

    assert _found(room)["integrity"] == 30


def test_a_payload(room: Room, forge: Execute) -> None:
    position = Log(room.id).last("reafan.shuffled")["seq"]
    forge(
        "UPDATE events_secret SET payload = CASE payload WHEN %(ace)s THEN %(king)s ELSE %(ace)s END"
        " WHERE stream = %(stream)s AND position = %(position)s AND slot = 3",
        position=position,
        ace=b'{"card":"Ah","place":3}',
        king=b'{"card":"Kh","place":3}',
    )

    assert _found(room) == {"integrity": position, "fairness": position, "replay": position}


def test_a_salt(room: Room, forge: Execute) -> None:
    position = Log(room.id).last("reafan.shuffled")["seq"]
    forge(
        "UPDATE events_secret SET salt = %(salt)s"
        " WHERE stream = %(stream)s AND position = %(position)s AND slot = 3",
        position=position,
        salt=bytes(32),
    )

    assert _found(room) == {"integrity": position}


def test_an_opening_that_is_gone(room: Room, forge: Execute) -> None:
    position = Log(room.id).last("reafan.shuffled")["seq"]
    forge(
        "DELETE FROM events_secret WHERE stream = %(stream)s AND position = %(position)s AND slot = 40",
        position=position,
    )

    assert _found(room)["integrity"] == position


def test_the_last_event_gone(room: Room, forge: Execute) -> None:
    version = store.head_of(stream_of(room.id)).version
    forge("DELETE FROM events_event WHERE stream = %(stream)s AND position = %(version)s", version=version)

    assert _found(room) == {"head": version, "replay": version}


def test_the_last_event_gone_and_the_head_with_it(room: Room, forge: Execute) -> None:
    """The game ends, and its seed is not revealed."""
    head = store.head_of(stream_of(room.id))
    event = store.read(stream_of(room.id), after=head.version - 2, limit=1)[0]
    forge(
        "DELETE FROM events_event WHERE stream = %(stream)s AND position = %(version)s", version=head.version
    )
    forge(
        "UPDATE events_head SET version = version - 1, hash = %(hash)s WHERE stream = %(stream)s",
        hash=event.hash,
    )

    assert _found(room) == {"replay": head.version, "snapshot": head.version - 1}


def test_cards_swapped_and_everything_chained_again(room: Room, forge: Execute) -> None:
    """Nothing of the chain tells; the seed does."""
    log = Log(room.id)
    position = log.last("reafan.shuffled")["seq"]
    one, other = log.payloads[position, 40], log.payloads[position, 41]
    one["card"], other["card"] = other["card"], one["card"]

    _write(log, forge, since=position)

    assert _found(room) == {"fairness": position, "replay": position}


def test_another_default_move_and_everything_chained_again(room: Room, forge: Execute) -> None:
    """What the table played for the silent seat is not what chance chose."""
    log = Log(room.id)
    played = log.last("table.move_played", lambda each: each["actor"] == "table")
    played["public"]["params"]["y"] -= 1

    _write(log, forge, since=played["seq"])

    assert _found(room) == {"fairness": played["seq"], "replay": played["seq"]}


def test_the_seed(room: Room, forge: Execute) -> None:
    forge("UPDATE tables_seed SET seed = %(seed)s WHERE table_id = %(id)s", seed=bytes(32))

    assert _found(room) == {"fairness": 1}


@pytest.mark.parametrize("assignment", ["type = 'reafan.dealt'", "batch = 4", "at = at + 1"])
def test_a_column_beside_a_header(room: Room, forge: Execute, assignment: LiteralString) -> None:
    forge(
        SQL("UPDATE events_event SET {} WHERE stream = %(stream)s AND position = 25").format(SQL(assignment))
    )

    assert _found(room)["columns"] == 25


@pytest.mark.parametrize(
    "assignment",
    [
        "status = 'playing'",
        "settings = settings || '{\"seats\": 3}'",
        "version = version - 1",
        "outcome = jsonb_set(outcome, '{winners}', '[0, 1]')",
        "turn = turn - 1",
        "awaited = '{1}'",
        "deadline_at = now()",
        "finished_at = NULL",
        "seats = 3",
    ],
)
def test_a_derived_column(room: Room, forge: Execute, assignment: LiteralString) -> None:
    forge(SQL("UPDATE tables_table SET {} WHERE id = %(id)s").format(SQL(assignment)))

    assert _found(room) == {"columns": store.head_of(stream_of(room.id)).version}


def test_a_snapshot(room: Room, forge: Execute) -> None:
    """Once as damage, once by somebody who knows how its checksum is made."""
    version = store.head_of(stream_of(room.id)).version
    kept = store.load(stream_of(room.id)).snapshot
    assert kept is not None
    forged = kept._replace(state=kept.state.replace(b"finished", b"playing!"))
    forge("UPDATE events_snapshot SET state = %(state)s WHERE stream = %(stream)s", state=forged.state)
    assert _found(room) == {"snapshot": version}

    forge(
        "UPDATE events_snapshot SET checksum ="
        " sha256(convert_to(stream || E'\\n' || position || E'\\n' || code || E'\\n', 'UTF8') || state)"
        " WHERE stream = %(stream)s"
    )
    assert _found(room) == {"snapshot": version}


def test_a_log_without_its_row_is_not_overlooked(room: Room, superuser_url: str) -> None:
    """The walk goes over logs and rows alike."""
    lost = str(room.id)
    with psycopg.connect(superuser_url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("CREATE TEMP TABLE kept AS SELECT * FROM tables_table WHERE id = %s", [lost])
        connection.execute("DELETE FROM tables_table WHERE id = %s", [lost])
        connection.commit()
        try:
            code, lines = _run()
        finally:
            connection.execute("INSERT INTO tables_table SELECT * FROM kept")
    assert code == 1
    assert any(lost in line and "the table has no row" in line for line in lines)


def _write(log: Log, forge: Execute, *, since: int) -> None:
    """Put a forged log in the place of the stored one, from a position on."""
    links, openings = log.chained(), log.openings()
    for link in links[since - 1 :]:
        forge(
            "UPDATE events_event SET header = %(header)s, hash = %(hash)s"
            " WHERE stream = %(stream)s AND position = %(position)s",
            **link._asdict(),
        )
    for (position, slot), opening in openings.items():
        if position >= since:
            forge(
                "UPDATE events_secret SET payload = %(payload)s"
                " WHERE stream = %(stream)s AND position = %(position)s AND slot = %(slot)s",
                position=position,
                slot=slot,
                payload=opening.payload,
            )
    forge("UPDATE events_head SET hash = %(hash)s WHERE stream = %(stream)s", hash=links[-1].hash)


def _found(room: Room) -> dict[str, int]:
    """Return the checks that failed, each with the first position that the command names."""
    code, lines = _run(room.id, as_json=True)
    assert code == 1
    found = json.loads(lines[0])
    assert found["table"] == str(room.id)
    return {each["check"]: each["position"] for each in reversed(found["findings"])}


def _run(table_id: uuid.UUID | None = None, *, as_json: bool = False) -> tuple[int, list[str]]:
    """Return the exit code and the lines of the command."""
    out, code = io.StringIO(), 0
    try:
        call_command("verify_streams", table=table_id and str(table_id), json=as_json, stdout=out)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, out.getvalue().splitlines()


@contextmanager
def _unguarded(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Switch the guards of the log off for one transaction."""
    switch = SQL("ALTER TABLE {} {} TRIGGER {}")
    with connection.transaction():
        connection.execute("SET LOCAL events.appending = 'on'")
        for table, trigger in GUARDS:
            connection.execute(switch.format(Identifier(table), SQL("DISABLE"), Identifier(trigger)))
        yield
        for table, trigger in GUARDS:
            connection.execute(switch.format(Identifier(table), SQL("ENABLE ALWAYS"), Identifier(trigger)))


def _keep(connection: psycopg.Connection[Any], given: dict[str, Any]) -> None:
    """Copy everything of a table into temporary tables of the same names."""
    copy = SQL("CREATE TEMP TABLE {} AS SELECT * FROM {} WHERE {} = {}")
    for table, key, value in (
        *((table, "stream", given["stream"]) for table in LOG),
        ("tables_table", "id", given["id"]),
        ("tables_seed", "table_id", given["id"]),
    ):
        kept, origin = Identifier("pg_temp", table), Identifier("public", table)
        connection.execute(copy.format(kept, origin, Identifier(key), value))
    connection.execute("SET search_path = public, pg_temp")
    connection.commit()


def _restore(connection: psycopg.Connection[Any], given: dict[str, Any]) -> None:
    delete = SQL("DELETE FROM {} WHERE stream = {}")
    insert = SQL("INSERT INTO {} SELECT * FROM {}")
    update = SQL("UPDATE {} t SET {} FROM {} k WHERE t.{key} = k.{key}")
    with _unguarded(connection):
        for table in ("events_secret", "events_event", "events_snapshot"):
            connection.execute(delete.format(Identifier(table), given["stream"]))
        for table in ("events_event", "events_secret", "events_snapshot"):
            connection.execute(insert.format(Identifier(table), Identifier("pg_temp", table)))
        for table, key, names in (
            ("events_head", "stream", ("version", "hash", "at")),
            ("tables_seed", "id", ("seed",)),
            ("tables_table", "id", DERIVED),
        ):
            values = SQL(", ").join(SQL("{0} = k.{0}").format(Identifier(name)) for name in names)
            kept = Identifier("pg_temp", table)
            connection.execute(update.format(Identifier(table), values, kept, key=Identifier(key)))
