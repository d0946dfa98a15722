#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A bot for any game, on the standard library alone.  Make it yours: change ``choose``.

    python3 bot.py http://127.0.0.1:8000 open reafan searcher   # a table against bots of the game
    python3 bot.py http://127.0.0.1:8000 join TABLE_ID          # a seat at the table of somebody else

It plays that table to the end.  POSTA_TOKEN names its account; without it, it is a guest.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import uuid
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

CHANCE = random.Random()  # noqa: S311
PATIENCE = 30  # tries, a second apart
TOO_LATE = ("turn_passed", "already_moved", "not_your_turn", "table_not_playing")
Json = dict[str, Any]


def choose(view: Json, moves: list[Json]) -> Json:  # noqa: ARG001
    """Return one of ``moves``.  ``view["data"]`` is what the bot sees, by the game's view schema."""
    return CHANCE.choice(moves)


class Refused(Exception):
    """A problem document, ``{}`` when there is none."""

    def __init__(self, problem: Json) -> None:
        self.code = problem.get("code")
        super().__init__(problem.get("detail", "There is no server of Posta at this address."))


class Server:
    """The API, as one player sees it."""

    def __init__(self, url: str) -> None:
        self.url, self.token = url.rstrip("/"), ""
        self.live_url = self.call("GET", "/v1/status")["live_url"]
        self.token = os.environ.get("POSTA_TOKEN") or self.call("POST", "/v1/guests", {})["token"]

    def call(self, method: str, path: str, body: Json | None = None, etag: str = "") -> Any:
        """Send a request until it is answered, which the key makes safe; return the answer, None for 304."""
        headers = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= {"If-None-Match": etag} if etag else {}
        where = self.live_url if path.startswith("/v1/live/") else self.url
        data = None if body is None else json.dumps(body).encode()
        for _ in range(PATIENCE):
            try:
                with urlopen(Request(where + path, data, headers, method=method), timeout=60) as answer:  # noqa: S310
                    return json.load(answer)
            except HTTPError as error:
                if error.code == 304:
                    return None
                if error.code not in (429, 503):
                    is_problem = error.headers.get_content_type() == "application/problem+json"
                    raise Refused(json.load(error) if is_problem else {}) from error
                time.sleep(int(error.headers.get("Retry-After") or 1))
            except (OSError, ValueError):
                time.sleep(1)
        raise Refused({"detail": f"{where} does not answer."})


def play(server: Server, table: str) -> Json:
    """Play at ``table`` until its game is over; return the last view."""
    view: Json = server.call("GET", f"/v1/tables/{table}/view")
    while view["status"] in ("open", "playing"):
        kinds = [kind for each in view["awaited"] if each["seat"] == view["viewer"] for kind in each["kinds"]]
        if moves := [each for each in view["legal_moves"] if each["kind"] in kinds]:
            try:
                server.call("POST", f"/v1/tables/{table}/moves", {"turn": view["turn"]} | choose(view, moves))
            except Refused as refused:
                if refused.code not in TOO_LATE:
                    raise
        view = server.call("GET", f"/v1/live/tables/{table}/view", etag=view["etag"]) or view
    return view


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[2] not in ("open", "join"):
        sys.exit(__doc__)
    _, url, verb, name, *bots = sys.argv
    try:
        server = Server(url)
        told = {} if verb == "join" else {"game": name, "bots": bots}
        path = f"/v1/tables/{name}/join" if verb == "join" else "/v1/tables"
        end = play(server, server.call("POST", path, told)["id"])
        print(json.dumps({"status": end["status"], "outcome": end["outcome"]}))  # noqa: T201
    except Refused as refused:
        sys.exit(str(refused))
