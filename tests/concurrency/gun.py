"""One client process of a volley: the standard library alone, so that it is loaded at once.

Reads a list of (number, request) as JSON from standard input, connects a thread for each, says
"loaded", waits for a line, sends all at the same moment, and prints what came back.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit


def shoot(number: int, shot: dict[str, Any], gate: Barrier) -> tuple[int, int, dict[str, str], str]:
    """Send one POST when the gate opens; return its number, and status, headers and body of the answer."""
    url = urlsplit(shot["url"])
    headers = {
        "Authorization": f"Bearer {shot['token']}",
        "Content-Type": "application/json",
        **shot["headers"],
    }
    connection = HTTPConnection(url.netloc, timeout=30)
    connection.connect()
    gate.wait(timeout=30)
    connection.request("POST", url.path, json.dumps(shot["body"]), headers)
    answer = connection.getresponse()
    told = {name.lower(): value for name, value in answer.getheaders()}
    return number, answer.status, told, answer.read().decode()


def main() -> None:
    """Load, wait for the word, fire, report."""
    part = json.loads(sys.stdin.readline())
    gate = Barrier(len(part) + 1)
    with ThreadPoolExecutor(max_workers=len(part)) as pool:
        shots = [pool.submit(shoot, number, shot, gate) for number, shot in part]
        print("loaded", flush=True)  # noqa: T201 - the protocol with ``volley``
        sys.stdin.readline()
        gate.wait(timeout=30)
        print(json.dumps([shot.result() for shot in shots]))  # noqa: T201


if __name__ == "__main__":
    main()
