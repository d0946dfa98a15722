"""OAuth 2 for native apps: api.md 5, item 16, and what else keeps a player's account the player's."""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import psycopg
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import CommandError, call_command
from psycopg.sql import SQL, Identifier
from pytest_django.fixtures import Settings

from tables import devices, players
from tables.api import throttling
from tables.models import Application, Consent, Player, RefreshToken, Token
from tables.scopes import SCOPES
from tests.api.contract import Api, in_process
from tests.api.phone import PASSWORD, REDIRECT, Phone, told


@pytest.fixture
def ana(new_player: Callable[..., Api]) -> str:
    """The name of somebody with an account."""
    name = f"Ana {secrets.token_hex(6)}"
    new_player(name)
    return name


@pytest.fixture
def new_phone(server: str) -> Iterator[Callable[..., Phone]]:
    """A function that makes an application, and a browser for its player."""
    with ExitStack() as browsers:

        def made(*redirects: str, **facts: Any) -> Phone:
            phone = Phone(server, *redirects, **facts)
            browsers.callback(phone.browser.close)
            return phone

        yield made


@pytest.fixture
def phone(new_phone: Callable[..., Phone]) -> Phone:
    return new_phone()


# --- From the page to the tokens -------------------------------------------------------------------


def test_an_application_gets_a_token_for_what_its_player_allows(phone: Phone, ana: str) -> None:
    sent = phone.answer(ana)
    assert sent.headers["Location"].startswith(f"{REDIRECT}?")
    assert told(sent).keys() == {"code", "state", "iss"}
    assert told(sent)["state"] == phone.state

    got = phone.redeem(told(sent)["code"])

    assert got.status_code == 200
    assert got.headers["Cache-Control"] == "no-store"
    tokens = got.json()
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)
    assert set(tokens["scope"].split()) == {"profile:read", "tables:read"}
    app = Api(phone.server, tokens["access_token"])
    assert app.get("/v1/me").json()["name"] == ana
    refused = app.patch("/v1/me", {"locale": "es"})
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")
    assert refused.json()["facts"] == {"scope": "profile:write"}
    assert refused.headers["WWW-Authenticate"] == 'Bearer error="insufficient_scope", scope="profile:write"'
    row = Token.objects.get(consent__application=phone.client_id)
    assert timedelta(minutes=59) < row.expires_at - datetime.now(UTC) <= timedelta(hours=1)


def test_a_token_ends_with_its_hour(phone: Phone, ana: str) -> None:
    app = Api(phone.server, phone.tokens(ana)["access_token"])
    Token.objects.filter(consent__application=phone.client_id).update(expires_at=datetime.now(UTC))
    assert app.get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "é" * 43}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code token"}, "unauthorized_client"),
        ({"response_type": None}, "invalid_request"),
        ({"scope": None}, "invalid_scope"),
        ({"scope": "profile:read everything"}, "invalid_scope"),
    ],
)
def test_what_an_application_asks_wrongly_it_is_told(
    phone: Phone, changed: dict[str, str | None], error: str
) -> None:
    refused = told(phone.look(**changed))
    assert (refused["error"], refused["state"]) == (error, phone.state)
    assert Consent.objects.filter(application=phone.client_id).count() == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": None},
        {"client_id": "0197a3c2-5b1e-4d40-9c1f-2f6d8e4b7a10"},
        {"client_id": "nobody\0"},
        {"redirect_uri": None},
        {"redirect_uri": "org.example.other:/done"},
        {"redirect_uri": REDIRECT + "/more"},
        {"redirect_uri": "javascript:alert(1)"},
    ],
)
def test_nobody_is_sent_to_where_the_application_is_not(phone: Phone, changed: dict[str, str | None]) -> None:
    answer = phone.look(**changed)
    assert answer.status_code == 400
    assert "Location" not in answer.headers
    assert "<form" not in answer.text
    twice = phone.browser.get(phone.wish() + "&redirect_uri=org.example.other:/done")
    assert (twice.status_code, "Location" in twice.headers) == (400, False)


@pytest.mark.parametrize(
    ("host", "port"), [("127.0.0.1", ""), ("127.0.0.1", ":1"), ("127.0.0.1", ":51234"), ("[::1]", ":51234")]
)
def test_an_application_on_this_machine_is_answered_at_any_port(
    new_phone: Callable[..., Phone], ana: str, host: str, port: str
) -> None:
    phone = new_phone(f"http://{host}/done")
    redirect = f"http://{host}{port}/done"
    source = "http:" if host == "[::1]" else f"http://{host}{port}"
    policy = phone.look(redirect_uri=redirect).headers["Content-Security-Policy"]
    assert f"form-action 'self' {source};" in policy
    assert "access_token" in phone.tokens(ana, redirect_uri=redirect)
    for other in ("http://127.0.0.1:1/", "http://localhost:1/done", "http://127.0.0.1.example.org/done"):
        assert phone.look(redirect_uri=other).status_code == 400


def test_a_player_may_say_no(phone: Phone, ana: str) -> None:
    refused = told(phone.answer("", "", decision="deny"))
    assert refused == {"error": "access_denied", "state": phone.state, "iss": refused["iss"]}
    assert Consent.objects.filter(application=phone.client_id).count() == 0


# --- Codes and refresh tokens, each once -----------------------------------------------------------


def test_a_code_is_good_for_its_application_alone(
    phone: Phone, new_phone: Callable[..., Phone], ana: str
) -> None:
    code = phone.code(ana)
    wrong: list[tuple[dict[str, str | None], str]] = [
        ({"code_verifier": None}, "invalid_request"),
        ({"code_verifier": "another" * 8}, "invalid_grant"),
        ({"code_verifier": "ñ" * 43}, "invalid_grant"),
        ({"redirect_uri": "org.example.other:/done"}, "invalid_request"),
        ({"redirect_uri": None}, "invalid_request"),
        ({"code": "x"}, "invalid_grant"),
        ({"code": None}, "invalid_request"),
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "x"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": None}, "unsupported_grant_type"),
    ]
    for changed, error in wrong:
        refused = phone.redeem(code, **changed)
        assert refused.json()["error"] == error, changed
        assert refused.status_code == (401 if error == "invalid_client" else 400)
    other = new_phone()
    assert other.redeem(code, code_verifier=phone.verifier).json()["error"] == "invalid_grant"
    assert phone.redeem(code).status_code == 200


def test_parameters_of_the_library_s_own_are_nobody_s_way_in(phone: Phone, ana: str) -> None:
    code = phone.code(ana)
    wide = {"scopes": "moves:write", "user": "1", "client": "1", "extra_credentials": "x", "consent": "1"}
    got = phone.redeem(code, **wide)
    assert set(got.json()["scope"].split()) == {"profile:read", "tables:read"}


def test_a_code_that_comes_twice_ends_what_came_of_it(phone: Phone, ana: str) -> None:
    code = phone.code(ana)
    app = Api(phone.server, phone.redeem(code).json()["access_token"])
    assert app.get("/v1/me").status_code == 200
    again = phone.redeem(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert app.get("/v1/me").status_code == 401


def test_a_code_is_good_for_a_minute(phone: Phone, ana: str) -> None:
    code = phone.code(ana)
    Consent.objects.filter(application=phone.client_id).update(code_expires_at=datetime.now(UTC))
    assert phone.redeem(code).json()["error"] == "invalid_grant"


def test_a_refresh_token_is_good_once_and_its_second_use_ends_all(phone: Phone, ana: str) -> None:
    first = phone.tokens(ana)
    second = phone.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    apps = [Api(phone.server, each["access_token"]) for each in (first, second)]
    assert [each.get("/v1/me").status_code for each in apps] == [200, 200]

    again = phone.refresh(first["refresh_token"])

    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert [each.get("/v1/me").status_code for each in apps] == [401, 401]
    assert phone.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_of_many_at_once_one_refreshes_at_most(phone: Phone, ana: str) -> None:
    token = phone.tokens(ana)["refresh_token"]
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: phone.refresh(token), range(8)))
    assert sorted(each.status_code for each in got) == [200] + [400] * 7
    assert Consent.objects.filter(application=phone.client_id).count() == 0


def test_of_many_at_once_one_redeems_a_code_at_most(phone: Phone, ana: str) -> None:
    code = phone.code(ana)
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: phone.redeem(code), range(8)))
    assert sorted(each.status_code for each in got) == [200] + [400] * 7
    assert Token.objects.filter(consent__application=phone.client_id).count() == 0


def test_a_refresh_may_ask_for_less_and_not_for_more(phone: Phone, ana: str) -> None:
    tokens = phone.tokens(ana)
    less = phone.refresh(tokens["refresh_token"], scope="profile:read").json()
    assert less["scope"] == "profile:read"
    assert Api(phone.server, less["access_token"]).get("/v1/tables").status_code == 403
    more = phone.refresh(less["refresh_token"], scope="profile:write")
    assert (more.status_code, more.json()["error"]) == (400, "invalid_scope")
    whole = phone.refresh(less["refresh_token"]).json()
    assert set(whole["scope"].split()) == {"profile:read", "tables:read"}


def test_a_refresh_token_ends_after_90_days(phone: Phone, ana: str) -> None:
    token = phone.tokens(ana)["refresh_token"]
    row = RefreshToken.objects.get(consent__application=phone.client_id)
    assert timedelta(days=89) < row.expires_at - datetime.now(UTC) <= timedelta(days=90)
    RefreshToken.objects.filter(consent=row.consent).update(expires_at=datetime.now(UTC))
    assert phone.refresh(token).json()["error"] == "invalid_grant"


def test_of_codes_and_tokens_the_database_has_digests_alone(
    phone: Phone, ana: str, superuser_url: str
) -> None:
    code = phone.code(ana)
    tokens = phone.redeem(code).json()
    wanted = [code, tokens["access_token"], tokens["refresh_token"], phone.verifier]
    with psycopg.connect(superuser_url) as superuser:
        for table in ("tables_consent", "tables_refreshtoken", "tables_token"):
            for row in superuser.execute(SQL("SELECT t::text FROM {} t").format(Identifier(table))):
                for each in wanted:
                    assert each not in row[0]
                    assert each.encode().hex() not in row[0]


# --- The list of devices, and the end --------------------------------------------------------------


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_an_application_may_end_what_it_may_do(
    phone: Phone, new_phone: Callable[..., Phone], ana: str, which: str
) -> None:
    tokens = phone.tokens(ana)
    other = new_phone()
    assert other.post("revoke", token=tokens[which]).status_code == 200
    assert Api(phone.server, tokens["access_token"]).get("/v1/me").status_code == 200

    assert phone.post("revoke", token=tokens[which]).status_code == 200

    assert Api(phone.server, tokens["access_token"]).get("/v1/me").status_code == 401
    assert phone.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert phone.post("revoke", token=tokens[which]).status_code == 200
    assert phone.post("revoke").json()["error"] == "invalid_request"
    assert phone.post("revoke", token="x", client_id="x").status_code == 401


def test_devices_are_listed_by_kind_and_each_can_be_ended(phone: Phone, ana: str) -> None:
    body = {"name": ana, "password": PASSWORD, "label": "kitchen"}
    me = Api(phone.server, Api(phone.server).post("/v1/sessions", body).json()["token"])
    me.post("/v1/me/tokens", {"label": "bot", "days": 1, "scopes": ["moves:write", "moves:write"]})
    tokens = phone.tokens(ana)
    tokens = phone.refresh(tokens["refresh_token"]).json()
    items = {each["label"]: each for each in me.get("/v1/me/tokens").json()["items"]}
    told = {label: (each["kind"], each["scopes"]) for label, each in items.items() if label != "sign-up"}
    assert told == {
        "kitchen": ("session", None),
        "bot": ("personal", ["moves:write"]),
        "An app for phones": ("oauth", ["profile:read", "tables:read"]),
    }
    assert items["An app for phones"]["last_used_on"] == datetime.now(UTC).date().isoformat()

    app = items["An app for phones"]["id"]
    other = Api(phone.server, players.create_token(_somebody(), "x").token)
    assert other.delete(f"/v1/me/tokens/{app}").status_code == 404
    assert me.delete(f"/v1/me/tokens/{app}").status_code == 204
    assert me.delete(f"/v1/me/tokens/{app}").status_code == 404

    assert Api(phone.server, tokens["access_token"]).get("/v1/me").status_code == 401
    assert phone.refresh(tokens["refresh_token"]).status_code == 400
    assert me.delete(f"/v1/me/tokens/{items['kitchen']['id']}").status_code == 204
    assert me.get("/v1/me").status_code == 401


def _somebody() -> players.Caller:
    player = Player.objects.create(name=secrets.token_hex(8), password="!")
    return players.Caller(player.id, player.name, "en", token_id=player.id)


def test_an_application_that_signs_out_is_out(phone: Phone, ana: str) -> None:
    tokens = phone.tokens(ana)
    assert Api(phone.server, tokens["access_token"]).delete("/v1/sessions").status_code == 204
    assert phone.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_what_is_over_is_forgotten(phone: Phone, ana: str) -> None:
    phone.code(ana)
    phone.tokens(ana)
    over, kept = Consent.objects.filter(application=phone.client_id).order_by("created_at")
    devices.prune()
    assert Consent.objects.filter(application=phone.client_id).count() == 2
    Consent.objects.filter(id__in=[over.id, kept.id]).update(code_expires_at="2020-01-01T00:00:00Z")
    devices.prune()
    assert list(Consent.objects.filter(application=phone.client_id)) == [kept]
    RefreshToken.objects.filter(consent=kept).update(expires_at="2020-01-01T00:00:00Z")
    devices.prune()
    assert Consent.objects.filter(application=phone.client_id).count() == 0


# --- The page --------------------------------------------------------------------------------------


def test_the_page_says_who_wants_what_in_both_languages(phone: Phone) -> None:
    scope = " ".join(SCOPES)
    for number, language in enumerate(("en", "es")):
        page = phone.browser.get(phone.wish(scope=scope), headers={"Accept-Language": language})
        assert page.headers["Content-Language"] == language
        assert f'<html lang="{language}">' in page.text
        assert "An app for phones" in page.text
        assert "org.example.phone." in page.text
        assert all(f"<li>{texts[number]}</li>" in page.text for texts in SCOPES.values())


def test_the_page_is_shut_against_everything_but_its_form(phone: Phone, ana: str) -> None:
    page = phone.look()
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self' org.example.phone:;" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "<script" not in page.text
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["Cache-Control"] == "no-store"
    (cookie,) = page.headers.get_list("Set-Cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "sessionid" not in cookie


def test_a_form_from_elsewhere_lets_nobody_in(phone: Phone, ana: str) -> None:
    form = {"name": ana, "password": PASSWORD, "decision": "allow"}
    refused = phone.browser.post(phone.wish(), data=form)
    assert refused.status_code == 403
    assert "Please begin again" in refused.text
    phone.look()
    forged = phone.browser.post(
        phone.wish(),
        data={**form, "csrfmiddlewaretoken": "x" * 64},
        headers={"Origin": "https://evil.example"},
    )
    assert forged.status_code == 403
    assert Consent.objects.filter(application=phone.client_id).count() == 0


def test_a_wrong_password_and_an_unknown_name_show_the_same_page(phone: Phone, ana: str) -> None:
    def shown(name: str) -> str:
        page = phone.answer(name, "another password")
        assert page.status_code == 403
        nonce = page.headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
        text = page.text.replace(nonce, "").replace(f'value="{name}"', "")
        return text.split('name="csrfmiddlewaretoken"')[0] + text.split('name="name"')[1]

    assert "no such name with this password" in shown(ana)
    assert shown(ana) == shown("nobody " + secrets.token_hex(6)) == shown("\0")


def test_the_page_counts_attempts_together_with_sign_in(settings: Settings) -> None:
    settings.THROTTLES = True
    name = f"nobody-{secrets.token_hex(6)}"
    api = in_process()
    for _ in range(9):
        throttling.spend_attempt(name, "127.0.0.1")
    body = {"name": name, "password": "another password"}
    assert api.post("/v1/sessions", body).status_code == 401
    phone = Phone("http://localhost")
    phone.browser.close()
    with httpx.Client(base_url="http://localhost", transport=httpx.WSGITransport(WSGIHandler())) as browser:
        phone.browser = browser
        spent = phone.answer(name, "another password")
    assert spent.status_code == 429
    assert int(spent.headers["Retry-After"]) > 0
    assert 'role="alert"' in spent.text


def test_a_guest_has_nothing_to_sign_in_with(phone: Phone, server: str) -> None:
    guest = Api(server).post("/v1/guests", {}).json()["player"]["name"]
    assert phone.answer(guest, "").status_code == 403


def test_the_server_tells_where_everything_is(phone: Phone) -> None:
    told = phone.browser.get("/.well-known/oauth-authorization-server").json()
    assert told["issuer"] == told["token_endpoint"].removesuffix("/oauth/token")
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert told["response_types_supported"] == ["code"]
    assert told["scopes_supported"] == list(SCOPES)


def test_applications_post_and_put_nothing_into_the_address(phone: Phone, ana: str) -> None:
    for path in ("token", "revoke"):
        assert phone.browser.get(f"/oauth/{path}").status_code == 405
    token = phone.tokens(ana)["access_token"]
    in_query = phone.browser.post(f"/oauth/revoke?client_id={phone.client_id}&token={token}")
    assert in_query.status_code == 400
    assert Api(phone.server, token).get("/v1/me").status_code == 200


# --- Applications ----------------------------------------------------------------------------------


def _command(*words: str) -> str:
    out = io.StringIO()
    call_command("oauth_client", *words, stdout=out)
    return out.getvalue()


def test_staff_register_an_application_and_take_it_away(
    new_phone: Callable[..., Phone], server: str, ana: str
) -> None:
    client_id = _command("Posta for phones", REDIRECT, "https://example.org/done").strip()
    phone = new_phone(registered=Application.objects.get(id=client_id))
    tokens = phone.tokens(ana)
    assert f"{client_id}  Posta for phones  {REDIRECT} https://example.org/done\n" in _command()

    assert "is forgotten" in _command("--remove", client_id)

    assert Api(server, tokens["access_token"]).get("/v1/me").status_code == 401
    assert phone.look().status_code == 400
    with pytest.raises(CommandError, match="no application"):
        _command("--remove", client_id)


@pytest.mark.parametrize(
    "redirect",
    [
        "http://example.org/done",
        "http://localhost/done",
        "https://user@example.org/done",
        "https://example.org/done#part",
        "https://example.org/done; script-src *",
        "https://",
        "myapp:/done",
        "javascript:alert(1)",
        "org.example.app:done",
        "data.text:,x",
        "/done",
        "",
    ],
)
def test_an_application_is_answered_at_addresses_of_its_own(redirect: str) -> None:
    with pytest.raises(CommandError, match="redirect_uris/0"):
        _command("An app", redirect)
    with pytest.raises(CommandError, match="at least one address"):
        _command("An app")
