"""Whoever has an account learns at its confirmed address that it was changed, whoever changed it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage

import pytest
from django.contrib.auth.hashers import make_password
from django.utils import timezone
from pytest_django.fixtures import Settings

from tables import players
from tables.models import Alert, Mailbox, Player
from tables.notices import addresses, alerts, mailing, writing
from tables.wording import LOCALES
from tests.api.contract import Api, in_process
from tests.notices.office import DyingBackend, Office, address_of
from tests.notices.people import body, subscribe
from tests.services import SimulatedClock

pytestmark = pytest.mark.usefixtures("no_drivers")

PASSWORD, NEW = "a long enough password", "quite another password"


@pytest.fixture(autouse=True)
def _quick(settings: Settings) -> None:
    """Hashes that cost nothing."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def somebody(password: str | None = PASSWORD, *, locale: str = "en") -> tuple[Player, Api]:
    """Return an account with a confirmed address, and its owner's way to the API."""
    player = Player.objects.create(name=f"Zoë {secrets.token_hex(6)}", password=make_password(password))
    subscribe(player.id, locale=locale)
    caller = players.Caller(player.id, player.name, locale, token_id=player.id)
    return player, in_process(token=players.create_token(caller, "x").token)


def give(api: Api, email: str, **more: str) -> tuple[int, str | None]:
    answer = api.send("PUT", "/v1/me/email", {"email": email, **more})
    return answer.status_code, answer.json().get("code")


def mailed(office: Office, player: Player) -> list[EmailMessage]:
    mailing.mail()
    return office.to(player.id)


def change_password(api: Api) -> int:
    return api.send("PUT", "/v1/me/password", {"password": PASSWORD, "new_password": NEW}).status_code


DONE: dict[str, Callable[[Api], int]] = {
    "password_changed": change_password,
    "address_changed": lambda api: give(api, "new@example.net", password=PASSWORD)[0],
    "address_removed": lambda api: api.delete("/v1/me/email").status_code,
    "account_deleted": lambda api: api.send("DELETE", "/v1/me", {"password": PASSWORD}).status_code,
}


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("what", alerts.ALERTS)
def test_the_confirmed_address_is_told(office: Office, what: str, locale: str) -> None:
    player, api = somebody(locale=locale)

    assert DONE[what](api) in (200, 204)

    (mail,) = mailed(office, player)
    assert mail["Content-Language"] == locale
    subject = alerts.ALERTS[what].subject[LOCALES.index(locale)].format(site=writing.site())
    assert str(mail["Subject"]).strip() == subject
    for subtype in ("plain", "html"):
        text = body(mail, subtype)
        assert player.name in text
        assert not re.search(r"href|https?:|[0-9A-Z]{5}-[0-9A-Z]{5}", text), "of use to a thief"
    assert not Alert.objects.filter(name=player.name).exists()
    assert mailed(office, player) == [mail]


def test_an_alert_is_worded_in_both_languages() -> None:
    for words in alerts.ALERTS.values():
        for english, spanish in words:
            assert english != spanish
            assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", spanish))
    assert alerts.ALERTS.keys() == DONE.keys()


def test_another_password_by_a_mailed_code_is_told_too(office: Office) -> None:
    player, api = somebody()
    api.post("/v1/password-resets", {"account": player.name})
    (mail,) = mailed(office, player)
    found = re.search(r"\b[0-9A-Z]{5}-[0-9A-Z]{5}\b", body(mail))
    assert found is not None
    sent = {"name": player.name, "code": found[0], "password": NEW}
    for _ in range(2):
        assert in_process().post("/v1/password-resets/confirmation", sent).status_code == 204
    assert [str(each["Subject"]).split(" for ")[0] for each in mailed(office, player)] == [
        "Another password",
        "Your password",
    ]


def test_another_address_is_given_on_the_word_of_the_password(office: Office) -> None:
    player, api = somebody()
    for wrong in ({}, {"password": "not this one"}):
        assert give(api, "thief@example.net", **wrong) == (403, "wrong_password")
    assert api.get("/v1/me/email").json() == {"email": address_of(player.id), "confirmed": True}
    assert mailed(office, player) == []
    assert give(api, address_of(player.id), password=PASSWORD) == (200, None)
    assert mailed(office, player) == []
    assert give(api, "new@example.net", password=PASSWORD) == (200, None)
    assert len(mailed(office, player)) == 1


def test_a_guest_has_no_password_to_give(office: Office) -> None:
    player, api = somebody(None)
    assert give(api, "new@example.net") == (200, None)
    (mail,) = mailed(office, player)
    assert "another address now" in body(mail)


def test_an_address_that_is_not_confirmed_is_told_nothing(office: Office) -> None:
    player, api = somebody()
    addresses.forget(player.id)
    addresses.give(player.id, address_of(player.id))
    Mailbox.objects.filter(player=player.id).update(code_at=None)
    Alert.objects.filter(name=player.name).delete()
    change_password(api)
    assert mailed(office, player) == []


def test_an_alert_is_mailed_again_after_a_crash_and_known_as_the_same(
    office: Office, clock: SimulatedClock, settings: Settings
) -> None:
    player, api = somebody()
    api.delete("/v1/me/email")
    settings.EMAIL_BACKEND = f"{DyingBackend.__module__}.{DyingBackend.__qualname__}"
    DyingBackend.victim = address_of(player.id)
    with pytest.raises(SystemExit):
        mailing.mail()
    DyingBackend.victim = ""
    (first,) = mailed(office, player)
    clock.advance(seconds=301)
    _, second = mailed(office, player)
    assert first["Message-ID"] == second["Message-ID"]


def test_an_alert_that_nobody_takes_is_forgotten(office: Office) -> None:
    player, api = somebody()
    office.refused.add(address_of(player.id))
    change_password(api)
    mailing.mail()
    assert not Alert.objects.filter(name=player.name).exists()
    api.delete("/v1/me/email")
    Alert.objects.filter(name=player.name).update(created_at=timezone.now() - timedelta(days=8))
    alerts.prune()
    assert not Alert.objects.filter(name=player.name).exists()
