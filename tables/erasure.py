"""A player's right to be forgotten: the account is closed at once, then everything of it is taken out.

What others share stays: tables, logs, commitments; games go on or end as if the player had resigned.
Only rows and openings are erased, nothing that is hashed.  The name is free again, for to keep it taken
would be to keep it.  Sources: cases.md R29, R92; security.md, "GDPR against append-only".
"""

from __future__ import annotations

import logging
import uuid
from collections import defaultdict

from django.contrib.auth.hashers import make_password
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models.functions import Now

from events import store
from tables import access, arbiters, devices, gathering, hosting, kept, lobby, passwords, talk
from tables.commands import locked
from tables.errors import Busy, ClockInDoubt, TableSuspended
from tables.hosting import Host
from tables.models import Arbiter, Message, Player, Table, Tenure
from tables.notices import alerts
from tables.webhooks import endpoints as webhooks

logger = logging.getLogger(__name__)

BROOM_SECONDS = 60
"""Longer than any transaction lasts that has read of the player before the account was gone."""
MOST_ROUNDS = 5

_AGAIN = """
INSERT INTO tables_outbox (id, position, kind, audience, attempts, next_attempt_at)
VALUES (gen_random_uuid(), 0, 'erase', %s, 0, clock_timestamp() + make_interval(secs => %s))
"""
_UNTOLD = """
DELETE FROM tables_outbox WHERE id IN (
  SELECT id FROM tables_outbox WHERE audience = %s FOR UPDATE SKIP LOCKED)
"""


class _NotYet(Exception):
    """The player has done something meanwhile."""


def delete_account(player_id: uuid.UUID, password: str) -> None:
    """Close an account on its owner's word, and erase it; a guest has no password to give.

    Raises WrongPassword.

    What fails is tried again from the outbox: the account is closed in any case.
    """
    passwords.require(player_id, password)
    close(player_id)
    try:
        erase(player_id)
    except (Busy, DatabaseError):
        logger.exception("an account is closed, and is not erased yet")


def close(player_id: uuid.UUID) -> None:
    """Let nobody into an account any more, tell its programs nothing, and note that it is to be erased.

    Its address is told: that mail, a few minutes old, is the last that knows of it.
    """
    with transaction.atomic():
        rows = Player.objects.filter(id=player_id)
        if rows.filter(closed_at__isnull=True).exists():
            alerts.note(player_id, "account_deleted")
        rows.update(password=make_password(None), closed_at=Now())
        devices.revoke_all(player_id)
        webhooks.forget(player_id)
        _erase_later(player_id)


def erase(player_id: uuid.UUID) -> None:
    """Erase a closed account; done again, it sweeps up what was written about it meanwhile.

    Raises Busy, having done a part, if the player is still at it or tables are.
    """
    player = Player.objects.filter(id=player_id).first()
    if player is None:
        with connection.cursor() as cursor:
            cursor.execute(_UNTOLD, [_audience(player_id)])
        return
    for _ in range(MOST_ROUNDS):
        for table_id in _tables_of(player_id):
            _leave(table_id, player_id)
        _erase_texts(player_id)
        titled = Table.objects.filter(author=player_id)
        kept.forget(player.name, {str(each) for each in titled.values_list("id", flat=True)})
        titled.update(author=None)
        try:
            with transaction.atomic():
                _delete(player_id)
        except (_NotYet, IntegrityError):
            continue
        return
    raise Busy()


def _tables_of(player_id: uuid.UUID) -> list[uuid.UUID]:
    held = Tenure.objects.filter(player=player_id).values_list("table", flat=True)
    hosted = Table.objects.filter(host=player_id).values_list("id", flat=True)
    titled = Table.objects.filter(author=player_id).exclude(title="").values_list("id", flat=True)
    arbitrated = Arbiter.objects.filter(player=player_id).values_list("table", flat=True)
    return sorted({*held, *hosted, *titled, *arbitrated})


def _leave(table_id: uuid.UUID, player_id: uuid.UUID) -> None:
    """Take a player out of a table: by its rules, or where these cannot be asked, out of its rows."""
    try:
        try:
            with locked(table_id) as host:
                _step_out(host, player_id)
        except (TableSuspended, ClockInDoubt, Busy):
            with transaction.atomic():
                host, _ = hosting.lock_suspended(table_id)
                _step_out(host, player_id)
    except DatabaseError:
        raise
    except Exception:  # a broken table keeps nobody's name
        logger.exception("a player is gone, and the game cannot be told", extra={"table": table_id})
        with transaction.atomic():
            Table.objects.select_for_update().get(id=table_id)
            _take_out(table_id, player_id)


def _step_out(host: Host, player_id: uuid.UUID) -> None:
    """Give the seat back before the start; resign in a running game.

    Between seating and start the seat stays, and its turns run out; so too where a turn has run out already
    and cannot be resolved now, for nobody acts after it.
    """
    is_late = hosting.is_overdue(host) and host.table.suspended_at is None
    seat = access.seat_of(player_id, host.id)
    if seat is not None and host.table.status == "open":
        if not host.table.entropy.is_closed:
            lobby.free(host, seat, "left")
    elif seat in host.table.persons() and host.table.status == "playing" and not is_late:
        host.leave(seat, "resigned", actor=f"seat:{seat}")
        gathering.go_on_without(host)
    held = arbiters.current(host.id)
    if held is not None and held.player_id == player_id and host.table.status in ("open", "playing"):
        arbiters.release(host, player_id, is_host=False)
    host.save()
    _take_out(host.id, player_id)


def _take_out(table_id: uuid.UUID, player_id: uuid.UUID) -> None:
    """Cut the tie between account and pseudonyms, under the lock of the table."""
    Tenure.objects.filter(table=table_id, player=player_id).update(player=None)
    Arbiter.objects.filter(table=table_id, player=player_id).update(player=None)
    Table.objects.filter(id=table_id, host=player_id).update(host=None)
    Table.objects.filter(id=table_id, author=player_id).update(title="")


def _erase_texts(player_id: uuid.UUID) -> None:
    """Destroy what the player has said; the commitments stay."""
    said: dict[uuid.UUID, list[int]] = defaultdict(list)
    for table_id, position in Message.objects.filter(player=player_id).values_list("table", "position"):
        said[table_id].append(position)
    for table_id, positions in said.items():
        store.erase(talk.stream_of(table_id), *positions, using="owner")
        Message.objects.filter(table=table_id, position__in=positions).update(player=None)


def _delete(player_id: uuid.UUID) -> None:
    """Delete the account with everything that is its alone.

    Raises _NotYet where the player has sat down or spoken meanwhile, IntegrityError where something else
    has been written for it.
    """
    player = Player.objects.select_for_update().get(id=player_id)
    held, said = Tenure.objects.filter(player=player), Message.objects.filter(player=player)
    arbitrates = Arbiter.objects.filter(player=player).exists()
    if held.exists() or said.exists() or arbitrates or Table.objects.filter(host=player).exists():
        raise _NotYet
    with connection.cursor() as cursor:
        cursor.execute(_UNTOLD, [_audience(player_id)])
    _erase_later(player_id)
    player.delete()


def _erase_later(player_id: uuid.UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_AGAIN, [_audience(player_id), BROOM_SECONDS])


def _audience(player_id: uuid.UUID) -> str:
    return f"player:{player_id}"
