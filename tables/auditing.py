"""What is wrong with a table: its log judged by ``verify``, then everything beside it held against the log.

``known`` is what somebody outside remembers of a log: a checkpoint, a receipt.  It alone finds a log that
was cut off, or chained anew from some event on.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import orjson
from django.db import connection, transaction

from events import store
from events.audit import check_chain
from events.codec import Header, read_header
from events.errors import StreamNotFound
from events.store import Opening, Snapshot, StoredEvent
from tables import catalogue, hosting, rows, talk
from tables.errors import Refusal, RulesMissing
from tables.folding import Folded, fold, stream_of
from tables.hosting import Host
from tables.models import Message, Seed, Table
from tables.origins import origins_of
from verify import SEED_CHOSEN, Report, verify

logger = logging.getLogger(__name__)

PROVED, REPLAYED, FAILED = "proved", "replayed", "failed"
"""``REPLAYED`` is a sandbox at which nothing is wrong: of its chance there is no proof."""

_ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_NOTE = """
UPDATE tables_table SET verdict = %(verdict)s, verified_upto = %(upto)s,
  verified_at = to_timestamp(now_ms() / 1000.0)
WHERE id = %(id)s AND status = 'finished'
  AND (verdict, verified_upto) IS DISTINCT FROM (%(verdict)s, %(upto)s)
"""


class Finding(NamedTuple):
    """Something wrong: ``check`` is a verdict's name, or what contradicts the log.

    ``head``, ``columns``, ``snapshot``, ``seeds``, ``talk``, ``checkpoint`` or ``receipt``.
    """

    check: str
    position: int
    what: str


class Known(NamedTuple):
    """That a stream reached ``seq``, and the hash of that event if known; ``source`` says who knows."""

    source: str
    stream: str
    seq: int
    head: bytes | None


@dataclass(slots=True)
class Audit:
    """What was found at one table; ``report`` is None where there is no log.

    ``ends`` are the heads of its streams at that moment.
    """

    table_id: uuid.UUID
    report: Report | None = None
    findings: list[Finding] = field(default_factory=list)
    ends: dict[str, store.Head] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """The position of the last event."""
        return self.report.length if self.report else 0


def audit(table_id: uuid.UUID, known: Sequence[Known] = ()) -> Audit:
    """Return what is wrong at a table, at one moment of the database.  No transaction may be open."""
    stream = stream_of(table_id)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_ONE_MOMENT)
        said = _Talk.of(table_id)
        try:
            loaded = store.load(stream)
        except StreamNotFound:
            return Audit(table_id, findings=[Finding("head", 1, "the table has no log")])
        events, openings = store.read(stream), store.openings(stream)
        seeds = {each.epoch: bytes(each.seed) for each in Seed.objects.filter(table=table_id)}
        row = Table.objects.filter(id=table_id).values().first()
        is_damaged = loaded.snapshot is None and _has_snapshot(stream)
        origins = origins_of(events)
    report = verify(table_id.bytes, events, openings, games=catalogue.games(), seeds=seeds, origins=origins)
    found = Audit(table_id, report, _told(report), {stream: loaded.head})
    found.findings += _check_head("head", loaded.head, events)
    found.findings += said.check(table_id)
    found.findings += _check_known(known, {stream: events, said.stream: said.events})
    if said.head is not None:
        found.ends[said.stream] = said.head
    if is_damaged:
        found.findings.append(Finding("snapshot", loaded.head.version, "it is damaged, or ahead of the log"))
    if report.is_replayed:  # rows that follow a false log are false as well
        headers = [read_header(event.header) for event in events]
        found.findings += _check_events(events, headers)
        try:
            found.findings += _check_derived(table_id, headers, openings, row, loaded.snapshot)
        except RulesMissing as missing:  # a table that waits for players tells its rules, and none were asked
            found.findings.append(Finding("replay", found.length, f"its rules are not here: {missing.facts}"))
        found.findings += _check_seeds(seeds, headers)
    return found


def note(found: Audit) -> None:
    """Write the verdict on a finished game down, and log one that failed, if it is news."""
    is_sandbox = found.report is not None and found.report.is_sandbox
    verdict = FAILED if found.findings else REPLAYED if is_sandbox else PROVED
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, {"id": found.table_id, "verdict": verdict, "upto": found.length})
        is_news = cursor.rowcount > 0
    if found.findings and is_news:
        check, position, _ = found.findings[0]
        about = {"table": found.table_id, "position": position}
        logger.critical("a finished game is not proved: %s", check, extra=about)


def verify_finished(table_id: uuid.UUID) -> None:
    """Verify a table whose game has ended, and write the verdict down; nothing is locked meanwhile."""
    note(audit(table_id))


def _told(report: Report) -> list[Finding]:
    """Return the findings of a report; the server has everything at hand, so a doubt is one too.

    But for that about the chance of a sandbox.
    """
    told = []
    for name, verdict in report:
        told += [Finding(name, *each) for each in verdict.findings]
        if verdict.status == "not_provable" and verdict.doubt != SEED_CHOSEN:
            told.append(Finding(name, report.length, str(verdict)))
    return told


def _check_head(check: str, head: store.Head, events: list[StoredEvent]) -> list[Finding]:
    last = (
        store.Head(events[-1].position, events[-1].hash, events[-1].at) if events else store.Head(0, b"", 0)
    )
    if head.version != last.version:
        return [
            Finding(check, head.version, f"the log ends at {last.version}, by its head at {head.version}")
        ]
    if head != last:
        return [Finding(check, head.version, "hash or time are not those of the last event")]
    return []


def _check_known(known: Iterable[Known], logs: Mapping[str, list[StoredEvent]]) -> list[Finding]:
    """Return where a log is not, or not any more, what somebody outside remembers."""
    findings = []
    for source, stream, seq, head in known:
        events = logs.get(stream, [])
        name = stream.partition("-")[0]
        if seq > len(events):
            what = f"the {name} reached {seq}, and ends at {len(events)}"
            findings.append(Finding(source, seq, what))
        elif seq > 0 and head is not None and events[seq - 1].hash != head:
            findings.append(Finding(source, seq, f"the {name} had another event here"))
    return findings


def _check_seeds(seeds: Mapping[int, bytes], headers: list[Header]) -> list[Finding]:
    """Return an epoch that lacks its seed, or a seed without an epoch; of the others fairness judges."""
    begun = {0: 1} | {each.public["epoch"]: each.seq for each in headers if each.type == "table.epoch_opened"}
    return [
        Finding("seeds", begun.get(epoch, len(headers)), f"epoch {epoch} has a seed or an opening alone")
        for epoch in sorted(begun.keys() ^ seeds.keys())
    ]


class _Talk(NamedTuple):
    """What was said at a table, in bytes and in rows; ``head`` is None before the first message."""

    stream: str
    head: store.Head | None
    events: list[StoredEvent]
    openings: dict[tuple[int, int], Opening]
    rows: set[int]

    @classmethod
    def of(cls, table_id: uuid.UUID) -> _Talk:
        stream = talk.stream_of(table_id)
        try:
            head = store.head_of(stream)
        except StreamNotFound:
            head = None
        rows = Message.objects.filter(table=table_id).values_list("position", flat=True)
        return cls(stream, head, store.read(stream), store.openings(stream), set(rows))

    def check(self, table_id: uuid.UUID) -> list[Finding]:
        """Return what is wrong with the chain of what was said; erased texts are not."""
        found = check_chain(table_id.bytes, self.events, self.openings)
        findings = [Finding("talk", each.position, each.what) for each in found]
        findings += _check_head("talk", self.head or store.Head(0, b"", 0), self.events)
        sent = {each.position for each in self.events if each.type == talk.SENT}
        return findings + [
            Finding("talk", position, "a message has a row or an event alone")
            for position in sorted(sent ^ self.rows)
        ]


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
    derived = rows.columns(folded, version, host.awaited())
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
    except (msgspec.MsgspecError, Refusal) as error:
        return f"it cannot be read: {error}"
    if (kept.table, kept.continued) != (replayed.table, replayed.continued):
        return "its table is not the replayed one"
    same = kept.game_state == replayed.game_state
    return None if same else "its state of the game is not the replayed one"


def _has_snapshot(stream: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM events_snapshot WHERE stream = %s)", [stream])
        return bool(cursor.fetchone()[0])
