# SPDX-License-Identifier: MIT
"""A small client of the public API: what the document says, typed, over httpx.

It knows no game.  Unknown fields of an answer are ignored, as the document asks.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import httpx

from clients.entropy import commitment

PATIENCE = 90.0
"""Seconds that a client waits, in all, when the server says that it asks too often."""

Json = dict[str, Any]
Record = TypeVar("Record")


class Unreachable(Exception):
    """The server does not answer, or not in the way of the API."""


class Problem(Exception):
    """The server refused: a problem document (RFC 9457) with its stable ``code``."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", status))
        self.detail = str(body.get("detail") or body.get("title") or "no reason given")
        self.facts: Json = dict(body.get("facts") or {})
        errors = [f"{each.get('pointer')}: {each.get('detail')}" for each in body.get("errors") or ()]
        super().__init__("; ".join([f"{status} {self.code}: {self.detail}", *errors]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game of the catalogue; ``names`` words its codes in the language asked for."""

    id: str
    name: str
    rules_version: int
    seats_min: int
    seats_max: int
    usual_turns: int
    credits: str
    names: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as the lobby shows it.  Times are RFC 3339 texts."""

    id: str
    game: str
    status: str
    version: int
    turn: int
    seats: list[Json]
    my_seat: int | None
    outcome: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the caller sees of a game; ``data`` is the game's own view."""

    game: str
    status: str
    version: int
    turn: int
    viewer: int | None
    awaited: list[Json]
    legal_moves: list[Json]
    outcome: Json | None
    data: Json
    entropy: Json | None = None

    def awaited_moves(self) -> list[Json]:
        """Return the legal moves of the kinds that the table waits for from the viewer."""
        mine = (each["kinds"] for each in self.awaited if each["seat"] == self.viewer)
        kinds = {kind for kinds in mine for kind in kinds}
        return [each for each in self.legal_moves if each["kind"] in kinds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened, as the caller learned it; null in ``data`` stands for the unknown."""

    position: int
    type: str
    occurred_at: str
    actor_seat: int | None
    data: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The server's answer to an accepted move: what followed, and its signature under the log."""

    turn: int
    version: int
    events: list[Json]
    receipt: Json


class Client:
    """One caller at one server.  Without a token it may sign up and read the catalogue.

    Every method raises Problem when the server refuses, Unreachable when it does not answer.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/v1", headers=headers, timeout=timeout, trust_env=False
        )
        self.url = url.rstrip("/")
        self.token = token or ""
        self._entropy: dict[tuple[str, int, int], bytes] = {}

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def status(self) -> Json:
        """Return the server's version and time."""
        return self._get("/status")

    def games(self) -> list[Game]:
        """Return the catalogue."""
        return [_record(Game, each) for each in self._get("/games")["items"]]

    def game(self, game_id: str) -> Game:
        """Return one game, with the names of its codes."""
        return _record(Game, self._get(f"/games/{game_id}"))

    def sign_up(self, name: str, password: str) -> Client:
        """Create an account; return a client with its token."""
        answer = self._post("/players", {"name": name, "password": password})
        return Client(self.url, answer["token"])

    def open_table(
        self,
        game_id: str,
        *,
        seats: int,
        title: str = "",
        options: Mapping[str, Any] | None = None,
        bots: Sequence[str] = (),
        fairness: str = "server",
    ) -> Table:
        """Open a table and take its first seat; ``bots`` of the game, by name, take others at once.

        With a ``fairness`` of ``players`` or ``players_strict`` call ``add_entropy`` until play begins.
        """
        body: Json = {"game": game_id, "seats": seats, "title": title, "options": dict(options or {})}
        body |= {"bots": list(bots), "fairness": fairness}
        return _record(Table, self._post("/tables", body))

    def join(self, table_id: str) -> Table:
        """Take the first free seat; the last one starts the game."""
        return _record(Table, self._post(f"/tables/{table_id}/join", {}))

    def table(self, table_id: str) -> Table:
        """Return a table as the lobby shows it."""
        return _record(Table, self._get(f"/tables/{table_id}"))

    def view(self, table_id: str, *, at: int | None = None) -> View:
        """Return what the caller sees now, or saw after the event at position ``at``."""
        return _record(View, self._get(f"/tables/{table_id}/view", {} if at is None else {"at": at}))

    def add_entropy(self, table_id: str) -> bool:
        """Add to the chance of the next game what the table now asks for; return whether it did.

        First it commits to 32 random bytes, later it reveals them: those of this client, which are gone
        with it.
        """
        view = self.view(table_id)
        asked, seat = view.entropy, view.viewer
        if asked is None or seat is None:
            return False
        epoch = asked["epoch"]
        drawn = self._entropy.setdefault((table_id, epoch, seat), secrets.token_bytes(32))
        if asked["stage"] == "commit" and seat not in asked["committed"]:
            commit = commitment(table_id, epoch, seat, drawn)
            self._post(f"/tables/{table_id}/entropy/commitment", {"epoch": epoch, "commit": commit})
        elif asked["stage"] == "reveal" and seat in asked["committed"] and seat not in asked["revealed"]:
            self._post(f"/tables/{table_id}/entropy/reveal", {"epoch": epoch, "entropy": drawn.hex()})
        else:
            return False
        return True

    def move(self, table_id: str, *, turn: int, kind: str, params: Mapping[str, Any]) -> Receipt:
        """Play a move that answers the view of ``turn``."""
        body = {"turn": turn, "kind": kind, "params": dict(params)}
        return _record(Receipt, self._post(f"/tables/{table_id}/moves", body))

    def events(self, table_id: str, *, after: int = 0, page: int = 200) -> Iterator[Event]:
        """Yield the events after a position, oldest first, page by page."""
        has_more = True
        while has_more:
            answer = self._get(f"/tables/{table_id}/events", {"after": after, "limit": page})
            yield from (_record(Event, each) for each in answer["items"])
            after, has_more = answer["last_position"], answer["has_more"]

    def transcript(self, table_id: str) -> bytes:
        """Return the transcript file (``ttx v1``), byte for byte as it was sent."""
        return self._send("GET", f"/tables/{table_id}/transcript").content

    def _get(self, path: str, query: Mapping[str, int] | None = None) -> Json:
        return _object(self._send("GET", path, query=query))

    def _post(self, path: str, body: Mapping[str, Any]) -> Json:
        return _object(self._send("POST", path, body=body))

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                response = self._http.request(method, path, params=query, json=body)
            except httpx.HTTPError as error:
                raise Unreachable(f"{self.url} does not answer: {error or type(error).__name__}") from error
            wait = _retry_after(response)
            if wait is None or time.monotonic() + wait > until:
                break
            time.sleep(wait)
        if not response.is_success:
            raise Problem(response.status_code, _problem(response))
        return response


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds after which the server wants to be asked again; None: not again."""
    told = response.headers.get("Retry-After", "") if response.status_code in (429, 503) else ""
    return max(float(told), 0.1) if told.isascii() and told.isdigit() else None


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _object(response: httpx.Response) -> Json:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Unreachable(f"{response.request.url} answered with something that is no JSON object")
    return body


def _record(cls: type[Record], body: Mapping[str, Any]) -> Record:
    """Return a record from the fields of an answer that it knows."""
    known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
    try:
        return cls(**{name: value for name, value in body.items() if name in known})
    except TypeError as error:
        raise Unreachable(f"the server's {cls.__name__.lower()} lacks a field: {error}") from error
