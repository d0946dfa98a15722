"""What time brings about: the same for sweeps and for whoever comes by first.

Source: clocks.md, "One rule for who wins" and "Clocks and outages".
"""

from __future__ import annotations

from engines import base
from tables import absences, gathering, lobby, messages, outages, reliability, votes
from tables.hosting import Host, is_overdue
from tables.operations import metrics

MOST_AT_ONCE = 100
"""More is a fault of ours: the table is put off, and suspended in the end."""


def expire(host: Host) -> None:
    """Bring about all that is due at a table.  Raises ClockInDoubt where no clock can say so."""
    if is_overdue(host):
        outages.look()
    for _ in range(MOST_AT_ONCE):
        if not is_overdue(host):
            return
        _expire_one(host)
    raise AssertionError("time brings about more and more")


def _expire_one(host: Host) -> None:
    """Bring about what is due first; it is not due any more afterwards."""
    table = host.table
    if outages.make_good(host):
        return
    if table.due_at == table.entropy.until:
        gathering.lapse(host)
    elif table.status == "open":
        lobby.stop_waiting(host)
    elif table.vote and table.due_at == table.vote.called.until:
        votes.decide(host, passed=False)
    elif table.due_at == table.deadline_at:
        if not absences.take_up_vacations(host):
            _end_turn(host)
    else:
        host.abandon("abandoned_idle")


def _end_turn(host: Host) -> None:
    """Play for every absent seat of the overdue turn, in ascending order of seats.

    A seat whose game lets time-outs lose leaves for good; of the others the strikes decide.
    """
    turn, due, absent = host.table.turn, host.table.deadline_at, host.awaited()
    if due is None:
        raise AssertionError("only a turn with a deadline expires")
    metrics.timed_out(host.now - due)
    host.add(messages.Expired(turn=turn, deadline_at=due, decided_at=host.now, seats=absent))
    reliability.note(host, absent, in_time=False)
    for seat in absent:
        if host.state.turn != turn:
            break
        if seat not in base.awaited(host.game, host.state):
            continue
        batch = host.batch()
        if base.play_default(batch, seat):
            host.take(batch)
        else:
            host.leave(seat, "timeout")
    for seat in absent:
        if host.table.status == "playing":
            absences.strike(host, seat)
