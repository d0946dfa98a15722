"""Staff look at what is hidden, and everybody sees that they do: the log is told first.

What is seen goes to the terminal of staff and nowhere else; the seed is never shown.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import msgspec
from django.db import transaction

from events import canonical, store
from events.codec import learned, read_header
from tables import aside, hosting
from tables.errors import NotFound, TableNotPlaying
from tables.folding import stream_of
from tables.interventions import StaffPeeked
from tables.models import Table
from tables.notices import announcing
from tables.rulings import no_seat
from verify.holdings import of_epochs_over


def tell(table_id: uuid.UUID, reason: str, *, seat: int | None) -> int:
    """Let log and players know that staff are about to look; return the position of that event.

    Raises NotFound, TableNotPlaying (nothing is hidden there); BadField for no seat.
    """
    with transaction.atomic():
        row = Table.objects.select_for_update().filter(id=table_id).first()
        if row is None:
            raise NotFound()
        if row.status != "playing":
            raise TableNotPlaying(table_status=row.status)
        if seat is not None and not 0 <= seat < row.seats:
            raise no_seat(row.seats)
        position = aside.append(table_id, StaffPeeked(seat=seat, reason=reason), actor="staff")
        announcing.announce_aside(table_id, "peeked")
    return position


def views(table_id: uuid.UUID, seat: int | None) -> dict[int, Any]:
    """Return what a seat sees of its game, or (None) each of them, by seat."""
    host = hosting.peek(table_id)
    seats = range(len(host.table.holders)) if seat is None else (seat,)
    return {each: msgspec.to_builtins(host.game.view(host.state, each)) for each in seats}


def hidden(table_id: uuid.UUID) -> Iterator[tuple[int, int, str, Any]]:
    """Yield every item that is not open to everybody: position, slot, to whom it was given, and the item.

    The rules of the game are not asked, so it can be looked at where they fail.
    """
    stream = stream_of(table_id)
    headers = [read_header(each.header) for each in store.read(stream)]
    public = {ref for header in headers for ref in learned(header, None)} | of_epochs_over(headers)
    for (position, slot), opening in sorted(store.openings(stream).items()):
        if (position, slot) not in public:
            yield position, slot, opening.to, canonical.parse(opening.payload)
