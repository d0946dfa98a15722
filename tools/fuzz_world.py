"""Tables that are there while schemathesis asks: open, playing and finished ones of every game.

A request about a table that nobody has opened finds nothing, whatever else is in it.
"""

from __future__ import annotations

import os
import uuid
from collections import deque
from typing import Any, Final

import httpx

API: Final = os.environ["POSTA_FUZZ_URL"]
TOKENS: Final = os.environ["POSTA_FUZZ_TOKENS"].split(",")


class World:
    """What two players have begun, renewed now and then for it wears out."""

    def __init__(self) -> None:
        self._http = httpx.Client(base_url=f"{API}/v1", timeout=60, trust_env=False)
        self._tables: deque[str] = deque(maxlen=24)
        self.games: list[str] = [each["id"] for each in self._sent("GET", "/games")["items"]]
        self.renew()

    def renew(self) -> None:
        """Open tables: of each game one to be joined, one that is played; one that is over."""
        for game in self.games:
            self.note(self._opened(game))
            self._tables.append(self._begun(game))
        over = self._begun(self.games[0])
        self._sent("POST", f"/tables/{over}/resign", caller=1)
        self._tables.append(over)

    def note(self, table: str) -> None:
        """Remember a table that was opened."""
        self._tables.append(table)

    def table(self, held: Any, count: int) -> Any:
        """Return a table that there is in place of one that there is not."""
        try:
            uuid.UUID(str(held))
        except ValueError:
            return held
        return held if held in self._tables or count % 8 == 0 else self._tables[count % len(self._tables)]

    def guest(self) -> str:
        """Return the token of a new guest."""
        return str(self._sent("POST", "/guests", {})["token"])

    def move(self, table: str, authorization: str) -> dict[str, Any] | None:
        """Return a move that a player may send, None where there is none."""
        answer = self._http.get(f"/tables/{table}/view", headers={"Authorization": authorization})
        view = answer.json() if answer.status_code == 200 else {"legal_moves": []}
        moves = view["legal_moves"]
        return {"turn": view["turn"], **moves[len(moves) // 2]} if moves else None

    def _begun(self, game: str) -> str:
        """Return a table at which both play, with bots that do not think."""
        facts = self._sent("GET", f"/games/{game}")
        bots = facts["bots"][:1] * (facts["seats_min"] - len(TOKENS))
        table = self._opened(game, bots)
        self._sent("POST", f"/tables/{table}/join", {}, caller=1)
        return table

    def _opened(self, game: str, bots: list[str] | None = None) -> str:
        return str(self._sent("POST", "/tables", {"game": game, "bots": bots or []})["id"])

    def _sent(self, method: str, path: str, body: Any = None, *, caller: int = 0) -> Any:
        headers = {"Authorization": f"Bearer {TOKENS[caller]}"}
        return self._http.request(method, path, json=body, headers=headers).raise_for_status().json()
