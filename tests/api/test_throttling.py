"""What quotas are counted by: one account, one network, one limit, whatever the request looks like."""

from __future__ import annotations

import secrets
import uuid

import httpx
import pytest
from django.contrib.auth.hashers import make_password
from django.core.handlers.wsgi import WSGIHandler
from pytest_django.fixtures import Settings

from tables.api import throttling
from tables.api.throttling import Limit
from tables.models import Player
from tests.api.callers import person
from tests.api.contract import in_process

WRONG = "another password"


@pytest.fixture(autouse=True)
def _throttled(settings: Settings) -> None:
    settings.THROTTLES, settings.TRUSTED_PROXIES = True, 1
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def somewhere() -> dict[str, str]:
    """Return the header of a request from where nobody else comes from."""
    return {"X-Forwarded-For": f"2001:db8:1{secrets.token_hex(1)}:1{secrets.token_hex(1)}::1"}


def test_a_name_is_one_account_however_its_letters_are_composed() -> None:
    tail = secrets.token_hex(6)
    spelled = [f"\u00cd\u00f1igo {tail}", f"I\u0301\u00f1igo {tail}", f"I\u0301n\u0303igo {tail}"]
    here = somewhere()

    def attempt(number: int) -> httpx.Response:
        sent = {"name": spelled[number % 3], "password": WRONG}
        return in_process().post("/v1/sessions", sent, headers=here)

    most = throttling.SIGN_IN_ACCOUNT.quota
    assert [attempt(number).status_code for number in range(most + 1)] == [401] * most + [429]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/v1/me/password", {"password": WRONG, "new_password": "a third long password"}),
        ("DELETE", "/v1/me", {"password": WRONG}),
        ("PUT", "/v1/me/email", {"password": WRONG, "email": "somebody@example.org"}),
    ],
)
def test_whoever_holds_a_token_may_not_try_passwords_more_often(
    method: str, path: str, body: dict[str, str]
) -> None:
    player, here = person(), somewhere()
    Player.objects.filter(id=player.id).update(password=make_password("a long enough password"))
    for _ in range(throttling.SIGN_IN_ACCOUNT.quota - 1):
        throttling.spend_attempt(player.name, here["X-Forwarded-For"].replace("::1", "::/64"))
    answers = [player.api.send(method, path, body, headers=here) for _ in range(2)]
    assert [each.json()["code"] for each in answers] == ["wrong_password", "rate_limited"]
    assert answers[1].json()["facts"]["policy"] == "sign-in-account"


def test_signing_up_with_a_key_tries_no_passwords_unseen() -> None:
    player, here = person(), somewhere()
    for _ in range(throttling.SIGN_IN_ACCOUNT.quota):
        throttling.spend_attempt(player.name, here["X-Forwarded-For"].replace("::1", "::/64"))
    sent = {"name": player.name, "password": WRONG}
    spent = in_process().post("/v1/players", sent, headers={**here, "Idempotency-Key": uuid.uuid4().hex})
    assert (spent.status_code, spent.json()["facts"]["policy"]) == (429, "sign-in-account")


def test_a_network_of_ipv6_is_one_address() -> None:
    network = somewhere()["X-Forwarded-For"].removesuffix("1")
    statuses = [
        in_process().post("/v1/guests", headers={"X-Forwarded-For": f"{network}{number:x}"}).status_code
        for number in range(throttling.GUESTS.quota + 1)
    ]
    assert statuses == [201] * throttling.GUESTS.quota + [429]


def test_the_head_of_what_is_dear_is_as_dear() -> None:
    player = person()
    for _ in range(throttling.EXPORTS.quota):
        throttling.spend(throttling.EXPORTS, f"{player.id} ")
    with httpx.Client(transport=httpx.WSGITransport(app=WSGIHandler())) as client:
        asked = {"Authorization": f"Bearer {player.api.token}"}
        statuses = [
            client.request(method, "http://localhost/v1/me/export", headers=asked).status_code
            for method in ("GET", "HEAD")
        ]
    assert statuses == [429, 429]


def test_who_fills_one_limit_empties_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "MOST_KEYS", 10)
    once, often = (Limit(f"test-{secrets.token_hex(4)}", most, 3600) for most in (1, 100))
    throttling.spend(once, "somebody")
    for number in range(20):
        throttling.spend(often, f"table {number}")
    with pytest.raises(throttling.TooManyRequests):
        throttling.spend(once, "somebody")
