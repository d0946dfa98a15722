"""The page on which a player lets an application in, in a real browser: the answer gets through."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.api.contract import Api
from tests.browser.test_pages import _examine

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.api.phone import Phone

pytestmark = pytest.mark.browser
PASSWORD = "a long enough password"


class _Application(BaseHTTPRequestHandler):
    """A program on this machine that waits for its player to come back."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><link rel=icon href=data:,><title>back</title>You are back")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def application(server: str) -> Iterator[tuple[Phone, str]]:
    """An application of this machine, and the address of a port of its own."""
    from tests.api.phone import Phone  # at the top it would read Django's settings too early

    def registered() -> Phone:
        from django.db import connections

        phone = Phone(server, "http://127.0.0.1/done")
        connections.close_all()
        return phone

    with ThreadPoolExecutor(1) as aside:  # the browser's event loop is in this thread
        phone = aside.submit(registered).result()
    receiver = HTTPServer(("127.0.0.1", 0), _Application)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    yield phone, f"http://127.0.0.1:{receiver.server_port}/done"
    receiver.shutdown()
    receiver.server_close()
    phone.browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_player_lets_an_application_in(
    visit: Callable[..., Page], application: tuple[Phone, str], scheme: str
) -> None:
    phone, redirect = application
    name = f"ana-{secrets.token_hex(6)}"
    Api(phone.server).post("/v1/players", {"name": name, "password": PASSWORD})
    page = visit(phone.wish(redirect_uri=redirect).removeprefix("/"), color_scheme=scheme)
    _examine(page)
    page.get_by_label("Your name here").fill(name)
    page.get_by_label("Your password").fill("not the password")
    page.get_by_role("button", name="Sign in and allow").click()
    page.get_by_role("alert").wait_for()
    _examine(page)
    page.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("You are back").wait_for()
    code = parse_qs(urlsplit(page.url).query)["code"][0]
    assert phone.redeem(code, redirect_uri=redirect).status_code == 200


def test_a_player_says_no_in_spanish(visit: Callable[..., Page], application: tuple[Phone, str]) -> None:
    phone, redirect = application
    page = visit(phone.wish(redirect_uri=redirect).removeprefix("/"), locale="es-ES")
    _examine(page)
    page.get_by_role("button", name="Cancelar").click()
    page.get_by_text("You are back").wait_for()
    assert parse_qs(urlsplit(page.url).query)["error"] == ["access_denied"]
