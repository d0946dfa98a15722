"""What a test does around notices: people with an address, what they are told, and mails as read."""

from __future__ import annotations

import secrets
import uuid
from email.message import EmailMessage
from typing import Any

from tables import hosting
from tables.clock import moment
from tables.models import Mailbox, Notice, Outbox, Player
from tables.notices import addresses, choices, delivering, mailing
from tables.shapes import ChoicesChange
from tests.notices.office import address_of
from tests.services import SimulatedClock


def subscribe(*players: uuid.UUID, locale: str = "en", **wanted: Any) -> None:
    """Give players an address, and confirm it by its code; ``wanted`` are their choices."""
    for player_id in players:
        Player.objects.filter(id=player_id).update(locale=locale)
        addresses.give(player_id, address_of(player_id))
        mailbox = Mailbox.objects.get(player=player_id)
        Mailbox.objects.filter(player=player_id).update(code_at=None)
        addresses.confirm(player_id, addresses.code(mailbox, hosting.now_ms()))
        choices.choose(player_id, ChoicesChange(**wanted))


def settle(table_id: uuid.UUID) -> None:
    """Let everything that is due at a table be told, by whoever is at it."""
    while True:
        delivering.deliver()
        waiting = Outbox.objects.filter(table=table_id, kind="notice", done_at__isnull=True)
        now = moment(hosting.now_ms())
        if not waiting.filter(next_attempt_at__lte=now).exists():
            return


def post(clock: SimulatedClock, *, seconds: float = 61) -> None:
    """Let what has been told be mailed."""
    clock.advance(seconds=seconds)
    mailing.mail()


def told(player_id: uuid.UUID, table_id: uuid.UUID) -> list[str]:
    """Return what a player was told about a table, oldest first, once all is told that is due."""
    settle(table_id)
    found = Notice.objects.filter(mailbox=player_id, table=table_id).order_by("number")
    return list(found.values_list("what", flat=True))


def body(mail: EmailMessage, subtype: str = "plain") -> str:
    """Return the text of a mail, or its HTML."""
    part = mail.get_body((subtype,))
    assert part is not None
    return str(part.get_content())


def name() -> str:
    """Return a title that no other test has."""
    return f"Table {secrets.token_hex(6)}"
