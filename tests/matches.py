"""Matches over HTTP, brought to where a test wants them."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from events import store
from tests.api.contract import Api


@dataclass(frozen=True, slots=True)
class Match:
    """A table and its players, by seat."""

    id: str
    players: Sequence[Api]

    @property
    def path(self) -> str:
        """The table's route."""
        return f"/v1/tables/{self.id}"

    @property
    def stream(self) -> str:
        """The table's stream."""
        return f"table-{uuid.UUID(self.id)}"

    def view(self, seat: int) -> dict[str, Any]:
        """Return what a seat sees."""
        answer: dict[str, Any] = self.players[seat].get(f"{self.path}/view").json()
        return answer

    def send(self, seat: int, move: dict[str, Any], turn: int, **headers: str) -> Any:
        """Send a move as the view offers them; return the answer."""
        body = {"turn": turn, "kind": move["kind"], "params": move["params"]}
        return self.players[seat].post(f"{self.path}/moves", body, headers=headers)

    def step(self, choose: Callable[[list[dict[str, Any]]], dict[str, Any]]) -> bool:
        """Let every seat that has a move play one; return whether somebody had."""
        moved = False
        for seat in range(len(self.players)):
            view = self.view(seat)
            if view["legal_moves"]:
                answer = self.send(seat, choose(view["legal_moves"]), view["turn"])
                assert answer.status_code == 201, answer.text
                moved = True
        return moved

    def version(self) -> int:
        """Return the version of the stream, from the store itself."""
        return store.head_of(self.stream).version


def open_match(players: Sequence[Api], game: str = "reafan", **settings: Any) -> Match:
    """Open a table for the players and seat them in order; it starts when the last sits down."""
    body = {"game": game, "seats": len(players)} | settings
    opened = players[0].post("/v1/tables", body)
    assert opened.status_code == 201, opened.text
    match = Match(opened.json()["id"], players)
    for player in players[1:]:
        joined = player.post(f"{match.path}/join", {})
        assert joined.status_code == 200, joined.text
    return match


def play_on(match: Match, steps: int | None = None, seed: int = 1) -> None:
    """Play random moves, to the end or for so many rounds of steps."""
    dice = random.Random(seed)
    while match.step(dice.choice):
        if steps is not None:
            steps -= 1
            if steps == 0:
                return


def keep_hands(match: Match) -> None:
    """Answer Reafan's mulligan for both seats: no."""
    for seat in (0, 1):
        assert match.send(seat, {"kind": "mulligan", "params": {"take": False}}, 1).status_code == 201
