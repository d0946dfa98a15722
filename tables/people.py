"""Players as other players see them: the directory, and a profile by what was played in public."""

from __future__ import annotations

import unicodedata
import uuid
from typing import Any

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import connection
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower

from tables import catalogue, paging, reliability
from tables.answers import text_of
from tables.entropy import CHOSEN
from tables.errors import NotFound
from tables.models import Player
from tables.paging import Order
from tables.shapes import GameResults, PlayerPage, PlayerSummary, ProfileAnswer

BY_NAME = Order("name", "folded", False, str)
ORDERS = {each.name: each for each in (BY_NAME, Order("newest", "created_at", True, paging.moment_of))}
"""How players can be listed."""

_WITHOUT_RESULT = ["abandoned_by_vote", "abandoned_idle", "abandoned_entropy", "annulled"]
_RESULTS = """
SELECT b.game, count(DISTINCT b.id),
  count(DISTINCT b.id) FILTER (WHERE n.until IS NULL AND b.outcome -> 'winners' @> to_jsonb(n.seat)),
  count(DISTINCT b.id) FILTER (WHERE NOT EXISTS (
    SELECT FROM tables_tenure AS h WHERE h.table_id = b.id AND h.player_id = n.player_id AND h.until IS NULL))
FROM tables_tenure AS n JOIN tables_table AS b ON b.id = n.table_id
WHERE n.player_id = %(player)s AND b.status = 'finished' AND b.visibility = 'public'
  AND b.forked_from_id IS NULL AND b.fairness <> %(sandbox)s
  AND NOT b.outcome ->> 'reason' = ANY(%(without)s)
GROUP BY b.game
"""
"""Private tables are left out: what happened there, and how often, is for those who were there."""


def named(told: str) -> Player:
    """Return a player by id, or by name in any case.  Raises NotFound."""
    name = unicodedata.normalize("NFC", told)
    if not name.isprintable():  # no name is like that, and the database takes no NUL
        raise NotFound()
    try:
        found = _present().filter(id=uuid.UUID(told)).first()
    except ValueError:
        found = None
    player: Player | None = found or _present().filter(folded=Lower(Value(name))).first()
    if player is None:
        raise NotFound()
    return player


def players(
    *,
    name: str | None = None,
    guest: bool | None = None,
    order: Order = BY_NAME,
    limit: int = 50,
    cursor: str | None = None,
) -> PlayerPage:
    """Return a page of the players, in one of ``ORDERS``.

    ``name`` is what the name begins with, in any case; ``guest`` keeps guests alone, or with False all
    others.  Raises BadField for a cursor that this server did not give.
    """
    rows = _present()
    if name is not None:
        rows = rows.filter(folded__startswith=Lower(Value(unicodedata.normalize("NFC", name))))
    if guest is not None:
        is_guest = Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)
        rows = rows.filter(is_guest if guest else ~is_guest)
    found = paging.page(rows, order, limit=limit, cursor=cursor)
    return PlayerPage(
        items=[PlayerSummary(**_summary(each)) for each in found.rows],
        next_cursor=found.next_cursor,
        previous_cursor=found.previous_cursor,
    )


def profile(told: str) -> ProfileAnswer:
    """Return what everybody may know of a player.  Raises NotFound."""
    player = named(told)
    with connection.cursor() as cursor:
        cursor.execute(_RESULTS, {"player": player.id, "sandbox": CHOSEN, "without": _WITHOUT_RESULT})
        found = {
            game: GameResults(game=game, played=played, won=won, left=left)
            for game, played, won, left in cursor.fetchall()
        }
    results = [found[each] for each in catalogue.games() if each in found]
    return ProfileAnswer(
        **_summary(player),
        reliability=reliability.of(player.id),
        played=sum(each.played for each in results),
        results=results,
    )


def _present() -> QuerySet[Any]:
    """Return the players whose accounts are open, with their names in one case."""
    return Player.objects.filter(closed_at=None).annotate(folded=Lower("name"))


def _summary(player: Player) -> dict[str, Any]:
    return {
        "name": player.name,
        "guest": not player.has_usable_password(),
        "since": text_of(player.created_at),
    }
