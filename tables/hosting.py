"""One table, held by one command: locked, folded, grown by events, and saved.

A command locks the table's row, then appends to the stream; the order never changes.  Time is
read from the database after the lock is held, so whoever waited decides by the time that it is.
Sources: design.md section 1; clocks.md, "One rule for who wins".
"""

from __future__ import annotations

import logging
import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.db import DatabaseError, connection, transaction
from psycopg.types.json import Jsonb

from engines import base
from engines.base import Batch, Game, Outcome, Recorded
from engines.chance import KeyedChance
from events import canonical, store
from events.codec import Chain, NewEvent
from events.errors import CorruptStream, StreamNotFound
from tables import catalogue, messages, timekeeping
from tables.clock import QuietHours
from tables.errors import Busy, NotFound, Refusal, RulesMissing, TableSuspended
from tables.folding import EMPTY, Folded, advance, replay, stream_of
from tables.lifecycle import TableState
from tables.notices import announcing
from tables.operations import logs

logger = logging.getLogger(__name__)


class _Kept(msgspec.Struct):
    """A fold as a snapshot keeps it."""

    table: TableState
    game_state: msgspec.Raw


class Host:
    """One table at the moment ``now`` (milliseconds of database time), and what a command adds.

    ``first`` is the position of the first event added, ``new`` holds those not stored yet;
    ``saved_turn`` was open before them.
    """

    def __init__(self, table_id: uuid.UUID, now: int, version: int, head: bytes, folded: Folded) -> None:
        self.id = table_id
        self.folded = folded
        self.first = version + 1
        self.new: list[NewEvent] = []
        self._saved, self.saved_turn, self._sought = version, folded.table.turn, folded.table.seeking
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
        """The game that is, or will be, played here, by the rules that this table has."""
        if (chosen := self.table.settings) is None:
            raise CorruptStream(stream_of(self.id), self.version, "no settings were chosen")
        return catalogue.rules_of(chosen.game, chosen.rules_version)

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
            self.finish(outcome)
        elif self.state.turn != self.table.turn:
            self.set_deadline()
        elif self.table.banks and {each.seat for each in self.table.clocks} - set(self.awaited()):
            self.set_deadline(not_before=self.table.deadline_at or 0)  # a bank stops with its seat's answer

    def finish(self, outcome: Outcome) -> None:
        """End the game: its outcome, and the seed of its chance."""
        self.add(
            messages.Finished(
                winners=outcome.winners,
                places=outcome.places,
                scores=outcome.scores,
                reason=outcome.reason,
            ),
            messages.SeedRevealed(epoch=self.table.epoch, seed=seed_of(self.id, self.table.epoch).hex()),
        )

    def abandon(self, reason: str) -> None:
        """End the game without a result: nobody has won."""
        nobody = Outcome(winners=(), places=(1,) * len(self.table.holders), scores=None, reason=reason)
        self.finish(nobody)

    def leave(self, seat: int, reason: str, actor: str = "table") -> None:
        """Let a seat be left for good (``resigned``, ``removed``, ``timeout``), and the game go on."""
        self.add(messages.SeatAbandoned(seat=seat, reason=reason), actor=actor)
        batch = self.batch()
        base.leave(batch, seat, reason)
        self.take(batch)

    def pause(self, reason: str, span: int, actor: str = "table") -> None:
        """Let everybody's clocks stand still for ``span`` milliseconds from now."""
        until = self.now + span
        self.add(messages.Paused(reason=reason, seat=None, since=self.now, until=until), actor=actor)
        self.set_deadline()

    def set_deadline(self, not_before: int = 0, credit: int = 0) -> None:
        """Set the clocks of the open turn, a new one or the same in new circumstances.

        ``not_before`` and ``credit`` as in ``timekeeping``.
        """
        self.add(
            timekeeping.deadline_set(
                self.table,
                now=self.now,
                turn=self.state.turn,
                awaited=self.awaited(),
                quiet=_quiet_hours(self.id),
                not_before=not_before,
                credit=credit,
            )
        )

    def _take_events(self, batch: Batch[Any]) -> None:
        for recorded in batch.events:
            self._record(recorded)

    def _open_epoch(self, epoch: int) -> None:
        """Seal the chance of the next game of a series, reveal that of the last, and begin."""
        over, seed = self.table.epoch, secrets.token_bytes(32)
        _keep_seed(self.id, epoch, seed)
        commit = canonical.seed_commit(self.id.bytes, epoch, seed).hex()
        self.add(
            messages.EpochOpened(epoch=epoch, seed_commit=commit),
            messages.SeedRevealed(epoch=over, seed=seed_of(self.id, over).hex()),
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
        _ask_bots(self)
        if any(each.type == "table.finished" for each in self.new):
            _have_verified(self)
        announcing.announce(self)
        if set(self._sought) - set(self.table.seeking):
            _withdraw_offers(self)
        self._saved, self.saved_turn, self.new = self.version, self.table.turn, []
        self._sought = self.table.seeking

    def _stream_key(self) -> bytes:
        """Return the key of all chance of the epoch; no seat adds entropy (policy ``server``)."""
        epoch = self.table.epoch
        nobody = [None] * len(self.table.holders)
        return canonical.stream_key(self.id.bytes, epoch, seed_of(self.id, epoch), nobody)

    def _record(self, recorded: Recorded) -> None:
        codec = catalogue.codec_of(self.game) if self.table.settings else catalogue.table_codec()
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

    What is due is brought about first, in a transaction of its own, so that it stands even when
    the command is refused.  Raises NotFound, TableSuspended; Busy where that fails.
    """
    with logs.about(table=table_id), transaction.atomic():
        host = _lock(table_id)
        was_overdue = is_overdue(host)
        if was_overdue:
            _bring_about(host, expire)
        else:
            yield host
        host.save()
    if was_overdue:
        with logs.about(table=table_id), transaction.atomic():
            host = _lock(table_id)
            yield host
            host.save()


def _bring_about(host: Host, expire: Callable[[Host], None]) -> None:
    try:
        expire(host)
    except (Refusal, DatabaseError):
        raise
    except Exception:  # the sweep counts failures, and suspends the table in the end
        logger.exception("table %s: what is due could not be resolved", host.id)
        raise Busy() from None


def is_overdue(host: Host) -> bool:
    """Tell whether time has brought something about: the end of a turn, of a vote, of a wait."""
    due = host.table.due_at
    return due is not None and host.now >= due


def peek(table_id: uuid.UUID, *, lock: bool = False) -> Host:
    """Return a table as it is, to read from; with ``lock`` to write to, its row being locked.

    Raises NotFound.
    """
    try:
        loaded = store.load(stream_of(table_id), code=catalogue.code(), lock=lock)
    except StreamNotFound:
        raise NotFound() from None
    return _host_of(table_id, loaded)


def peek_all(table_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Host]:
    """Return tables as they are, to read from, in one statement if the snapshots are of this code.

    Left out is what is absent, and what cannot be told here.
    """
    wanted = {stream_of(each): each for each in table_ids}
    hosts = {}
    for stream, loaded in store.load_all(wanted, code=catalogue.code()).items():
        try:
            hosts[wanted[stream]] = _host_of(wanted[stream], loaded)
        except (RulesMissing, CorruptStream):
            logger.exception("a table cannot be told", extra={"table": wanted[stream]})
    return hosts


def _host_of(table_id: uuid.UUID, loaded: store.Loaded) -> Host:
    head, snapshot = loaded.head, loaded.snapshot
    is_current = snapshot is not None and snapshot.position == head.version
    folded = unpack(snapshot) if snapshot and is_current else replay(table_id, upto=head.version)
    return Host(table_id, loaded.now, head.version, head.hash, folded)


def try_lock_overdue(table_id: uuid.UUID) -> bool:
    """Lock a table's row if something is due and nobody holds it; tell whether it is held now."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM tables_table WHERE id = %s AND due_at <= to_timestamp(now_ms() / 1000.0)"
            " AND suspended_at IS NULL FOR UPDATE SKIP LOCKED",
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


def milliseconds(moment: datetime) -> int:
    """Return an aware time in milliseconds since 1970."""
    return round(moment.timestamp() * 1000)


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
        "due_at": None if table.due_at is None else moment(table.due_at),
        "seeking": list(table.seeking),
        "finished_at": moment(table.at) if table.status in ("finished", "closed") else None,
    }


def lock_suspended(table_id: uuid.UUID) -> tuple[Host, datetime | None]:
    """Lock a table, suspended or not; return its host, and since when it is suspended.  Raises NotFound."""
    suspended_at = _lock_row(table_id)
    return peek(table_id, lock=True), suspended_at


def _lock(table_id: uuid.UUID) -> Host:
    if _lock_row(table_id) is not None:
        raise TableSuspended()
    host = peek(table_id, lock=True)
    logs.at(host.version)
    return host


def _lock_row(table_id: uuid.UUID) -> datetime | None:
    """Lock a table's row; return since when it is suspended.  Raises NotFound."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT suspended_at FROM tables_table WHERE id = %s FOR UPDATE", [table_id])
        row = cursor.fetchone()
    if row is None:
        raise NotFound()
    suspended_at: datetime | None = row[0]
    return suspended_at


def unpack(snapshot: store.Snapshot) -> Folded:
    """Return the fold that a snapshot of this code keeps."""
    kept = msgspec.msgpack.decode(snapshot.state, type=_Kept)
    if (chosen := kept.table.settings) is None:
        return Folded(kept.table, None)
    game = catalogue.rules_of(chosen.game, chosen.rules_version)
    return Folded(kept.table, msgspec.msgpack.decode(kept.game_state, type=game.state | None))


def _quiet_hours(table_id: uuid.UUID) -> dict[int, QuietHours]:
    """Return the quiet hours of those who have a seat at a table and keep any."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seat, zone, quiet_from, quiet_until FROM tables_tenure"
            " JOIN tables_player ON tables_player.id = player_id"
            " WHERE table_id = %s AND until IS NULL AND quiet_from IS NOT NULL",
            [table_id],
        )
        return {seat: QuietHours(*hours) for seat, *hours in cursor.fetchall()}


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


def _withdraw_offers(host: Host) -> None:
    """Let nobody hold an offer of a seat for which nobody is sought any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM tables_offer WHERE table_id = %s AND NOT seat = ANY(%s)",
            [host.id, list(host.table.seeking)],
        )


def _have_verified(host: Host) -> None:
    """Write down, in the same transaction, that the whole log is to be verified now that the game is over."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tables_outbox (id, table_id, position, kind, audience, attempts, next_attempt_at)"
            " VALUES (gen_random_uuid(), %s, %s, 'verify', '', 0, clock_timestamp())",
            [host.id, host.version],
        )


def _ask_bots(host: Host) -> None:
    """Write down, in the same transaction, what bots are to be asked after these events."""
    if host.table.status != "playing":
        return
    with connection.cursor() as cursor:
        for seat, is_offer in base.questions(host.game, host.state, host.saved_turn):
            if (holder := host.table.holders[seat]) is None or not holder.bot:
                continue
            cursor.execute(
                "INSERT INTO tables_outbox"
                " (id, table_id, position, kind, audience, attempts, next_attempt_at)"
                " VALUES (gen_random_uuid(), %s, %s, %s, %s, 0, clock_timestamp())",
                [host.id, host.version, "bot_offer" if is_offer else "bot", f"seat:{seat}"],
            )
