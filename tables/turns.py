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
from tables.questions import questions_of
from tables.shapes import QuestionAnswer, TurnAnswer, TurnList

MOST_VIEWS = 50


def turns(player_id: uuid.UUID, *, with_views: bool = False) -> TurnList:
    """Return the tables that wait for a player, the most urgent first; with views, the first have them.

    Beside them what else the player is asked, the most urgent first too.
    """
    held = list(
        Tenure.objects.filter(
            player=player_id, until__isnull=True, table__status__in=("open", "playing")
        ).select_related("table")
    )
    hosts = hosting.peek_all(each.table_id for each in held)
    found = [each for each in held if _awaits(each, hosts.get(each.table_id))]
    found.sort(key=lambda each: (each.table.deadline_at is None, each.table.deadline_at, each.table_id))
    items = [
        _turn_answer(each, hosts.get(each.table_id), with_view=with_views and number < MOST_VIEWS)
        for number, each in enumerate(found)
    ]
    asked = sorted(
        (answer for each in held for answer in _questions(each, hosts.get(each.table_id))),
        key=lambda answer: (answer.until, answer.table_id),
    )
    tag = _etag(items, asked)
    return TurnList(items=items, questions=asked, etag=tag, server_time=rfc3339(hosting.now_ms()))


def _etag(items: list[TurnAnswer], asked: list[QuestionAnswer]) -> str:
    """Return the weak tag of where a player is to act; the time, which views tell too, does not change it."""
    told = [(replace(each, view=None), each.view and each.view.etag) for each in items]
    return f'W/"{hashlib.blake2b(msgspec.json.encode((told, asked)), digest_size=12).hexdigest()}"'


def _awaits(tenure: Tenure, host: Host | None) -> bool:
    """Tell whether a table waits for a seat, by its row and its log; one that cannot be told, by its row."""
    return tenure.seat in tenure.table.awaited and (host is None or tenure.seat in host.awaited())


def _questions(tenure: Tenure, host: Host | None) -> list[QuestionAnswer]:
    return [
        QuestionAnswer(
            table_id=str(tenure.table_id),
            game=tenure.table.game,
            title=tenure.table.title,
            seat=tenure.seat,
            kind=each.kind,
            until=rfc3339(each.until),
        )
        for each in (questions_of(host.table, tenure.seat) if host else ())
    ]


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
