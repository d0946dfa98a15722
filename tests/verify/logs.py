"""Games played through the commands, in this process, and their logs to be forged."""

from __future__ import annotations

import random
import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import orjson

from engines.audience import name_of
from events import canonical, store
from events.audit import Link
from events.codec import Opening
from tables import catalogue, commands, hosting, lifecycle
from tables.folding import stream_of
from tables.models import Player
from tables.shapes import Join, NewTable
from tables.sweeps import sweep
from tests.services import SimulatedClock
from verify import Report, verify

Ref = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """A table and its players, by seat."""

    id: uuid.UUID
    players: list[uuid.UUID]

    def status(self) -> str:
        """Return where the table stands."""
        return hosting.peek(self.id).table.status

    def play(self, moves: int | None = None, seed: int = 1) -> None:
        """Play random legal moves of whoever may move, so many or to the end."""
        dice = random.Random(seed)
        while (able := self._able()) and (moves is None or moves > 0):
            seat, move = dice.choice(able)
            turn, params = hosting.peek(self.id).table.turn, msgspec.to_builtins(move)
            commands.play_move(
                self.players[seat], self.id, turn=turn, kind=name_of(type(move)), params=params
            )
            moves = None if moves is None else moves - 1

    def _able(self) -> list[tuple[int, Any]]:
        """Return every legal move of every seat that may move."""
        host = hosting.peek(self.id)
        if host.table.status != "playing":
            return []
        return [
            (seat, move)
            for seat in range(len(self.players))
            for move in host.game.legal_moves(host.state, seat)
        ]

    def resign(self, seat: int) -> None:
        """Let a seat's player resign."""
        commands.resign(self.players[seat], self.id)

    def let_time_pass(self, clock: SimulatedClock) -> None:
        """Let the open turn run out, and be seen."""
        version = store.head_of(stream_of(self.id)).version
        clock.advance(seconds=61)
        while sweep("test"):
            pass
        assert store.head_of(stream_of(self.id)).version > version


def open_match(game: str, **options: Any) -> Match:
    """Seat as many players as the game takes at least; the last one starts it.  A turn has a minute."""
    seats = catalogue.game_of(game).seats[0]
    players = [Player.objects.create(name=f"v-{secrets.token_hex(8)}").id for _ in range(seats)]
    body = msgspec.convert({"game": game, "options": options, "clock": {"seconds": 60}}, NewTable)
    table_id = uuid.UUID(commands.open_table(players[0], body).answer.id)
    for player in players[1:]:
        commands.join(player, table_id, Join())
    return Match(table_id, players)


def running_match(game: str, moves: int, **options: Any) -> Match:
    """Return a match after so many moves that is not over yet."""
    while True:
        match = open_match(game, **options)
        match.play(moves)
        if match.status() == "playing":
            return match


class Log:
    """A log in parts that a test may change, and as the forger would write it.

    ``headers`` are objects, ``payloads`` and ``salts`` are by (position, slot).
    """

    def __init__(self, table_id: uuid.UUID) -> None:
        stream = stream_of(table_id)
        self.tid = table_id.bytes
        self.seeds = {0: hosting.seed_of(table_id, 0)}
        self.headers: list[dict[str, Any]] = [orjson.loads(each.header) for each in store.read(stream)]
        stored = store.openings(stream)
        self.payloads: dict[Ref, Any] = {ref: orjson.loads(each.payload) for ref, each in stored.items()}
        self.salts: dict[Ref, bytes] = {ref: each.salt for ref, each in stored.items()}

    def last(self, type_: str, where: Callable[[dict[str, Any]], bool] = bool) -> dict[str, Any]:
        """Return the last header of a type, to be changed."""
        return next(each for each in reversed(self.headers) if each["type"] == type_ and where(each))

    def openings(self) -> dict[Ref, Opening]:
        """Return the openings as the log now has them."""
        to = {
            (header["seq"], slot): each["to"]
            for header in self.headers
            for slot, each in enumerate(header["slots"])
        }
        return {
            ref: Opening(to[ref], self.salts[ref], canonical.canonical(payload))
            for ref, payload in self.payloads.items()
            if ref in to
        }

    def chained(self) -> list[Link]:
        """Return the events, every commitment and every hash made to hold again."""
        links, prev = [], canonical.ZERO_HASH
        for position, header in enumerate(self.headers, start=1):
            for slot, each in enumerate(header["slots"]):
                ref = (position, slot)
                payload = canonical.canonical(self.payloads[ref])
                each["c"] = canonical.commitment(self.salts[ref], self.tid, position, slot, payload).hex()
            header["prev"] = prev.hex()
            data = canonical.canonical(header)
            prev = canonical.event_hash(data)
            links.append(Link(position, data, prev))
        return links

    def verify(self, *, knows_seed: bool = True) -> Report:
        """Return the verdicts on the log as it now is, all of it at hand."""
        seeds = self.seeds if knows_seed else {}
        return verify(self.tid, self.chained(), self.openings(), games=catalogue.games(), seeds=seeds)


def failed_at(report: Report) -> dict[str, int]:
    """Return the first position of each verdict that failed."""
    return {name: verdict.findings[0].position for name, verdict in report if verdict.findings}


TABLE_TYPES = frozenset(lifecycle.EVENTS)
