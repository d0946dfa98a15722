"""What is said at a table, in a stream of its own: it moves neither turn nor version of the game.

Two events, both of schema 1.  ``talk.message_sent``: public ``seat`` and ``holder`` (its pseudonym),
null for a spectator, ``game_position`` (the table's version at that moment), ``text`` (1: one hidden
item); its slot, to the server, holds ``{text}`` and can be erased.  ``talk.message_hidden`` by staff:
public ``message`` (its position) and ``reason`` (a code).  Names are in the rows alone.  The actor is
the seat, for a spectator the table.

A writer locks the end of this stream and never the table's row, so talk holds no move up.
"""

from __future__ import annotations

import secrets
import unicodedata
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from events import canonical, store
from events.codec import SERVER, Chain, Parts, read_header
from events.errors import StreamNotFound, VersionConflict
from tables import access, catalogue, hosting
from tables.answers import rfc3339
from tables.errors import AlreadyResigned, BadField, NotSeated, TalkSilent
from tables.idempotency import Done, Idempotency, keep, recall
from tables.models import LastRead, Message, Mute, Table, Tenure
from tables.notices.announcing import announce_message
from tables.shapes import MessageAnswer, MessagePage, ReadAnswer

SENT, HIDDEN = "talk.message_sent", "talk.message_hidden"
T = TypeVar("T")


class Place(NamedTuple):
    """Where somebody stands: the tenure, None without a seat.

    Messages are heard that were said before the game's position ``until``, all if None.
    """

    tenure: Tenure | None
    until: int | None


def stream_of(table_id: uuid.UUID) -> str:
    """Return the name of the stream of what is said at a table."""
    return f"talk-{table_id}"


def say(player_id: uuid.UUID, table_id: uuid.UUID, text: str, idempotency: Idempotency | None = None) -> Done:
    """Record a message, and return it.

    Raises NotFound, NotSeated, BadField, TalkSilent; AlreadyResigned while the game goes on without
    the seat; IdempotencyKeyReused.
    """
    access.table_seen_by(player_id, table_id)
    require_plain(text)

    def run() -> tuple[int, bool]:
        chain, now = locked_end(table_id)
        if (kept := recall(player_id, idempotency)) is not None:
            return kept["position"], True
        row = access.table_seen_by(player_id, table_id)
        tenure = _require_voice(player_id, row)
        public = {
            "seat": tenure and tenure.seat,
            "holder": tenure and tenure.pseudonym,
            "game_position": row.version,
            "text": 1,
        }
        actor = "table" if tenure is None else f"seat:{tenure.seat}"
        append(table_id, chain, now, SENT, Parts(public, ((SERVER, {"text": text}),)), actor)
        Message.objects.create(
            table_id=table_id, position=chain.version, player_id=player_id, game_position=row.version
        )
        announce_message(table_id, chain.version, player_id, position=row.version)
        keep(player_id, idempotency, {"position": chain.version})  # the text could not be erased here
        return chain.version, False

    position, replayed = in_turn(run)
    said = Message.objects.select_related("player").get(table=table_id, position=position)
    return Done(_answers(player_id, table_id, [said])[0], 201, replayed)


def messages(
    player_id: uuid.UUID, table_id: uuid.UUID, *, after: int = 0, before: int | None = None, limit: int = 50
) -> MessagePage:
    """Return messages after a position, oldest first, as a player may read them.

    With ``before`` those between the two positions, the newest first.  Raises NotFound, NotSeated.
    """
    heard = heard_by(player_id, table_id)
    rows = heard.filter(position__gt=after).order_by("position").select_related("player")
    if before is not None:
        rows = rows.filter(position__lt=before).reverse()
    found = list(rows[: limit + 1])
    items = _answers(player_id, table_id, found[:limit])
    mark = _mark(player_id, table_id)
    return MessagePage(
        items=items,
        last_position=items[-1].position if items else after if before is None else before,
        has_more=len(found) > limit,
        last_read=mark,
        unread=_unread(player_id, heard, mark),
    )


def mark_read(player_id: uuid.UUID, table_id: uuid.UUID, position: int) -> ReadAnswer:
    """Note how far a player has read; also back.  Raises NotFound, NotSeated, BadField."""
    heard = heard_by(player_id, table_id)
    last = heard.order_by("-position").values_list("position", flat=True).first() or 0
    if position > last:
        raise BadField(pointer="#/position", code="out_of_range", wanted=f"0..{last}")
    LastRead.objects.update_or_create(table_id=table_id, player_id=player_id, defaults={"position": position})
    return ReadAnswer(last_read=position, unread=_unread(player_id, heard, position))


def require_plain(text: str, pointer: str = "#/text", *, may_be_blank: bool = False) -> None:
    """Raise BadField for control characters but newline and tab, and for a text that shows nothing."""
    kinds = [unicodedata.category(letter) for letter in text]
    if any(kind == "Cc" and letter not in "\n\t" for kind, letter in zip(kinds, text, strict=True)):
        raise BadField(pointer=pointer, code="control_character")
    if not may_be_blank and all(kind[0] in "CZ" for kind in kinds):
        raise BadField(pointer=pointer, code="blank_text")


def in_turn(run: Callable[[], T]) -> T:
    """Run a command in a transaction, and again where a twin or the table's first message was faster."""
    try:
        with transaction.atomic():
            return run()
    except (VersionConflict, IntegrityError):
        with transaction.atomic():
            return run()


def locked_end(table_id: uuid.UUID) -> tuple[Chain, int]:
    """Lock the end of a table's talk, and return it with the time.

    Before the first message there is nothing to lock: of two first ones ``append`` refuses one.
    """
    head, now = store.EMPTY, 0
    try:
        head, _, now = store.load(stream_of(table_id), lock=True)
    except StreamNotFound:
        now = hosting.now_ms()
    return Chain(table_id.bytes, head.version, head.hash, lambda: secrets.token_bytes(32)), max(now, head.at)


def append(table_id: uuid.UUID, chain: Chain, now: int, name: str, parts: Parts, actor: str) -> None:
    """Add an event to the end of a table's talk.  Raises VersionConflict."""
    version = chain.version
    event = chain.add(parts, name=name, schema=1, actor=actor, at=now, draws=())
    store.append(stream_of(table_id), version, [event])


def _place(player_id: uuid.UUID, row: Table) -> Place:
    """Return where a player stands.  Raises NotSeated for a spectator where those may not read."""
    held = list(Tenure.objects.filter(table=row, player=player_id))
    for tenure in held:
        if tenure.until is None:
            return Place(tenure, None)
    if row.spectator_talk != "none":
        return Place(None, None)
    if not held:
        raise NotSeated()
    return Place(None, max(each.until for each in held if each.until is not None))


def _require_voice(player_id: uuid.UUID, row: Table) -> Tenure | None:
    """Return the tenure as which a player speaks now, None as a spectator.

    Raises NotSeated, TalkSilent, AlreadyResigned.
    """
    tenure, _ = _place(player_id, row)
    if tenure is None and row.spectator_talk != "write":
        raise NotSeated()
    if row.status != "playing":
        return tenure
    if catalogue.talk_of(row.settings) == "silent":
        raise TalkSilent()
    if tenure is not None and tenure.seat in hosting.peek(row.id).table.abandoned:
        raise AlreadyResigned()
    return tenure


def heard_by(player_id: uuid.UUID, table_id: uuid.UUID) -> QuerySet[Message]:
    """Return the messages that a player may read.  Raises NotFound, NotSeated."""
    _, until = _place(player_id, access.table_seen_by(player_id, table_id))
    said = Message.objects.filter(table=table_id)
    return said if until is None else said.filter(game_position__lt=until)


def hears_all(player_id: uuid.UUID, table_id: uuid.UUID) -> bool:
    """Tell whether a player may read everything that is said at a table from now on.  Raises NotFound."""
    try:
        return _place(player_id, access.table_seen_by(player_id, table_id)).until is None
    except NotSeated:
        return False


def _mark(player_id: uuid.UUID, table_id: uuid.UUID) -> int:
    marks = LastRead.objects.filter(player=player_id, table=table_id)
    return marks.values_list("position", flat=True).first() or 0


def _unread(player_id: uuid.UUID, heard: QuerySet[Message], mark: int) -> int:
    of_others = heard.filter(position__gt=mark).exclude(player=player_id)
    return of_others.exclude(player__in=Mute.objects.filter(player=player_id).values("muted")).count()


def hidden_at(table_id: uuid.UUID) -> dict[int, str]:
    """Return why messages are hidden, by their positions."""
    found = [read_header(each.header).public for each in store.all_of_type(stream_of(table_id), HIDDEN)]
    return {public["message"]: public["reason"] for public in found}


def _answers(player_id: uuid.UUID, table_id: uuid.UUID, rows: Sequence[Message]) -> list[MessageAnswer]:
    """Return messages, in their order, as a player reads them."""
    if not rows:
        return []
    stream = stream_of(table_id)
    first, last = sorted((rows[0].position, rows[-1].position))
    stored = store.read(stream, after=first - 1, upto=last)
    headers = {each.position: read_header(each.header) for each in stored}
    openings = store.openings(stream, [(row.position, 0) for row in rows])
    hidden = hidden_at(table_id)
    muted = set(Mute.objects.filter(player=player_id).values_list("muted", flat=True))

    def answer(row: Message) -> MessageAnswer:
        header, opening = headers[row.position], openings.get((row.position, 0))
        is_muted, why = row.player_id in muted, hidden.get(row.position)
        content: dict[str, Any] = canonical.parse(opening.payload) if opening else {}
        return MessageAnswer(
            position=row.position,
            seat=header.public["seat"],
            player=row.player.name if row.player else None,
            said_at=rfc3339(header.at),
            game_position=header.public["game_position"],
            text=None if is_muted or why else content.get("text"),
            hidden=why,
            erased=opening is None,
            muted=is_muted,
        )

    return [answer(row) for row in rows]
