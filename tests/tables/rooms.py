"""Tables in process, through the commands and the queries, brought to where a test wants them."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec
from django.db.models import Q
from django.db.models.expressions import RawSQL

from engines.audience import name_of
from events import store
from events.codec import Header, read_header
from tables import catalogue, commands, hosting, playing, queries
from tables.folding import stream_of
from tables.hosting import Host
from tables.idempotency import Done
from tables.management.commands.verify_streams import audit
from tables.models import Player, Table
from tables.shapes import ClockChoice, Join, NewTable, ViewAnswer
from tables.sweeps import sweep
from tests.services import SimulatedClock

_NOW = RawSQL("to_timestamp(now_ms() / 1000.0)", [])
_DUE = Q(due_at__lte=_NOW, suspended_at=None) & (Q(next_attempt_at=None) | Q(next_attempt_at__lte=_NOW))


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
        return playing.play_move(self.players[seat], self.id, turn=turn, kind=kind, params=params)

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

    def play_on(self, moves: int | None = None, *, seed: int = 1) -> None:
        """Play random legal moves of whoever may move, so many or to the end."""
        dice = Random(seed)
        while (able := self._able()) and (moves is None or moves > 0):
            seat, move = dice.choice(able)
            self.send(seat, name_of(type(move)), **msgspec.to_builtins(move))
            moves = None if moves is None else moves - 1

    def let_time_pass(self, clock: SimulatedClock) -> None:
        """Let the open turn run out, and be seen."""
        before = self.row
        assert before.deadline_at is not None
        clock.advance(seconds=before.deadline_at.timestamp() - clock.now_ms() / 1000 + 1)
        self.sweep()
        assert self.row.version > before.version

    def wait(self, clock: SimulatedClock, seconds: float) -> None:
        """Let time pass, and everybody look who looks at deadlines."""
        clock.advance(seconds=seconds)
        self.sweep()

    def sweep(self, driver: str = "test") -> None:
        """Return when nothing is due here: what another driver holds, it is given the time to resolve."""
        while sweep(driver) or Table.objects.filter(_DUE, id=self.id).exists():
            pass

    def types(self, after: int = 0) -> list[str]:
        """Return the types of the events after a position, oldest first."""
        return [each.type for each in self.headers(after=after)]

    def last(self, type_: str) -> dict[str, Any]:
        """Return what the last event of a type tells."""
        return dict(self.headers(type_)[-1].public)

    def prove(self) -> None:
        """Have the whole log verified, and what was derived from it."""
        told = audit(self.id)
        assert not told.findings, told.findings

    def _able(self) -> list[tuple[int, Any]]:
        """Return every legal move of every seat that may move."""
        host = self.host
        if host.table.status != "playing":
            return []
        return [
            (seat, move)
            for seat in range(len(self.players))
            for move in host.game.legal_moves(host.state, seat)
        ]


def new_player() -> uuid.UUID:
    """Return somebody who has never been here."""
    return Player.objects.create(name=f"player-{secrets.token_hex(8)}", password="!").id


def open_room(
    game: str = "probe",
    *,
    seats: int | None = None,
    seconds: int | None = 600,
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> Room:
    """Return a table at which play has just begun, of as many seats as the game takes at least.

    ``settings`` are fields of the new table, the others ``options`` of the game.
    """
    seats = catalogue.game_of(game).seats[0] if seats is None else seats
    players = [new_player() for _ in range(seats)]
    clock = ClockChoice(kind="none") if seconds is None else ClockChoice(seconds=seconds)
    body = NewTable(game=game, seats=seats, options=options, **{"clock": clock} | (settings or {}))
    opened: Any = msgspec.to_builtins(commands.open_table(players[0], body).answer)
    room = Room(uuid.UUID(opened["id"]), players, new_player())
    for player in players[1:]:
        commands.join(player, room.id, Join())
    return room


def running_room(game: str, moves: int, **options: Any) -> Room:
    """Return a table after so many random moves whose game is not over yet."""
    while True:
        room = open_room(game, **options)
        room.play_on(moves)
        if room.row.status == "playing":
            return room
