"""Check every table against its own log: what ``verify`` proves, then what is beside it says."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tables import auditing
from tables.auditing import Audit, Finding, Known, audit
from tables.checkpoints import Checkpoint, Unreadable, receipts
from tables.folding import stream_of
from tables.management.embedded import ensure_database
from tables.operations import figures

__all__ = ["Audit", "Command", "Finding", "audit"]

_IDS = """
SELECT coalesce(h.id, t.id) FROM (
  SELECT DISTINCT substr(stream, strpos(stream, '-') + 1)::uuid AS id FROM events_head
) h FULL JOIN tables_table t ON h.id = t.id
"""
_COUNT = f"SELECT count(*) FROM ({_IDS}) AS ids"  # noqa: S608
_ACKNOWLEDGED = """
SELECT 'table-' || substring(scope FROM '/tables/([0-9a-f-]{36})/'), max((answer ->> 'last')::int)
FROM tables_idempotencyrecord
WHERE answer ? 'last' AND (%(only)s::text IS NULL OR strpos(scope, %(only)s::text) > 0) GROUP BY 1
"""
"""How far the log of a table reached when its last move with a key was acknowledged."""

INTERRUPTED = 130


@dataclass(slots=True)
class _Count:
    """What a run has seen so far; ``before`` are the tables that an interrupted one has proved."""

    before: int = 0
    tables: int = 0
    events: int = 0
    failing: int = 0
    findings: int = 0
    since: float = field(default_factory=time.perf_counter)

    def add(self, found: Audit) -> None:
        self.tables += 1
        self.events += found.length
        self.failing += bool(found.findings)
        self.findings += len(found.findings)

    def summary(self, *, as_json: bool) -> str:
        seconds = time.perf_counter() - self.since
        if as_json:
            names = ("tables", "events", "failing", "findings", "before")
            return json.dumps({name: getattr(self, name) for name in names} | {"seconds": round(seconds, 3)})
        result = (
            f"{self.failing} not proved, {_count_of(self.findings, 'finding')}"
            if self.failing
            else "all proved"
        )
        before = f", after {_count_of(self.before, 'table')} before the interruption" if self.before else ""
        rate = f"{seconds:.1f} s, {self.tables / seconds:.0f} tables/s, {self.events / seconds:.0f} events/s"
        counted = f"{_count_of(self.tables, 'table')}, {_count_of(self.events, 'event')}"
        return f"{counted}{before}: {result} ({rate})"


class Command(BaseCommand):
    """``manage.py verify_streams``: exit code 0 when everything is proved, 1 when not."""

    help = "Verifies the log of every table, or of one, and the rows derived from it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Offer one table, what others remember of the logs, and output for programs."""
        parser.add_argument("--table", metavar="ID", help="verify this table alone")
        parser.add_argument(
            "--checkpoint",
            metavar="FILE",
            type=Path,
            help="prove that each log still holds the head that FILE has of it, then write the new heads;"
            " a run that was interrupted goes on. Keep FILE outside the database's machine",
        )
        parser.add_argument(
            "--receipts",
            metavar="FILE",
            type=Path,
            help="prove that the logs hold what these receipts, one a line, were signed for",
        )
        parser.add_argument(
            "--json", action="store_true", help="print an object a line: failing tables, then the summary"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Verify, and exit."""
        ensure_database()
        only = None if options["table"] is None else _known_table(options["table"])
        try:
            checkpoint = Checkpoint(options["checkpoint"]) if options.get("checkpoint") else None
            remembered = [*_acknowledged(only), *(checkpoint.marks.values() if checkpoint else ())]
            remembered += receipts(options["receipts"]) if options.get("receipts") else []
            if checkpoint and only is None:
                checkpoint.begin()
        except Unreadable as error:
            raise CommandError(str(error), returncode=2) from None
        count = _Count()
        try:
            self._walk(only, checkpoint, remembered, count, as_json=options["json"])
        except KeyboardInterrupt:
            kept = " The next run with this checkpoint goes on." if checkpoint and only is None else ""
            raise CommandError(
                f"Interrupted after {_count_of(count.tables, 'table')}.{kept}", returncode=INTERRUPTED
            ) from None
        finally:
            if checkpoint:
                checkpoint.close()
        if checkpoint and only is None:
            checkpoint.finish()
        self.stdout.write(count.summary(as_json=options["json"]))
        if count.failing:
            sys.exit(1)
        if only is None:
            figures.verified(count.tables + count.before)

    def _walk(
        self,
        only: uuid.UUID | None,
        checkpoint: Checkpoint | None,
        remembered: Iterable[Known],
        count: _Count,
        *,
        as_json: bool,
    ) -> None:
        """Audit one table after the other, and say what is wrong."""
        known = _by_table(remembered)
        with self._output(shown=only is None and not as_json) as (say, advance):

            def tell(found: Audit) -> None:
                count.add(found)
                for line in _json_lines(found, only) if as_json else _lines(found, only):
                    say(line)

            for table_id in [only] if only else _table_ids():
                own = known.pop(table_id, [])
                if checkpoint and stream_of(table_id) in checkpoint.resumed:
                    count.before += 1
                else:
                    found = audit(table_id, own)
                    auditing.note(found)
                    tell(found)
                    if checkpoint and not found.findings:
                        checkpoint.add(found.ends)
                advance()
            for table_id, lost in known.items() if only is None else ():
                gone = [Finding(each.source, each.seq, "the table is gone, and its log") for each in lost]
                tell(Audit(table_id, findings=gone))

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
    """Yield the ids of all tables, those included of which only the row or only a log exists."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(_IDS)
        while rows := cursor.fetchmany(1000):
            yield from (row[0] for row in rows)


def _count() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT)
        return int(cursor.fetchone()[0])


def _acknowledged(only: uuid.UUID | None) -> list[Known]:
    """Return how far logs must reach, by what was answered to moves."""
    with connection.cursor() as cursor:
        cursor.execute(_ACKNOWLEDGED, {"only": only and str(only)})
        return [Known("receipt", stream, seq, None) for stream, seq in cursor.fetchall() if stream]


def _by_table(known: Iterable[Known]) -> dict[uuid.UUID, list[Known]]:
    found: dict[uuid.UUID, list[Known]] = defaultdict(list)
    for each in known:
        found[uuid.UUID(each.stream.partition("-")[2])].append(each)
    return found


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
