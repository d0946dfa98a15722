"""Every page, in every look: nothing sticks out, everything that can be pressed has a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from engines.registry import GAMES
from tests.browser.conftest import DESK, PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.long

RULES = [f"#/rules/{each.id}" for each in GAMES.values()]
PAGES = ["", "#/sign-in", "#/sign-up", "#/settings", "#/new", "#/gallery", *RULES]
NAMELESS = """
[...document.querySelectorAll("button, a, input, select, [role=button], [role=img]")]
  .filter((each) => !each.getAttribute("aria-label") && !each.textContent.trim() && !each.labels?.length)
  .map((each) => each.outerHTML)"""
NARROW = """
[...document.querySelectorAll("button, .button, select")]
  .filter((each) => each.offsetParent && each.getBoundingClientRect().height < 24)
  .map((each) => each.outerHTML)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_every_page_fits_and_names_what_can_be_pressed(
    size: dict[str, int], scheme: str, visit: Callable[..., Page]
) -> None:
    page = visit(viewport=size, color_scheme=scheme)
    for path in PAGES:
        page.goto(page.url.split("#")[0] + path)
        page.locator("main h1, main h2").first.wait_for()
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(NAMELESS) == [], path
        assert page.evaluate(NARROW) == [], path


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
