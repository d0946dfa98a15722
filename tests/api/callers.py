"""Players whose requests this very process answers: quick, and their statements can be counted."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass

from tables import players
from tables.models import Player
from tests.api.contract import Api, in_process


@dataclass(frozen=True, slots=True)
class Person:
    """An account, and its owner's way to the API."""

    id: uuid.UUID
    name: str
    api: Api


def person(name: str | None = None) -> Person:
    """Return somebody new."""
    name = name or f"player-{secrets.token_hex(8)}"
    return known(Player.objects.create(name=name, password="md5$x").id)


def known(player_id: uuid.UUID) -> Person:
    """Return somebody who has an account, with a token of its own."""
    row = Player.objects.get(id=player_id)
    caller = players.Caller(row.id, row.name, row.locale, token_id=row.id)
    return Person(row.id, row.name, in_process(token=players.create_token(caller, "test").token))
