"""Through whose eyes a player may look at a table, and up to where.

During the game through those of the own seat and of a spectator; after it through everybody's.  Whoever
had a seat and has it no more sees what it could see until its tenure ended.  Positions outside the own
tenures look to a holder as to a spectator, while events tell it all that its seat knows by now.  All else is
refused alike, whatever there is behind it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from events.codec import FULL, Viewer
from tables.errors import BadField, NotYourEyes
from tables.models import Table, Tenure

PUBLIC: Final = "public"
Wish = int | Literal["public", "full"] | None
"""A seat, a spectator or everything, as asked for; None: the own seat, or where there is none a spectator."""


class Eyes(NamedTuple):
    """Whose eyes, and the last position that they see; None: the present one.

    ``tenures``, first and last positions, are when they are the player's own; None where that is no matter.
    """

    viewer: Viewer
    upto: int | None = None
    tenures: Sequence[tuple[int, int | None]] | None = None

    def sees(self, position: int) -> bool:
        """Tell whether they were still open when an event happened."""
        return self.upto is None or position <= self.upto

    def viewer_at(self, position: int) -> Viewer:
        """Return through whose eyes a view of a position is: outside the tenures a spectator's."""
        if self.tenures is None or any(
            since <= position and (until is None or position <= until) for since, until in self.tenures
        ):
            return self.viewer
        return None


def eyes_of(player_id: uuid.UUID, row: Table, wish: Wish) -> Eyes:
    """Return the eyes that a player who sees the table looks through.

    Raises NotYourEyes, and after the end BadField for a seat that the table does not have.
    """
    held = list(Tenure.objects.filter(table=row.id, player=player_id).values_list("seat", "since", "until"))
    own = next((seat for seat, _, until in held if until is None), None)
    wish = own if wish is None else wish
    if wish is None or wish == PUBLIC:
        return Eyes(None)
    if row.status == "finished" and (wish == FULL or wish in range(row.seats)):
        return Eyes(wish)
    if tenures := [(since, until) for seat, since, until in held if seat == wish]:
        ends = [until for _, until in tenures if until is not None]
        return Eyes(wish, None if wish == own else max(ends), tenures)
    if row.status == "finished":
        raise BadField(pointer="?seat", code="out_of_range", wanted=f"0..{row.seats - 1}")
    raise NotYourEyes()
