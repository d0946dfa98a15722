"""Deleting the own account over HTTP: by its password, at once, in the middle of a move too."""

from __future__ import annotations

import secrets
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tables.auditing import audit
from tests.api.contract import Api
from tests.matches import open_match
from tests.services import Services

PASSWORD = "a long enough password"


def test_an_account_is_deleted_on_its_owners_word(
    new_player: Callable[..., Api], server: str, services: Services
) -> None:
    name, title, said = (f"kanarie-{secrets.token_hex(6)}" for _ in range(3))
    gone, left = new_player(name), new_player()
    player_id = gone.get("/v1/me").json()["id"]
    second = gone.post("/v1/me/tokens", {"label": "bot"}).json()["token"]
    match = open_match([gone, left], title=title)
    gone.post(f"{match.path}/messages", {"text": said})
    assert left.get(f"{match.path}").json()["seats"][0]["player"] == name

    refused = gone.send("DELETE", "/v1/me", {"password": "not the password"})
    assert (refused.status_code, refused.json()["code"]) == (403, "wrong_password")
    assert gone.get("/v1/me").status_code == 200
    assert gone.send("DELETE", "/v1/me").status_code == 403

    assert gone.send("DELETE", "/v1/me", {"password": PASSWORD}).status_code == 204

    for token in (gone.token, second):
        assert Api(server, token).get("/v1/me").status_code == 401
    signed = Api(server).post("/v1/sessions", {"name": name, "password": PASSWORD})
    assert (signed.status_code, signed.json()["code"]) == (401, "bad_credentials")
    table = left.get(match.path).json()
    assert (table["status"], table["title"], table["host"]) == ("finished", "", None)
    assert (table["seats"][0]["player"], table["seats"][0]["gone"]) == (None, True)
    (message,) = left.get(f"{match.path}/messages").json()["items"]
    assert (message["player"], message["text"], message["erased"]) == (None, None, True)
    found = [
        f"{file.name}: {word}"
        for file in [*services.logs.glob("*.log"), *services.logs.parent.glob("*.log")]
        for word in (name, title, said, player_id)
        if word in file.read_text(errors="replace")
    ]
    assert found == []


@pytest.mark.parametrize("delay", [0.0, 0.005, 0.02])
def test_a_request_in_flight_is_answered_as_before_or_after(
    new_player: Callable[..., Api], server: str, delay: float
) -> None:
    """Never by a failure of the server, whichever comes first."""
    players = [new_player(), new_player()]
    match = open_match(players)
    seat = match.view(0)["awaited"][0]["seat"]
    view = match.view(seat)
    sent: list[Any] = []

    def send(path: str, body: dict[str, Any]) -> None:
        key = {"Idempotency-Key": secrets.token_hex(8)}
        sent.append(Api(server, players[seat].token).post(path, body, headers=key))

    move = view["legal_moves"][0]
    body = {"turn": view["turn"], "kind": move["kind"], "params": move["params"]}
    requests = [
        (f"{match.path}/moves", body),
        (f"{match.path}/messages", {"text": "hello"}),
        ("/v1/tables", {"game": "reafan"}),
        ("/v1/me/tokens", {"label": "late"}),
    ]
    rivals = [threading.Thread(target=send, args=each) for each in requests]
    for each in rivals:
        each.start()
    time.sleep(delay)  # another interleaving; each is allowed
    deleted = players[seat].send("DELETE", "/v1/me", {"password": PASSWORD})
    for each in rivals:
        each.join()

    assert deleted.status_code == 204
    assert len(sent) == len(requests)
    assert {each.status_code for each in sent} <= {200, 201, 401, 403, 409, 503}
    holder = players[1 - seat].get(match.path).json()
    assert holder["status"] == "finished"
    assert holder["seats"][seat]["gone"]
    assert audit(uuid.UUID(match.id)).findings == []


def test_what_would_be_written_for_nobody_is_refused_as_without_a_token(
    new_player: Callable[..., Api], server: str, superuser_url: str
) -> None:
    """The message waits for the end of the talk while its speaker's account is deleted."""
    speaker, other = new_player(), new_player()
    match = open_match([other, new_player()], spectator_talk="write")
    other.post(f"{match.path}/messages", {"text": "first"})
    sent: list[Any] = []
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute("SELECT FROM events_head WHERE stream = %s FOR UPDATE", [f"talk-{match.id}"])
        rival = threading.Thread(
            target=lambda: sent.append(speaker.post(f"{match.path}/messages", {"text": "late"}))
        )
        rival.start()
        waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"
        while superuser.execute(waiting).fetchone() != (True,):
            pass
        assert Api(server, speaker.token).send("DELETE", "/v1/me", {"password": PASSWORD}).status_code == 204
        superuser.rollback()
    rival.join()

    assert sent[0].status_code == 401
    (only,) = other.get(f"{match.path}/messages").json()["items"]
    assert only["text"] == "first"
