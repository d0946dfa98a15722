"""Notices over HTTP: the list, the marks, the choices, the address, and the page that stops mails."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tables import hosting
from tables.models import Mailbox, Player
from tables.notices import addresses, choices
from tests.api.contract import Api
from tests.notices.people import settle
from tests.services import Services

PASSWORD = "a long enough password"
CODE = re.compile(r"\b[0-9A-Z]{5}-[0-9A-Z]{5}\b")


@pytest.fixture
def seated(new_player: Callable[..., Api]) -> list[Api]:
    """Two people at a table of Reafan that has just started; all has been told."""
    people = [new_player(), new_player()]
    table = people[0].post("/v1/tables", {"game": "reafan", "title": "Fridays"}).json()["id"]
    people[1].post(f"/v1/tables/{table}/join", {})
    settle(uuid.UUID(table))
    return people


def id_of(player: Api) -> uuid.UUID:
    return uuid.UUID(player.get("/v1/me").json()["id"])


def test_the_list_tells_what_is_new_and_what_is_read(seated: list[Api]) -> None:
    player = seated[0]
    page = player.get("/v1/me/notices").json()
    assert [each["what"] for each in page["items"]] == ["your_turn", "started"]
    assert [each["number"] for each in page["items"]] == [2, 1]
    assert page["unread"] == 2
    assert page["items"][0]["table"] == "“Fridays” (Reafan)"
    assert page["items"][0]["text"].startswith("It is your turn, until ")

    assert player.send("PUT", "/v1/me/notices/read", {"upto": 1}).json() == {"read_upto": 1, "unread": 1}
    assert player.send("PUT", "/v1/me/notices/read", {"upto": 0}).json() == {"read_upto": 1, "unread": 1}
    assert player.send("PUT", "/v1/me/notices/read", {"upto": 3}).status_code == 400
    assert [each["read"] for each in player.get("/v1/me/notices").json()["items"]] == [False, True]


def test_the_list_speaks_the_language_of_the_request(seated: list[Api]) -> None:
    answer = seated[0].get("/v1/me/notices", headers={"Accept-Language": "es"})
    assert answer.headers["Content-Language"] == "es"
    assert [each["title"] for each in answer.json()["items"]] == ["Te toca", "Empieza la partida"]
    tag = answer.headers["ETag"]
    again = seated[0].get("/v1/me/notices", headers={"Accept-Language": "es", "If-None-Match": tag})
    assert again.status_code == 304


def test_the_list_comes_in_pages(seated: list[Api]) -> None:
    player = seated[0]
    first = player.get("/v1/me/notices?limit=1").json()
    second = player.get(f"/v1/me/notices?limit=1&cursor={first['next_cursor']}").json()
    back = player.get(f"/v1/me/notices?limit=1&cursor={second['previous_cursor']}").json()
    assert [page["items"][0]["number"] for page in (first, second, back)] == [2, 1, 2]
    assert (first["previous_cursor"], second["next_cursor"]) == (None, None)
    for cursor in ("x", "b2xkZXIgLTE", "b2xkZXIgOTk5OTk5OTk5OTk5OTk"):
        assert player.get(f"/v1/me/notices?cursor={cursor}").status_code == 400


def test_nobody_was_told_anything_at_first(new_player: Callable[..., Api]) -> None:
    player = new_player()
    empty = {"items": [], "unread": 0, "next_cursor": None, "previous_cursor": None}
    assert player.get("/v1/me/notices").json() == empty
    assert player.send("PUT", "/v1/me/notices/read", {"upto": 0}).json() == {"read_upto": 0, "unread": 0}


def test_what_is_mailed_can_be_chosen(seated: list[Api]) -> None:
    player = seated[0]
    table = player.get("/v1/me/notices").json()["items"][0]["table_id"]
    assert player.get("/v1/me/notice-choices").json() == {
        "mail": "immediate",
        "daily_at": 8,
        "kinds": [],
        "tables": [],
    }
    wanted: dict[str, Any] = {
        "mail": "daily",
        "daily_at": 20,
        "kinds": [{"kind": "message", "mail": "never"}],
        "tables": [{"table_id": table, "mail": "hourly"}],
    }
    assert player.send("PUT", "/v1/me/notice-choices", wanted).json() == wanted
    assert player.get("/v1/me/notice-choices").json() == wanted
    assert player.send("PUT", "/v1/me/notice-choices", {}).json()["mail"] == "immediate"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"mail": "weekly"}, "#/mail"),
        ({"daily_at": 24}, "#/daily_at"),
        ({"kinds": [{"kind": "weather", "mail": "never"}]}, "#/kinds/0/kind"),
        ({"kinds": [{"kind": "vote", "mail": "never"}] * 2}, "#/kinds/1/kind"),
        ({"tables": [{"table_id": str(uuid.uuid4()), "mail": "never"}]}, "#/tables/0/table_id"),
        ({"tables": [{"table_id": "x", "mail": "never"}]}, "#/tables/0/table_id"),
    ],
)
def test_choices_that_are_none_are_refused(
    new_player: Callable[..., Api], body: dict[str, Any], pointer: str
) -> None:
    answer = new_player().send("PUT", "/v1/me/notice-choices", body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"].split("/")[1]) == (
        400,
        pointer.split("/")[1],
    )


def test_an_address_is_given_confirmed_and_deleted(new_player: Callable[..., Api]) -> None:
    player = new_player()
    assert player.get("/v1/me/email").json() == {"email": None, "confirmed": False}
    assert player.post("/v1/me/email/confirmation", {"code": "7KQ2M-X0V4T"}).status_code == 403
    given = player.send("PUT", "/v1/me/email", {"email": "ana@example.org", "password": PASSWORD})
    assert given.json() == {"email": "ana@example.org", "confirmed": False}
    refused = player.post("/v1/me/email/confirmation", {"code": "7KQ2M-X0V4T"})
    assert (refused.status_code, refused.json()["code"]) == (403, "bad_code")
    code = addresses.code(Mailbox.objects.get(player=id_of(player)), hosting.now_ms())
    for _ in range(2):
        confirmed = player.post("/v1/me/email/confirmation", {"code": code})
        assert confirmed.json() == {"email": "ana@example.org", "confirmed": True}
    again = player.send("PUT", "/v1/me/email", {"email": "ana@example.org", "password": PASSWORD})
    assert again.json()["confirmed"] is True
    assert player.delete("/v1/me/email").status_code == 204
    assert player.get("/v1/me/email").json() == {"email": None, "confirmed": False}
    for wrong in ("ana", "ana@", "a@b\r\nBcc: c@d.org", "ana@example.org, b@example.org", "ä@example.org"):
        assert (
            player.send("PUT", "/v1/me/email", {"email": wrong, "password": PASSWORD}).status_code == 400
        ), wrong


def test_the_page_in_a_mail_stops_mails_without_signing_in(
    new_player: Callable[..., Api], server: str
) -> None:
    player = new_player()
    Player.objects.filter(id=id_of(player)).update(locale="es")
    link = choices.unsubscribe_url(id_of(player), ["message", "vote"]).rsplit("/", 1)[1]
    page = httpx.get(f"{server}/unsubscribe/{link}", trust_env=False)
    assert page.status_code == 200
    assert "mensajes, votaciones" in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert player.get("/v1/me/notice-choices").json()["kinds"] == []
    for _ in range(2):
        done = httpx.post(
            f"{server}/unsubscribe/{link}", data={"List-Unsubscribe": "One-Click"}, trust_env=False
        )
        assert done.status_code == 200
    assert "Hecho." in done.text
    assert player.get("/v1/me/notice-choices").json()["kinds"] == [
        {"kind": "message", "mail": "never"},
        {"kind": "vote", "mail": "never"},
    ]
    assert httpx.get(f"{server}/unsubscribe/{link[:-1]}", trust_env=False).status_code == 404
    assert httpx.put(f"{server}/unsubscribe/{link}", trust_env=False).status_code == 405


def test_celery_tells_what_happens(new_player: Callable[..., Api]) -> None:
    people = [new_player(), new_player()]
    table = people[0].post("/v1/tables", {"game": "reafan"}).json()["id"]
    people[1].post(f"/v1/tables/{table}/join", {})
    until = time.monotonic() + 20
    while people[0].get("/v1/me/notices").json()["unread"] < 2 and time.monotonic() < until:
        time.sleep(0.1)
    assert people[0].get("/v1/me/notices").json()["unread"] == 2


@pytest.mark.long
def test_celery_mails_a_code_that_confirms_the_address(
    new_player: Callable[..., Api], services: Services
) -> None:
    """Without a mail server of its own, a development server writes mails into its data folder."""
    services.start("mailer")
    player = new_player()
    address = f"{id_of(player)}@example.org"
    player.send("PUT", "/v1/me/email", {"email": address, "password": PASSWORD})
    folder, until = services.logs.parent / "mail", time.monotonic() + 40
    found = None
    while found is None and time.monotonic() < until:
        time.sleep(0.2)
        mails = [each.read_text("utf-8") for each in folder.glob("*")] if folder.exists() else []
        mine = [each for each in mails if f"To: {address}" in each]
        found = next((code for each in mine if (code := CODE.search(each))), None)
    assert found is not None
    answer = player.post("/v1/me/email/confirmation", {"code": found[0]})
    assert answer.json() == {"email": address, "confirmed": True}
