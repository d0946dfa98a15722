"""Tables that were played on another server: everything is checked first, then the log is kept as it is.

The transcript file is all that is looked at.  Whoever played there has no account here, so no seat has a
name; the receipts stay those of that server, and nothing of ours signs such a table.  The log goes through
the one append function, by which any writer must continue a chain.
"""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import orjson
from django.db import IntegrityError, transaction

from events import store
from events.audit import LAST_TIME, Link, Ref
from events.canonical import key_id
from events.codec import Header, NewEvent, Opening, read_header
from events.errors import StreamNotFound, VersionConflict
from tables import catalogue, hosting
from tables.clock import moment
from tables.errors import Refusal
from tables.folding import Folded, fold, stream_of
from tables.hosting import Host
from tables.models import Import, Seed, Table, Tenure
from tables.origins import MOST, forked_in, may_go_on, origins_of
from verify.holdings import FULL
from verify.transcript import File, Judgement, Key, judge_file, links_of, openings_of, read

_PUBLIC = re.compile(r"[0-9a-f]{64}")


class NotImportable(Exception):
    """A file that is no whole, proved game of a server that may be named; the message says why."""


class Imported(NamedTuple):
    """A table that is here now, ``is_new``: since this import."""

    table_id: uuid.UUID
    is_new: bool
    judgement: Judgement


def import_table(data: bytes, keys: Sequence[Key] | None = None, *, visibility: str = "private") -> Imported:
    """Take the bytes of a transcript in; nothing is changed unless all of it is proved.

    ``keys`` are those that the server where it was played lists; without them those of the file are
    taken, which tell who signed, and not who that is.  What goes on from another table is proved with that
    table, which must be here.  A file whose log is here already changes nothing.
    Raises NotATranscript, NotImportable.
    """
    file = read(data)
    listed = file.keys if keys is None else list(keys)
    links, openings = links_of(file), openings_of(file)
    judgement = judge_file(file, catalogue.games(), listed, origins_of(links))
    _require_proof(judgement)
    _require_keys(listed)
    headers = [read_header(each.header) for each in links]
    folded = _folded(headers, openings)
    table_id = uuid.UUID(judgement.table)
    if _is_here(table_id, file):
        return Imported(table_id, False, judgement)
    row = Table(
        id=table_id,
        game=headers[1].public["game"],
        visibility=visibility,
        invite_code=secrets.token_urlsafe(16),
        imported_from=_signer_of(file),
        **_fork(links),
        status="open",
        seats=headers[1].public["seats"],
    )
    host = Host(table_id, 0, len(links), bytes.fromhex(_head_of(file)), folded)
    try:
        with transaction.atomic():
            _keep(row, headers, file, listed)
            hosting.take_in(host, list(_log(links, headers, openings)))
    except (IntegrityError, VersionConflict):  # another import was faster, and has committed
        if not _is_here(table_id, file):
            raise NotImportable(f"table {table_id} has a row here, and no log") from None
        return Imported(table_id, False, judgement)
    return Imported(table_id, True, judgement)


def _require_proof(judgement: Judgement) -> None:
    """Raise NotImportable unless the file is a whole game, and all four verdicts are good."""
    if judgement.view != FULL:
        raise NotImportable(f"it holds the view {judgement.view}; only a full one can be checked as a whole")
    for name, verdict in judgement.verdicts.items():
        if verdict.status != "proved":
            raise NotImportable(f"{name}: {verdict}")


def _require_keys(keys: Sequence[Key]) -> None:
    """Raise NotImportable for a list with something that is no key: all of it is kept, and told to others."""
    for each in keys:
        public = bytes.fromhex(each.public) if _PUBLIC.fullmatch(each.public) else b""
        times = (each.from_, each.from_ if each.until is None else each.until)
        if not public or key_id(public) != each.kid or not all(0 <= time <= LAST_TIME for time in times):
            raise NotImportable(f"the list of keys holds one that is none, {each.kid[:40]!a}")


def _folded(headers: Sequence[Header], openings: dict[Ref, Opening]) -> Folded:
    try:
        folded = fold(headers, lambda seq, slot: orjson.loads(openings[seq, slot].payload))
    except Refusal as missing:  # the rules were there a moment ago, for they have proved it
        raise NotImportable(f"its rules are not here: {missing.facts}") from None
    if folded.table.status != "finished":
        raise NotImportable(f"its game is not over; the table is {folded.table.status}")
    return folded


def _is_here(table_id: uuid.UUID, file: File) -> bool:
    """Tell whether this very log is here.  Raises NotImportable for another under the same id."""
    try:
        head = store.head_of(stream_of(table_id))
    except StreamNotFound:
        return False
    if head.hash.hex() == _head_of(file):
        return True
    raise NotImportable(
        f"table {table_id} is here already, with another log of {head.version} events; one of the two lies"
    )


def _head_of(file: File) -> str:
    """Return the head of a proved file: the highest receipt is under its last event."""
    return str(max(file.receipts, key=lambda each: each["seq"])["head"])


def _signer_of(file: File) -> str:
    return str(max(file.receipts, key=lambda each: each["seq"])["kid"])


def _keep(row: Table, headers: Sequence[Header], file: File, keys: Sequence[Key]) -> None:
    """Write down what stands beside the log: the table's row, its receipts, seeds and seats."""
    row.save(force_insert=True)
    Table.objects.filter(id=row.id).update(created_at=moment(headers[0].at))
    Import.objects.create(
        table=row, receipts=file.receipts, keys=[msgspec.to_builtins(_listed(each)) for each in keys]
    )
    Seed.objects.bulk_create(
        Seed(table=row, epoch=each.public["epoch"], seed=bytes.fromhex(each.public["seed"]))
        for each in headers
        if each.type == "table.seed_revealed"
    )
    Tenure.objects.bulk_create(_tenures(row, headers))


def _fork(links: Sequence[Link]) -> dict[str, Any]:
    """Return from where a table goes on; that table is here, for without it nothing was proved.

    Raises NotImportable where as many go on from one another already as may.
    """
    if (told := forked_in(links)) is None:
        return {}
    origin = Table.objects.get(id=told.public["origin"])
    if not may_go_on(origin):
        raise NotImportable(f"{MOST} tables go on from one another up to {origin.id}, and no more may")
    return {"forked_from_id": origin.id, "forked_at": told.public["position"]}


def _listed(key: Key) -> dict[str, object]:
    """Return a key as transcripts list it."""
    return {"kid": key.kid, "public": key.public, "from": key.from_, "until": key.until}


def _tenures(row: Table, headers: Sequence[Header]) -> list[Tenure]:
    """Return who held which seat, by pseudonym, as the log tells it."""
    held: dict[int, Tenure] = {}
    past: list[Tenure] = []
    for header in headers:
        if header.type == "table.seat_left":
            del held[header.public["seat"]]
        if header.type not in ("table.seat_taken", "table.seat_replaced"):
            continue
        told = header.public
        if (former := held.get(told["seat"])) is not None:
            former.until = header.seq
            former.ended = told["reason"] if told["reason"] in ("absent", "voted") else ""
            past.append(former)
        held[told["seat"]] = Tenure(
            table=row,
            seat=told["seat"],
            bot=told["bot"] or "",
            pseudonym=told["holder"],
            since=header.seq,
        )
    return [*past, *held.values()]


def _log(
    links: Sequence[Link], headers: Sequence[Header], openings: dict[Ref, Opening]
) -> Iterator[NewEvent]:
    for link, header in zip(links, headers, strict=True):
        opened = tuple(openings[header.seq, slot] for slot in range(len(header.slots)))
        yield NewEvent(header.type, header.at, link.header, opened)
