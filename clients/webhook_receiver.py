# SPDX-License-Identifier: MIT
"""A receiver of webhooks: verifies each, answers the challenge, prints a line for what is new.

    POSTA_WEBHOOK_SECRET=whsec_... python webhook_receiver.py 8080

Behind a proxy that ends TLS, for a server sends to https alone, but in development.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError  # pip install standardwebhooks

MOST_BYTES = 65_536
secret = Webhook(os.environ["POSTA_WEBHOOK_SECRET"])
seen: set[str] = set()  # a bot that lives long keeps them in a database, for some days


class Receiver(BaseHTTPRequestHandler):
    """Answers at once; whatever takes longer than a few seconds is better done afterwards."""

    timeout = 10

    def do_POST(self) -> None:
        """Take a webhook."""
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MOST_BYTES))
        try:
            told = secret.verify(body, dict(self.headers))
        except WebhookVerificationError:
            self.answer(401)
            return
        if told["type"] == "endpoint.challenge":
            self.answer(200, {"challenge": told["data"]["challenge"]})
            return
        self.answer(204)
        if (message := self.headers["webhook-id"]) not in seen:  # it may come twice
            seen.add(message)
            print(told["type"], told["data"]["table_id"], told["data"]["position"], flush=True)  # noqa: T201

    def answer(self, status: int, told: dict[str, str] | None = None) -> None:
        """Send a status, and perhaps a body."""
        body = b"" if told is None else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
