"""The arbiter of a table: asked by its host before the start, named by the own yes, never holding a seat.

Within a command's transaction.  An arbiter decides what staff may decide, and sees what a spectator sees.
"""

from __future__ import annotations

import secrets
import uuid

from tables import blocks, lifecycle, rulings
from tables.errors import (
    Arbitrates,
    BadField,
    HasArbiter,
    NotArbiter,
    NotPaused,
    OwnAccount,
    TableNotPlaying,
)
from tables.hosting import Host
from tables.interventions import ArbiterNamed
from tables.models import Arbiter, Player, Tenure
from tables.notices import announcing
from tables.shapes import NewRuling

BY = "arbiter"


def ask(host: Host, asking: uuid.UUID, name: str, pointer: str) -> None:
    """Ask a player to arbitrate; who sits down from now on sees whom.  Who has blocked the host is not told.

    Raises TableNotOpen, HasArbiter, OwnAccount; BadField at ``pointer`` for a name that cannot be asked.
    """
    lifecycle.require_open(host.table)
    if current(host.id) is not None:
        raise HasArbiter()
    player = Player.objects.filter(name__iexact=name, closed_at=None).first()
    if player is not None and player.id == asking:
        raise OwnAccount()
    if player is None or Tenure.objects.filter(table=host.id, player=player).exists():
        raise BadField(
            pointer=pointer, code="unknown_value", wanted="the name of a player without a seat here"
        )
    Arbiter.objects.create(table_id=host.id, player=player)
    if not blocks.is_blocked(asking, by=player.id):
        announcing.tell(player.id, host.id, "arbiter_asked", position=host.version)


def accept(host: Host, player_id: uuid.UUID) -> None:
    """Let who was asked arbitrate from now on.  Raises NotArbiter, TableNotPlaying for one that is over."""
    asked = current(host.id)
    if asked is None or asked.player_id != player_id:
        raise NotArbiter()
    if asked.since is not None:
        return
    if host.table.status not in ("open", "playing"):
        raise TableNotPlaying(table_status=host.table.status)
    asked.pseudonym = secrets.token_hex(16)
    host.add(ArbiterNamed(arbiter=asked.pseudonym), actor="staff")
    asked.since = host.version
    asked.save()


def release(host: Host, player_id: uuid.UUID, *, is_host: bool) -> None:
    """Let nobody arbitrate, or be asked to, any more.

    Of who has said yes the host may decide that before the start alone; a question may be taken back always,
    and with it the sight of a private table.  Raises NotArbiter; TableNotOpen for the host, TableNotPlaying
    for a table that is over.
    """
    held = current(host.id)
    if held is None or (held.player_id != player_id and not is_host):
        raise NotArbiter()
    if held.since is None:
        held.delete()
        return
    if held.player_id != player_id:
        lifecycle.require_open(host.table)
    if host.table.status not in ("open", "playing"):
        raise TableNotPlaying(table_status=host.table.status)
    host.add(ArbiterNamed(arbiter=None), actor="staff")
    held.until = host.version
    held.save()


def rule(host: Host, body: NewRuling) -> None:
    """Do what an arbiter decides, once it is checked.  Raises as ``rulings`` does, and NotPaused."""
    match body:
        case NewRuling(ruling="pause", hours=int(hours)):
            rulings.pause(host, BY, body.reason, hours=hours)
        case NewRuling(ruling="resume"):
            lifecycle.require_playing(host.table)
            if not rulings.resume(host, BY, body.reason):
                raise NotPaused()
        case NewRuling(ruling="extend", hours=int(hours)):
            rulings.extend(host, BY, body.reason, hours=hours)
        case NewRuling(ruling="remove", seat=int(seat)):
            rulings.remove(host, BY, body.reason, seat=seat)
        case NewRuling(ruling="adjudicate", places=list(places)):
            rulings.adjudicate(host, BY, body.reason, places=places)
        case NewRuling(ruling="annul"):
            rulings.annul(host, BY, body.reason)
        case _:
            raise AssertionError("a ruling that was not checked")


def require_no_arbiter(player_id: uuid.UUID, table_id: uuid.UUID) -> None:
    """Raise Arbitrates for who arbitrates a table, or is asked to: nobody judges the own game."""
    if Arbiter.objects.filter(table=table_id, player=player_id, until__isnull=True).exists():
        raise Arbitrates()


def require_arbiter(player_id: uuid.UUID, table_id: uuid.UUID) -> None:
    """Raise NotArbiter for who does not arbitrate a table."""
    held = Arbiter.objects.filter(table=table_id, player=player_id, since__isnull=False, until__isnull=True)
    if not held.exists():
        raise NotArbiter()


def current(table_id: uuid.UUID) -> Arbiter | None:
    """Return who arbitrates a table, or is asked to."""
    return Arbiter.objects.filter(table=table_id, until__isnull=True).first()
