"""Simulated players: each sends a command, again with its key until it knows, and notes what it was told."""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from urllib.parse import urlsplit

from clients.posta import Client
from faults.history import Call, History

TIMEOUT = 10.0  # seconds for one attempt
PATIENCE = 30.0  # seconds for a call, all its attempts included
LOOKS = 8  # tables that a player looks at for one on which it may move: at every other one it may
REAL_GAME = "reafan"
REAL_TABLES = 2  # tables of a real game that a player has open
REAL_SHARE = 0.15  # of its moves go to those

Json = dict[str, Any]


class Silence(Exception):
    """No answer, or one that does not tell what was done: a reset, a time-out, a 5xx."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered."""

    status: int
    body: Json
    wait: float  # seconds that the server asks for before the next attempt


class Line:
    """A kept connection of one player; made anew after any failure."""

    def __init__(self, url: str, token: str) -> None:
        address = urlsplit(url)
        self._where = (address.hostname or "", address.port)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection: http.client.HTTPConnection | None = None

    def send(self, method: str, path: str, body: object = None, headers: Mapping[str, str] = {}) -> Answer:
        """Send a request once.  Raises Silence."""
        data = None if body is None else json.dumps(body)
        if self._connection is None:
            self._connection = http.client.HTTPConnection(*self._where, timeout=TIMEOUT)
        try:
            self._connection.request(method, f"/v1{path}", data, {**self._headers, **headers})
            response = self._connection.getresponse()
            told = response.read()
            answer = json.loads(told) if told else {}
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Silence(type(error).__name__) from error
        wait = response.headers.get("Retry-After", "")
        return Answer(response.status, answer, float(wait) if wait.isdigit() else 0.0)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who has signed up."""

    id: uuid.UUID
    name: str
    token: str


def sign_up(url: str, count: int) -> list[Account]:
    """Make so many accounts."""
    accounts = []
    for _ in range(count):
        name = f"player-{secrets.token_hex(6)}"
        with Client(url) as stranger, stranger.sign_up(name, secrets.token_urlsafe(16)) as client:
            accounts.append(Account(id=_id_of(client), name=name, token=client.token))
    return accounts


def _id_of(client: Client) -> uuid.UUID:
    line = Line(client.url, client.token)
    try:
        return uuid.UUID(line.send("GET", "/me").body["id"])
    finally:
        line.close()


class Caller:
    """Sends commands of one account and keeps their history."""

    def __init__(self, url: str, account: Account, history: History, *, label: str, seed: str) -> None:
        self.account = account
        self.line = Line(url, account.token)
        self._label, self._history, self._count = label, history, 0
        self._whim = Random(f"{seed} {label}")  # noqa: S311  repeatable on purpose

    def call(self, kind: str, path: str, body: Json, *, table: str = "", mark: str = "") -> tuple[Call, Json]:
        """Send a command until it is known what it did, or patience ends; return that and the answer."""
        self._count += 1
        call = Call(id=f"{self._label}-{self._count}", kind=kind, table=table, mark=mark)
        if kind == "open":  # known in the database by its title
            call = replace(call, mark=call.id)
            body = {**body, "title": call.id}
        self._history.begins(call)
        call, answer = self._settled(call, path, body)
        self._history.ends(call)
        return call, answer

    def _settled(self, call: Call, path: str, body: Json) -> tuple[Call, Json]:
        key = {"Idempotency-Key": f'"{call.id}"'}
        began, pause, is_doubtful = time.monotonic(), 0.1, False
        for attempts in range(1, 1000):
            wait = 0.0
            try:
                answer = self.line.send("POST", path, body, key)
            except Silence as silence:
                call = replace(call, code=str(silence))
            else:
                seconds = round(time.monotonic() - began, 4)
                told = replace(call, status=answer.status, attempts=attempts, seconds=seconds)
                if answer.status < 300:
                    return _acknowledged(told, answer.body), answer.body
                call = replace(told, code=str(answer.body.get("code", "")))
                if 400 <= answer.status < 500 and answer.status != 429:
                    return (call if is_doubtful else replace(call, outcome="failed")), answer.body
                wait = answer.wait
            is_doubtful = True
            if time.monotonic() - began > PATIENCE:
                break
            time.sleep(max(pause * self._whim.uniform(0.5, 1.0), min(wait, 1.0)))
            pause = min(1.0, pause * 2)
        return replace(call, seconds=round(time.monotonic() - began, 4)), {}


def _acknowledged(call: Call, body: Json) -> Call:
    if call.kind != "move":
        return replace(call, outcome="ok")
    receipt = body["receipt"]
    return replace(
        call,
        outcome="ok",
        position=body["events"][0]["position"],
        signed=receipt["seq"],
        head=receipt["head"],
    )


def move_mark(seat: int, window: int, kind: str) -> str:
    """Return what tells a move from the others of its table; both the log and a view of the turn know it."""
    return f"seat {seat} turn {window} {kind}"


class Board:
    """Tables of the real game that wait for an opponent, shared by all players."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def offer(self, table: str, host: str) -> None:
        """Tell that a table wants somebody."""
        with self._lock:
            self._waiting.append((table, host))

    def take(self, guest: str) -> str | None:
        """Return a table of somebody else's, which nobody else is told of then."""
        with self._lock:
            for place, (table, host) in enumerate(self._waiting):
                if host != guest:
                    del self._waiting[place]
                    return table
        return None


class Player(threading.Thread):
    """Somebody who sends ``rate`` commands a second: moves at given tables, and games of its own."""

    def __init__(
        self, caller: Caller, tables: Sequence[str], board: Board, *, rate: float, seed: str
    ) -> None:
        super().__init__(name=caller.account.name, daemon=True)
        self.failure: BaseException | None = None
        self._caller, self._tables, self._board, self._every = caller, list(tables), board, 1 / rate
        self._own: list[str] = []
        self._doubtful: dict[str, int] = {}
        self._over = threading.Event()
        self._whim = Random(f"{seed} {caller.account.name}")  # noqa: S311

    def run(self) -> None:
        """Play until stopped; what it has not understood is kept in ``failure``.

        Who was held up by a fault sends afterwards what it has not sent meanwhile.
        """
        due = time.monotonic() + self._whim.uniform(0, self._every)
        pause = due - time.monotonic()
        try:
            while not self._over.wait(max(0.0, pause)):
                if self._act():
                    due += self._every
                    pause = due - time.monotonic()
                else:
                    pause = self._every / 4
        except BaseException as error:
            self.failure = error
        finally:
            self._caller.line.close()

    def stop(self) -> None:
        """Ask it to end once the call under way has."""
        self._over.set()

    def _act(self) -> bool:
        """Send a command; return False when no table waits for one."""
        if len(self._own) < REAL_TABLES and self._whim.random() < 0.3:
            self._begin_game()
            return True
        for _ in range(LOOKS):
            is_real = bool(self._own) and self._whim.random() < REAL_SHARE
            table = self._whim.choice(self._own if is_real else self._tables)
            if self._move(table):
                return True
        return False

    def _begin_game(self) -> None:
        """Join somebody's game, or open one: against a bot, or for whoever comes."""
        if (table := self._board.take(self._caller.account.name)) is not None:
            call, _ = self._caller.call(
                "join", f"/tables/{table}/join", {}, table=table, mark=str(self._caller.account.id)
            )
            if call.outcome == "ok":
                self._own.append(table)
            return
        with_bot = self._whim.random() < 0.5
        body = {"game": REAL_GAME, "clock": {"seconds": 60}, "bots": ["random"] if with_bot else []}
        call, answer = self._caller.call("open", "/tables", body)
        if call.outcome == "ok":
            self._own.append(answer["id"])
            if not with_bot:
                self._board.offer(answer["id"], self._caller.account.name)

    def _move(self, table: str) -> bool:
        """Look at a table, and move if it waits for us; return whether a move was sent."""
        try:
            view = self._caller.line.send("GET", f"/tables/{table}/view")
        except Silence:
            return False
        if view.status != 200:
            return False
        told = view.body
        if told["status"] in ("finished", "closed"):
            self._own.remove(table)
            return False
        turn, seat = told["turn"], told["viewer"]
        kinds = {kind for each in told["awaited"] if each["seat"] == seat for kind in each["kinds"]}
        legal = [each for each in told["legal_moves"] if each["kind"] in kinds]
        if not legal or self._doubtful.get(table) == turn:  # a second call could not be told from the first
            return False
        move = self._whim.choice(legal)
        call, _ = self._caller.call(
            "move",
            f"/tables/{table}/moves",
            {"turn": turn, "kind": move["kind"], "params": move["params"]},
            table=table,
            mark=move_mark(seat, turn, move["kind"]),
        )
        if call.outcome == "unknown":
            self._doubtful[table] = turn
        return True
