"""The notices of a player as the API tells them: newest first, with how many are unread."""

from __future__ import annotations

import base64
import uuid

from tables.answers import text_of
from tables.errors import BadField
from tables.models import Mailbox, Notice
from tables.notices import words, writing
from tables.shapes import NoticeAnswer, NoticePage, NoticesReadAnswer


def notices(player_id: uuid.UUID, locale: str, *, limit: int = 50, cursor: str | None = None) -> NoticePage:
    """Return a page of a player's notices in a language, newest first.

    Raises BadField for a cursor that this server did not give.
    """
    mailbox = Mailbox.objects.select_related("player").filter(player=player_id).first()
    is_back, number = _read_cursor(cursor) if cursor else (False, None)
    if mailbox is None:
        return NoticePage(items=[], unread=0, next_cursor=None, previous_cursor=None)
    rows = mailbox.notices.select_related("table")
    if number is not None:
        rows = rows.filter(number__gt=number) if is_back else rows.filter(number__lt=number)
    found = list(rows.order_by("number" if is_back else "-number")[: limit + 1])
    has_more, found = len(found) > limit, found[:limit]
    if is_back:
        found.reverse()
    return NoticePage(
        items=[_answer(mailbox, each, locale) for each in found],
        unread=_unread(mailbox),
        next_cursor=_cursor("older", found[-1]) if found and (has_more or is_back) else None,
        previous_cursor=_cursor("newer", found[0])
        if found and (has_more if is_back else cursor is not None)
        else None,
    )


def mark_read(player_id: uuid.UUID, upto: int) -> NoticesReadAnswer:
    """Note that a player has read all notices up to a number.  Raises BadField for one that is to come."""
    mailbox = Mailbox.objects.filter(player=player_id).first()
    last = mailbox.last_number if mailbox else 0
    if upto > last:
        raise BadField(pointer="#/upto", code="out_of_range", wanted=f"0..{last}")
    Mailbox.objects.filter(player=player_id, read_upto__lt=upto).update(read_upto=upto)
    if mailbox is None:
        return NoticesReadAnswer(read_upto=0, unread=0)
    mailbox.refresh_from_db(fields=["read_upto"])
    return NoticesReadAnswer(read_upto=mailbox.read_upto, unread=_unread(mailbox))


def _unread(mailbox: Mailbox) -> int:
    """Return how many notices come after those read: their numbers have no gaps."""
    return mailbox.last_number - mailbox.read_upto


def _answer(mailbox: Mailbox, notice: Notice, locale: str) -> NoticeAnswer:
    turn = notice.facts.get("turn")
    return NoticeAnswer(
        id=str(notice.id),
        number=notice.number,
        kind=notice.kind,
        what=notice.what,
        table_id=str(notice.table_id),
        table=writing.label(notice.table, locale),
        turn=turn,
        created_at=text_of(notice.created_at),
        read=notice.number <= mailbox.read_upto,
        title=words.title(notice.what, locale),
        text=writing.text_of(notice, locale, mailbox.player.zone),
    )


def _cursor(direction: str, notice: Notice) -> str:
    return base64.urlsafe_b64encode(f"{direction} {notice.number}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[bool, int]:
    try:
        told = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        direction, number = told.split(" ")
        found = int(number)
        if not 0 < found < 2**31:
            raise ValueError(number)
        return {"older": False, "newer": True}[direction], found
    except (ValueError, KeyError):
        raise BadField(pointer="?cursor", code="bad_format") from None
