"""The notices of a player as the API tells them: newest first, with how many are unread."""

from __future__ import annotations

import uuid
from typing import Final

from tables import paging
from tables.answers import text_of
from tables.errors import BadField
from tables.models import Mailbox, Notice
from tables.notices import words, writing
from tables.paging import Order
from tables.shapes import NoticeAnswer, NoticePage, NoticesReadAnswer

NEWEST: Final = Order("newest", "number", True, paging.number_of)


def notices(player_id: uuid.UUID, locale: str, *, limit: int = 50, cursor: str | None = None) -> NoticePage:
    """Return a page of a player's notices in a language, newest first.

    Raises BadField for a cursor that this server did not give.
    """
    mailbox = Mailbox.objects.select_related("player").filter(player=player_id).first()
    rows = Notice.objects.filter(mailbox__player=player_id)
    rows = rows.select_related("table").prefetch_related("table__tenures__player")
    found = paging.page(rows, NEWEST, limit=limit, cursor=cursor)
    return NoticePage(
        items=[_answer(mailbox, each, locale) for each in found.rows] if mailbox else [],
        unread=_unread(mailbox) if mailbox else 0,
        next_cursor=found.next_cursor,
        previous_cursor=found.previous_cursor,
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
