"""A table's stream, folded: what its events make of the table and of its game.

Events in, state out; nothing is locked and nothing is written here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from engines.base import Game, MovePlayed, Recorded
from engines.chance import Draw
from events import canonical, store
from events.codec import Header, Payload, read_header
from events.continued import Continued
from tables import catalogue, lifecycle, messages
from tables.errors import NotFound
from tables.operations import metrics
from tables.state import TableState


class Folded(NamedTuple):
    """A table and its game after some position; ``game_state`` is None before the start.

    ``continued`` says how it goes on from another table, None: it does not.
    """

    table: TableState
    game_state: Any
    continued: Continued | None = None


EMPTY = Folded(TableState(), None)
TABLE_EVENTS = frozenset(messages.EVENTS.values())


def stream_of(table_id: uuid.UUID) -> str:
    """Return the name of a table's stream."""
    return f"table-{table_id}"


def advance(folded: Folded, game: Game[Any] | None, recorded: Recorded, at: int) -> Folded:
    """Return the fold after one more event, ``at`` being its time.

    Where a game goes on from another table, its state is read from that table's log.
    """
    table, state, continued = folded
    event = recorded.event
    is_move = isinstance(event, MovePlayed)
    is_own = type(event) in TABLE_EVENTS
    if is_own:
        table = lifecycle.evolve(table, event, at)
    elif is_move and recorded.actor != "table":
        table = lifecycle.moved(table, event.seat, at)
    if game and isinstance(event, messages.Started):
        state = game.empty(msgspec.convert(event.options, game.options), len(event.seats))
    elif game and isinstance(event, messages.Forked):
        state = replay(uuid.UUID(event.origin), upto=event.position).game_state
        refs = tuple((seq, slot) for seq, slot in event.refs)
        continued = Continued(base=event.base, at=recorded.position, refs=refs, epochs=game.epoch(state))
    elif game and (is_move or not is_own):
        state = game.evolve(state, event, recorded.position)
    return Folded(replace(table, at=at, drawn=table.drawn + len(recorded.draws)), state, continued)


def fold(headers: Iterable[Header], payload_of: Callable[[int, int], Payload]) -> Folded:
    """Return the fold of the headers of one stream, from its first on."""
    folded, game, codec = EMPTY, None, catalogue.table_codec()
    for header in headers:
        if header.type == "table.settings_chosen":
            game = catalogue.rules_of(header.public["game"], header.public["rules_version"])
            codec = catalogue.codec_of(game)
        continued = folded.continued
        event = codec.decode(continued.inward(header) if continued else header, payload_of)
        draws = tuple(Draw(*each) for each in header.draws)
        position = header.seq + (continued.base if continued else 0)
        folded = advance(folded, game, Recorded(position, event, header.actor, draws), header.at)
    return folded


@metrics.REPLAYS.time()
def replay(table_id: uuid.UUID, upto: int | None = None) -> Folded:
    """Return the fold of a table's log up to a position, from the events alone.

    Raises NotFound for a table without events; RulesMissing.
    """
    stream = stream_of(table_id)
    events = store.read(stream, upto=upto)
    if not events:
        raise NotFound()
    payloads = {ref: canonical.parse(opening.payload) for ref, opening in store.openings(stream).items()}
    return fold((read_header(each.header) for each in events), lambda seq, slot: payloads[seq, slot])
