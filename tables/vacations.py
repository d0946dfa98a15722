"""Vacations of players: booked within a yearly budget, ended early, made known to the tables.

The rows decide: a table whose log does not know a vacation yet learns of it before a turn of the player
is over.  Source: clocks.md, "What a table's clock offers".
"""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import connection, transaction

from tables import clock
from tables.answers import rfc3339, text_of
from tables.clock import milliseconds, moment
from tables.errors import BadField, NotFound, NoVacationLeft
from tables.hosting import now_ms
from tables.idempotency import Done, Idempotency, once
from tables.models import Player, Vacation
from tables.shapes import NewVacation, VacationAnswer, VacationList

AHEAD_MS = 366 * clock.DAY_MS
"""How far ahead a vacation can be booked."""

_TELL = """
INSERT INTO tables_outbox (id, table_id, position, kind, audience, attempts, next_attempt_at)
SELECT gen_random_uuid(), id, version, 'vacation', '', 0, clock_timestamp() FROM tables_table
WHERE status = 'playing' AND id IN (SELECT table_id FROM tables_tenure WHERE player_id = %s AND until IS NULL)
"""


def of(player_id: uuid.UUID) -> VacationList:
    """Return a player's vacations, the latest first, and what is left of the year's."""
    player, rows = Player.objects.get(id=player_id), _rows(player_id)
    spans = [(milliseconds(each.since), milliseconds(each.until)) for each in rows]
    left = clock.vacation_left(spans, clock.zone_or_utc(player.zone), now_ms())
    return VacationList(items=[_answer(each) for each in rows], seconds_left=left // 1000)


def book(player_id: uuid.UUID, body: NewVacation, idempotency: Idempotency | None = None) -> Done:
    """Book a vacation.  Raises NoVacationLeft; BadField for moments that are none, or do not fit."""

    def run() -> Done:
        player = Player.objects.select_for_update().get(id=player_id)
        zone, now = clock.zone_or_utc(player.zone), now_ms()
        since = max(now, _moment("#/since", body.since) or now)
        wanted = _moment("#/until", body.until)
        if since > now + AHEAD_MS:
            raise BadField(pointer="#/since", code="out_of_range", wanted=f"..{rfc3339(now + AHEAD_MS)}")
        if wanted is not None and wanted <= since:
            raise BadField(pointer="#/until", code="out_of_range", wanted=f"{rfc3339(since)}..")
        rows = _rows(player_id)
        spans = [(milliseconds(each.since), milliseconds(each.until)) for each in rows]
        if any(from_ <= since < until for from_, until in spans):
            raise BadField(pointer="#/since", code="out_of_range", wanted="outside the other vacations")
        later = min((from_ for from_, _ in spans if from_ > since), default=None)
        if later is not None:
            wanted = later if wanted is None else min(wanted, later)
        try:
            until = clock.vacation_until(since, wanted, spans, zone)
        except ValueError:
            left = clock.vacation_left(spans, zone, since)
            raise NoVacationLeft(days_left=left // clock.DAY_MS) from None
        row = Vacation.objects.create(player=player, since=moment(since), until=moment(until))
        _tell_tables(player_id)
        return Done(_answer(row), 201)

    with transaction.atomic():
        return once(player_id, idempotency, VacationAnswer, run)


def end(player_id: uuid.UUID, vacation_id: uuid.UUID) -> None:
    """End a vacation now, or cancel one that has not begun.  Raises NotFound."""
    with transaction.atomic():
        row = Vacation.objects.select_for_update().filter(id=vacation_id, player=player_id).first()
        now = moment(now_ms())
        if row is None or row.until <= now:
            raise NotFound()
        if row.since >= now:
            row.delete()
        else:
            row.until = now
            row.save(update_fields=["until"])
        _tell_tables(player_id)


def _rows(player_id: uuid.UUID) -> list[Vacation]:
    return list(Vacation.objects.filter(player=player_id).order_by("-since"))


def _tell_tables(player_id: uuid.UUID) -> None:
    """Have the tables at which the player plays take the change up, one transaction each."""
    with connection.cursor() as cursor:
        cursor.execute(_TELL, [player_id])


def _moment(pointer: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadField(pointer=pointer, code="bad_format") from None
    if found.tzinfo is None:
        raise BadField(pointer=pointer, code="bad_format")
    return milliseconds(found)


def _answer(row: Vacation) -> VacationAnswer:
    return VacationAnswer(id=str(row.id), since=text_of(row.since), until=text_of(row.until))
