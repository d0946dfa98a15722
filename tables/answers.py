"""Rows and folds turned into what the API answers, each for the eyes of one viewer.

Hidden items leave the server through ``Codec.redact`` and the games' ``view`` alone.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import orjson
from django.db import connection

from engines.audience import fields_of, name_of
from engines.base import Game, Move
from events import canonical, store
from events.audit import Ref
from events.codec import FULL, Header, Payload, Viewer, learned, read_header
from events.errors import CorruptStream
from events.store import Opening
from tables import catalogue, entropy, signing
from tables.clock import moment, time_left
from tables.folding import Folded, stream_of
from tables.hosting import Host
from tables.models import Arbiter, Table, Tenure
from tables.shapes import (
    ArbiterAnswer,
    AwaitedSeat,
    ClockAnswer,
    EntropyAnswer,
    EventAnswer,
    ForkOrigin,
    LegalMove,
    MoveReceipt,
    OutcomeAnswer,
    PauseAnswer,
    PresenceAnswer,
    Receipt,
    RematchAnswer,
    SeatClock,
    SeatHolder,
    TableAnswer,
    Verification,
    ViewAnswer,
    VoteAnswer,
)
from tables.state import Pause, Presence, TableState, Vote


def table_answers(player_id: uuid.UUID, rows: Sequence[Table]) -> list[TableAnswer]:
    """Return rows as a player sees them, in their order; as many statements for one as for many."""
    held: dict[uuid.UUID, dict[int, Tenure]] = {row.id: {} for row in rows}
    tenures = Tenure.objects.filter(table__in=held, until__isnull=True).select_related("player")
    for tenure in tenures:
        held[tenure.table_id][tenure.seat] = tenure
    arbiters = {
        each.table_id: each
        for each in Arbiter.objects.filter(table__in=held, until__isnull=True).select_related("player")
    }
    return [_table_answer(player_id, row, held[row.id], arbiters.get(row.id)) for row in rows]


def table_answer(player_id: uuid.UUID, table_id: uuid.UUID) -> TableAnswer:
    """Return one table as a player with access to it sees it."""
    return table_answers(player_id, [Table.objects.select_related("host").get(id=table_id)])[0]


def rematch_answer(table_id: uuid.UUID) -> RematchAnswer:
    """Return who of a finished table wants to play again, and the table where they do."""
    held = Tenure.objects.filter(table=table_id, until__isnull=True, bot="").order_by("seat")
    again = Table.objects.filter(origin=table_id).values_list("id", flat=True).first()
    games = _series(table_id)
    seats = Table.objects.values_list("seats", flat=True).get(id=table_id)
    return RematchAnswer(
        agreed=[each.seat for each in held if each.wants_rematch],
        missing=[each.seat for each in held if not each.wants_rematch],
        games=len(games),
        wins=[sum(seat in won for won in games) for seat in range(seats)],
        table_id=str(again) if again else None,
    )


def _series(table_id: uuid.UUID) -> list[list[int]]:
    """Return who has won a table, and those that it is the rematch of; forks do not count."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE series AS ("
            " SELECT origin_id, outcome FROM tables_table WHERE id = %s AND forked_from_id IS NULL"
            " UNION ALL SELECT t.origin_id, t.outcome"
            " FROM tables_table AS t JOIN series ON t.id = series.origin_id"
            " WHERE t.forked_from_id IS NULL"
            ") SELECT outcome -> 'winners' FROM series",
            [table_id],
        )
        return [
            orjson.loads(won) if isinstance(won, str) else list(won or ()) for (won,) in cursor.fetchall()
        ]


def view_answer(row: Table, host: Host, folded: Folded, version: int, viewer: Viewer) -> ViewAnswer:
    """Return the game as ``viewer`` sees it after ``version`` events.

    Moves are offered on the present state only.  While a game is being dealt there is nothing to see.
    Whoever sees everything is told what spectators see, and beside it what each seat does.
    """
    game, table, state = host.game, folded.table, folded.game_state
    is_present = version == host.version
    seat = None if viewer == FULL else viewer
    seats = range(row.seats) if viewer == FULL else ()
    is_dealt = state is not None and not table.is_dealing
    windows = game.to_act(state) if table.status == "playing" and not table.is_dealing else ()
    awaited = [each for each in windows if each.awaited]
    legal: Sequence[Move] = ()
    if is_present and seat is not None and windows:
        legal = game.legal_moves(state, seat)
    return ViewAnswer(
        table_id=str(row.id),
        game=game.id,
        status=table.status,
        version=version,
        turn=table.turn,
        etag=etag(row.id, viewer, version, is_past=not is_present),
        viewer=seat,
        awaited=[AwaitedSeat(seat=each.seat, kinds=list(each.kinds)) for each in awaited],
        deadline_at=None if table.deadline_at is None else rfc3339(table.deadline_at),
        clocks=_clocks(table, [each.seat for each in awaited], host.now if is_present else table.at),
        pauses=[_pause(each) for each in table.pauses],
        strikes=list(table.strikes),
        vote=_vote(table.vote) if table.vote else None,
        presence=_presence(table.presence) if table.presence else None,
        entropy=_entropy(table),
        expiring=is_present and table.deadline_at is not None and host.now >= table.deadline_at,
        server_time=rfc3339(host.now),
        legal_moves=[LegalMove(kind=name_of(type(each)), params=params_of(each)) for each in legal],
        outcome=msgspec.convert(table.outcome, OutcomeAnswer, from_attributes=True)
        if table.outcome
        else None,
        data=msgspec.to_builtins(game.view(state, seat)) if is_dealt else {},
        seat_data=[msgspec.to_builtins(game.view(state, each)) for each in seats if is_dealt],
    )


def events_answer(
    game: Game[Any], stream: str, headers: Iterable[Header], viewer: Viewer
) -> list[EventAnswer]:
    """Return events as ``viewer`` learned them."""
    headers = list(headers)
    refs = refs_of(headers, viewer)
    return redacted(game, headers, viewer, store.openings(stream, refs) if refs else {})


def refs_of(headers: Iterable[Header], viewer: Viewer) -> list[Ref]:
    """Return the hidden items that ``viewer`` learned with events."""
    return [ref for header in headers for ref in learned(header, viewer)]


def redacted(
    game: Game[Any], headers: Iterable[Header], viewer: Viewer, openings: Mapping[Ref, Opening]
) -> list[EventAnswer]:
    """Return events as ``viewer`` learned them, by the openings of ``refs_of``."""
    codec = catalogue.codec_of(game)

    def payload_of(seq: int, slot: int) -> Payload:
        return canonical.parse(openings[seq, slot].payload)

    return [
        EventAnswer(
            position=header.seq,
            type=header.type,
            occurred_at=rfc3339(header.at),
            actor_seat=int(header.actor[5:]) if header.actor.startswith("seat:") else None,
            data=codec.redact(header, payload_of, viewer),
        )
        for header in headers
    ]


def move_receipt(game: Game[Any], table_id: uuid.UUID, seat: int, first: int, last: int) -> MoveReceipt:
    """Return the answer to a move whose batch lies at ``first`` to ``last``, made from the log.

    It is the same whenever it is asked for.
    """
    stream = stream_of(table_id)
    stored = store.read(stream, after=first - 1, upto=last)
    opened = store.last_of_type(stream, "clock.deadline_set", upto=last)
    if opened is None:
        raise CorruptStream(stream, last, "a move was played, and no turn was open")
    return MoveReceipt(
        receipt=receipt(table_id, stored[-1]),
        events=events_answer(game, stream, (read_header(each.header) for each in stored), seat),
        turn=read_header(opened.header).public["turn"],
        version=last,
        etag=etag(table_id, seat, last),
    )


def receipt(table_id: uuid.UUID, last: store.StoredEvent) -> Receipt:
    """Return the server's signature under a log that ends with ``last``; made after the commit.

    It may be pending.
    """
    signed = signing.receipt(table_id, seq=last.position, head=last.hash, at=last.at)
    return msgspec.convert(signed, Receipt)


def etag(table_id: uuid.UUID, viewer: Viewer, version: int, *, is_past: bool = False) -> str:
    """Return the weak tag of a view: it tells table, viewer and version to nobody.

    Nobody moves in the past, so a view has another tag there than it had as the present one.
    """
    told = hashlib.sha256(f"{table_id} {viewer} {version}{' past' * is_past}".encode()).hexdigest()
    return f'W/"{told[:24]}"'


def params_of(move: Move) -> dict[str, Any]:
    """Return a move's parameters as a client sends them."""
    return {field.name: msgspec.to_builtins(getattr(move, field.name)) for field in fields_of(type(move))}


def rfc3339(milliseconds: int) -> str:
    """Return a time of the database as text, in UTC with milliseconds."""
    return text_of(moment(milliseconds))


def text_of(time: datetime) -> str:
    """Return an aware time as text, in UTC with milliseconds."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _clocks(table: TableState, awaited: Sequence[int], now: int) -> list[SeatClock]:
    """Return the clocks of a table at a moment: those that run, and the banks of the others.

    Without banks the clock of a seat that has answered has nothing more to tell, though its turn goes on.
    """
    running = {each.seat: each for each in table.clocks if table.banks or each.seat in awaited}
    banks = dict(enumerate(table.banks)) if table.status == "playing" else {}
    found = []
    for seat in sorted({*running, *banks}):
        if (own := running.get(seat)) is None:
            left, due = banks[seat], None
        else:
            left, due = time_left(own.left, table.clocked_at, now, table.stops(seat)), rfc3339(own.due_at)
        runs = own is not None and not any(since <= now < until for since, until in table.stops(seat))
        found.append(SeatClock(seat=seat, seconds_left=left // 1000, is_running=runs, due_at=due))
    return found


def _pause(pause: Pause) -> PauseAnswer:
    return PauseAnswer(
        reason=pause.reason, seat=pause.seat, since=rfc3339(pause.since), until=rfc3339(pause.until)
    )


def _vote(vote: Vote) -> VoteAnswer:
    called = vote.called
    return VoteAnswer(
        vote=called.vote,
        motion=called.motion,
        seat=called.seat,
        seconds=called.seconds,
        by=called.by,
        seats=list(called.seats),
        needed=called.needed,
        ayes=list(vote.ayes),
        noes=list(vote.noes),
        until=rfc3339(called.until),
    )


def _presence(presence: Presence) -> PresenceAnswer:
    return PresenceAnswer(until=rfc3339(presence.until), confirmed=sorted(presence.seats))


def _entropy(table: TableState) -> EntropyAnswer | None:
    given = table.entropy
    if not (entropy.is_added(table.fairness) and (table.status == "open" or table.is_gathering)):
        return None
    return EntropyAnswer(
        epoch=table.epoch,
        stage="reveal" if given.is_closed else "commit",
        until=None if given.until is None else rfc3339(given.until),
        committed=[seat for seat, each in enumerate(given.commits) if each],
        revealed=[seat for seat, each in enumerate(given.values) if each],
    )


def _table_answer(
    player_id: uuid.UUID, row: Table, held: dict[int, Tenure], arbiter: Arbiter | None
) -> TableAnswer:
    mine = next((seat for seat, tenure in held.items() if tenure.player_id == player_id), None)
    settings = row.settings
    return TableAnswer(
        id=str(row.id),
        game=row.game,
        rules_version=settings["rules_version"],
        title=row.title,
        status=row.status,
        visibility=row.visibility,
        starts=settings["starts"],
        options=settings["options"],
        talk=catalogue.talk_of(settings),
        spectator_talk=row.spectator_talk,
        clock=msgspec.convert(settings["clock"], ClockAnswer),
        max_timeouts=settings["max_timeouts"],
        absentee=settings["absentee"],
        vacations=settings["vacations"],
        fairness=row.fairness,
        sandbox=row.fairness == entropy.CHOSEN,
        least_reliability=row.least_reliability,
        seats=[_seat_holder(row, seat, held.get(seat)) for seat in range(row.seats)],
        host=row.host.name if row.host else None,
        arbiter=_arbiter(player_id, arbiter) if arbiter else None,
        my_seat=mine,
        invite_code=row.invite_code if mine is not None or row.host_id == player_id else None,
        turn=row.turn,
        version=row.version,
        awaited=sorted(row.awaited),
        deadline_at=text_of(row.deadline_at) if row.deadline_at else None,
        suspended=row.suspended_at is not None,
        created_at=text_of(row.created_at),
        outcome=msgspec.convert(row.outcome, OutcomeAnswer) if row.outcome else None,
        origin=str(row.origin_id) if row.origin_id else None,
        forked_from=_fork_origin(row),
        imported_from=row.imported_from,
        verification=_verification(row),
    )


def _fork_origin(row: Table) -> ForkOrigin | None:
    if row.forked_from_id is None or row.forked_at is None:
        return None
    return ForkOrigin(table_id=str(row.forked_from_id), position=row.forked_at)


def _arbiter(player_id: uuid.UUID, held: Arbiter) -> ArbiterAnswer:
    return ArbiterAnswer(
        player=held.player.name if held.player else None,
        accepted=held.since is not None,
        is_me=held.player_id == player_id,
    )


def _verification(row: Table) -> Verification | None:
    if row.verdict is None or row.verified_at is None or row.verified_upto is None:
        return None
    return Verification(verdict=row.verdict, at=text_of(row.verified_at), position=row.verified_upto)


def _seat_holder(row: Table, seat: int, tenure: Tenure | None) -> SeatHolder:
    player = tenure.player if tenure else None
    return SeatHolder(
        seat=seat,
        player=player.name if player else None,
        bot=tenure.bot or None if tenure else None,
        gone=tenure is not None and player is None and not tenure.bot and not row.imported_from,
        seeking=seat in row.seeking,
    )
