"""Asking players for what they add to the chance of a game, and the beginning of that game.

Seats commit; then seating is closed; then they reveal, and the game begins.  So it is before the start,
and in the break before each further game of a series.  Within a command's transaction.
Source: transcript format ``ttx v1``, Randomness.
"""

from __future__ import annotations

from engines import base
from events import canonical
from tables import absences, catalogue, entropy, lifecycle, messages
from tables.errors import EntropyCommittedAlready, EntropyMismatch, EntropyNotAsked
from tables.hosting import Host


def start(host: Host) -> None:
    """Begin play at a full table, or have its players add to its chance first, where it says so."""
    if not entropy.is_added(host.table.fairness):
        begin(host)
    elif host.table.entropy.uncommitted(host.table.persons()):
        host.ask_entropy()
    else:
        _close(host)


def begin(host: Host) -> None:
    """Begin the game, or the next one of a series."""
    if host.table.status == "open":
        host.add(lifecycle.start(host.table, catalogue.digest_of(host.game)))
    else:
        host.add(messages.EpochBegun(epoch=host.table.epoch))
    batch = host.batch()
    base.begin(batch)
    host.take(batch)
    absences.take_up_vacations(host)


def commit(host: Host, seat: int, epoch: int, commitment: str) -> None:
    """Note the commitment of a seat; with the last one seating is closed.

    Raises EntropyNotAsked, EntropyCommittedAlready.
    """
    table = host.table
    given = table.entropy
    is_asked = table.status == "open" or table.is_gathering
    if not (entropy.is_added(table.fairness) and is_asked) or given.is_closed or epoch != table.epoch:
        raise EntropyNotAsked(epoch=table.epoch)
    if given.commits[seat] == commitment:
        return
    if given.commits[seat] or seat not in table.persons():
        raise EntropyCommittedAlready()
    host.add(messages.EntropyCommitted(epoch=table.epoch, seat=seat, commit=commitment), actor=f"seat:{seat}")
    if given.until is not None and not host.table.entropy.uncommitted(host.table.persons()):
        _close(host)


def reveal(host: Host, seat: int, epoch: int, value: str) -> None:
    """Note what a seat reveals; the last one begins the game.  Raises EntropyNotAsked, EntropyMismatch."""
    table = host.table
    given = table.entropy
    is_asked = given.is_closed and seat in given.seats and epoch == table.epoch
    if is_asked and given.values[seat] == value:
        return
    if not is_asked or not table.is_gathering:
        raise EntropyNotAsked(epoch=table.epoch)
    committed = canonical.entropy_commit(host.id.bytes, epoch, seat, bytes.fromhex(value)).hex()
    if given.commits[seat] != committed:
        raise EntropyMismatch()
    host.add(messages.EntropyRevealed(epoch=epoch, seat=seat, entropy=value), actor=f"seat:{seat}")
    _go_on(host)


def lapse(host: Host) -> None:
    """Go on without those who have not committed, or not revealed, in time; a strict table gives up."""
    table = host.table
    uncommitted = table.entropy.uncommitted(table.persons())
    if table.entropy.is_closed:
        _conclude(host)
    elif uncommitted and table.fairness == entropy.STRICT:
        host.add(messages.EntropyMissing(epoch=table.epoch, seats=uncommitted))
        _give_up(host)
    else:
        _close(host)


def go_on_without(host: Host) -> None:
    """Go on where whoever was still waited for is gone: resigned, removed or replaced in the break.

    At a table that is suspended nothing goes on before its end.
    """
    table = host.table
    if table.status != "playing" or not table.is_gathering or table.suspended_at is not None:
        return
    if table.entropy.is_closed:
        _go_on(host)
    elif not table.entropy.uncommitted(table.persons()):
        _close(host)


def _close(host: Host) -> None:
    table = host.table
    seats = tuple(seat for seat in table.persons() if table.entropy.commits[seat])
    host.add(messages.SeatingClosed(epoch=table.epoch, seats=seats, until=host.entropy_until()))
    _go_on(host)


def _go_on(host: Host) -> None:
    if not host.table.entropy.unrevealed(host.table.persons()):
        _conclude(host)


def _conclude(host: Host) -> None:
    """Begin, saying who adds nothing; unless the table is strict and it is somebody who could have."""
    table = host.table
    if missing := table.entropy.missing():
        host.add(messages.EntropyMissing(epoch=table.epoch, seats=missing))
    if table.fairness == entropy.STRICT and {*missing} & {*table.persons(), *table.entropy.seats}:
        _give_up(host)
    else:
        begin(host)


def _give_up(host: Host) -> None:
    if host.table.status == "open":
        host.add(messages.Closed(reason="entropy_missing"))
    else:
        host.abandon("abandoned_entropy")
