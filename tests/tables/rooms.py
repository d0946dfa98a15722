"""Tables in process, through the commands and the queries, brought to where a test wants them."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from events import store
from events.codec import Header, read_header
from tables import commands, hosting, queries
from tables.folding import stream_of
from tables.hosting import Host
from tables.idempotency import Done
from tables.models import Player, Table
from tables.shapes import ClockChoice, Join, NewTable, ViewAnswer


@dataclass(frozen=True, slots=True)
class Room:
    """A table, its players by seat, and somebody who only looks on."""

    id: uuid.UUID
    players: Sequence[uuid.UUID]
    stranger: uuid.UUID

    @property
    def stream(self) -> str:
        """The table's stream."""
        return stream_of(self.id)

    @property
    def row(self) -> Table:
        """The table's row as it now is."""
        return Table.objects.get(id=self.id)

    @property
    def host(self) -> Host:
        """The table and its game as they now are."""
        return hosting.peek(self.id)

    def view(self, seat: int | None) -> ViewAnswer:
        """Return what a seat, or the stranger, sees."""
        return queries.view(self.stranger if seat is None else self.players[seat], self.id)

    def send(self, seat: int, kind: str, *, turn: int | None = None, **params: Any) -> Done:
        """Send a move that answers ``turn``, or the present one."""
        turn = self.row.turn if turn is None else turn
        return commands.play_move(self.players[seat], self.id, turn=turn, kind=kind, params=params)

    def resign(self, seat: int) -> None:
        """Leave for good."""
        commands.resign(self.players[seat], self.id)

    def headers(self, type_: str | None = None, after: int = 0) -> list[Header]:
        """Return the events, or those of one type, oldest first."""
        found = [read_header(each.header) for each in store.read(self.stream, after=after)]
        return [each for each in found if type_ in (None, each.type)]

    def pick(self, *seats: int) -> None:
        """Let seats pick: each its own number, against the next seat."""
        for seat in seats:
            self.send(seat, "pick", number=seat, rival=(seat + 1) % len(self.players))

    def open_blank(self) -> None:
        """Let the seat whose turn it is open a card that is not the mark, so that the game goes on."""
        state = self.host.state
        owner, place = next(
            (slot // 3, slot % 3)
            for slot, is_mark in enumerate(state.cards)
            if not is_mark
            and slot // 3 != state.active
            and (slot // 3, slot % 3) not in [(each.owner, each.place) for each in state.opened]
        )
        self.send(state.active, "open", owner=owner, place=place)

    def play_on(self, seed: int = 1) -> None:
        """Play random moves to the end."""
        random = Random(seed)
        while (row := self.row).status == "playing":
            seat = random.choice(row.awaited)
            move = random.choice(self.view(seat).legal_moves)
            self.send(seat, move.kind, **move.params)


def new_player() -> uuid.UUID:
    """Return somebody who has never been here."""
    return Player.objects.create(name=f"player-{secrets.token_hex(8)}", password="!").id


def open_room(game: str = "probe", *, seats: int = 3, seconds: int | None = 600, **options: Any) -> Room:
    """Return a table at which play has just begun."""
    players = [new_player() for _ in range(seats)]
    clock = ClockChoice(kind="none") if seconds is None else ClockChoice(seconds=seconds)
    body = NewTable(game=game, seats=seats, options=options, clock=clock)
    opened: Any = msgspec.to_builtins(commands.open_table(players[0], body).answer)
    room = Room(uuid.UUID(opened["id"]), players, new_player())
    for player in players[1:]:
        commands.join(player, room.id, Join())
    return room
