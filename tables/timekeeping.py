"""The clocks of the seats that a table waits for, set anew whenever something changes them.

Pure: what the table's log tells, and the quiet hours of those who sit there, go in; the event comes out.
Source: clocks.md, "What a table's clock offers".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tables import clock
from tables.clock import QuietHours
from tables.messages import DeadlineSet, SeatTime
from tables.state import TableState


def deadline_set(
    table: TableState,
    *,
    now: int,
    turn: int,
    awaited: Collection[int],
    quiet: Mapping[int, QuietHours],
    not_before: int = 0,
    credit: int = 0,
) -> DeadlineSet:
    """Return the clocks of the ``awaited`` seats of ``turn``, which may be a new one, as they stand ``now``.

    All absentees of a turn share one deadline, the last of theirs, and ``not_before``; where nobody is
    awaited there is none.  ``credit`` is the length of the outage into which it has just fallen.
    """
    chosen = table.settings.clock if table.settings else None
    if chosen is None or chosen.kind == "none":
        return DeadlineSet(turn=turn, deadline_at=None, clocks=(), banks=())
    is_same = turn == table.turn
    left = {
        each.seat: clock.time_left(each.left, table.clocked_at, now, table.stops(each.seat))
        for each in table.clocks
    }
    banks = list(table.banks)
    for seat in left if banks else ():
        answered = seat not in table.lapsed and not (is_same and seat in awaited)
        banks[seat] = 0 if seat in table.lapsed else left[seat]
        if answered:
            banks[seat] = clock.fischer(left[seat], (chosen.increment or 0) * 1000, (chosen.cap or 0) * 1000)
    clocks, dues = [], {each.seat: each.due_at for each in table.clocks} if is_same else {}
    for seat in sorted(awaited):
        fresh = banks[seat] if banks else (chosen.seconds or 0) * 1000
        mine = left.get(seat, fresh) if is_same else fresh
        if mine == 0 and seat in dues:  # what quiet hours gave it stands, and new ones give nothing more
            given = clock.out_of_quiet(dues[seat] + credit, quiet.get(seat)) if credit else dues[seat]
            due = clock.due(max(now, min(given, now + clock.DAY_MS)), 0, table.stops(seat), None)
        else:
            due = clock.due(now, mine, table.stops(seat), quiet.get(seat))
        clocks.append(SeatTime(seat=seat, left=mine, due_at=due))
    deadline_at = max(not_before, *(each.due_at for each in clocks)) if clocks else None
    return DeadlineSet(turn=turn, deadline_at=deadline_at, clocks=tuple(clocks), banks=tuple(banks))
