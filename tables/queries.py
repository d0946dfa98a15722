"""Every read that the API serves."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from events import store
from events.codec import FULL, read_header
from tables import access, answers, catalogue, entropy, history, hosting, paging, signing, transcripts
from tables.answers import rfc3339
from tables.errors import BadField, NotYourEyes, TableNotFinished
from tables.expiry import expire
from tables.eyes import Eyes, Wish, eyes_of
from tables.folding import replay, stream_of
from tables.models import Table, Tenure
from tables.narration import narrate
from tables.paging import Order
from tables.shapes import (
    EventPage,
    KnowledgePage,
    NarrationPage,
    Receipt,
    Sentence,
    TableAnswer,
    TablePage,
    TurnPage,
    ViewAnswer,
)

FEATURE_LEVEL = 1

NEWEST = Order("newest", "created_at", True, paging.moment_of)
ORDERS = {
    each.name: each
    for each in (
        NEWEST,
        Order("oldest", "created_at", False, paging.moment_of),
        Order("deadline", "deadline_at", False, paging.moment_of),
        Order("finished", "finished_at", True, paging.moment_of),
    )
}
"""How tables can be listed."""

logger = logging.getLogger(__name__)


def tables(
    player_id: uuid.UUID,
    *,
    game: str | None = None,
    status: str | None = None,
    mine: bool | None = None,
    seeking: bool | None = None,
    sandbox: bool | None = None,
    player: str | None = None,
    order: Order = NEWEST,
    limit: int = 50,
    cursor: str | None = None,
) -> TablePage:
    """Return a page of the tables that a player may see, in one of ``ORDERS``.

    ``seeking`` keeps those with a seat that others may take over, or with False those without; ``player``
    those at which somebody of this name sits or sat; the others as in ``listed``.  Left out is what has
    nothing to be ordered by.  Raises BadField for a cursor that this server did not give.
    """
    rows = listed(player_id, game=game, status=status, mine=mine, sandbox=sandbox)
    if seeking is not None:
        rows = rows.exclude(seeking=[]) if seeking else rows.filter(seeking=[])
    if player is not None:
        rows = rows.filter(id__in=Tenure.objects.filter(player__name__iexact=player).values("table"))
    rows = rows.exclude(**{order.column: None}).select_related("host")
    found = paging.page(rows, order, limit=limit, cursor=cursor)
    return TablePage(
        items=answers.table_answers(player_id, found.rows),
        next_cursor=found.next_cursor,
        previous_cursor=found.previous_cursor,
    )


def listed(
    player_id: uuid.UUID,
    *,
    game: str | None = None,
    status: str | None = None,
    mine: bool | None = None,
    sandbox: bool | None = None,
) -> QuerySet[Table]:
    """Return the tables that a player may see: of a game, with a status.

    ``mine`` keeps those at which the player has a seat, or with False those without; ``sandbox``
    sandboxes alone, or with False all others.
    """
    rows = access.visible_to(player_id)
    if game is not None:
        rows = rows.filter(game=game)
    if status is not None:
        rows = rows.filter(status=status)
    if sandbox is not None:
        rows = rows.filter(fairness=entropy.CHOSEN) if sandbox else rows.exclude(fairness=entropy.CHOSEN)
    if mine is not None:
        seated = Tenure.objects.filter(player=player_id, until__isnull=True).values("table")
        rows = rows.filter(id__in=seated) if mine else rows.exclude(id__in=seated)
    return rows


def table(player_id: uuid.UUID, table_id: uuid.UUID) -> TableAnswer:
    """Return a table.  Raises NotFound."""
    return answers.table_answers(player_id, [_current(player_id, table_id)])[0]


def view(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    at: int | None = None,
    wish: Wish = None,
    *,
    resolving: bool = True,
) -> ViewAnswer:
    """Return what a player sees of a table, now or after the event at position ``at``.

    ``wish`` says through whose eyes; ``resolving``: what is due is brought about first.
    Raises NotFound, NotYourEyes; BadField for a position that the log does not have.
    """
    row = _current(player_id, table_id) if resolving else access.table_seen_by(player_id, table_id)
    eyes = eyes_of(player_id, row, wish)
    host = hosting.peek(table_id)
    position = host.version if at is None else at
    if not eyes.sees(position):
        raise NotYourEyes()
    if position == host.version:
        return answers.view_answer(row, host, host.folded, host.version, eyes.viewer_at(position))
    if not 1 <= position <= host.version:
        raise BadField(pointer="?at", code="out_of_range", wanted=f"1..{host.version}")
    return answers.view_answer(row, host, replay(table_id, upto=position), position, eyes.viewer_at(position))


def view_etag(player_id: uuid.UUID, table_id: uuid.UUID) -> str:
    """Return the tag of the present view.  Raises NotFound."""
    row = _current(player_id, table_id)
    return answers.etag(table_id, access.seat_of(player_id, table_id), row.version)


def events(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    *,
    after: int = 0,
    limit: int = 50,
    wish: Wish = None,
    resolving: bool = True,
) -> EventPage:
    """Return events after a position, oldest first, as the player learned them.

    ``wish`` says through whose eyes; with them the events end.  ``resolving``: what is due is brought
    about first.  Raises NotFound, NotYourEyes.
    """
    row = _current(player_id, table_id) if resolving else access.table_seen_by(player_id, table_id)
    return _event_page(row, eyes_of(player_id, row, wish), after, limit)


def narration(
    player_id: uuid.UUID,
    table_id: uuid.UUID,
    locale: str,
    *,
    after: int = 0,
    limit: int = 50,
    wish: Wish = None,
) -> NarrationPage:
    """Return the events after a position as sentences, as the player learned them.

    Raises NotFound, NotYourEyes.
    """
    row = _current(player_id, table_id)
    eyes = eyes_of(player_id, row, wish)
    page = _event_page(row, eyes, after, limit)
    game = catalogue.rules_of(row.game, row.settings["rules_version"])
    told = history.sayable(row, page) if eyes.viewer == FULL else page.items
    held = history.holders(row)
    return NarrationPage(
        items=[
            Sentence(
                position=each.position,
                type=each.type,
                occurred_at=each.occurred_at,
                sentence=narrate(game, each, locale, history.names_at(each.position, held)),
            )
            for each in told
        ],
        last_position=page.last_position,
        has_more=page.has_more,
    )


def turn_positions(player_id: uuid.UUID, table_id: uuid.UUID, *, after: int = 0, limit: int = 50) -> TurnPage:
    """Return where the turns after a position opened, oldest first.  Raises NotFound."""
    return history.turns(_current(player_id, table_id), after=after, limit=limit)


def knowledge(
    player_id: uuid.UUID, table_id: uuid.UUID, locale: str, *, after: int = 0, limit: int = 50
) -> KnowledgePage:
    """Return what a finished game hid, and who knew it when.  Raises NotFound, TableNotFinished."""
    row = _current(player_id, table_id)
    if row.status != "finished":
        raise TableNotFinished(table_status=row.status)
    return history.knowledge(row, locale, after=after, limit=limit)


def head(player_id: uuid.UUID, table_id: uuid.UUID) -> Receipt:
    """Return a receipt of the log as it stands.  Raises NotFound."""
    row = _current(player_id, table_id)
    return transcripts.receipt(row, store.read(stream_of(table_id), after=row.version - 1)[-1])


def transcript(player_id: uuid.UUID, table_id: uuid.UUID) -> dict[str, Any]:
    """Return the transcript that the player may have: own view while the game runs, then all.

    Raises NotFound.
    """
    row = _current(player_id, table_id)
    return transcripts.of(row, access.seat_of(player_id, table_id))


def keys() -> dict[str, Any]:
    """Return the keys that sign, or have signed, heads; times in milliseconds since 1970."""
    return {"items": signing.listed()}


def status() -> dict[str, Any]:
    """Return what this server is, and its time."""
    return {
        "version": settings.VERSION,
        "feature_level": FEATURE_LEVEL,
        "server_time": rfc3339(hosting.now_ms()),
        "live_url": settings.LIVE_URL,
    }


def _event_page(row: Table, eyes: Eyes, after: int, limit: int) -> EventPage:
    stored = store.read(stream_of(row.id), after=after, limit=limit + 1, upto=eyes.upto)
    page = stored[:limit]
    headers = [read_header(each.header) for each in page]
    game = catalogue.rules_of(row.game, row.settings["rules_version"])
    return EventPage(
        items=answers.events_answer(game, stream_of(row.id), headers, eyes.viewer),
        last_position=page[-1].position if page else min(after, row.version),
        has_more=len(stored) > limit,
    )


def _current(player_id: uuid.UUID, table_id: uuid.UUID) -> Table:
    """Return a table's row, what is due there resolved unless another request is at it, or it fails.

    A read never waits for a lock.
    """
    row = access.table_seen_by(player_id, table_id)
    if row.due_at is None or row.suspended_at:
        return row
    try:
        with transaction.atomic():
            if not hosting.try_lock_overdue(table_id):
                return row
            host = hosting.peek(table_id, lock=True)
            if hosting.is_overdue(host):
                expire(host)
                host.save()
    except Exception:  # the sweep counts failures, and suspends the table in the end
        logger.exception("table %s: what is due could not be resolved", table_id)
        return row
    return access.table_seen_by(player_id, table_id)
