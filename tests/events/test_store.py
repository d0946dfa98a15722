"""The store keeps its promises: held against a plain list, against rivals, against death."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event

import psycopg
import pytest
from django.db import OperationalError, connections, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from events import store
from events.canonical import ZERO_HASH, event_hash
from events.errors import StreamNotFound, VersionConflict
from events.store import Head, Opening, Snapshot
from tests.events.streams import Writer, stored


class AgainstAList(RuleBasedStateMachine):
    """A stream is a list of headers, a dictionary of openings, and perhaps a snapshot."""

    def __init__(self) -> None:
        super().__init__()
        self.writer = Writer()
        self.at = 1_700_000_000_000
        self.headers: list[bytes] = []
        self.batches: list[int] = []
        self.openings: dict[tuple[int, int], Opening] = {}
        self.snapshot: Snapshot | None = None

    @rule(
        count=st.integers(1, 4),
        slots=st.integers(0, 3),
        later=st.integers(0, 1),
        state=st.none() | st.binary(),
    )
    def append(self, count: int, slots: int, later: int, state: bytes | None) -> None:
        before = len(self.headers)
        self.at += later
        events = self.writer.events(count, hidden=slots, at=self.at)
        snapshot = None if state is None else Snapshot(before + count, "code", state)

        head = store.append(self.writer.stream, before, events, snapshot)

        self.headers += stored(events)
        self.batches += [before + 1] * count
        for position, event in enumerate(events, start=before + 1):
            self.openings |= {(position, slot): each for slot, each in enumerate(event.openings)}
        self.snapshot = snapshot or self.snapshot
        assert head == Head(len(self.headers), self.writer.head, self.at)

    @rule(expected=st.integers(0, 30))
    def append_at_another_version(self, expected: int) -> None:
        actual = len(self.headers)
        if expected == actual:
            return
        rival = Writer(self.writer.table, expected, ZERO_HASH)

        with pytest.raises(VersionConflict) as lost:
            store.append(rival.stream, expected, rival.events(1, hidden=1))

        assert (lost.value.expected, lost.value.actual) == (expected, actual)

    @rule()
    def drop_snapshot(self) -> None:
        assert store.drop_snapshots(self.writer.stream) == (self.snapshot is not None)
        self.snapshot = None

    @rule(after=st.integers(0, 30), upto=st.none() | st.integers(0, 30), limit=st.none() | st.integers(0, 5))
    def read_a_part(self, after: int, upto: int | None, limit: int | None) -> None:
        read = store.read(self.writer.stream, after=after, upto=upto, limit=limit)
        assert [event.header for event in read] == self.headers[after:upto][:limit]

    @invariant()
    def the_stream_is_the_list(self) -> None:
        read = store.read(self.writer.stream)
        assert [event.header for event in read] == self.headers
        assert [event.position for event in read] == list(range(1, len(read) + 1))
        assert [event.batch for event in read] == self.batches
        assert [event.hash for event in read] == [event_hash(header) for header in self.headers]
        assert store.openings(self.writer.stream) == self.openings
        if self.headers:
            loaded = store.load(self.writer.stream, code="code")
            assert loaded.head == store.head_of(self.writer.stream)
            assert loaded.head[:2] == (len(self.headers), event_hash(self.headers[-1]))
            assert loaded.snapshot == self.snapshot


AgainstAList.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
TestAgainstAList = AgainstAList.TestCase


def test_a_stream_that_was_never_written_is_empty_and_has_no_head() -> None:
    stream = Writer().stream

    assert store.read(stream) == []
    with pytest.raises(StreamNotFound):
        store.head_of(stream)
    with pytest.raises(StreamNotFound):
        store.load(stream)
    with pytest.raises(VersionConflict) as lost:
        store.append(stream, 3, Writer().events(1))
    assert lost.value.actual == 0


def test_an_append_is_one_statement_and_is_seen_by_the_query_log() -> None:
    writer = Writer()

    with CaptureQueriesContext(connections["default"]) as queries:
        store.append(writer.stream, 0, writer.events(3, hidden=2), Snapshot(3, "code", b"state"))

    assert len(queries) == 1
    assert store.head_of(writer.stream).version == 3


def test_the_newest_event_of_a_type_is_found() -> None:
    writer = Writer()
    first, second = writer.event(type_name="probe.first"), writer.event(type_name="probe.second")
    store.append(writer.stream, 0, [first, second, writer.event(type_name="probe.first")])

    found = store.last_of_type(writer.stream, "probe.first")
    assert found is not None
    assert found.position == 3
    found = store.last_of_type(writer.stream, "probe.first", upto=2)
    assert found is not None
    assert (found.position, found.header) == (1, first.header)
    assert store.last_of_type(writer.stream, "probe.second", upto=1) is None


def test_only_the_openings_asked_for_are_read() -> None:
    writer = Writer()
    events = writer.events(2, hidden=3)
    store.append(writer.stream, 0, events)

    found = store.openings(writer.stream, [(1, 2), (2, 0), (2, 9), (7, 0)])

    assert found == {(1, 2): events[0].openings[2], (2, 0): events[1].openings[0]}
    assert store.openings(writer.stream, []) == {}


def test_two_streams_do_not_mix() -> None:
    one, other = Writer(), Writer()
    store.append(one.stream, 0, one.events(2, hidden=1))
    store.append(other.stream, 0, other.events(3))

    assert store.head_of(one.stream).version == 2
    assert store.openings(other.stream) == {}


# --- Snapshots ------------------------------------------------------------------------------------


def test_a_snapshot_of_other_code_counts_as_none() -> None:
    writer = Writer()
    store.append(writer.stream, 0, writer.events(1), Snapshot(1, "old", b"state"))

    assert store.load(writer.stream, code="new").snapshot is None
    assert store.load(writer.stream, code="old").snapshot == Snapshot(1, "old", b"state")
    assert store.load(writer.stream).snapshot == Snapshot(1, "old", b"state")


@pytest.mark.parametrize(
    "damage", ["state = 'states'", "position = 2", "code = 'codes'", "checksum = ''", "position = 9"]
)
def test_a_damaged_snapshot_counts_as_none_and_is_logged(
    damage: str, superuser_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer()
    store.append(writer.stream, 0, writer.events(3), Snapshot(3, "code", b"state"))
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        superuser.execute(f"UPDATE events_snapshot SET {damage} WHERE stream = %s", [writer.stream])  # noqa: S608

    with caplog.at_level(logging.WARNING):
        loaded = store.load(writer.stream)

    assert loaded.snapshot is None
    assert loaded.head.version == 3
    assert "damaged" in caplog.text


def test_a_snapshot_of_another_stream_counts_as_none(superuser_url: str) -> None:
    one, other = Writer(), Writer()
    for writer, state in ((one, b"one"), (other, b"other")):
        store.append(writer.stream, 0, writer.events(1), Snapshot(1, "code", state))
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        superuser.execute(
            "UPDATE events_snapshot s SET state = o.state, checksum = o.checksum FROM events_snapshot o"
            " WHERE s.stream = %s AND o.stream = %s",
            [one.stream, other.stream],
        )

    assert store.load(one.stream).snapshot is None


def test_a_snapshot_ahead_of_its_stream_counts_as_none(superuser_url: str) -> None:
    """As after a restored backup of the log; its checksum is right."""
    writer, ahead = Writer(), Snapshot(5, "code", b"state")
    store.append(writer.stream, 0, writer.events(2))
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        row = (writer.stream, *ahead, store._checksum(writer.stream, ahead))
        superuser.execute("INSERT INTO events_snapshot VALUES (%s, %s, %s, %s, %s)", row)

    assert store.load(writer.stream).snapshot is None


# --- Time and locks -------------------------------------------------------------------------------


def test_the_time_is_read_after_the_lock_is_held() -> None:
    """Otherwise a writer that waited would act in the past."""
    writer = Writer()
    store.append(writer.stream, 0, writer.events(1))
    locked = Event()

    def hold() -> int:
        try:
            with transaction.atomic():
                store.load(writer.stream, lock=True)
                locked.set()
                with connections["default"].cursor() as cursor:
                    cursor.execute("SELECT pg_sleep(0.2)")
                return store.load(writer.stream).now
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as pool:
        holder = pool.submit(hold)
        assert locked.wait(timeout=5)
        with transaction.atomic():
            now = store.load(writer.stream, lock=True).now
        assert now >= holder.result()


@pytest.mark.parametrize("round_", range(20))  # one round alone can miss a lost update
@pytest.mark.parametrize("version", [0, 2])
def test_of_two_writers_at_one_version_exactly_one_wins(round_: int, version: int) -> None:
    """Real PostgreSQL, real threads: the loser is told, and writes nothing."""
    first = Writer()
    if version:
        store.append(first.stream, 0, first.events(version))
    rivals = [Writer(first.table, first.version, first.head) for _ in range(2)]
    batches = [
        rival.events(2, hidden=1, at=1_700_000_000_000 + number) for number, rival in enumerate(rivals)
    ]
    gate = Barrier(2)

    def write(number: int) -> str:
        connections["default"].ensure_connection()
        gate.wait(timeout=5)
        try:
            store.append(first.stream, version, batches[number])
        except VersionConflict as lost:
            return f"lost to version {lost.actual}"
        finally:
            connections.close_all()
        return "won"

    with ThreadPoolExecutor(max_workers=2) as pool:
        ends = list(pool.map(write, range(2)))

    assert sorted(ends) == [f"lost to version {version + 2}", "won"]
    won = batches[ends.index("won")]
    assert [event.header for event in store.read(first.stream, after=version)] == stored(won)
    assert len(store.openings(first.stream)) == 2


@contextmanager
def killed(superuser_url: str, pid: int) -> Iterator[None]:
    """End a server process, and wait until it is gone."""
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        yield


def test_a_writer_that_dies_between_lock_and_commit_leaves_nothing(superuser_url: str) -> None:
    writer = Writer()
    store.append(writer.stream, 0, writer.events(1))
    dying, after = Writer(writer.table, 1, writer.head), Writer(writer.table, 1, writer.head)

    def die() -> None:
        try:
            with transaction.atomic():
                store.load(dying.stream, lock=True)
                store.append(dying.stream, 1, dying.events(2, hidden=1), Snapshot(3, "code", b"gone"))
                with connections["default"].cursor() as cursor:
                    cursor.execute("SELECT pg_backend_pid()")
                    pid = cursor.fetchone()[0]
                with killed(superuser_url, pid):
                    store.head_of(dying.stream)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as pool, pytest.raises(OperationalError):
        pool.submit(die).result()

    assert store.load(writer.stream).snapshot is None
    assert store.openings(writer.stream) == {}
    assert store.append(writer.stream, 1, after.events(1)).version == 2


def test_a_conflict_does_not_end_the_callers_transaction() -> None:
    writer = Writer()
    with transaction.atomic():
        store.append(writer.stream, 0, writer.events(1))
        with pytest.raises(VersionConflict):
            store.append(writer.stream, 0, Writer(writer.table).events(1))
        store.append(writer.stream, 1, writer.events(1))

    assert store.head_of(writer.stream).version == 2


def test_the_store_follows_when_the_connection_is_replaced() -> None:
    writer = Writer()
    store.append(writer.stream, 0, writer.events(1))
    connections["default"].close()

    assert store.append(writer.stream, 1, writer.events(1)).version == 2


# --- Plans ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        (store._READ, ["s", 0, 9, None]),
        (store._LAST_OF_TYPE, ["s", "t", 9]),
        (store._ALL_OF_TYPE, ["s", "t"]),
        (store._END_OF_BATCH, ["s", 1]),
        (store._OPENINGS, ["s"]),
        (store._OPENINGS + store._OF_REFS, ["s", "{1,2}", "{0,0}"]),
        (
            "SELECT * FROM events_head h LEFT JOIN events_snapshot s ON s.stream = h.stream"
            " WHERE h.stream = %s",
            ["s"],
        ),
    ],
)
def test_no_statement_scans_a_whole_table(statement: str, parameters: list[str | int | None]) -> None:
    """With few rows a scan is the better plan, so it is ruled out unless there is no other."""
    with transaction.atomic(), connections["default"].cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {statement}", parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "Index" in plan
    assert "Seq Scan" not in plan
