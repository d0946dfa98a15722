"""Who may see a table, and who sits where.  A hidden table answers as if it were absent."""

from __future__ import annotations

import uuid

from django.db.models import Q, QuerySet

from tables import reliability
from tables.errors import BadInvite, NotFound, NotHost, NotSeated, PlayedHere, ReliabilityTooLow
from tables.models import Arbiter, Offer, Table, Tenure


def visible_to(player_id: uuid.UUID) -> QuerySet[Table]:
    """Return the tables that a player may see: public ones, its own, and those that offer it a seat.

    Its own are those that it hosts, or arbitrates or is asked to, and those at which it sits or sat in play.
    Who gave a seat back before the start has no tenure any more, and sees no private table.
    """
    seated = Tenure.objects.filter(player=player_id).values("table")
    offered = Offer.objects.filter(player=player_id).values("table")
    arbitrated = Arbiter.objects.filter(player=player_id, until__isnull=True).values("table")
    own = Q(id__in=seated) | Q(id__in=offered) | Q(id__in=arbitrated) | Q(host=player_id)
    return Table.objects.filter(Q(visibility="public") | own)


def table_seen_by(player_id: uuid.UUID, table_id: uuid.UUID) -> Table:
    """Return a table's row.  Raises NotFound when it is absent or hidden from the player."""
    try:
        return visible_to(player_id).select_related("host").get(id=table_id)
    except Table.DoesNotExist:
        raise NotFound() from None


def seat_of(player_id: uuid.UUID, table_id: uuid.UUID) -> int | None:
    """Return the seat that a player now holds at a table."""
    held = Tenure.objects.filter(table=table_id, player=player_id, until__isnull=True)
    return held.values_list("seat", flat=True).first()


def viewer_of(player_id: uuid.UUID, table_id: uuid.UUID) -> int | None:
    """Return whose eyes a player looks through: its seat's, or None, a spectator's.

    Raises NotFound when the table is absent or hidden from the player.
    """
    seat = seat_of(player_id, table_id)
    if seat is None:
        table_seen_by(player_id, table_id)
    return seat


def required_seat(player_id: uuid.UUID, table_id: uuid.UUID) -> int:
    """Return the player's seat.  Raises NotSeated at a table that the player sees, else NotFound."""
    if (seat := viewer_of(player_id, table_id)) is None:
        raise NotSeated()
    return seat


def require_host(player_id: uuid.UUID, table_id: uuid.UUID) -> Table:
    """Return the row of a table that the player hosts.  Raises NotHost, NotFound."""
    table = table_seen_by(player_id, table_id)
    if table.host_id != player_id:
        raise NotHost()
    return table


def require_invitation(player_id: uuid.UUID, table_id: uuid.UUID, code: str | None) -> None:
    """Let a player in who sees the table, or brings the invite code of a private one.

    Raises BadInvite for a wrong code at a table that is seen, NotFound for one that is hidden, and so to
    whom the host has blocked.
    """
    seen = visible_to(player_id).filter(id=table_id).exists()
    invited = code is not None and Table.objects.filter(id=table_id, invite_code=code).exists()
    if not seen and (not invited or is_unwelcome(player_id, table_id)):
        raise NotFound()
    if code is not None and not invited:
        raise BadInvite()


def is_unwelcome(player_id: uuid.UUID, table_id: uuid.UUID) -> bool:
    """Tell whether a table is private, and its host has blocked a player."""
    private = Table.objects.filter(id=table_id, visibility="private")
    return private.filter(host__blocks__blocked=player_id).exists()


def require_reliability(player_id: uuid.UUID, table_id: uuid.UUID) -> None:
    """Let a player in who is as reliable as the table asks.  Raises ReliabilityTooLow."""
    wanted = Table.objects.values_list("least_reliability", flat=True).get(id=table_id)
    found = reliability.of(player_id) if wanted else None
    if found is not None and found < wanted:
        raise ReliabilityTooLow(wanted=wanted, reliability=found)


def may_return(player_id: uuid.UUID, table_id: uuid.UUID, seat: int) -> bool:
    """Tell whether a player comes back to the own seat, or is new to the table.  Raises PlayedHere."""
    held = Tenure.objects.filter(table=table_id, player=player_id).order_by("since")
    if (last := held.last()) is None:
        return False
    if held.exclude(seat=seat).exists() or last.ended != "absent":
        raise PlayedHere()
    return True
