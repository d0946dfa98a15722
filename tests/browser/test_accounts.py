"""What people do about accounts: a forgotten password, devices, data, the end; others; an arbiter."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx
import pytest

from tests.browser.conftest import DESK
from tests.browser.test_pages import _examine

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

Visit = Callable[..., "Page"]
PASSWORD, NEW = "five-dragons-at-dawn", "six-dragons-at-dusk"


def test_a_forgotten_password_is_replaced_by_the_link_of_a_mail(visit: Visit, server: str) -> None:
    name = _new_name("Íñigo")
    _sign_up(server, name)
    _in_another_thread(_give_address, name)
    page = visit("#/sign-in")
    page.locator("[name=name]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("form button").click()
    page.locator(".who", has_text=name).wait_for()  # whoever is signed in may have forgotten it, too
    page.goto(f"{page.url.split('#')[0]}#/sign-in")
    page.get_by_role("link", name="Forgotten your password?").click()
    _examine(page)
    page.locator("[name=account]").fill(name)
    page.locator("form button").click()
    page.locator("[name=code]").wait_for()
    assert page.locator("[name=name]").input_value() == name
    _examine(page)

    page.goto(f"{page.url.split('#')[0]}#/reset?name={quote(name)}&code={_in_another_thread(_code_of, name)}")
    page.locator("[name=password]").fill(NEW)
    page.locator("form button").click()
    page.get_by_text("Saved.").wait_for()

    page.locator(".who", has_text=name).wait_for()
    assert _sign_in(server, name, PASSWORD).status_code == 401
    assert _sign_in(server, name, NEW).status_code == 201


def test_devices_are_signed_out_data_is_taken_along_and_the_account_deleted(
    visit: Visit, server: str
) -> None:
    name = _new_name("Ana")
    page = visit("#/sign-up", viewport=DESK)
    page.locator("[name=name]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("form button").click()
    page.locator(".who", has_text=name).click()
    other = _sign_in(server, name, PASSWORD).json()["token"]
    page.get_by_role("link", name="Account and privacy").click()
    page.locator("li", has_text="my laptop").get_by_role("button", name="Sign out").click()
    page.locator("li", has_text="my laptop").wait_for(state="detached")
    assert _look(server, other).status_code == 401
    page.locator("li", has_text="this one").wait_for()

    page.locator("[name=password]").first.fill(PASSWORD)
    page.locator("[name=new_password]").fill(NEW)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download").click()
    assert "account" in json.loads(Path(saved.value.path()).read_bytes())["sections"]
    page.get_by_text("Delete the account").click()
    _examine(page)
    page.locator("details [name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Delete it for good").click()
    page.locator("#news p").get_by_text("password").wait_for()
    page.locator("details [name=password]").fill(NEW)
    page.get_by_role("button", name="Delete it for good").click()

    page.get_by_role("link", name="Sign in").first.wait_for()
    assert _sign_in(server, name, NEW).status_code == 401


def test_a_message_is_reported_and_its_player_looked_at_and_blocked(visit: Visit, server: str) -> None:
    bea = _new_name("Bea")
    token = _sign_up(server, bea)
    table = _post(server, token, "tables", {"game": "reafan"})["id"]
    page = visit(f"#/table/{table}")
    page.get_by_role("button", name="Look on as a guest").click()
    page.get_by_role("button", name="Take a seat").click()
    _post(server, token, f"tables/{table}/messages", {"text": "Buy my <b>cards</b>!"})
    page.locator("#tab-talk").click()
    page.locator(".messages summary").click()
    page.locator(".messages [name=reason]").fill("spam")
    _examine(page)
    page.locator(".messages form button").click()
    page.get_by_text("Thank you").wait_for()

    page.locator(".messages a", has_text=bea).click()
    page.get_by_role("heading", name=bea).wait_for()
    _examine(page)
    page.get_by_text("Report", exact=True).click()
    page.locator("[name=reason]").fill("spam again")
    page.get_by_role("button", name="Send").click()
    page.get_by_role("button", name="Block", exact=True).click()
    page.get_by_role("button", name="Unblock").wait_for()
    page.goto(f"{page.url.split('#')[0]}#/account")
    page.get_by_role("button", name="Unblock").click()
    page.get_by_role("button", name="Unblock").wait_for(state="detached")


def test_an_arbiter_is_asked_agrees_and_stops_the_clocks(visit: Visit, server: str) -> None:
    carla, bea = _new_name("Carla"), _new_name("Bea")
    host = visit("#/new/reafan", viewport=DESK)
    host.locator("form button.main").click()
    host.locator("input[readonly]").wait_for()
    table = host.url.rsplit("/", 1)[1]
    arbiter = visit("#/sign-up", viewport=DESK)
    arbiter.locator("[name=name]").fill(carla)
    arbiter.locator("[name=password]").fill(PASSWORD)
    arbiter.locator("form button").click()
    arbiter.locator(".who", has_text=carla).wait_for()
    host.locator("#tab-about").click()
    host.get_by_text("Ask somebody to arbitrate").click()
    host.locator("[name=player]").fill(carla)
    host.get_by_role("button", name="Send").click()
    host.get_by_text("(is asked)").wait_for()

    arbiter.goto(f"{arbiter.url.split('#')[0]}#/table/{table}")
    arbiter.get_by_role("button", name="I will").click()
    arbiter.get_by_role("button", name="I will").wait_for(state="detached")
    _post(server, _sign_up(server, bea), f"tables/{table}/join", {})
    arbiter.locator("#tab-about").click()
    arbiter.get_by_text("Decide something").click()
    _examine(arbiter)
    arbiter.locator("[name=hours]").fill("5")
    arbiter.get_by_role("button", name="Decide").click()

    for page in (host, arbiter):
        page.get_by_text("The clocks stand still").first.wait_for()


def _new_name(name: str) -> str:
    return f"{name} {secrets.token_hex(4)}"


def _sign_up(server: str, name: str) -> str:
    """Make an account elsewhere; return its token."""
    given = {"name": name, "password": PASSWORD}
    return str(httpx.post(f"{server}/v1/players", json=given).raise_for_status().json()["token"])


def _sign_in(server: str, name: str, password: str) -> httpx.Response:
    given = {"name": name, "password": password, "label": "my laptop"}
    return httpx.post(f"{server}/v1/sessions", json=given)


def _look(server: str, token: str) -> httpx.Response:
    return httpx.get(f"{server}/v1/me", headers={"Authorization": f"Bearer {token}"})


def _post(server: str, token: str, path: str, body: dict[str, str]) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.post(f"{server}/v1/{path}", json=body, headers=headers).raise_for_status()
    return dict(answer.json())


def _in_another_thread(act: Callable[[str], str], name: str) -> str:
    """Do something with the database, which this thread may not touch: the browser's event loop is in it."""
    from django.db import connections

    def done() -> str:
        try:
            return act(name)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as aside:
        return aside.submit(done).result()


def _give_address(name: str) -> str:
    """Give an account a confirmed address."""
    from tables.models import Player
    from tests.notices.people import subscribe

    subscribe(Player.objects.get(name=name).id)
    return name


def _code_of(name: str) -> str:
    """Return the code that the mail holds."""
    from tables import hosting
    from tables.models import Mailbox
    from tables.notices import addresses

    code = addresses.reset_code(Mailbox.objects.get(player__name=name), hosting.now_ms())
    assert code is not None
    return code
