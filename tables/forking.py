"""Playing on from a position of a finished game, at a new table, against bots.

The new log starts clean: it copies no event.  It says from which table and position it goes on, and hides
anew what was hidden there; everything else follows from the log of the origin.  Cards stay where they
were: whoever has looked at the origin may know what is hidden, which is why nothing here is rated.  What
goes on from a sandbox is one.
"""

from __future__ import annotations

import uuid
from dataclasses import replace

from engines.audience import Item, Ref
from events import canonical, store
from events.codec import read_header
from tables import absences, catalogue, entropy, lifecycle, lobby, messages, origins, sandboxes
from tables.errors import BadField, ForksTooDeep, TableNotFinished
from tables.folding import replay, stream_of
from tables.hosting import Host
from tables.models import Table
from tables.shapes import NewFork
from verify.continuing import items_at, turns_opened


def fork(player_id: uuid.UUID, row: Table, body: NewFork) -> Host:
    """Open a table at which a player goes on from a finished one, in one of its seats, and start it.

    The turn that was open at the position is played again from its beginning.  Raises TableNotFinished,
    ForksTooDeep; BadField for a position before the first turn or after the end, and for a seat that
    nobody may have.
    """
    if row.status != "finished":
        raise TableNotFinished(table_status=row.status)
    if not origins.may_go_on(row):
        raise ForksTooDeep(most=origins.MOST)
    stream = stream_of(row.id)
    stored = store.read(stream)
    headers = [read_header(each.header) for each in stored]
    turns = sorted(turns_opened(headers).values())
    position = max((each for each in turns if each <= body.position), default=None)
    if position is None or body.position > row.version:
        first = turns[0] if turns else row.version + 1
        raise BadField(pointer="#/position", code="out_of_range", wanted=f"{first}..{row.version}")
    folded = replay(row.id, upto=position)
    table, chosen = folded.table, folded.table.settings
    free = [seat for seat in range(row.seats) if seat not in table.abandoned]
    if chosen is None or body.seat not in free:
        raise BadField(pointer="#/seat", code="unknown_value", wanted=", ".join(map(str, free)))
    settings = replace(
        chosen, clock=messages.Clock(kind="none"), visibility="private", starts="when_full", vacations=False
    )
    plan = sandboxes.plan(seed=None, script=[]) if row.fairness == entropy.CHOSEN else None
    host = lobby.new_table(
        settings,
        fairness=entropy.CHOSEN if plan else entropy.SERVER,
        plan=plan,
        host=player_id,
        title="",
        author=None,
        spectator_talk="none",
        least_reliability=0,
        fork=(row.id, position),
    )
    bot = absences.stand_in(host)
    for seat in range(row.seats):
        is_own = seat == body.seat
        lobby.seat(host, seat, player_id=player_id if is_own else None, bot="" if is_own else bot)
    host.add(lifecycle.start(host.table, catalogue.digest_of(host.game)))
    items = items_at(headers[:position], folded.continued)
    payloads = store.openings(stream, [each.place for each in items])
    host.add(
        messages.Forked(
            origin=row.id.hex,
            head=stored[position - 1].hash.hex(),
            position=position,
            base=position + (folded.continued.base if folded.continued else 0),
            refs=tuple(each.name for each in items),
            abandoned=tuple(sorted(table.abandoned)),
            hidden=tuple(Item(each.to, canonical.parse(payloads[each.place].payload)) for each in items),
            shown=tuple(Ref(host.version + 1, slot) for slot, each in enumerate(items) if each.is_open),
        )
    )
    host.set_deadline()
    host.save()
    return host
