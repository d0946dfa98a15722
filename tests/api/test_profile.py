"""A player's name, and what others see of it after a change; the export over HTTP."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from tables.models import IdempotencyRecord, Player
from tests.api.contract import Api, in_process
from tests.matches import open_match


def new_name() -> str:
    return f"Íñigo {secrets.token_hex(6)}"


def test_a_player_is_called_otherwise_everywhere_at_once(new_player: Callable[..., Api]) -> None:
    old, name = new_name(), new_name()
    me, other = new_player(old), new_player()
    match = open_match([me, other])

    changed = me.patch("/v1/me", {"name": name, "locale": "es"})

    assert (changed.json()["name"], changed.json()["locale"]) == (name, "es")
    table = other.get(match.path).json()
    assert table["host"] == table["seats"][0]["player"] == name
    signed_in = {each: {"name": each, "password": "a long enough password"} for each in (old, name)}
    anybody = Api(me.base_url)
    assert anybody.post("/v1/sessions", signed_in[old]).status_code == 401
    assert anybody.post("/v1/sessions", signed_in[name]).status_code == 201


def test_a_repeat_tells_the_name_that_a_player_has_now(new_player: Callable[..., Api]) -> None:
    old, name = new_name(), new_name()
    me, other = new_player(old), new_player()
    table = me.post("/v1/tables", {"game": "probe", "seats": 3}).json()["id"]
    key = {"Idempotency-Key": secrets.token_hex(8)}
    first = other.post(f"/v1/tables/{table}/join", {}, headers=key)
    assert old in first.text
    me.patch("/v1/me", {"name": name})
    again = other.post(f"/v1/tables/{table}/join", {}, headers=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.text == first.text.replace(old, name)
    assert not IdempotencyRecord.objects.filter(answer__icontains=old).exists()


def test_a_name_that_is_taken_or_none_is_not_given(new_player: Callable[..., Api]) -> None:
    taken, own = new_name(), new_name()
    new_player(taken)
    me = new_player(own)
    refused = me.patch("/v1/me", {"name": taken.upper(), "locale": "es"})
    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")
    assert me.patch("/v1/me", {"name": "x<y>"}).json()["errors"][0]["pointer"] == "#/name"
    assert (me.get("/v1/me").json()["name"], me.get("/v1/me").json()["locale"]) == (own, "en")
    assert me.patch("/v1/me", {"name": own.upper()}).json()["name"] == own.upper()
    assert me.patch("/v1/me", {"name": own.upper()}).status_code == 200


def test_a_player_is_not_called_otherwise_all_the_time(
    new_player: Callable[..., Api], settings: Settings
) -> None:
    settings.THROTTLES = True
    api = in_process()
    api.token = new_player().token
    got = [api.patch("/v1/me", {"name": new_name()}).status_code for _ in range(6)]
    assert got == [200] * 5 + [429]
    assert api.patch("/v1/me", {"locale": "es"}).status_code == 200


def test_a_player_takes_its_data_along(new_player: Callable[..., Api]) -> None:
    me, other = new_player(), new_player()
    match = open_match([me, other])
    me.post(f"{match.path}/messages", {"text": "a word of mine"})
    other.post(f"{match.path}/messages", {"text": "a word of another"})
    answer = me.get("/v1/me/export")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    sections = answer.json()["sections"]
    assert sections["account"][0]["name"] == me.get("/v1/me").json()["name"]
    assert [each["text"] for each in sections["messages"]] == ["a word of mine"]
    assert [each["table"] for each in sections["seats"]] == [match.id]
    assert "a word of another" not in answer.text
    assert Player.objects.get(name=sections["account"][0]["name"]).password not in answer.text
    assert Api(me.base_url).get("/v1/me/export").status_code == 401


@pytest.mark.parametrize("name", [None, 7, "x", "x" * 41])
def test_a_name_is_a_text_of_some_letters(new_player: Callable[..., Api], name: object) -> None:
    assert new_player().patch("/v1/me", {"name": name}).status_code == 400
