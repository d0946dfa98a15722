"""What the document says at its top works as it stands: from nothing to the end of a game."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tables.api import throttling
from tests.api.contract import Api, committed
from tests.services import Services

REQUEST = re.compile(r"(?m)^ *(\d+)  (GET|POST) +(\S+)(?: (.*))?$")


class Reader:
    """Somebody who does what is written, request by request, keeping what the answers tell."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.known: dict[str, str] = {}
        self.token: str | None = None

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send a request as the reader; the path may name what is known."""
        where = path.format(**self.known)
        base, where = re.fullmatch(r"(https?://[^/]+)?(.*)", where).groups()  # type: ignore[union-attr]
        return Api(base or self.url, self.token).send(method, where, body, headers=headers)


def test_the_limits_told_are_those_that_are_kept() -> None:
    told = " ".join(committed().content["info"]["description"].split())

    assert throttling.READS == ("reads", 300, 60)
    assert throttling.COMMANDS == ("commands", 30, 60)
    assert throttling.JOINS == ("joins", 20, 3600)
    assert throttling.SANDBOXES == ("sandboxes", 60, 3600)
    assert throttling.GUESTS == ("guests", 10, 3600)
    assert throttling.SIGN_UP == ("sign-up", 10, 3600)
    assert "300 reads a minute (`reads`), 30 other requests a minute at each table (`commands`)" in told
    assert "20 tables opened or joined an hour (`joins`), 60 sandboxes besides (`sandboxes`)" in told
    assert "10 guests or accounts an hour from one address (`guests`, `sign-up`)" in told


@pytest.mark.long
def test_a_game_is_played_by_the_first_dozen_requests(server: str, services: Services) -> None:
    services.start("daemon")
    told = {int(n): rest for n, *rest in REQUEST.findall(committed().content["info"]["description"])}
    assert list(told) == list(range(1, 13))
    reader = Reader(server)

    def follow(number: int, **headers: str) -> Any:
        method, path, body = told[number]
        return reader.send(method, path, json.loads(body) if body else None, **headers)

    reader.token = follow(1).json()["token"]
    assert "reafan" in [each["id"] for each in follow(2).json()["items"]]
    assert "greedy" in follow(3).json()["bots"]
    reader.known["table_id"] = follow(4).json()["id"]
    answer = follow(5)
    assert follow(6).status_code == 201
    reader.known["live_url"] = follow(7).json()["live_url"]
    while True:
        answer = follow(8, If_None_Match=answer.headers["ETag"])
        if answer.status_code == 304:  # nothing new in time
            continue
        view = answer.json()
        if view["status"] != "playing":
            break
        if view["viewer"] in [each["seat"] for each in view["awaited"]]:
            move = {"turn": view["turn"], **view["legal_moves"][0]}
            assert reader.send("POST", told[6][1], move).status_code == 201
    assert follow(9).json()["items"] == []
    assert follow(10).json()["items"][0]["position"] == 1
    assert follow(11).json()["outcome"] == view["outcome"]
    assert follow(12).json()["openings"]
    services.stop("daemon")
