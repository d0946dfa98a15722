"""Logs: every line says where it belongs, and none what was sent, seen or hidden."""

from __future__ import annotations

import json
import logging
import re
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from events.receipts import SigningKey
from stack import places, postgres, processes, temporary
from stack.supervisor import Supervisor
from tables.operations import logs
from tests.api.contract import Api
from tests.matches import Match, open_match, play_on

CANARY = "canary-7c1e"
TABLE = uuid.UUID(int=7)


@dataclass(frozen=True, slots=True)
class Production:
    """An installation as others reach it, through a proxy, and what its processes have written."""

    url: str
    superuser_url: str
    folder: Path
    proxy: httpx.Client

    def api(self, token: str | None = None) -> Api:
        """Return a caller's way."""
        return Api(self.url, token, http=self.proxy)

    def written(self) -> dict[str, str]:
        """Return all that each process has written."""
        return {each.name: each.read_text() for each in self.folder.glob("*.log")}


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    """An installation with the settings of production, and every process running."""
    key = tmp_path_factory.mktemp("keys") / "signing.key"
    SigningKey.load_or_create(key)
    env = {
        "POSTA_ENV": "production",
        "SECRET_KEY": "0123456789" * 5,
        "ALLOWED_HOSTS": "127.0.0.1",
        "POSTA_SIGNING_KEY": str(key),
        "POSTA_URL": "https://127.0.0.1",
        "POSTA_LIVE_URL": "https://127.0.0.1",
        "POSTA_THROTTLES": "0",
        "POSTA_MAIL_URL": "smtp://127.0.0.1:1",
        "POSTA_MAIL_FROM": "posta@example.org",
    }
    with (
        places.temporary() as where,
        postgres.log_file(where) as log,
        postgres.running(where, log, settings=postgres.HASTE),
    ):
        plan = temporary.plan_of(where, env)
        proxy = httpx.Client(headers={"X-Forwarded-Proto": "https"}, timeout=30, trust_env=False)
        with Supervisor(plan.logs) as supervisor, proxy:
            supervisor.start(processes.broker(plan))
            supervisor.run(processes.migration(plan))
            supervisor.start(*processes.application(plan))
            yield Production(plan.url, postgres.urls_of(where).superuser_url, plan.logs, proxy)


def test_no_canary_of_a_played_game_is_in_any_log(production: Production) -> None:
    signed_up = [
        production.api().post("/v1/players", {"name": f"{CANARY}-{seat}", "password": f"{CANARY} password"})
        for seat in (0, 1)
    ]
    players = [production.api(each.json()["token"]) for each in signed_up]
    match = open_match(players, title=f"{CANARY} title")
    moves = _play(match, players)
    against_bots = open_match(players[:1], "arrecife", seats=3, bots=["reader", "random"])
    play_on(against_bots, steps=2)
    failed = _provoke(production, match, players)

    written = production.written()

    secrets = [CANARY, *(each.token for each in players if each.token)]
    secrets += [players[0].get(match.path).json()["invite_code"]]
    for name, text in written.items():
        assert not [each for each in secrets if each in text], name
        assert not re.search(rf"\b({'|'.join(moves)})\b", text.replace("/<move>", "")), name
    lines = _lines(written["api.log"])
    (line,) = (each for each in lines if each.get("request_id") == failed and each["level"] == "ERROR")
    assert line["table"] == match.id
    assert line["error"].startswith("ProgrammingError")
    assert line["trace"]
    assert any(each.get("table") == match.id and " 201 in " in each["message"] for each in lines)


def test_every_line_of_ours_is_an_object_in_production(production: Production) -> None:
    assert production.api().get("/v1/games").status_code == 200
    for name, text in production.written().items():
        for line in _lines(text):
            assert {"time", "level", "logger", "message"} <= line.keys(), name
    for name in ("api.log", "deadlines.log", "daemon.log"):
        assert _lines(production.written()[name]), name


def test_a_line_says_what_it_is_about() -> None:
    with logs.about(request_id="r1"):
        with logs.about(table=TABLE):
            logs.at(12)
            inside = _written("moved")
        outside = _written("answered")
    assert (inside["request_id"], inside["table"], inside["position"]) == ("r1", str(TABLE), 12)
    assert outside["request_id"] == "r1"
    assert not {"table", "position"} & outside.keys()
    assert "request_id" not in _written("alone")
    assert _written("swept", table=TABLE)["table"] == str(TABLE)


def test_a_line_stays_one_line_whatever_is_in_it() -> None:
    line = logs.JsonLines().format(_record("one\ntwo \x1b[31m \u2028"))
    assert len(line.splitlines()) == 1
    assert json.loads(line)["message"] == "one\ntwo \x1b[31m \u2028"


def test_an_exception_is_told_by_type_and_place_and_not_by_what_it_says() -> None:
    try:
        try:
            json.loads(f"{CANARY}")
        except ValueError as error:
            raise LookupError(CANARY) from error
    except LookupError:
        line = logs.JsonLines().format(_record("it failed", exc_info=sys.exc_info()))
    assert CANARY not in line
    told = json.loads(line)
    assert told["error"] == "LookupError from JSONDecodeError"
    assert any("in test_an_exception_is_told" in each for each in told["trace"])


def test_people_read_a_line_with_its_place_and_its_exception() -> None:
    with logs.about(request_id="r1", table=TABLE):
        line = logs.ReadableLines().format(_record("moved"))
    assert line.endswith(f"INFO somebody moved request_id=r1 table={TABLE}")


def _play(match: Match, players: list[Api]) -> set[str]:
    """Play a whole game with talk and notes; return the kinds of moves that were hidden in it."""
    assert players[0].post(f"{match.path}/messages", {"text": f"{CANARY} message"}).status_code == 201
    typed = f"/v1/games/reafan/tables/{match.id}/mulligan"
    assert players[0].post(typed, {"turn": 1, "take": False}).status_code == 201
    play_on(match)
    assert players[1].get(match.path).json()["status"] == "finished"
    return {"mulligan"}


def _provoke(production: Production, match: Match, players: list[Api]) -> str:
    """Send what is refused in every way, and what fails; return the id of the request that failed."""
    stranger = production.api(f"posta_{CANARY}")
    assert stranger.get("/v1/me").status_code == 401
    assert players[0].get(f"/v1/tables?cursor={CANARY}").status_code == 400
    assert players[0].send("GET", f"/{CANARY}", failure=404)
    assert (
        players[0].post(f"{match.path}/moves", {"turn": 1, "kind": CANARY, "params": {}}).status_code == 400
    )
    assert players[0].send("POST", f"{match.path}/moves", content=f"{{{CANARY}".encode()).status_code == 400
    with psycopg.connect(production.superuser_url, autocommit=True) as superuser:
        superuser.execute("ALTER TABLE tables_note RENAME TO tables_note_gone")
        try:
            note = {"text": f"{CANARY} note"}
            answer = players[0].send("PUT", f"{match.path}/note", note, failure=500)
        finally:
            superuser.execute("ALTER TABLE tables_note_gone RENAME TO tables_note")
    return answer.headers["X-Request-Id"]


def _lines(text: str) -> list[dict[str, Any]]:
    """Return the lines that are objects; servers have a few words of their own at their start."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def _record(message: str, **facts: Any) -> logging.LogRecord:
    record = logging.LogRecord(
        "somebody", logging.INFO, __file__, 1, message, None, facts.pop("exc_info", None)
    )
    vars(record).update(facts)
    return record


def _written(message: str, **facts: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(logs.JsonLines().format(_record(message, **facts)))
    return told
