"""Tables for the benchmarks, opened and played through the commands, without HTTP."""

from __future__ import annotations

import random
import secrets
import uuid
from typing import Any

from engines.audience import name_of
from tables import answers, commands, hosting, playing
from tables.models import Player, Table
from tables.shapes import Join, NewTable


def two_players() -> tuple[uuid.UUID, uuid.UUID]:
    """Create two accounts that cannot sign in."""
    made = [Player.objects.create(name=f"bench-{secrets.token_hex(8)}") for _ in range(2)]
    return made[0].id, made[1].id


class Match:
    """A running table and its two players, by seat."""

    def __init__(self, game: str, players: tuple[uuid.UUID, uuid.UUID]) -> None:
        opened: Any = commands.open_table(players[0], NewTable(game=game)).answer
        self.id = uuid.UUID(opened.id)
        self.players = players
        commands.join(players[1], self.id, Join())

    @property
    def version(self) -> int:
        """The position of the last event."""
        return Table.objects.values_list("version", flat=True).get(id=self.id)

    def next_move(self, whim: random.Random) -> tuple[uuid.UUID, dict[str, Any]] | None:
        """Return who moves and one of the legal moves, None when the game is over."""
        host = hosting.peek(self.id)
        seats = host.awaited()
        if not seats:
            return None
        move = whim.choice(host.game.legal_moves(host.state, seats[0]))
        sent = {"turn": host.table.turn, "kind": name_of(type(move)), "params": answers.params_of(move)}
        return self.players[seats[0]], sent

    def play(self, whim: random.Random, *, upto: int | None = None) -> int:
        """Play random moves to the end, or until the log has ``upto`` events; return how many."""
        moves = 0
        while (upto is None or self.version < upto) and (found := self.next_move(whim)) is not None:
            player, move = found
            playing.play_move(player, self.id, **move)
            moves += 1
        return moves
