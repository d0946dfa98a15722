"""A real browser on the test's own installation; whatever its console says against a page fails the test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.services import Services

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 860}
MISSING = "needs Playwright and Chromium: make test-browser, and on Debian apt-get install chromium"
NOT_LOADED = "Failed to load resource"  # told of every refusal, which the page words by itself


@pytest.fixture(scope="module")
def browser(database: None) -> Iterator[Browser]:
    """Chromium as the system has it; nothing is downloaded.

    While it runs Playwright has an event loop in this thread, in which Django refuses to touch a database:
    so it starts after that is migrated, and ends with the file.
    """
    api = pytest.importorskip("playwright.sync_api", reason=MISSING)
    where = shutil.which("chromium")
    if where is None:
        pytest.skip(MISSING)
    with api.sync_playwright() as started:
        running = started.chromium.launch(executable_path=where, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def address(server: str, services: Services) -> Iterator[str]:
    """The page of an installation whose bots answer at once."""
    services.start("daemon")
    yield f"{server}/"
    services.stop("daemon")


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """A function that opens a page as somebody new, on a phone in English unless told otherwise."""
    complaints: list[str] = []
    opened = []

    def somebody(path: str = "", *, awake: bool = True, **settings: Any) -> Page:
        context = browser.new_context(**{"viewport": PHONE, "locale": "en-GB", **settings})
        context.set_default_timeout(30_000)
        opened.append(context)
        page = context.new_page()
        if not awake:
            page.clock.install()  # runs on, until the test lets time pass
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda told: (
                complaints.append(told.text)
                if told.type in ("error", "warning") and not told.text.startswith(NOT_LOADED)
                else None
            ),
        )
        page.goto(address + path)
        return page

    yield somebody
    for context in opened:
        context.close()
    assert complaints == []
