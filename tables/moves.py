"""A move as a client sends it: read strictly, and recognised when it comes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from engines.audience import name_of
from engines.base import Game
from events import canonical, store
from events.codec import MOVE_PLAYED, Header, read_header
from tables import catalogue
from tables.errors import BadField
from tables.folding import replay, stream_of
from tables.hosting import Host


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMove:
    """A move of a seat, and the turn that it answers."""

    seat: int
    turn: int
    move: Any

    @property
    def kind(self) -> str:
        """The kind of the move."""
        return name_of(type(self.move))


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierMove:
    """What the seat has answered the same window with: the positions of its batch."""

    first: int
    last: int
    is_same: bool


def parse_params(game: Game[Any], kind: str, params: dict[str, Any]) -> Any:
    """Return the engine's own move.  Raises BadField, msgspec.ValidationError."""
    cls = game.move_type(kind)
    if cls is None:
        kinds = ", ".join(name_of(each) for each in game.moves)
        raise BadField(pointer="#/kind", code="unknown_value", wanted=kinds)
    return catalogue.build(cls, msgspec.convert(params, catalogue.move_struct(game, kind)))


def earlier_answer(host: Host, sent: SentMove) -> EarlierMove | None:
    """Return the move with which the seat has answered the window that ``sent`` answers.

    Reads the log: it is called only where the move cannot simply be played.
    """
    if sent.turn > host.table.turn:
        return None
    windows = {sent.turn, _answered_window(host, sent)}
    stream = stream_of(host.id)
    for event in reversed(store.all_of_type(stream, MOVE_PLAYED)):
        header = read_header(event.header)
        public = header.public
        if (public["seat"], public["kind"]) != (sent.seat, sent.kind) or header.actor == "table":
            continue
        if public["window"] in windows:
            return EarlierMove(
                first=event.batch,
                last=store.end_of_batch(stream, event.batch),
                is_same=_move_in(host, header) == sent.move,
            )
    return None


def _answered_window(host: Host, sent: SentMove) -> int | None:
    """Return when the optional window opened that ``sent.turn`` lay in and the seat has answered."""
    end = _end_of_turn(host, sent.turn)
    state = host.state if end is None else replay(host.id, upto=end).game_state
    windows = host.game.to_act(state) if state is not None else ()
    for window in windows:
        if window.answered and window.seat == sent.seat and sent.kind in window.kinds:
            return window.since
    return None


def _end_of_turn(host: Host, turn: int) -> int | None:
    """Return the last position at which ``turn`` was open, before the batch that closed it; None: it is."""
    stream = stream_of(host.id)
    closing = (
        each
        for each in store.all_of_type(stream, "clock.deadline_set")
        if read_header(each.header).public["turn"] > turn
    )
    closed = next(closing, None) or store.last_of_type(stream, "table.finished")
    return None if closed is None else closed.batch - 1


def _move_in(host: Host, header: Header) -> Any:
    stream = stream_of(host.id)
    openings = store.openings(stream, [(header.seq, slot) for slot in range(len(header.slots))])
    codec = catalogue.codec_of(host.game)
    return codec.decode(header, lambda seq, slot: canonical.parse(openings[seq, slot].payload)).move
