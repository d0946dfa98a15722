"""Where a player is to act: the home screen of a client, in as many statements for one table as for many."""

from __future__ import annotations

import hashlib
import uuid

import msgspec
from msgspec.structs import replace

from tables import hosting
from tables.answers import rfc3339, text_of, view_answer
from tables.hosting import Host
from tables.models import Tenure
from tables.shapes import TurnAnswer, TurnList

MOST_VIEWS = 50


def turns(player_id: uuid.UUID, *, with_views: bool = False) -> TurnList:
    """Return the tables that wait for a player, the most urgent first; with views, the first have them."""
    held = Tenure.objects.filter(
        player=player_id, until__isnull=True, table__status="playing"
    ).select_related("table")
    waiting = [each for each in held if each.seat in each.table.awaited]
    hosts = hosting.peek_all(each.table_id for each in waiting)
    found = [each for each in waiting if _awaits(hosts.get(each.table_id), each.seat)]
    found.sort(key=lambda each: (each.table.deadline_at is None, each.table.deadline_at, each.table_id))
    items = [
        _turn_answer(each, hosts.get(each.table_id), with_view=with_views and number < MOST_VIEWS)
        for number, each in enumerate(found)
    ]
    return TurnList(items=items, etag=_etag(items), server_time=rfc3339(hosting.now_ms()))


def _etag(items: list[TurnAnswer]) -> str:
    """Return the weak tag of where a player is to act; the time, which views tell too, does not change it."""
    told = [(replace(each, view=None), each.view and each.view.etag) for each in items]
    return f'W/"{hashlib.blake2b(msgspec.json.encode(told), digest_size=12).hexdigest()}"'


def _awaits(host: Host | None, seat: int) -> bool:
    """Tell whether a table still waits for a seat; of one that cannot be told, its row has said so."""
    return host is None or seat in host.awaited()


def _turn_answer(tenure: Tenure, host: Host | None, *, with_view: bool) -> TurnAnswer:
    row = tenure.table
    answer = TurnAnswer(
        table_id=str(row.id),
        game=row.game,
        title=row.title,
        seat=tenure.seat,
        turn=row.turn,
        deadline_at=text_of(row.deadline_at) if row.deadline_at else None,
        kinds=[],
        view=None,
    )
    if host is None:
        return answer
    deadline_at = host.table.deadline_at
    answer.turn = host.table.turn
    answer.deadline_at = None if deadline_at is None else rfc3339(deadline_at)
    answer.kinds = [
        kind
        for window in host.game.to_act(host.state)
        if window.awaited and window.seat == tenure.seat
        for kind in window.kinds
    ]
    if with_view:
        answer.view = view_answer(row, host, host.folded, host.version, tenure.seat)
    return answer
