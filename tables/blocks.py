"""Whom a player has blocked: they reach the player by no invitation, and find no seat at its private tables.

Nobody else ever knows: what is kept from reaching a player is answered to who sent it as anything else.
At public tables everybody may sit.
"""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models.functions import Lower

from tables import private
from tables.answers import text_of
from tables.errors import NotFound, OwnAccount
from tables.models import Block, Offer
from tables.people import named
from tables.shapes import BlockAnswer, BlockList


def blocks(player_id: uuid.UUID) -> BlockList:
    """Return whom a player has blocked, by name."""
    rows = Block.objects.filter(player=player_id).select_related("blocked").order_by(Lower("blocked__name"))
    return BlockList(items=[_answer(each) for each in rows])


def block(player_id: uuid.UUID, name: str) -> BlockAnswer:
    """Block a player, and mute it; seats offered to it at the player's private tables are withdrawn.

    Raises NotFound, OwnAccount.
    """
    blocked = named(name)
    if blocked.id == player_id:
        raise OwnAccount()
    with transaction.atomic():
        row, _ = Block.objects.select_related("blocked").get_or_create(player_id=player_id, blocked=blocked)
        private.mute(player_id, str(blocked.id))
        Offer.objects.filter(player=blocked, table__host=player_id, table__visibility="private").delete()
    return _answer(row)


def unblock(player_id: uuid.UUID, name: str) -> None:
    """Take a block back; the mute stays.  Raises NotFound."""
    removed, _ = Block.objects.filter(player=player_id, blocked=named(name)).delete()
    if not removed:
        raise NotFound()


def is_blocked(player_id: uuid.UUID, *, by: uuid.UUID) -> bool:
    """Tell whether a player is blocked by another."""
    return Block.objects.filter(player=by, blocked=player_id).exists()


def _answer(row: Block) -> BlockAnswer:
    return BlockAnswer(player=row.blocked.name, since=text_of(row.created_at))
