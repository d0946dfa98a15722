"""Check every table against its own log: what ``verify`` proves, then what the rows beside it say."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from events import store
from events.audit import check_chain
from events.codec import Header, read_header
from events.errors import StreamNotFound
from events.store import Opening, Snapshot, StoredEvent
from tables import catalogue, hosting
from tables.errors import NotFound
from tables.folding import Folded, fold, stream_of
from tables.hosting import Host
from tables.management.embedded import ensure_database
from tables.models import Seed, Table
from tables.operations import figures
from tables.talk import stream_of as talk_stream
from verify import Report, verify

_IDS = """
SELECT coalesce(substr(h.stream, 7)::uuid, t.id)
FROM (SELECT stream FROM events_head WHERE starts_with(stream, 'table-')) h
FULL JOIN tables_table t ON h.stream = 'table-' || t.id
"""
_COUNT = f"SELECT count(*) FROM ({_IDS}) AS ids"  # noqa: S608
_ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Finding(NamedTuple):
    """Something wrong: ``check`` is a verdict's name, or ``head``, ``columns``, ``snapshot`` or ``talk``."""

    check: str
    position: int
    what: str


@dataclass(slots=True)
class Audit:
    """What was found at one table; ``report`` is None where there is no log."""

    table_id: uuid.UUID
    report: Report | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def length(self) -> int:
        """The position of the last event."""
        return self.report.length if self.report else 0


class Command(BaseCommand):
    """``manage.py verify_streams``: exit code 0 when everything is proved, 1 when not."""

    help = "Verifies the log of every table, or of one, and the rows derived from it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Offer one table, and output for programs."""
        parser.add_argument("--table", metavar="ID", help="verify this table alone")
        parser.add_argument(
            "--json", action="store_true", help="print an object a line: failing tables, then the summary"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Verify, and exit."""
        ensure_database()
        only = None if options["table"] is None else _known_table(options["table"])
        since = time.perf_counter()
        tables = events = failing = findings = 0
        with self._output(shown=only is None and not options["json"]) as (say, advance):
            for table_id in [only] if only else _table_ids():
                found = audit(table_id)
                tables += 1
                events += found.length
                failing += bool(found.findings)
                findings += len(found.findings)
                for line in _json_lines(found, only) if options["json"] else _lines(found, only):
                    say(line)
                advance()
        seconds = time.perf_counter() - since
        if options["json"]:
            summary = {"tables": tables, "events": events, "failing": failing, "findings": findings}
            self.stdout.write(json.dumps({**summary, "seconds": round(seconds, 3)}))
        else:
            result = f"{failing} not proved, {_count_of(findings, 'finding')}" if failing else "all proved"
            rate = f"{seconds:.1f} s, {tables / seconds:.0f} tables/s, {events / seconds:.0f} events/s"
            self.stdout.write(
                f"{_count_of(tables, 'table')}, {_count_of(events, 'event')}: {result} ({rate})"
            )
        if failing:
            sys.exit(1)
        if only is None:
            figures.verified(tables)

    @contextmanager
    def _output(self, *, shown: bool) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
        """Give what prints a line and what counts a table: under a bar where somebody watches."""
        if not (shown and self.stdout.isatty()):
            yield lambda line: self.stdout.write(line), lambda: None
            return
        columns = (TextColumn("Verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(), transient=True) as progress:
            task = progress.add_task("", total=_count())
            yield (
                lambda line: progress.console.print(line, markup=False, highlight=False, soft_wrap=True),
                lambda: progress.advance(task),
            )


def audit(table_id: uuid.UUID) -> Audit:
    """Return what is wrong at a table, at one moment of the database."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_ONE_MOMENT)
        stream = stream_of(table_id)
        try:
            loaded = store.load(stream)
        except StreamNotFound:
            return Audit(table_id, findings=[Finding("head", 1, "the table has no log")])
        events, openings = store.read(stream), store.openings(stream)
        seeds = {epoch: bytes(seed) for epoch, seed in _seeds(table_id)}
        row = Table.objects.filter(id=table_id).values().first()
        is_damaged = loaded.snapshot is None and _has_snapshot(stream)
        talk = _check_talk(table_id)
    report = verify(table_id.bytes, events, openings, games=catalogue.games(), seeds=seeds)
    found = Audit(table_id, report, _told(report))
    found.findings += _check_head(loaded.head, events)
    found.findings += talk
    if is_damaged:
        found.findings.append(Finding("snapshot", loaded.head.version, "it is damaged, or ahead of the log"))
    if report.is_proved:  # rows that follow a false log are false as well
        headers = [read_header(event.header) for event in events]
        found.findings += _check_events(events, headers)
        found.findings += _check_derived(table_id, headers, openings, row, loaded.snapshot)
    return found


def _told(report: Report) -> list[Finding]:
    """Return the findings of a report; the server has everything at hand, so a doubt is one too."""
    told = []
    for name, verdict in report:
        told += [Finding(name, *each) for each in verdict.findings]
        if verdict.status == "not_provable":
            told.append(Finding(name, report.length, str(verdict)))
    return told


def _check_head(head: store.Head, events: list[StoredEvent]) -> list[Finding]:
    last = (
        store.Head(events[-1].position, events[-1].hash, events[-1].at) if events else store.Head(0, b"", 0)
    )
    if head.version != last.version:
        return [
            Finding("head", head.version, f"the log ends at {last.version}, by its head at {head.version}")
        ]
    return (
        []
        if head == last
        else [Finding("head", head.version, "hash or time are not those of the last event")]
    )


def _check_talk(table_id: uuid.UUID) -> list[Finding]:
    """Return what is wrong with the chain of what was said; erased texts are not."""
    stream = talk_stream(table_id)
    found = check_chain(table_id.bytes, store.read(stream), store.openings(stream))
    return [Finding("talk", each.position, each.what) for each in found]


def _check_events(events: list[StoredEvent], headers: list[Header]) -> list[Finding]:
    """Return where the columns beside an event contradict its header."""
    findings, batch = [], 0
    for event, header in zip(events, headers, strict=True):
        if (event.type, event.at) != (header.type, header.at):
            findings.append(Finding("columns", event.position, "type or time are not the header's"))
        if event.batch not in (batch, event.position):
            findings.append(Finding("columns", event.position, f"it cannot belong to batch {event.batch}"))
        batch = event.batch
    return findings


def _check_derived(
    table_id: uuid.UUID,
    headers: list[Header],
    openings: dict[tuple[int, int], Opening],
    row: Mapping[str, Any] | None,
    snapshot: Snapshot | None,
) -> list[Finding]:
    """Return where the table's row and its snapshot contradict the fold of its log."""
    payloads = {ref: orjson.loads(opening.payload) for ref, opening in openings.items()}

    def folded_to(position: int) -> Folded:
        return fold(headers[:position], lambda seq, slot: payloads[seq, slot])

    folded = folded_to(len(headers))
    findings = _check_row(table_id, folded, len(headers), row)
    if snapshot is None:
        return findings
    if snapshot.code == catalogue.code():  # of other code it is never used
        replayed = folded if snapshot.position == len(headers) else folded_to(snapshot.position)
        if (why := _snapshot_differs(snapshot, replayed)) is not None:
            findings.append(Finding("snapshot", snapshot.position, why))
    return findings


def _check_row(
    table_id: uuid.UUID, folded: Folded, version: int, row: Mapping[str, Any] | None
) -> list[Finding]:
    if row is None:
        return [Finding("columns", version, "the table has no row")]
    host = Host(table_id, 0, version, b"", folded)
    derived = hosting.columns(folded, version, host.awaited())
    derived |= {name: orjson.loads(orjson.dumps(derived[name])) for name in ("settings", "outcome")}
    if folded.table.settings is not None:
        derived |= {"game": folded.table.settings.game, "seats": folded.table.settings.seats}
    return [
        Finding("columns", version, f"{name} is {row[name]}, by the log {value}")
        for name, value in derived.items()
        if row[name] != value
    ]


def _snapshot_differs(snapshot: Snapshot, replayed: Folded) -> str | None:
    """Return how a snapshot differs from the replay; its state is not told, for it is secret."""
    try:
        kept = hosting.unpack(snapshot)
    except (msgspec.MsgspecError, NotFound) as error:
        return f"it cannot be read: {error}"
    if kept.table != replayed.table:
        return "its table is not the replayed one"
    same = kept.game_state == replayed.game_state
    return None if same else "its state of the game is not the replayed one"


def _known_table(text: str) -> uuid.UUID:
    """Return the id of a table that exists.  Raises CommandError."""
    try:
        table_id = uuid.UUID(text)
    except ValueError:
        raise CommandError(
            f"--table wants the id of a table, such as {uuid.UUID(int=0)}; {text!r} is none.", returncode=2
        ) from None
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM ({_IDS}) AS ids (id) WHERE id = %s)", [table_id])  # noqa: S608
        if not cursor.fetchone()[0]:
            raise CommandError(f"There is no table {table_id}.", returncode=2)
    return table_id


def _table_ids() -> Iterator[uuid.UUID]:
    """Yield the ids of all tables, those included of which only the row or only the log exists."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(_IDS)
        while rows := cursor.fetchmany(1000):
            yield from (row[0] for row in rows)


def _count() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT)
        return int(cursor.fetchone()[0])


def _seeds(table_id: uuid.UUID) -> Iterable[tuple[int, Any]]:
    return Seed.objects.filter(table=table_id).values_list("epoch", "seed")


def _has_snapshot(stream: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM events_snapshot WHERE stream = %s)", [stream])
        return bool(cursor.fetchone()[0])


def _count_of(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _lines(found: Audit, only: uuid.UUID | None) -> Iterator[str]:
    """Yield an audit in words: what was found, and for a table that was asked for all verdicts."""
    if only and found.report:
        yield from (f"{name}: {verdict}" for name, verdict in found.report)
    for check, position, what in found.findings:
        yield f"table {found.table_id}, position {position}, {check}: {what}"


def _json_lines(found: Audit, only: uuid.UUID | None) -> Iterator[str]:
    """Yield an audit as one object, if it found something or was asked for."""
    if only or found.findings:
        verdicts = {name: verdict.status for name, verdict in found.report or ()}
        findings = [each._asdict() for each in found.findings]
        yield json.dumps({"table": str(found.table_id), **verdicts, "findings": findings})
