"""Every attack of ``attacks``: refused as the application, refused or found as owner and superuser."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from psycopg.sql import SQL, Identifier

from events import store
from events.canonical import canonical
from events.guards import TRIGGERS
from events.privileges import audit as audit_privileges
from tables.answers import receipt
from tables.auditing import Known, audit
from tests.tables.attacks import ATTACKS, NOBODY, OFF, OWNER, SUPERUSER, Attack
from tests.tables.rooms import Room, open_room
from tests.verify.logs import Log

KEPT = {
    **dict.fromkeys(("events_head", "events_event", "events_secret", "events_snapshot"), "stream"),
    "tables_table": "id",
    "tables_seed": "table_id",
    "tables_tenure": "table_id",
}
LOG = ("events_head", "events_event", "events_secret")
Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def room(database: None) -> Room:
    """A finished game, as it is before each attack."""
    room = open_room("reafan")
    room.play_on(seed=5)
    return room


@pytest.fixture(scope="module")
def given(room: Room) -> dict[str, Any]:
    """What the statements need to know, a log among it that was forged with all care."""
    log = Log(room.id)
    shuffled = log.last("reafan.shuffled")["seq"]
    log.salts[shuffled, 40] = bytes(range(32))
    links = log.chained()
    last = dict(log.headers[-1], seq=len(links) + 1, prev="00" * 32)
    return {
        "stream": room.stream,
        "id": room.id,
        "version": len(links),
        "before": store.read(room.stream)[-2].hash,
        "shuffled": shuffled,
        "salt": bytes(range(32)),
        "positions": [each.position for each in links],
        "headers": [each.header for each in links],
        "hashes": [each.hash for each in links],
        "head": links[-1].hash,
        "wrong": canonical(last),
    }


@pytest.fixture(scope="module")
def known(room: Room) -> list[Known]:
    """What is remembered outside: a checkpoint, and the receipt of a player."""
    last = store.read(room.stream)[-1]
    signed = receipt(room.id, last)
    return [
        Known("checkpoint", room.stream, last.position, last.hash),
        Known("receipt", room.stream, signed.seq, bytes.fromhex(signed.head)),
    ]


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_succeeds_as_the_application(name: str, given: dict[str, Any]) -> None:
    with _as("DATABASE_URL") as application:
        assert _is_refused(application, ATTACKS[name].statements, given)


@pytest.mark.parametrize("statement", OFF)
def test_the_application_switches_no_guard_off(statement: str, given: dict[str, Any]) -> None:
    with _as("DATABASE_URL") as application:
        assert _is_refused(application, (statement,), given)


@pytest.mark.parametrize("name", [name for name, each in ATTACKS.items() if each.guards_off])
def test_the_guards_hold_the_owner_too(name: str, given: dict[str, Any]) -> None:
    with _as("DATABASE_OWNER_URL") as owner:
        assert _is_refused(owner, ATTACKS[name].statements, given)


@pytest.mark.parametrize("name", [name for name, each in ATTACKS.items() if each.by == NOBODY])
def test_some_things_nobody_can_do(name: str, given: dict[str, Any], superuser_url: str) -> None:
    with psycopg.connect(superuser_url) as superuser:
        assert _is_refused(superuser, ATTACKS[name].statements, given)


def test_the_owner_becomes_no_superuser(given: dict[str, Any]) -> None:
    with _as("DATABASE_OWNER_URL") as owner:
        (attack,) = [each for each in ATTACKS.values() if each.by == SUPERUSER]
        assert _is_refused(owner, attack.statements, given)


@pytest.mark.parametrize("name", [name for name, each in ATTACKS.items() if each.found])
def test_what_the_owner_does_to_a_log_is_found(
    name: str, room: Room, given: dict[str, Any], known: list[Known], superuser_url: str, tmp_path: Path
) -> None:
    assert audit(room.id, known).findings == []
    checkpoint = tmp_path / "heads"
    marks = [{"stream": room.stream, "seq": given["version"], "head": known[0].head and known[0].head.hex()}]
    checkpoint.write_text("".join(json.dumps(each) + "\n" for each in marks))
    attack = ATTACKS[name]
    with _put_back(superuser_url, given):
        _commit(attack, given)
        if name == "delete a table with everything of it":
            found = _found_by_the_command(checkpoint, room)
        else:
            found = {each.check for each in audit(room.id, known).findings}
    assert set(attack.found) <= found
    assert audit(room.id, known).findings == []


def test_a_careful_forger_is_found_from_outside_alone(
    room: Room, given: dict[str, Any], known: list[Known], superuser_url: str
) -> None:
    """The whole chain is written anew, and nothing inside the database can tell."""
    with _put_back(superuser_url, given):
        _commit(ATTACKS["write an event anew and chain everything again"], given)
        assert audit(room.id).findings == []
        found = [each[:2] for each in audit(room.id, known).findings]
    assert found == [("checkpoint", given["version"]), ("receipt", given["version"])]


@pytest.mark.parametrize("name", [name for name, each in ATTACKS.items() if each.audited])
def test_what_the_owner_does_to_the_guards_is_told_at_start_up(name: str, given: dict[str, Any]) -> None:
    attack = ATTACKS[name]
    with _as("DATABASE_OWNER_URL") as owner:  # never committed
        for statement in attack.statements:
            owner.execute(statement.encode(), given)
        said = audit_privileges(owner)
        owner.rollback()
    assert any(str(attack.audited) in sentence for sentence in said), said


def test_every_attack_is_answered() -> None:
    assert len(ATTACKS) >= 20
    harmless = {"act as the owner", "shadow the log by a temporary table"}
    for name, attack in ATTACKS.items():
        assert attack.by in (NOBODY, SUPERUSER) or attack.found or attack.audited or name in harmless, name


@contextmanager
def _as(variable: str) -> Iterator[Connection]:
    with psycopg.connect(os.environ[variable]) as connection:
        yield connection


def _is_refused(connection: Connection, statements: tuple[str, ...], given: dict[str, Any]) -> bool:
    """Try an attack, and undo what of it succeeds."""
    try:
        for statement in statements:
            connection.execute(statement.encode(), given)
    except psycopg.Error:
        return True
    finally:
        connection.rollback()
    return False


def _commit(attack: Attack, given: dict[str, Any]) -> None:
    assert attack.by == OWNER
    with _as("DATABASE_OWNER_URL") as owner:
        for statement in (*(OFF if attack.guards_off else ()), *attack.statements):
            owner.execute(statement.encode(), given)


def _found_by_the_command(checkpoint: Path, room: Room) -> set[str]:
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("verify_streams", checkpoint=checkpoint, json=True, stdout=out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()[:-1]]
    (told,) = [each for each in lines if each["table"] == str(room.id)]
    return {each["check"] for each in told["findings"]}


@contextmanager
def _put_back(superuser_url: str, given: dict[str, Any]) -> Iterator[None]:
    """Copy every row of the table, and make table and guards what they were after the block."""
    keys = {"stream": given["stream"], "id": given["id"], "table_id": given["id"]}
    with psycopg.connect(superuser_url) as superuser:
        for table, column in KEPT.items():
            copy = SQL("CREATE TEMP TABLE {} AS SELECT * FROM {} WHERE {} = {}")
            kept, origin = Identifier(f"kept_{table}"), Identifier(table)
            superuser.execute(copy.format(kept, origin, Identifier(column), keys[column]))
        superuser.commit()
        try:
            yield
        finally:
            _restore(superuser, keys)


def _restore(superuser: Connection, keys: dict[str, Any]) -> None:
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        for table in LOG:
            superuser.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(Identifier(table)))
        for table, column in KEPT.items():
            delete = SQL("DELETE FROM {} WHERE {} = {}")
            superuser.execute(delete.format(Identifier(table), Identifier(column), keys[column]))
            insert = SQL("INSERT INTO {} SELECT * FROM {}")
            superuser.execute(insert.format(Identifier(table), Identifier(f"kept_{table}")))
        for name, trigger in TRIGGERS.items():
            enable = SQL("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}")
            superuser.execute(enable.format(Identifier(trigger.table), Identifier(name)))
