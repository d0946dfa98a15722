"""What happens when a turn's time is up: the same for sweeps and for whoever comes by first.

Source: clocks.md, "One rule for who wins".
"""

from __future__ import annotations

from engines import base
from tables import lifecycle
from tables.hosting import Host


def expire(host: Host) -> None:
    """Play for every absent seat of the overdue turn, in ascending order of seats.

    A seat whose game lets time-outs lose leaves for good.  Needs an overdue turn.
    """
    turn, due, absent = host.table.turn, host.table.deadline_at, host.awaited()
    if due is None:
        raise AssertionError("only a turn with a deadline expires")
    host.add(lifecycle.Expired(turn=turn, deadline_at=due, decided_at=host.now, seats=absent))
    for seat in absent:
        if host.state.turn != turn:
            break
        if seat not in base.awaited(host.game, host.state):
            continue
        batch = host.batch()
        if not base.play_default(batch, seat):
            host.add(lifecycle.SeatAbandoned(seat=seat, reason="timeout"))
            batch = host.batch()
            base.leave(batch, seat, "timeout")
        host.take(batch)
