"""What players report to staff: messages, which staff hide or erase, and players."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from events import canonical, store
from events.codec import Parts
from tables import talk
from tables.answers import text_of
from tables.errors import NotFound, OwnAccount
from tables.idempotency import Done, Idempotency, once
from tables.models import IdempotencyRecord, Message, MessageReport, PlayerReport
from tables.notices.announcing import tell
from tables.people import named
from tables.shapes import PlayerReportAnswer, ReportAnswer


class Reported(NamedTuple):
    """A report, and the text of its message; None when that is erased."""

    table_id: uuid.UUID
    position: int
    reason: str
    reported_at: str
    text: str | None


def report(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    position: int,
    reason: str,
    idempotency: Idempotency | None = None,
) -> Done:
    """Ask staff to look at a message; a second report by the same player changes nothing.

    Raises NotFound, NotSeated, BadField, IdempotencyKeyReused.
    """
    message = talk.heard_by(player_id, table_id).filter(position=position).first()
    if message is None:
        raise NotFound()
    talk.require_plain(reason, "#/reason")

    def run() -> Done:
        made, is_new = MessageReport.objects.get_or_create(
            message=message, player_id=player_id, defaults={"reason": reason}
        )
        answer = ReportAnswer(position=position, reason=made.reason, reported_at=text_of(made.created_at))
        return Done(answer, 201 if is_new else 200)

    return talk.in_turn(lambda: once(player_id, idempotency, ReportAnswer, run))


def report_player(
    player_id: uuid.UUID, name: str, reason: str, idempotency: Idempotency | None = None
) -> Done:
    """Ask staff to look at a player; a second report by the same player changes nothing.

    Raises NotFound, OwnAccount, BadField, IdempotencyKeyReused.
    """
    reported = named(name)
    if reported.id == player_id:
        raise OwnAccount()
    talk.require_plain(reason, "#/reason")

    def run() -> Done:
        made, is_new = PlayerReport.objects.get_or_create(
            player_id=player_id, reported=reported, defaults={"reason": reason}
        )
        told = PlayerReportAnswer(
            player=reported.name, reason=made.reason, reported_at=text_of(made.created_at)
        )
        return Done(told, 201 if is_new else 200)

    return talk.in_turn(lambda: once(player_id, idempotency, PlayerReportAnswer, run))


def player_reports() -> list[PlayerReport]:
    """Return the reports of players that nobody has done with, the oldest first."""
    return list(PlayerReport.objects.select_related("player", "reported").order_by("created_at", "id"))


def close_player_report(number: int) -> None:
    """Be done with a report of a player, who may be reported anew.  Raises NotFound."""
    deleted, _ = PlayerReport.objects.filter(id=number).delete()
    if not deleted:
        raise NotFound()


def open_reports() -> list[Reported]:
    """Return the reports of messages that are not hidden, the oldest first."""
    rows = MessageReport.objects.select_related("message").order_by("created_at")
    found = []
    for row in rows:
        table_id, position = row.message.table_id, row.message.position
        if position not in talk.hidden_at(table_id):
            opening = store.openings(talk.stream_of(table_id), [(position, 0)]).get((position, 0))
            text = canonical.parse(opening.payload)["text"] if opening else None
            found.append(Reported(table_id, position, row.reason, text_of(row.created_at), text))
    return found


def hide(table_id: uuid.UUID, position: int, reason: str) -> bool:
    """Hide a message from everybody, by staff; return False if it was hidden before.

    That it was said, and why it is hidden, stays to be seen.  Raises NotFound.
    """

    def run() -> bool:
        chain, now = talk.locked_end(table_id)
        message = _require_message(table_id, position)
        if position in talk.hidden_at(table_id):
            return False
        talk.append(
            table_id, chain, now, talk.HIDDEN, Parts({"message": position, "reason": reason}), "staff"
        )
        if message.player_id is not None:
            tell(
                message.player_id,
                table_id,
                "message_hidden",
                position=message.game_position,
                once=position,
            )
        return True

    return talk.in_turn(run)


def erase(table_id: uuid.UUID, position: int) -> bool:
    """Delete the text of a message for good; return False if it was gone before.

    Its commitment stays, and the chain holds.  Also the hash of the request that brought it goes,
    by which a guess of the text could be tried; sent again, that request is refused.  Raises NotFound.
    """
    _require_message(table_id, position)
    erased = store.erase(talk.stream_of(table_id), position, using="owner")
    IdempotencyRecord.objects.filter(
        scope=f"POST /v1/tables/{table_id}/messages", answer__position=position
    ).update(fingerprint=bytes(32))
    return bool(erased)


def _require_message(table_id: uuid.UUID, position: int) -> Message:
    if (found := Message.objects.filter(table=table_id, position=position).first()) is None:
        raise NotFound()
    return found
