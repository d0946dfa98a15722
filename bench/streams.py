"""``python -m bench.streams``: 500 streams at once; what they cost, and how soon an event arrives.

100 guests at 50 tables have five streams each: all of their own tables, their own table, and three
tables that they watch.  Load and server share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import psycopg
from rich.console import Console

from bench.http import Line
from bench.longplay import GAME
from bench.measure import Wrong, machine, percentile, tree_cpu, tree_memory
from stack import temporary
from stack.errors import StackError
from stack.temporary import Running

STREAMS_EACH = 5
MOST_CONNECTIONS = 40
MOST_SECONDS = 1.0
"""Within which half of the events must have arrived, at least."""
PATIENCE = 30.0  # seconds
SETTINGS = {"POSTA_EXTRA_GAMES": "bench.longplay", "POSTA_THROTTLES": "0"}


@dataclass(slots=True)
class Ear:
    """What one stream has heard: of each table the last position, and when it came."""

    token: str
    path: str
    heard: dict[str, tuple[int, float]] = field(default_factory=dict)

    async def listen(self, url: str, opened: asyncio.Semaphore) -> None:
        """Listen until the stream ends.  Raises Wrong where it does not begin."""
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        head = f"GET /v1/live{self.path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        writer.write(f"{head}Authorization: Bearer {self.token}\r\n\r\n".encode())
        try:
            status = await reader.readline()
            if b" 200 " not in status:
                raise Wrong(f"{self.path}: {status.decode().strip()}")
            async for line in reader:
                if line.startswith(b"retry"):
                    opened.release()
                elif line.startswith(b"data: "):
                    told = orjson.loads(line[6:])
                    if "position" in told:
                        table = told.get("table_id") or self.path.split("/")[2]
                        self.heard[table] = told["position"], time.perf_counter()
        finally:
            writer.close()


@dataclass(frozen=True, slots=True)
class Sitting:
    """A table, and the tokens of its two players."""

    id: str
    tokens: tuple[str, str]


def main() -> int:
    """Measure; return 1 where something is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.streams", description="Open streams and move.")
    parser.add_argument("--streams", type=int, default=500, help="how many; ten for each table")
    parser.add_argument("--moves", type=int, default=200, help="how many, one after the other")
    options = parser.parse_args()
    console = Console(highlight=False)
    console.print(machine())
    try:
        with temporary.running(durable=True, env=SETTINGS, live=True) as found:
            return asyncio.run(_measured(console, found, options.streams, options.moves))
    except (StackError, Wrong) as error:
        Console(stderr=True).print(str(error), markup=False)
        return 1


async def _measured(console: Console, running: Running, streams: int, moves: int) -> int:
    with console.status("Guests sit down"):
        sittings = [_sitting(running.url) for _ in range(max(1, streams // (2 * STREAMS_EACH)))]
    before = _connections(running)
    ears = _ears(sittings)[:streams]
    began = time.perf_counter()
    async with _open(running, ears):
        opening = time.perf_counter() - began
        await asyncio.sleep(2)
        cpu = tree_cpu(running.pids["live"])
        await asyncio.sleep(5)
        idle = (tree_cpu(running.pids["live"]) - cpu) / 5
        with console.status("They move"):
            delays, took = await _moved(running.url, sittings, ears, moves)
        most = _connections(running)
        memory = tree_memory(running.pids["live"]) / 2**20
    await asyncio.sleep(2)
    after = _connections(running)
    console.print(
        f"{len(ears)} streams opened in {opening:.1f} s\n"
        f"database connections: {before} before, {most} with all of them (goal: under {MOST_CONNECTIONS}),"
        f" {after} two seconds after they have left\n"
        f"live process: {memory:.0f} MB, {idle:.1%} of a core while nothing happens\n"
        f"{moves} moves: {_told(took)}\n"
        f"{len(delays)} deliveries, after the answer of the move: {_told(delays)}"
    )
    is_soon = percentile(delays, 0.5) < MOST_SECONDS
    return 0 if most < MOST_CONNECTIONS and after <= most and is_soon else 1


def _told(seconds: Sequence[float]) -> str:
    p50, p95, most = (
        each * 1e3 for each in (percentile(seconds, 0.5), percentile(seconds, 0.95), max(seconds))
    )
    return f"p50 {p50:.0f}, p95 {p95:.0f}, at most {most:.0f} ms"


def _sitting(url: str) -> Sitting:
    tokens = _guest(url), _guest(url)
    table = str(_post(url, tokens[0], "/tables", {"game": GAME.id})["id"])
    _post(url, tokens[1], f"/tables/{table}/join", {})
    return Sitting(table, tokens)


def _post(url: str, token: str, path: str, body: object) -> Any:
    """Send a body on a connection of its own: a kept one is closed by the server while nobody moves."""
    line = Line(url, token)
    try:
        return line.send("POST", path, body)
    finally:
        line.close()


def _guest(url: str) -> str:
    token: str = httpx.post(f"{url}/v1/guests", trust_env=False, verify=False).json()["token"]  # noqa: S501
    return token


def _ears(sittings: Sequence[Sitting]) -> list[Ear]:
    """Return five streams of each player: its tables, its table, and the next three."""
    found = []
    for number, sitting in enumerate(sittings):
        for token in sitting.tokens:
            found.append(Ear(token, "/me/stream"))
            tables = [sittings[(number + step) % len(sittings)].id for step in range(STREAMS_EACH - 1)]
            found += [Ear(token, f"/tables/{table}/stream") for table in tables]
    return found


@asynccontextmanager
async def _open(running: Running, ears: Sequence[Ear]) -> AsyncIterator[None]:
    """Open all streams at once, and keep them open during the block.  Raises Wrong, TimeoutError."""
    opened = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(each.listen(running.live_url, opened)) for each in ears]
    try:
        async with asyncio.timeout(PATIENCE):
            for _ in ears:
                await opened.acquire()
                if failed := [each for each in tasks if each.done()]:
                    failed[0].result()
        yield
        if ended := [each for each in tasks if each.done()]:
            raise Wrong(f"{len(ended)} streams have ended: {ended[0]}")
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _moved(
    url: str, sittings: Sequence[Sitting], ears: Sequence[Ear], moves: int
) -> tuple[list[float], list[float]]:
    """Move at one table after the other; return how late each stream heard of it, and how long moves took."""
    delays: list[float] = []
    took: list[float] = []
    for number in range(moves):
        sitting = sittings[number % len(sittings)]
        turn = 1 + number // len(sittings)
        body = {"turn": turn, "kind": "step", "params": {"width": 1 + turn % 9}}
        began = time.perf_counter()
        path, token = f"/tables/{sitting.id}/moves", sitting.tokens[(turn - 1) % 2]
        told = await asyncio.to_thread(_post, url, token, path, body)
        answered = time.perf_counter()
        took.append(answered - began)
        listeners = [each for each in ears if _hears(each, sitting)]
        async with asyncio.timeout(PATIENCE):
            while any(each.heard.get(sitting.id, (0, 0.0))[0] < told["version"] for each in listeners):
                await asyncio.sleep(0.005)
        delays += [each.heard[sitting.id][1] - answered for each in listeners]
    return delays, took


def _hears(ear: Ear, sitting: Sitting) -> bool:
    return sitting.id in ear.path or (ear.path == "/me/stream" and ear.token in sitting.tokens)


def _connections(running: Running) -> int:
    with psycopg.connect(running.superuser_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        ).fetchone()
    return int(row[0]) if row else 0


if __name__ == "__main__":
    sys.exit(main())
