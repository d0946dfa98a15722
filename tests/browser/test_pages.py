"""Every page, in every look: nothing sticks out, and axe finds no barrier."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from engines.registry import GAMES
from tests.browser.conftest import DESK, PHONE
from tests.browser.players import play, start

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

RULES = [f"#/rules/{each.id}" for each in GAMES.values()]
PAGES = ["", "#/sign-in", "#/sign-up", "#/settings", "#/new", "#/gallery", *RULES]
NARROW = """
[...document.querySelectorAll("button, .button, select")]
  .filter((each) => each.offsetParent && each.getBoundingClientRect().height < 24)
  .map((each) => each.outerHTML)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_every_page_fits_and_has_no_barrier(
    size: dict[str, int], scheme: str, visit: Callable[..., Page]
) -> None:
    page = visit(viewport=size, color_scheme=scheme)
    for path in PAGES:
        page.goto(page.url.split("#")[0] + path)
        page.locator("main h1, main h2").first.wait_for()
        _examine(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_of_each_game_and_its_replay_have_no_barrier(scheme: str, visit: Callable[..., Page]) -> None:
    page = visit(color_scheme=scheme)
    for each in GAMES.values():
        page.goto(page.url.split("#")[0])
        start(page, each.id)
        play(page, each.id, moves=2)
        _examine(page)
        page.goto(f"{page.url}/replay")
        page.locator(".player-bar").wait_for()
        _examine(page)
    for path in ("", "#/settings", "#/notices"):  # of somebody who is signed in, and has tables
        page.goto(page.url.split("#")[0] + path)
        page.locator(".tables, form").first.wait_for()
        _examine(page)


def _examine(page: Page) -> None:
    """Find what sticks out, what is too small to be pressed, and what axe knows of WCAG."""
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    assert page.evaluate(NARROW) == [], page.url
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == [], page.url


def test_the_whole_page_is_there_in_spanish(visit: Callable[..., Page]) -> None:
    page = visit("#/settings")
    page.locator("select").select_option("es")
    page.get_by_text("Idioma").wait_for()
    page.goto(page.url.split("#")[0])
    page.get_by_role("button", name="Jugar ya: Reafan").wait_for()
    page.goto(f"{page.url.split('#')[0]}#/rules/cthulhu")
    page.get_by_text("investigadores").first.wait_for()


def test_an_account_is_made_left_and_entered_again(visit: Callable[..., Page]) -> None:
    page = visit("#/sign-up")
    name = f"Ana-{id(page)}"
    for path in ("sign-up", "sign-in"):
        page.goto(f"{page.url.split('#')[0]}#/{path}")
        page.locator("[name=name]").fill(name)
        page.locator("[name=password]").fill("five-dragons-at-dawn")
        page.locator("form button").click()
        page.locator(".who", has_text=name).click()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("link", name="Sign in").first.wait_for()


def test_a_table_is_made_with_the_options_of_the_game(visit: Callable[..., Page]) -> None:
    page = visit("#/new/arrecife")
    page.locator("[name=title]").fill("Reef of the Sun")
    page.get_by_text("Options of the game").click()
    page.locator("[name=option-starting_hp]").fill("12")
    page.locator("[name=option-card_order]").select_option("fixed")
    for seat in (2, 3):
        page.get_by_label(f"Seat {seat}").select_option("random")
    page.locator("form button.main").click()

    page.locator(".ring .points", has_text="12").first.wait_for()
    page.locator("#tab-about").click()
    page.get_by_text("Team, then value, then sign").wait_for()
