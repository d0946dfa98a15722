"""Through whose eyes a player may look at a table, and up to where.

During the game through those of the own seat and of a spectator; after it through everybody's.  Whoever
had a seat and has it no more sees what it could see until its tenure ended.  All else is refused alike,
whatever there is behind it.
"""

from __future__ import annotations

import uuid
from typing import Final, Literal, NamedTuple

from django.db.models import Max

from events.codec import FULL, Viewer
from tables import access
from tables.errors import NotYourEyes
from tables.models import Table, Tenure

PUBLIC: Final = "public"
Wish = int | Literal["public", "full"] | None
"""A seat, a spectator or everything, as asked for; None: the own seat, or where there is none a spectator."""


class Eyes(NamedTuple):
    """Whose eyes, and the last position that they see; None: the present one."""

    viewer: Viewer
    upto: int | None = None

    def sees(self, position: int) -> bool:
        """Tell whether they were still open when an event happened."""
        return self.upto is None or position <= self.upto


def eyes_of(player_id: uuid.UUID, row: Table, wish: Wish) -> Eyes:
    """Return the eyes that a player who sees the table looks through.  Raises NotYourEyes."""
    own = access.seat_of(player_id, row.id)
    if wish is None or wish == own:
        return Eyes(own)
    if wish == PUBLIC:
        return Eyes(None)
    if row.status == "finished" and (wish == FULL or wish in range(row.seats)):
        return Eyes(wish)
    if isinstance(wish, int):
        held = Tenure.objects.filter(table=row.id, player=player_id, seat=wish)
        if (until := held.aggregate(last=Max("until"))["last"]) is not None:
            return Eyes(wish, until)
    raise NotYourEyes()
