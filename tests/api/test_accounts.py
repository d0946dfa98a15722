"""Signing up, in and out; tokens."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from pytest_django.fixtures import Settings

from tables.models import Token
from tests.api.contract import Api, in_process

PASSWORD = "a long enough password"


def new_name() -> str:
    return f"Íñigo {secrets.token_hex(6)}"


def test_an_account_from_sign_up_to_sign_out(server: str) -> None:
    name = new_name()
    made = Api(server).post("/v1/players", {"name": name, "password": PASSWORD, "locale": "es"})
    assert made.status_code == 201
    assert made.json()["player"]["name"] == name

    again = Api(server).post("/v1/sessions", {"name": name.upper(), "password": PASSWORD})
    assert again.status_code == 201
    assert again.json()["token"] != made.json()["token"]
    session = Api(server, again.json()["token"])
    assert session.get("/v1/me").json() == {
        "id": made.json()["player"]["id"],
        "name": name,
        "locale": "es",
        "zone": "UTC",
        "quiet_hours": None,
        "reliability": None,
        "guest": False,
    }

    assert session.delete("/v1/sessions").status_code == 204
    assert session.get("/v1/me").status_code == 401
    assert Api(server, made.json()["token"]).get("/v1/me").status_code == 200


def test_a_name_is_taken_in_whatever_case(server: str) -> None:
    name = new_name()
    Api(server).post("/v1/players", {"name": name, "password": PASSWORD})
    taken = Api(server).post("/v1/players", {"name": name.swapcase(), "password": PASSWORD})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")


@pytest.mark.parametrize(
    "name", ["x", "x" * 41, " front", "back ", "a\tb", "a<b>", "a\u202eb", "😀😀", "a  b"]
)
def test_a_name_has_letters_digits_and_little_else(server: str, name: str) -> None:
    refused = Api(server).post("/v1/players", {"name": name, "password": PASSWORD})
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["pointer"] == "#/name"


@pytest.mark.parametrize(
    "name",
    ["..", ". -", "Ana\ufe0f", "\u3164\u3164", "\u0301\u0301", str(uuid.uuid4()), uuid.uuid4().hex.upper()],
    ids=["dots", "signs", "a selector", "fillers", "marks", "an id", "an id without hyphens"],
)
def test_a_name_shows_and_means_nobody_else(name: str) -> None:
    """Where players are named in a path it is by name or by id, and a path loses its dots."""
    refused = in_process().post("/v1/players", {"name": name, "password": PASSWORD})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, "bad_name")


def test_composed_and_decomposed_letters_are_one_name(server: str) -> None:
    tail = secrets.token_hex(6)
    made = Api(server).post("/v1/players", {"name": f"In\u0303igo {tail}", "password": PASSWORD})
    assert made.json()["player"]["name"] == f"I\u00f1igo {tail}"
    signed_in = Api(server).post("/v1/sessions", {"name": f"I\u00f1igo {tail}", "password": PASSWORD})
    assert signed_in.status_code == 201


def test_an_unknown_name_and_a_wrong_password_answer_alike(server: str) -> None:
    name = new_name()
    Api(server).post("/v1/players", {"name": name, "password": PASSWORD})
    wrong = Api(server).post("/v1/sessions", {"name": name, "password": "another password"})
    unknown = Api(server).post("/v1/sessions", {"name": new_name(), "password": "another password"})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() | {"request_id": ""} == unknown.json() | {"request_id": ""}
    assert wrong.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_of_ones_own_from_creation_to_revocation(new_player: Callable[..., Api]) -> None:
    player = new_player()
    made = player.post("/v1/me/tokens", {"label": "my bot", "days": 7})
    assert made.status_code == 201
    details = made.json()["details"]
    days = datetime.fromisoformat(details["expires_at"]) - datetime.fromisoformat(details["created_at"])
    assert timedelta(days=6, hours=23) < days <= timedelta(days=7, seconds=1)
    bot = Api(player.base_url, made.json()["token"])
    assert bot.get("/v1/me").json() == player.get("/v1/me").json()

    listed = player.get("/v1/me/tokens").json()["items"]
    assert [each["label"] for each in listed] == ["my bot", "sign-up"]
    assert listed[0]["last_used_on"] == datetime.now(UTC).date().isoformat()
    assert made.json()["token"] not in player.get("/v1/me/tokens").text

    stranger = new_player()
    assert stranger.delete(f"/v1/me/tokens/{details['id']}").status_code == 404
    assert player.delete(f"/v1/me/tokens/{details['id']}").status_code == 204
    assert player.delete(f"/v1/me/tokens/{details['id']}").status_code == 404
    assert bot.get("/v1/me").status_code == 401


def test_a_token_ends_with_its_day(new_player: Callable[..., Api]) -> None:
    player = new_player()
    made = player.post("/v1/me/tokens", {"label": "", "days": 1}).json()
    Token.objects.filter(id=made["details"]["id"]).update(expires_at=datetime.now(UTC))
    assert Api(player.base_url, made["token"]).get("/v1/me").status_code == 401
    assert len(player.get("/v1/me/tokens").json()["items"]) == 1


@pytest.mark.parametrize("days", [0, 367, -1, 1.5, "7", None, True])
def test_a_token_lives_one_to_366_days(new_player: Callable[..., Api], days: object) -> None:
    assert new_player().post("/v1/me/tokens", {"days": days}).status_code == 400


def test_tokens_that_are_none_are_refused(new_player: Callable[..., Api]) -> None:
    player = new_player()
    assert player.token is not None
    last = "0" if player.token[-1] != "0" else "1"
    for token in ("x", "posta_", player.token[:-1] + last, player.token + "0", "posta_" + "0" * 42):
        answer = Api(player.base_url, token).get("/v1/me")
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    basic = Api(player.base_url).get("/v1/me", headers={"Authorization": f"Basic {player.token}"})
    assert basic.status_code == 401
    assert Api(player.base_url).get("/v1/me").status_code == 401
    assert Api(player.base_url, "posta_wrong").get("/v1/games").status_code == 401


def test_the_database_keeps_no_token(new_player: Callable[..., Api]) -> None:
    player = new_player()
    assert player.token is not None
    secret = player.token.encode()
    assert all(secret not in bytes(each) for each in Token.objects.values_list("digest", flat=True))


def test_a_player_chooses_a_language(new_player: Callable[..., Api]) -> None:
    player = new_player()
    assert player.get("/v1/me/tokens/none").json()["detail"].startswith("There is nothing")
    assert player.patch("/v1/me", {"locale": "es"}).json()["locale"] == "es"
    assert player.patch("/v1/me", {}).json()["locale"] == "es"
    missing = "/v1/tables/0197a3c2-5b1e-4d40-9c1f-2f6d8e4b7a10"
    own, asked = player.get(missing), player.get(missing, headers={"Accept-Language": "en-GB, es;q=0.5"})
    assert (own.headers["Content-Language"], asked.headers["Content-Language"]) == ("es", "en")
    assert own.json()["detail"] == "Aquí no hay nada, o nada que puedas ver."
    assert own.json()["title"] == asked.json()["title"] == "Not found"
    assert player.patch("/v1/me", {"locale": "fr"}).status_code == 400


def test_signing_up_twice_with_one_key_is_signing_up_once(server: str) -> None:
    body = {"name": new_name(), "password": PASSWORD}
    key = secrets.token_hex(8)
    first = Api(server).post("/v1/players", body, headers={"Idempotency-Key": f'"{key}"'})
    second = Api(server).post("/v1/players", body, headers={"Idempotency-Key": key})
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    other = Api(server).post("/v1/players", {**body, "locale": "es"}, headers={"Idempotency-Key": key})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    rival = Api(server).post(
        "/v1/players", {**body, "password": "some other words"}, headers={"Idempotency-Key": key}
    )
    assert (rival.status_code, rival.json()["code"]) == (409, "name_taken")


def test_a_repeated_sign_in_and_a_repeated_token_give_the_same_secret(server: str) -> None:
    name = new_name()
    made = Api(server).post("/v1/players", {"name": name, "password": PASSWORD}).json()
    body = {"name": name, "password": PASSWORD}
    key = secrets.token_hex(8)
    first, second = (
        Api(server).post("/v1/sessions", body, headers={"Idempotency-Key": key}) for _ in range(2)
    )
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
    assert first.json()["token"] != made["token"]
    wrong = {"name": name, "password": "another password"}
    assert Api(server).post("/v1/sessions", wrong, headers={"Idempotency-Key": key}).status_code == 401

    player = Api(server, made["token"])
    one, two = (
        player.post("/v1/me/tokens", {"label": "x"}, headers={"Idempotency-Key": key}) for _ in range(2)
    )
    assert one.json() == two.json()
    assert one.json()["token"] != first.json()["token"]
    assert len(player.get("/v1/me/tokens").json()["items"]) == 3


@pytest.mark.parametrize("key", ["", "x" * 256, "a b", "a/b"])
def test_a_key_is_one_word(new_player: Callable[..., Api], key: str) -> None:
    player = new_player()
    answer = player.send("POST", "/v1/me/tokens", {}, headers={"Idempotency-Key": key})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "Idempotency-Key")


def test_attempts_are_counted_by_address_whoever_asks(
    new_player: Callable[..., Api], settings: Settings
) -> None:
    """A token, of a guest for instance, must not be good for twenty more names."""
    settings.THROTTLES, settings.TRUSTED_PROXIES = True, 1
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    here = {"X-Forwarded-For": f"2001:db8:{secrets.token_hex(2)}::1"}
    api = in_process()
    tokens = [new_player().token, None]

    def attempt(number: int) -> int:
        api.token = tokens[number % 2]
        return api.post("/v1/sessions", {"name": new_name(), "password": PASSWORD}, headers=here).status_code

    assert [attempt(number) for number in range(21)] == [401] * 20 + [429]
