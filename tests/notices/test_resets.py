"""Another password by a mailed code: once, for an hour, and without telling anybody who has an account."""

from __future__ import annotations

import re
import secrets
import uuid
from email.message import EmailMessage
from urllib.parse import quote

import httpx
import pytest
from django.contrib.auth.hashers import make_password
from pytest_django.fixtures import Settings

from tables import hosting, players
from tables.models import Consent, Mailbox, Player, Token
from tables.notices import addresses, mailing
from tables.oauth import applications
from tests.api.callers import person
from tests.api.contract import Api, in_process
from tests.notices.office import Office, address_of
from tests.notices.people import body, subscribe
from tests.services import SimulatedClock

pytestmark = pytest.mark.usefixtures("no_drivers")

OLD, NEW, OTHER = "a long enough password", "quite another password", "a third long password"


@pytest.fixture(autouse=True)
def _quick(settings: Settings) -> None:
    """Hashes that cost nothing: how slow they are is shown elsewhere."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def somebody(locale: str = "en", *, subscribed: bool = True) -> Player:
    player = Player.objects.create(name=f"Íñigo {secrets.token_hex(6)}", password=make_password(OLD))
    if subscribed:
        subscribe(player.id, locale=locale)
    return player


def ask(account: str) -> httpx.Response:
    return in_process().post("/v1/password-resets", {"account": account})


def choose(name: str, code: str, password: str = NEW) -> int:
    sent = {"name": name, "code": code, "password": password}
    answer = in_process().post("/v1/password-resets/confirmation", sent)
    assert answer.status_code == 204 or answer.json()["code"] == "bad_code"
    return answer.status_code


def sign_in(name: str, password: str) -> int:
    return in_process().post("/v1/sessions", {"name": name, "password": password}).status_code


def code_in(mail: EmailMessage) -> str:
    found = re.search(r"\b[0-9A-Z]{5}-[0-9A-Z]{5}\b", body(mail))
    assert found is not None
    return found[0]


def mailed(office: Office, player_id: uuid.UUID) -> list[EmailMessage]:
    mailing.mail()
    return office.to(player_id)


def test_a_mailed_code_gives_another_password_once_and_signs_out_everywhere(office: Office) -> None:
    player = somebody()
    caller = players.Caller(player.id, player.name, "en", token_id=player.id)
    session = players.create_token(caller, "x").token
    Consent.objects.create(
        player=player,
        application=applications.register("An app", ["org.example.app:/done"]),
        scopes=["tables:read"],
        code_digest=secrets.token_bytes(32),
        code_expires_at="2020-01-01T00:00:00Z",
    )
    assert ask(player.name.upper()).status_code == 202
    (mail,) = mailed(office, player.id)
    assert str(mail["Subject"]).startswith("Another password for")
    assert player.name in body(mail)
    code = code_in(mail)
    assert code in body(mail, "html")
    assert f"/#/reset?name={quote(player.name)}&code={code}" in body(mail)
    assert choose(player.name, "00000-00000") == 403
    assert sign_in(player.name, OLD) == 201

    assert choose(player.name, code.lower().replace("-", " ")) == 204

    assert (sign_in(player.name, OLD), sign_in(player.name, NEW)) == (401, 201)
    assert players.authenticate(session) is None
    assert Consent.objects.filter(player=player).count() == 0
    assert choose(player.name, code, OTHER) == 403
    assert choose(player.name, code) == 204
    assert Token.objects.filter(player=player).count() == 1
    first, told = mailed(office, player.id)
    assert first == mail
    assert str(told["Subject"]).startswith("Your password for")


def test_the_mail_is_in_the_player_s_language(office: Office) -> None:
    player = somebody("es")
    ask(player.name)
    (mail,) = mailed(office, player.id)
    assert str(mail["Subject"]).startswith("Otra contraseña para")
    assert mail["Content-Language"] == "es"
    assert '<html lang="es">' in body(mail, "html")


def test_who_asks_learns_nothing(office: Office) -> None:
    known, without, unconfirmed = somebody(), somebody(subscribed=False), somebody(subscribed=False)
    addresses.give(unconfirmed.id, address_of(unconfirmed.id))
    closed = somebody()
    Player.objects.filter(id=closed.id).update(closed_at="2020-01-01T00:00:00Z")
    told = {
        account: ask(account)
        for account in (known.name, without.name, unconfirmed.name, closed.name, "nobody", "no@example.org")
    }
    seen = {
        (each.status_code, each.content, *sorted(set(each.headers) - {"x-request-id"}))
        for each in told.values()
    }
    assert len(seen) == 1
    assert len(mailed(office, known.id)) == 1
    assert office.to(without.id) == office.to(closed.id) == []
    assert all("password" not in str(each["Subject"]) for each in office.to(unconfirmed.id))
    refused = [
        in_process().post(
            "/v1/password-resets/confirmation", {"name": name, "code": "00000-00000", "password": NEW}
        )
        for name in (known.name, without.name, "nobody")
    ]
    assert len({each.json()["detail"] for each in refused}) == 1
    assert {each.status_code for each in refused} == {403}


def test_a_code_is_good_for_an_hour(office: Office, clock: SimulatedClock) -> None:
    player = somebody()
    ask(player.name)
    (mail,) = mailed(office, player.id)
    clock.advance(seconds=3601)
    assert choose(player.name, code_in(mail)) == 403
    office.close()
    ask(player.name)
    mailing.mail()
    office.open()
    clock.advance(seconds=3601)
    assert mailed(office, player.id) == [mail]


def test_who_asks_again_at_once_is_answered_by_the_first_mail(office: Office, clock: SimulatedClock) -> None:
    player = somebody()
    ask(player.name)
    (first,) = mailed(office, player.id)
    ask(player.name)
    assert mailed(office, player.id) == [first]
    clock.advance(seconds=301)
    ask(player.name)
    _, second = mailed(office, player.id)
    assert choose(player.name, code_in(first)) == 403
    assert choose(player.name, code_in(second)) == 204


def test_an_address_stands_for_each_account_that_has_confirmed_it(office: Office) -> None:
    one, two = somebody(), somebody()
    Mailbox.objects.filter(player=two.id).update(address=address_of(one.id))
    ask(address_of(one.id).upper())
    mails = mailed(office, one.id)
    codes = {name: code_in(mail) for mail in mails for name in (one.name, two.name) if name in body(mail)}
    assert codes.keys() == {one.name, two.name}
    assert choose(one.name, codes[two.name]) == 403
    assert choose(two.name, codes[two.name]) == 204


def test_a_code_that_went_to_an_earlier_address_is_good_for_nothing(office: Office) -> None:
    player = somebody()
    ask(player.name)
    (mail,) = mailed(office, player.id)
    addresses.give(player.id, "another@example.net")
    assert choose(player.name, code_in(mail)) == 403
    mailbox = Mailbox.objects.get(player=player.id)
    addresses.confirm(player.id, addresses.code(mailbox, hosting.now_ms()))
    assert choose(player.name, code_in(mail)) == 403


@pytest.mark.parametrize("exists", [True, False])
def test_wishes_are_limited_for_each_account_whether_it_exists_or_not(
    settings: Settings, exists: bool
) -> None:
    settings.THROTTLES = True
    settings.TRUSTED_PROXIES = 1
    name = somebody().name if exists else f"nobody-{secrets.token_hex(6)}"
    api = in_process()

    def asked() -> int:
        here = {"X-Forwarded-For": f"2001:db8::{secrets.token_hex(2)}"}
        return api.post("/v1/password-resets", {"account": name}, headers=here).status_code

    assert [asked() for _ in range(6)] == [202] * 5 + [429]


def test_codes_are_limited_for_each_name(settings: Settings) -> None:
    settings.THROTTLES = True
    name = f"nobody-{secrets.token_hex(6)}"
    sent = {"name": name, "code": "00000-00000", "password": NEW}
    api = in_process()
    got = [api.post("/v1/password-resets/confirmation", sent).status_code for _ in range(11)]
    assert got == [403] * 10 + [429]


def test_a_password_is_changed_on_the_word_of_the_old_one() -> None:
    player = somebody(subscribed=False)
    caller = players.Caller(player.id, player.name, "en", token_id=player.id)
    here, elsewhere = (players.create_token(caller, "x").token for _ in range(2))
    me: Api = in_process()
    me.token = here
    sent = {"password": "not the password", "new_password": NEW}
    refused = me.send("PUT", "/v1/me/password", sent)
    assert (refused.status_code, refused.json()["code"]) == (403, "wrong_password")
    assert me.send("PUT", "/v1/me/password", {"password": OLD, "new_password": "short"}).status_code == 400
    assert players.authenticate(elsewhere) is not None

    assert me.send("PUT", "/v1/me/password", {"password": OLD, "new_password": NEW}).status_code == 204

    assert (sign_in(player.name, OLD), sign_in(player.name, NEW)) == (401, 201)
    assert players.authenticate(elsewhere) is None
    assert me.get("/v1/me").status_code == 200


def test_a_key_that_is_none_is_refused() -> None:
    wrong = {"Idempotency-Key": "not a key"}
    for path, sent in (
        ("", {"account": "nobody"}),
        ("/confirmation", {"name": "nobody", "code": "00000-00000", "password": NEW}),
    ):
        refused = in_process().post(f"/v1/password-resets{path}", sent, headers=wrong)
        assert refused.json()["errors"][0]["pointer"] == "Idempotency-Key"
    refused = person().api.post("/v1/me/email/confirmation", {"code": "00000-00000"}, headers=wrong)
    assert refused.json()["errors"][0]["pointer"] == "Idempotency-Key"


def test_what_is_asked_for_mails_nothing_twice_after_a_crash(office: Office) -> None:
    """The same code is the same mail, by its number."""
    player = somebody()
    ask(player.name)
    asked = Mailbox.objects.get(player=player.id)
    (first,) = mailed(office, player.id)
    Mailbox.objects.filter(player=player.id).update(reset_mail_at=asked.reset_mail_at)
    again = mailed(office, player.id)[1]
    assert again["Message-ID"] == first["Message-ID"]
    assert code_in(again) == code_in(first)
