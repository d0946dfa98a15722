"""A real receiver of webhooks on the loopback, which keeps what it gets and answers as a test says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from standardwebhooks import Webhook


@dataclass(frozen=True, slots=True)
class Got:
    """A request that came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        """What it says."""
        told: dict[str, Any] = json.loads(self.body)
        return told

    @property
    def type(self) -> str:
        """What it is about."""
        return str(self.told["type"])

    @property
    def position(self) -> int:
        """Where."""
        return int(self.told["data"]["position"])

    @property
    def id(self) -> str:
        """Its id."""
        return self.headers["webhook-id"]

    def verify(self, secret: str) -> None:
        """Raise WebhookVerificationError unless it is signed by a secret."""
        Webhook(secret).verify(self.body, self.headers)


class Receiver:
    """``answer`` gives the status of an answer to what came in; challenges are sent back.

    ``is_honest`` False: they are not.
    """

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.answer: Callable[[Got], int] = lambda _: 204
        self.is_honest = True
        self.hold = threading.Event()
        self.hold.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver._take(self, Got(self.path, headers, body))

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """Say nothing of those who hung up."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True)

    def url(self, path: str = "/hook") -> str:
        """Return an address of it."""
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def at(self, path: str = "/hook") -> list[Got]:
        """Return what came to an address, challenges left out, oldest first."""
        return [each for each in self.got if each.path == path and each.type != "endpoint.challenge"]

    def wait_for(self, count: int, path: str = "/hook", seconds: float = 60) -> list[Got]:
        """Return what came to an address, once it is so much."""
        until = time.monotonic() + seconds
        while len(found := self.at(path)) < count:
            assert time.monotonic() < until, [each.told for each in self.got]
            time.sleep(0.02)
        return found

    def _take(self, handler: BaseHTTPRequestHandler, got: Got) -> None:
        self.got.append(got)
        if got.path == "/slow":
            self.hold.wait(30)
        body = b""
        status = self.answer(got)
        if got.type == "endpoint.challenge" and self.is_honest and status == 204:
            status, body = 200, json.dumps({"challenge": got.told["data"]["challenge"]}).encode()
        handler.send_response(status)
        if 300 <= status < 400:
            handler.send_header("Location", self.url("/elsewhere"))
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
