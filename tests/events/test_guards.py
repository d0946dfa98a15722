"""The log only grows: every other way to write is tried, by everybody who could."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connections, transaction

from events import store
from events.audit import Link, check_chain
from events.models import Event, Head, Secret, Snapshot
from events.store import Snapshot as StoredSnapshot
from tests.events.streams import Writer


def written() -> Writer:
    """Return the writer of a stream of three events with two slots each, and a snapshot."""
    writer = Writer()
    store.append(writer.stream, 0, writer.events(3, hidden=2), StoredSnapshot(3, "code", b"state"))
    return writer


def everything(stream: str) -> object:
    return store.head_of(stream), store.read(stream), store.openings(stream)


STATEMENTS = [
    "UPDATE events_event SET type = 'probe.other' WHERE stream = %(s)s",
    "UPDATE events_event SET header = header WHERE stream = %(s)s",
    "DELETE FROM events_event WHERE stream = %(s)s AND position = 3",
    "INSERT INTO events_event VALUES (%(s)s, 4, 'probe.other', 0, 4, '', '')",
    "INSERT INTO events_event VALUES (%(s)s, 99, 'probe.other', 0, 4, '', '') ON CONFLICT DO NOTHING",
    "UPDATE events_head SET version = 2 WHERE stream = %(s)s",
    "DELETE FROM events_head WHERE stream = %(s)s",
    "INSERT INTO events_head VALUES ('table-00000000-0000-0000-0000-000000000000', 0, '', 0)",
    "UPDATE events_secret SET payload = '{}' WHERE stream = %(s)s",
    "DELETE FROM events_secret WHERE stream = %(s)s",
    """INSERT INTO events_secret VALUES (%(s)s, 3, 9, 'server', decode(repeat('00', 32), 'hex'), '')""",
    "TRUNCATE events_event CASCADE",
    "TRUNCATE events_head CASCADE",
    "TRUNCATE events_secret",
    "MERGE INTO events_event e USING (SELECT 1) o ON e.stream = %(s)s WHEN MATCHED THEN DELETE",
]


@pytest.mark.parametrize("role", ["default", "owner"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_sql_cannot_write_the_log(role: str, statement: str) -> None:
    writer = written()
    before = everything(writer.stream)

    with pytest.raises(DatabaseError), connections[role].cursor() as cursor:
        cursor.execute(statement, {"s": writer.stream})

    assert everything(writer.stream) == before


def first(model: Any, role: str, stream: str) -> Any:
    return model.objects.using(role).filter(stream=stream)


def new_event(stream: str) -> Event:
    return Event(stream=stream, position=4, type="probe.x", at=0, batch=4, header=b"{}", hash=bytes(32))


WAYS: dict[str, Callable[[str, str], object]] = {
    "change": lambda role, stream: first(Event, role, stream).update(type="probe.other"),
    "save": lambda role, stream: first(Event, role, stream)[0].save(using=role),
    "delete": lambda role, stream: first(Event, role, stream).delete(),
    "create": lambda role, stream: new_event(stream).save(using=role, force_insert=True),
    "create many": lambda role, stream: Event.objects.using(role).bulk_create([new_event(stream)]),
    "move the head": lambda role, stream: first(Head, role, stream).update(version=9),
    "delete the head": lambda role, stream: first(Head, role, stream).delete(),
    "change a secret": lambda role, stream: first(Secret, role, stream).update(payload=b"{}"),
    "delete a secret": lambda role, stream: first(Secret, role, stream).delete(),
}


@pytest.mark.parametrize("role", ["default", "owner"])
@pytest.mark.parametrize("way", WAYS)
def test_the_orm_cannot_write_the_log(role: str, way: str) -> None:
    writer = written()
    before = everything(writer.stream)

    with pytest.raises(DatabaseError):
        WAYS[way](role, writer.stream)

    assert everything(writer.stream) == before


def test_the_guards_hold_in_a_session_of_replication(superuser_url: str) -> None:
    """Triggers that do not fire always are silent there; row changes would pass."""
    writer = written()
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute("SET session_replication_role = replica")
        with pytest.raises(psycopg.errors.IntegrityError):
            superuser.execute("DELETE FROM events_event WHERE stream = %s", [writer.stream])


def test_only_the_eraser_deletes_secrets_and_it_cannot_read_them(superuser_url: str) -> None:
    writer = written()
    with psycopg.connect(superuser_url) as superuser:
        with pytest.raises(psycopg.errors.IntegrityError), superuser.transaction():
            superuser.execute("DELETE FROM events_secret WHERE stream = %s", [writer.stream])
        superuser.execute("SET ROLE posta_eraser")
        for refused in (
            "SELECT payload FROM events_secret",
            "SELECT * FROM events_event",
            "DELETE FROM events_head",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), superuser.transaction():
                superuser.execute(refused)
        erased = superuser.execute(
            "DELETE FROM events_secret WHERE stream = %s AND position = 2", [writer.stream]
        ).rowcount
    assert erased == 2

    left = store.openings(writer.stream)
    assert sorted(left) == [(1, 0), (1, 1), (3, 0), (3, 1)]
    assert check_chain(writer.tid, store.read(writer.stream), left) == []


def test_the_owner_acts_as_the_eraser_for_one_statement_and_the_application_never() -> None:
    writer = written()
    with pytest.raises(DatabaseError):
        store.erase(writer.stream, 2, using="default")

    assert store.erase(writer.stream, 2, using="owner") == 2

    assert sorted(store.openings(writer.stream)) == [(1, 0), (1, 1), (3, 0), (3, 1)]
    with pytest.raises(IntegrityError), connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM events_secret WHERE stream = %s", [writer.stream])


@pytest.mark.parametrize(
    "refused",
    [
        "SELECT * FROM events_secret",
        "SELECT * FROM events_snapshot",
        "SELECT * FROM events_load('s', false)",
        "SELECT events_append('s', 0, '{}', '{}', '{}', NULL, NULL, NULL, NULL)",
        "DELETE FROM events_snapshot",
    ],
)
def test_the_reader_sees_heads_and_headers_only(superuser_url: str, refused: str) -> None:
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute("SET ROLE posta_reader")
        superuser.execute("SELECT now_ms() FROM events_head LEFT JOIN events_event USING (stream) LIMIT 1")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            superuser.execute(refused)


# --- The append function trusts nobody ------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"seq": 3},
        {"seq": 5},
        {"seq": "4"},
        {"prev": "00" * 32},
        {"prev": None},
        {"table": "00" * 16},
        {"at": 1},
        {"at": None},
        {"at": "soon"},
        {"type": None},
    ],
)
def test_a_header_that_does_not_continue_the_chain_is_refused(changed: dict[str, Any]) -> None:
    writer = written()
    before = everything(writer.stream)

    with pytest.raises(DatabaseError):
        store.append(writer.stream, 3, [writer.event(hidden=1, **changed)])

    assert everything(writer.stream) == before


def test_one_wrong_header_refuses_the_whole_append() -> None:
    writer = written()
    before = everything(writer.stream)
    good, wrong = writer.event(), writer.event(prev="00" * 32)

    with pytest.raises(IntegrityError, match="event 5 does not continue"):
        store.append(writer.stream, 3, [good, wrong])

    assert everything(writer.stream) == before


@pytest.mark.parametrize("header", [b"", b"[]", b"null", b"{", b"\xff"])
def test_bytes_that_are_no_header_are_refused(header: bytes) -> None:
    writer = written()
    with pytest.raises(DatabaseError):
        store.append(writer.stream, 3, [replace(writer.event(), header=header)])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_openings_must_match_slots(count: int) -> None:
    writer = written()
    event, donor = writer.event(hidden=2), Writer().event(hidden=3)

    with pytest.raises(IntegrityError, match="2 slots"):
        store.append(writer.stream, 3, [replace(event, openings=donor.openings[:count])])

    assert store.head_of(writer.stream).version == 3


def test_an_append_of_nothing_is_refused() -> None:
    writer = written()
    with pytest.raises(IntegrityError, match="nothing to append"):
        store.append(writer.stream, 3, [])


def test_a_snapshot_from_the_future_is_refused() -> None:
    writer = written()
    with pytest.raises(IntegrityError, match="ahead"):
        store.append(writer.stream, 3, writer.events(1), StoredSnapshot(5, "code", b""))


@pytest.mark.parametrize("name", ["chat-{}", "talk-{}x", "{}", "table-talk-{}"])
def test_a_stream_is_named_for_a_table_or_its_talk(name: str) -> None:
    writer = Writer()
    with pytest.raises(IntegrityError):
        store.append(name.format(writer.table), 0, writer.events(1))


def test_table_and_talk_are_streams_apart_with_the_id_of_the_one_table() -> None:
    writer, other = Writer(), Writer()
    talk = Writer(table=writer.table)
    store.append(writer.stream, 0, writer.events(1))

    store.append(f"talk-{writer.table}", 0, talk.events(2))
    with pytest.raises(IntegrityError, match="does not continue"):
        store.append(f"talk-{uuid4()}", 0, other.events(1))

    assert store.head_of(writer.stream).version == 1
    assert store.head_of(f"talk-{writer.table}").version == 2


def test_the_catch_of_the_guards_is_on_again_after_an_append() -> None:
    """Also in the transaction of the append, for the owner."""
    writer = written()
    event = writer.event()
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT status FROM events_append(%s, 3, %s, '{}', '{}', NULL, NULL, NULL, NULL)",
            [writer.stream, [event.header]],
        )
        assert cursor.fetchone() == ("appended",)
        with pytest.raises(IntegrityError), transaction.atomic(using="owner"):
            cursor.execute("UPDATE events_head SET version = 9 WHERE stream = %s", [writer.stream])

    assert store.head_of(writer.stream).version == 4


# --- What prevention cannot stop is found ---------------------------------------------------------


def test_an_edited_byte_is_found_though_a_superuser_edited_it(superuser_url: str) -> None:
    writer = written()
    with psycopg.connect(superuser_url) as superuser:  # never committed
        superuser.execute("ALTER TABLE events_event DISABLE TRIGGER ALL")
        superuser.execute(
            "UPDATE events_event SET header = set_byte(header, 20, get_byte(header, 20) + 1)"
            " WHERE stream = %s AND position = 2",
            [writer.stream],
        )
        rows = superuser.execute(
            "SELECT position, header, hash FROM events_event WHERE stream = %s ORDER BY position",
            [writer.stream],
        ).fetchall()
        superuser.rollback()

    findings = check_chain(writer.tid, [Link(*row) for row in rows], store.openings(writer.stream))

    assert "the stored hash is not the header's" in [each.what for each in findings if each.position == 2]
    assert {each.position for each in findings} == {2}


def test_deleted_snapshots_change_nothing() -> None:
    writer = written()
    before = everything(writer.stream)
    assert Snapshot.objects.filter(stream=writer.stream).exists()

    store.drop_snapshots(writer.stream)

    assert everything(writer.stream) == before
    assert store.append(writer.stream, 3, writer.events(1)).version == 4
