"""A receiver of webhooks, as a player's program would be one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from faults.checker import Delivery


class Receiver:
    """An endpoint on the loopback that takes everything, and keeps what it got in order."""

    def __init__(self) -> None:
        self.got: list[Delivery] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                data = told["data"]
                if "challenge" not in data:
                    receiver.got.append(
                        Delivery(self.headers["webhook-id"], data["table_id"], data["position"])
                    )
                answer = json.dumps(data).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Say nothing of those who were killed."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    @contextmanager
    def running(self) -> Iterator[Receiver]:
        """Take what comes during the block."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
