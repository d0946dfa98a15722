"""One table, held by one command: locked, folded, grown by events, and saved.

A command locks the table's row, then appends to the stream; the order never changes.  Time is
read from the database after the lock is held, so whoever waited decides by the time that it is.
Sources: design.md section 1; clocks.md, "One rule for who wins".
"""

from __future__ import annotations

import logging
import secrets
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import msgspec
from django.db import DatabaseError, connection, transaction

from engines import base
from engines.base import Batch, Game, Outcome, Recorded
from engines.chance import KeyedChance
from events import canonical, store
from events.codec import Chain, NewEvent
from events.continued import Continued
from events.errors import CorruptStream, StreamNotFound
from tables import catalogue, entropy, messages, rows, sandboxes, timekeeping
from tables.errors import Busy, NotFound, Refusal, RulesMissing, TableSuspended
from tables.folding import EMPTY, Folded, advance, replay, stream_of
from tables.notices import announcing
from tables.operations import logs
from tables.state import TableState
from tables.webhooks import announcing as webhooks

logger = logging.getLogger(__name__)

MOST_ROUNDS = 3
"""So often a command brings about what is due before it gives up: each time more has become due meanwhile."""


class Kept(msgspec.Struct):
    """A fold as a snapshot keeps it."""

    table: TableState
    game_state: msgspec.Raw
    continued: Continued | None = None


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
        return catalogue.rules_of(self._chosen.game, self._chosen.rules_version)

    @property
    def _chosen(self) -> messages.SettingsChosen:
        if (chosen := self.table.settings) is None:
            raise CorruptStream(stream_of(self.id), self.version, "no settings were chosen")
        return chosen

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
            position=self.version + 1 + (self.folded.continued.base if self.folded.continued else 0),
        )

    def add(self, *events: Any, actor: str = "table") -> None:
        """Add events of the table itself."""
        for event in events:
            self._record(Recorded(self.version + 1, event, actor, ()))

    def take(self, batch: Batch[Any]) -> None:
        """Add the events of a batch, and what follows for the table: the next deadline, the end."""
        self._take_events(batch)
        before = self.folded.continued.epochs if self.folded.continued else 0
        while (epoch := self.game.epoch(self.state) - before) > self.table.epoch:
            self._open_epoch(epoch)
        if (outcome := self.game.outcome(self.state)) is not None:
            self.finish(outcome)
        elif self.table.is_gathering:
            return
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
            messages.SeedRevealed(epoch=self.table.epoch, seed=rows.seed_of(self.id, self.table.epoch).hex()),
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

        Between two games of a series the last turn stands, and nobody has a clock.  ``not_before`` and
        ``credit`` as in ``timekeeping``.
        """
        if self.table.is_gathering and not self.table.clocks:
            return
        self.add(
            timekeeping.deadline_set(
                self.table,
                now=self.now,
                turn=self.table.turn if self.table.is_gathering else self.state.turn,
                awaited=self.awaited(),
                quiet=rows.quiet_hours(self.id),
                not_before=not_before,
                credit=credit,
            )
        )

    def _take_events(self, batch: Batch[Any]) -> None:
        for recorded in batch.events:
            self._record(recorded)

    def _open_epoch(self, epoch: int) -> None:
        """Seal the chance of the next game of a series, reveal that of the last, and begin.

        Where players add to its chance, they are asked first, and their clocks stop.
        """
        over = self.table.epoch
        is_chosen = self.table.fairness == entropy.CHOSEN
        seed = sandboxes.plan_of(self.id).seed(epoch) if is_chosen else secrets.token_bytes(32)
        rows.keep_seed(self.id, epoch, seed)
        commit = canonical.seed_commit(self.id.bytes, epoch, seed).hex()
        self.add(
            messages.EpochOpened(epoch=epoch, seed_commit=commit),
            messages.SeedRevealed(epoch=over, seed=rows.seed_of(self.id, over).hex()),
        )
        if entropy.is_added(self.table.fairness):
            self.ask_entropy()
            self.set_deadline()
            return
        batch = self.batch()
        base.begin(batch)
        self._take_events(batch)

    def ask_entropy(self) -> None:
        """Ask the players to commit to what they add to the chance of the epoch."""
        self.add(messages.EntropyAsked(epoch=self.table.epoch, until=self.entropy_until()))

    def entropy_until(self) -> int:
        """Return until when players may commit, or reveal, who are asked now."""
        return self.now + entropy.span(self._chosen.clock)

    def awaited(self) -> tuple[int, ...]:
        """Return the seats that the table waits for."""
        return base.awaited(self.game, self.state) if self.table.status == "playing" else ()

    def save(self) -> None:
        """Store the events added, the snapshot, the derived columns and what is to be sent.

        What is stored already is left alone, so it may be called again.
        """
        if not self.new:
            return
        store.append(stream_of(self.id), self._saved, self.new, self.snapshot())
        rows.save(self)
        rows.ask_bots(self)
        if any(each.type == "table.finished" for each in self.new):
            rows.have_verified(self)
        announcing.announce(self)
        webhooks.announce(self)
        if set(self._sought) - set(self.table.seeking):
            rows.withdraw_offers(self)
        self._saved, self.saved_turn, self.new = self.version, self.table.turn, []
        self._sought = self.table.seeking

    def _stream_key(self) -> bytes:
        """Return the key of all chance of the epoch."""
        epoch = self.table.epoch
        given = self.table.entropy.mixed()
        tid = canonical.NO_TABLE if self.table.fairness == entropy.CHOSEN else self.id.bytes
        return canonical.stream_key(tid, epoch, rows.seed_of(self.id, epoch), given)

    def _record(self, recorded: Recorded) -> None:
        if self.table.is_over and not isinstance(recorded.event, messages.SeedRevealed):
            raise AssertionError(f"{recorded.event} at a table that is over: its log is closed")
        codec = catalogue.codec_of(self.game) if self.table.settings else catalogue.table_codec()
        name, schema = codec.name_of(recorded.event)
        parts, continued = codec.encode(recorded.event), self.folded.continued
        self.new.append(
            self._chain.add(
                parts if continued is None else continued.outward(parts),
                name=name,
                schema=schema,
                actor=recorded.actor,
                at=self.now,
                draws=recorded.draws,
            )
        )
        self.folded = advance(self.folded, self.game if self.table.settings else None, recorded, self.now)

    def snapshot(self) -> store.Snapshot:
        """Return the fold as it is kept beside the log."""
        state = msgspec.Raw(msgspec.msgpack.encode(self.state))
        stored = msgspec.msgpack.encode(Kept(self.table, state, self.folded.continued))
        return store.Snapshot(self.version, catalogue.code(), stored)


@contextmanager
def locked(table_id: uuid.UUID, *, expire: Callable[[Host], None]) -> Iterator[Host]:
    """Lock a table and give its host, inside a transaction that saves what is added.

    What is due is brought about first, in a transaction of its own, so that it stands even when
    the command is refused; what has become due by then too.  Raises NotFound, TableSuspended; Busy where
    that fails.
    """
    for _ in range(MOST_ROUNDS):
        with logs.about(table=table_id), transaction.atomic():
            host = _lock(table_id)
            if not is_overdue(host):
                yield host
                host.save()
                return
            _bring_about(host, expire)
            host.save()
    raise Busy()


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


def take_in(host: Host, log: Sequence[NewEvent]) -> None:
    """Store the log of a finished table that has none here, as it is, with what follows from it.

    ``host`` is the table after the log; its row is there already.  Raises VersionConflict.
    """
    store.append(stream_of(host.id), 0, log, host.snapshot())
    rows.save(host)
    rows.have_verified(host)


def opened(table_id: uuid.UUID) -> Host:
    """Return the host of a table that has no event yet."""
    return Host(table_id, now_ms(), *store.EMPTY[:2], EMPTY)


def now_ms() -> int:
    """Return the time of the database, in milliseconds since 1970."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now_ms()")
        (now,) = cursor.fetchone()
    return int(now)


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
    kept = msgspec.msgpack.decode(snapshot.state, type=Kept)
    if (chosen := kept.table.settings) is None:
        return Folded(kept.table, None)
    game = catalogue.rules_of(chosen.game, chosen.rules_version)
    state = msgspec.msgpack.decode(kept.game_state, type=game.state | None)
    return Folded(kept.table, state, kept.continued)
