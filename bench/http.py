"""Moves over HTTP on the real server: rate, latency, and the CPU time of every process for a move.

Load and server share the machine, so the CPU time says more than the rate.
"""

from __future__ import annotations

import http.client
import os
import random
import secrets
import statistics
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import orjson

from bench.measure import (
    ATTEMPTS,
    DISTURBED,
    NO_GOAL,
    Figure,
    Goal,
    Wrong,
    percentile,
    tree_cpu,
    watching,
)
from clients.posta import Client
from events import audit, store
from stack.temporary import Running

CLIENTS = (1, 8)
P95 = Goal(50, at_least=False)  # milliseconds, with 8 clients
SPREAD = Goal(8, 4, at_least=False)  # goal 10: p99 / p50


class Line:
    """One kept connection of one player."""

    def __init__(self, url: str, token: str) -> None:
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def send(self, method: str, path: str, body: object = None) -> Any:
        """Return the answer's body.  Raises Wrong for anything but a 2xx."""
        data = None if body is None else orjson.dumps(body)
        self._connection.request(method, f"/v1{path}", data, self._headers)
        response = self._connection.getresponse()
        told = response.read()
        if response.status // 100 != 2:
            raise Wrong(f"{method} {path}: {response.status} {told[:200]!r}")
        return orjson.loads(told)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@dataclass(slots=True)
class Tally:
    """What the clients of one run saw: seconds of each accepted move and view, by table its moves."""

    moves: list[float] = field(default_factory=list)
    views: list[float] = field(default_factory=list)
    tables: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Measured:
    """One run: its tally, its length, CPU seconds by process, and the others' share."""

    tally: Tally
    wall: float
    cpu: dict[str, float]
    foreign: float


Playing = Callable[[tuple[Line, Line], str, random.Random, Tally], bool]
"""Plays one move of a table; returns False when its game is over."""


def run(running: Running, *, quick: bool) -> list[Figure]:
    """Return rate, latencies and CPU of two loads, with 1 and with 8 clients at as many tables."""
    tokens = [_tokens(running.url) for _ in range(max(CLIENTS))]
    seconds = 3.0 if quick else 10.0
    figures: list[Figure] = []
    for name, game, playing in (
        ("moves alone (longplay)", "longplay", _step),
        ("a view, then a move (reafan)", "reafan", _look_and_move),
    ):
        for clients in CLIENTS:
            measured = _undisturbed(running, game, playing, tokens[:clients], seconds)
            figures += _figures(f"HTTP, {clients} client{'s' * (clients > 1)}: {name}", clients, measured)
    return figures


def _step(lines: tuple[Line, Line], table_id: str, _whim: random.Random, tally: Tally) -> bool:
    turn = tally.tables[table_id] + 1
    body = {"turn": turn, "kind": "step", "params": {"width": 1 + turn % 9}}
    _move(lines[(turn - 1) % 2], table_id, body, tally)
    return True


def _look_and_move(lines: tuple[Line, Line], table_id: str, whim: random.Random, tally: Tally) -> bool:
    """Look with one seat after the other until one may move, and move."""
    for line in lines if whim.random() < 0.5 else lines[::-1]:
        started = time.perf_counter()
        view = line.send("GET", f"/tables/{table_id}/view")
        tally.views.append(time.perf_counter() - started)
        if view["status"] != "playing":
            return False
        if view["legal_moves"]:
            move = whim.choice(view["legal_moves"])
            _move(line, table_id, {"turn": view["turn"], **move}, tally)
            return True
    raise Wrong(f"table {table_id} is playing and waits for nobody")


def _move(line: Line, table_id: str, body: dict[str, Any], tally: Tally) -> None:
    started = time.perf_counter()
    line.send("POST", f"/tables/{table_id}/moves", body)
    tally.moves.append(time.perf_counter() - started)
    tally.tables[table_id] += 1


def _undisturbed(
    running: Running, game: str, playing: Playing, tokens: list[tuple[str, str]], seconds: float
) -> Measured:
    calmest: Measured | None = None
    for _ in range(ATTEMPTS):
        measured = _measured(running, game, playing, tokens, seconds)
        if calmest is None or measured.foreign < calmest.foreign:
            calmest = measured
        if measured.foreign <= DISTURBED:
            break
    assert calmest is not None  # noqa: S101
    return calmest


def _measured(
    running: Running, game: str, playing: Playing, tokens: list[tuple[str, str]], seconds: float
) -> Measured:
    """Let every client play at a table of its own; warm up, then measure.  Raises Wrong."""
    tallies = [Tally() for _ in tokens]
    failures: list[BaseException] = []
    stop = threading.Event()

    def client(number: int) -> None:
        whim = random.Random(number)  # noqa: S311
        lines = Line(running.url, tokens[number][0]), Line(running.url, tokens[number][1])
        try:
            while not stop.is_set():
                table_id = _opened(lines, game, tallies[number])
                while not stop.is_set() and playing(lines, table_id, whim, tallies[number]):
                    pass
        except BaseException as error:
            failures.append(error)
        finally:
            for line in lines:
                line.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(len(tokens))]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    with watching() as watch:
        first = [(len(each.moves), len(each.views)) for each in tallies]
        before = _cpu(running)
        time.sleep(seconds)
        after = _cpu(running)
        last = [(len(each.moves), len(each.views)) for each in tallies]
    stop.set()
    for thread in threads:
        thread.join()
    if failures:
        raise Wrong(f"{len(failures)} clients failed, the first with {failures[0]!r}")
    _check(tallies)
    spans = list(zip(tallies, first, last, strict=True))
    return Measured(
        tally=Tally(
            moves=[each for tally, start, end in spans for each in tally.moves[start[0] : end[0]]],
            views=[each for tally, start, end in spans for each in tally.views[start[1] : end[1]]],
        ),
        wall=watch.wall,
        cpu={name: after[name] - before[name] for name in before},
        foreign=watch.foreign or 0.0,
    )


def _cpu(running: Running) -> dict[str, float]:
    own = time.process_time()
    return {"clients": own, **{name: tree_cpu(pid) for name, pid in running.pids.items()}}


def _check(tallies: list[Tally]) -> None:
    """Raise Wrong unless every accepted move is in the log once, and every chain verifies."""
    for table_id, moves in (each for tally in tallies for each in tally.tables.items()):
        stream = f"table-{table_id}"
        recorded = len(store.all_of_type(stream, "table.move_played"))
        if recorded != moves:
            raise Wrong(f"{stream} has {recorded} moves, {moves} were accepted")
        findings = audit.check_chain(
            uuid.UUID(table_id).bytes, store.read(stream), store.openings(stream), complete=True
        )
        if findings:
            raise Wrong(f"the chain of {stream} is broken: {findings[0]}")


def _tokens(url: str) -> tuple[str, str]:
    return _token(url), _token(url)


def _token(url: str) -> str:
    name = f"bench-{secrets.token_hex(8)}"
    with Client(url) as stranger:
        return stranger.sign_up(name, secrets.token_urlsafe(16)).token


def _opened(lines: tuple[Line, Line], game: str, tally: Tally) -> str:
    table_id = str(lines[0].send("POST", "/tables", {"game": game})["id"])
    lines[1].send("POST", f"/tables/{table_id}/join", {})
    tally.tables[table_id] = 0
    return table_id


def _figures(name: str, clients: int, measured: Measured) -> list[Figure]:
    moves, views, count = measured.tally.moves, measured.tally.views, max(1, len(measured.tally.moves))
    p50, p95, p99 = (percentile(moves, share) * 1e3 for share in (0.50, 0.95, 0.99))
    rate, method = count / measured.wall, f"{os.cpu_count()} cores shared by load and server"
    cpu = ", ".join(f"{each} {seconds / count * 1e6:,.0f}" for each, seconds in measured.cpu.items())
    seen = f"; views {statistics.median(views) * 1e3:.1f} ms" if views else ""
    return [
        Figure(
            name=f"{name}, latency",
            method=f"{method}; {count:,} moves in {measured.wall:.0f} s",
            figure=f"{rate:,.0f} moves/s; p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f} ms{seen}",
            value=p95,
            unit="ms",
            ratio="p95",
            goal=P95 if clients == 8 else NO_GOAL,
            foreign=measured.foreign,
        ),
        Figure(
            name=f"{name}, CPU",
            method="µs of CPU for a move, all requests counted, by process",
            figure=cpu,
            value=p99 / p50,
            unit="ratio",
            ratio=f"p99/p50 {p99 / p50:.1f} x",
            goal=SPREAD if clients == 8 else NO_GOAL,
            foreign=measured.foreign,
        ),
    ]
