"""Headers, other origins, the pages for readers, the server's own resources."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable
from typing import NoReturn

import django.db
import httpx
import psycopg
import pytest
from pytest_django.fixtures import Settings

from tables import queries, wording
from tables.api import throttling
from tables.errors import Refusal
from tests.api.contract import DOCUMENT, Api, in_process
from tests.services import Services


def test_status_and_keys(server: str) -> None:
    status = Api(server).get("/v1/status").json()
    assert status["feature_level"] >= 1
    assert Api(server).get("/v1/keys").json()["items"]


def test_the_live_process_is_there(server: str, services: Services) -> None:
    live = Api(services.live_url)
    assert live.get("/v1/live/status").json()["live_url"] == services.live_url
    assert live.send("POST", "/v1/live/status").status_code == 405


def test_every_answer_is_guarded(server: str) -> None:
    answers = [Api(server).get(path) for path in ("/v1/games", "/v1/me", "/nowhere")]
    for headers in [each.headers for each in (*answers, httpx.get(f"{server}/docs"))]:
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert headers["Referrer-Policy"]
        assert headers["X-Request-Id"]
        assert "Set-Cookie" not in headers


def test_an_answer_before_the_end_of_the_body_leaves_the_connection_open(server: str) -> None:
    """Nobody reads the body of a request that leads nowhere; the next request is on its way behind it."""
    where = httpx.URL(server)
    with socket.create_connection((where.host, where.port or 80), timeout=30) as connection:
        head = f"POST /v1/nowhere HTTP/1.1\r\nHost: {where.host}\r\nContent-Length: 4\r\n\r\n"
        connection.sendall(head.encode())
        time.sleep(0.3)  # long enough for an answer that waits for nothing
        connection.sendall(f"{{}}  GET /health/live HTTP/1.1\r\nHost: {where.host}\r\n\r\n".encode())
        answers = b""
        while b"200 OK" not in answers:
            answers += (received := connection.recv(65_536))
            assert received, answers
    assert answers.startswith(b"HTTP/1.1 404")


def test_a_page_of_another_origin_may_use_the_api(server: str) -> None:
    asked = Api(server).send(
        "OPTIONS",
        "/v1/tables",
        headers={
            "Origin": "https://example.org",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
        },
    )
    assert (asked.status_code, asked.content) == (204, b"")
    assert asked.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in asked.headers
    allowed = asked.headers["Access-Control-Allow-Headers"].lower()
    assert all(each in allowed for each in ("authorization", "content-type", "idempotency-key"))
    answer = Api(server).get("/v1/me", headers={"Origin": "https://example.org"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    exposed = answer.headers["Access-Control-Expose-Headers"]
    for name in ("ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", "Idempotency-Replayed"):
        assert name in exposed


def test_the_document_and_its_page_come_from_here(server: str) -> None:
    assert httpx.get(f"{server}/openapi.yaml").text == DOCUMENT.read_text("utf-8")
    page = httpx.get(f"{server}/docs")
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"].split("style-src")[0]
    assert "http" not in page.text.replace(server, "")
    for asset in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert httpx.get(server + asset).status_code == 200
    assert httpx.get(f"{server}/docs/assets/../../manage.py").status_code == 404


def test_every_refusal_is_worded_and_listed(server: str) -> None:
    page = httpx.get(f"{server}/docs/errors").text

    def all_of(cls: type[Refusal]) -> list[type[Refusal]]:
        return [cls, *(each for sub in cls.__subclasses__() for each in all_of(sub))]

    for refusal in all_of(Refusal)[1:]:
        assert refusal.code in wording.DETAILS
        assert f'id="{refusal.code}"' in page


def test_a_fault_of_the_servers_own_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "status", lambda: 1 // 0)
    for path in ("/v1/status", "/v1/live/status"):
        answer = in_process().send("GET", path, headers={"Accept-Language": "es"}, failure=500)
        assert answer.json()["code"] == "internal_error"
        assert answer.json()["detail"] == "Algo ha fallado en el servidor."
        assert "Zero" not in answer.text


@pytest.mark.parametrize("error", [django.db.OperationalError, psycopg.OperationalError])
def test_a_database_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail() -> NoReturn:
        raise error("connection refused, password=secret")

    monkeypatch.setattr(queries, "status", fail)
    for path in ("/v1/status", "/v1/live/status"):
        answer = in_process().get(path)
        assert (answer.status_code, answer.json()["code"]) == (503, "busy")
        assert answer.headers["Retry-After"] == "1"
        assert "secret" not in answer.text


def test_a_strange_host_is_refused() -> None:
    answer = in_process("example.org").send("GET", "/v1/status", failure=400)
    assert answer.json()["code"] == "bad_request"


def test_a_quota_ends_and_says_when_it_begins_again(settings: Settings) -> None:
    settings.THROTTLES = True
    client = in_process()
    for _ in range(throttling.READS.quota):
        assert client.get("/v1/games/nothing").status_code == 404
    for _ in range(2):  # the window may have ended meanwhile, once
        answer = client.get("/v1/games/nothing")
        if answer.status_code == 429:
            break
        for _ in range(throttling.READS.quota):
            client.get("/v1/games/nothing")
    assert answer.status_code == 429
    assert answer.json()["code"] == "rate_limited"
    assert 1 <= int(answer.headers["Retry-After"]) <= 61
    assert answer.headers["RateLimit"].startswith('"reads";r=0;t=')
    assert answer.headers["RateLimit-Policy"] == '"reads";q=300;w=60'


@pytest.mark.long
def test_sign_in_is_limited_for_each_account_and_address(settings: Settings) -> None:
    settings.THROTTLES = True
    body = {"name": "somebody who is not there", "password": "a wrong password"}
    client = in_process()
    statuses = [client.post("/v1/sessions", body).status_code for _ in range(25)]
    assert statuses[0] == 401
    assert statuses[-1] == 429


def test_a_refused_preflight_is_no_method(new_player: Callable[..., Api]) -> None:
    assert new_player().send("OPTIONS", "/v1/games").status_code == 405


@pytest.mark.parametrize("header", ["*", "xx, es", "es-ES;q=0.1, en;q=0", "de;q=x", "e" * 5000, ";;;"])
def test_any_accept_language_is_answered(server: str, header: str) -> None:
    answer = Api(server).get("/v1/games", headers={"Accept-Language": header})
    assert answer.headers["Content-Language"] in ("en", "es")
