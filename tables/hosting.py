"""One table, held by one command: locked, folded, grown by events, and saved.

A command locks the table's row, then appends to the stream; the order never changes.  Time is
read from the database after the lock is held, so whoever waited decides by the time that it is.
Sources: design.md section 1; clocks.md, "One rule for who wins".
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.db import connection, transaction
from psycopg.types.json import Jsonb

from engines import base
from engines.base import Batch, Game, Recorded
from engines.chance import KeyedChance
from events import canonical, store
from events.codec import Chain, NewEvent
from events.errors import CorruptStream, StreamNotFound
from tables import catalogue, clock, lifecycle
from tables.errors import NotFound, TableSuspended
from tables.folding import EMPTY, Folded, advance, replay, stream_of
from tables.lifecycle import TableState


class _Kept(msgspec.Struct):
    """A fold as a snapshot keeps it."""

    table: TableState
    game_state: msgspec.Raw


class Host:
    """One table at the moment ``now`` (milliseconds of database time), and what a command adds.

    ``first`` is the position of the first event added, ``new`` holds those not stored yet.
    """

    def __init__(self, table_id: uuid.UUID, now: int, version: int, head: bytes, folded: Folded) -> None:
        self.id = table_id
        self.folded = folded
        self.first = version + 1
        self.new: list[NewEvent] = []
        self._saved = version
        self.now = max(now, folded.table.at)
        self._chain = Chain(table_id.bytes, version, head, lambda: secrets.token_bytes(32))

    @property
    def table(self) -> TableState:
        """The table without its game."""
        return self.folded.table

    @property
    def state(self) -> Any:
        """The state of the game; None before the start."""
        return self.folded.game_state

    @property
    def game(self) -> Game[Any]:
        """The game that is, or will be, played here."""
        if self.table.settings is None:
            raise CorruptStream(stream_of(self.id), self.version, "no settings were chosen")
        return catalogue.game_of(self.table.settings.game)

    @property
    def version(self) -> int:
        """The position of the last event, those added included."""
        return self._chain.version

    def batch(self) -> Batch[Any]:
        """Return an empty batch on the present state, with the epoch's stream of chance."""
        return Batch(
            game=self.game,
            state=self.state,
            chance=KeyedChance(self._stream_key(), self.table.drawn),
            position=self.version + 1,
        )

    def add(self, *events: Any, actor: str = "table") -> None:
        """Add events of the table itself."""
        for event in events:
            self._record(Recorded(self.version + 1, event, actor, ()))

    def take(self, batch: Batch[Any]) -> None:
        """Add the events of a batch, and what follows for the table: the next deadline, the end."""
        self._take_events(batch)
        while (epoch := self.game.epoch(self.state)) > self.table.epoch:
            self._open_epoch(epoch)
        if (outcome := self.game.outcome(self.state)) is not None:
            self.add(
                lifecycle.Finished(
                    winners=outcome.winners,
                    places=outcome.places,
                    scores=outcome.scores,
                    reason=outcome.reason,
                ),
                lifecycle.SeedRevealed(epoch=self.table.epoch, seed=seed_of(self.id, self.table.epoch).hex()),
            )
        elif self.state.turn != self.table.turn:
            seconds = self.table.settings.clock_seconds if self.table.settings else None
            due = clock.deadline(self.now, seconds)
            self.add(lifecycle.DeadlineSet(turn=self.state.turn, deadline_at=due))

    def _take_events(self, batch: Batch[Any]) -> None:
        for recorded in batch.events:
            self._record(recorded)

    def _open_epoch(self, epoch: int) -> None:
        """Seal the chance of the next game of a series, reveal that of the last, and begin."""
        over, seed = self.table.epoch, secrets.token_bytes(32)
        _keep_seed(self.id, epoch, seed)
        commit = canonical.seed_commit(self.id.bytes, epoch, seed).hex()
        self.add(
            lifecycle.EpochOpened(epoch=epoch, seed_commit=commit),
            lifecycle.SeedRevealed(epoch=over, seed=seed_of(self.id, over).hex()),
        )
        batch = self.batch()
        base.begin(batch)
        self._take_events(batch)

    def awaited(self) -> tuple[int, ...]:
        """Return the seats that the table waits for."""
        return base.awaited(self.game, self.state) if self.table.status == "playing" else ()

    def save(self) -> None:
        """Store the events added, the snapshot, the derived columns and what is to be sent.

        What is stored already is left alone, so it may be called again.
        """
        if not self.new:
            return
        store.append(stream_of(self.id), self._saved, self.new, self._snapshot())
        _save_row(self)
        _announce(self)
        self._saved, self.new = self.version, []

    def _stream_key(self) -> bytes:
        """Return the key of all chance of the epoch; no seat adds entropy (policy ``server``)."""
        epoch = self.table.epoch
        nobody = [None] * len(self.table.holders)
        return canonical.stream_key(self.id.bytes, epoch, seed_of(self.id, epoch), nobody)

    def _record(self, recorded: Recorded) -> None:
        codec = catalogue.codec_of(self.game.id) if self.table.settings else catalogue.table_codec()
        name, schema = codec.name_of(recorded.event)
        self.new.append(
            self._chain.add(
                codec.encode(recorded.event),
                name=name,
                schema=schema,
                actor=recorded.actor,
                at=self.now,
                draws=recorded.draws,
            )
        )
        self.folded = advance(self.folded, self.game if self.table.settings else None, recorded, self.now)

    def _snapshot(self) -> store.Snapshot:
        state = msgspec.Raw(msgspec.msgpack.encode(self.state))
        stored = msgspec.msgpack.encode(_Kept(self.table, state))
        return store.Snapshot(self.version, catalogue.code(), stored)


@contextmanager
def locked(table_id: uuid.UUID, *, expire: Callable[[Host], None]) -> Iterator[Host]:
    """Lock a table and give its host, inside a transaction that saves what is added.

    An overdue turn is expired first, in a transaction of its own, so that it stands even when
    the command is refused.  Raises NotFound, TableSuspended.
    """
    with transaction.atomic():
        host = _lock(table_id)
        was_overdue = is_overdue(host)
        if was_overdue:
            expire(host)
        else:
            yield host
        host.save()
    if was_overdue:
        with transaction.atomic():
            host = _lock(table_id)
            yield host
            host.save()


def is_overdue(host: Host) -> bool:
    """Tell whether the open turn is over."""
    return host.table.status == "playing" and clock.is_due(host.table.deadline_at, host.now)


def peek(table_id: uuid.UUID, *, lock: bool = False) -> Host:
    """Return a table as it is, to read from; with ``lock`` to write to, its row being locked.

    Raises NotFound.
    """
    try:
        loaded = store.load(stream_of(table_id), code=catalogue.code(), lock=lock)
    except StreamNotFound:
        raise NotFound() from None
    head, snapshot = loaded.head, loaded.snapshot
    is_current = snapshot is not None and snapshot.position == head.version
    folded = unpack(snapshot) if snapshot and is_current else replay(table_id, upto=head.version)
    return Host(table_id, loaded.now, head.version, head.hash, folded)


def try_lock_overdue(table_id: uuid.UUID) -> bool:
    """Lock a table's row if its deadline has passed and nobody holds it; tell whether it is held now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM tables_table WHERE id = %s AND deadline_at <= to_timestamp(now_ms() / 1000.0)"
            " AND NOT suspended FOR UPDATE SKIP LOCKED",
            [table_id],
        )
        return cursor.fetchone() is not None


def opened(table_id: uuid.UUID) -> Host:
    """Return the host of a table that has no event yet."""
    return Host(table_id, now_ms(), *store.EMPTY[:2], EMPTY)


def now_ms() -> int:
    """Return the time of the database, in milliseconds since 1970."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now_ms()")
        (now,) = cursor.fetchone()
    return int(now)


def seed_of(table_id: uuid.UUID, epoch: int) -> bytes:
    """Return the secret seed of one epoch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seed FROM tables_seed WHERE table_id = %s AND epoch = %s", [table_id, epoch])
        (seed,) = cursor.fetchone()
    return bytes(seed)


def _keep_seed(table_id: uuid.UUID, epoch: int, seed: bytes) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tables_seed (table_id, epoch, seed) VALUES (%s, %s, %s)", [table_id, epoch, seed]
        )


def moment(milliseconds: int) -> datetime:
    """Return a time of the database as an aware UTC datetime."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def columns(folded: Folded, version: int, awaited: tuple[int, ...]) -> dict[str, Any]:
    """Return the columns of a table's row that its log tells, after ``version`` events."""
    table = folded.table
    return {
        "status": table.status,
        "settings": msgspec.to_builtins(table.settings),
        "version": version,
        "outcome": msgspec.to_builtins(table.outcome),
        "turn": table.turn,
        "awaited": list(awaited),
        "deadline_at": None if table.deadline_at is None else moment(table.deadline_at),
        "finished_at": moment(table.at) if table.status in ("finished", "closed") else None,
    }


def _lock(table_id: uuid.UUID) -> Host:
    with connection.cursor() as cursor:
        cursor.execute("SELECT suspended FROM tables_table WHERE id = %s FOR UPDATE", [table_id])
        row = cursor.fetchone()
    if row is None:
        raise NotFound()
    if row[0]:
        raise TableSuspended()
    return peek(table_id, lock=True)


def unpack(snapshot: store.Snapshot) -> Folded:
    """Return the fold that a snapshot of this code keeps."""
    kept = msgspec.msgpack.decode(snapshot.state, type=_Kept)
    if kept.table.settings is None:
        return Folded(kept.table, None)
    game = catalogue.game_of(kept.table.settings.game)
    return Folded(kept.table, msgspec.msgpack.decode(kept.game_state, type=game.state | None))


def _save_row(host: Host) -> None:
    values = columns(host.folded, host.version, host.awaited())
    for name in ("settings", "outcome"):
        values[name] = Jsonb(values[name])
    assignments = ", ".join(f"{name} = %s" for name in values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE tables_table SET {assignments}, expiry_attempts = 0, next_attempt_at = NULL"  # noqa: S608
            " WHERE id = %s",
            [*values.values(), host.id],
        )


def _announce(host: Host) -> None:
    """Write down, in the same transaction, what is to be done about these events."""
    bots = [seat for seat in host.awaited() if (holder := host.table.holders[seat]) and holder.bot]
    with connection.cursor() as cursor:
        for seat in bots:
            cursor.execute(
                "INSERT INTO tables_outbox"
                " (id, table_id, position, kind, audience, attempts, next_attempt_at)"
                " VALUES (gen_random_uuid(), %s, %s, 'bot', %s, 0, clock_timestamp())",
                [host.id, host.version, f"seat:{seat}"],
            )
