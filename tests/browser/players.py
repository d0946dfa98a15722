"""How a person plays by the page: what is offered is pressed, and confirmed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LONGEST = 240
OFFERS = {
    "reafan": (".target", ".buttons button[aria-pressed=false] >> nth=0", ".hand [role=button]"),
    "arrecife": (".kit [role=button]", ".aim", ".buttons button[aria-pressed=false]"),
    "probe": (".offer .buttons button", ".offer .line > button"),
    "cthulhu": (
        "div.declare .line:not(:has([aria-pressed=true])) .digit",
        "div.declare .main:not([disabled])",
        ".spot-card.may",
    ),
}


def start(page: Page, game: str) -> None:
    """Press the one button that makes a guest and a table against bots."""
    page.locator(f".game.{game} button").click()
    page.wait_for_selector(".status, .ending")


def play(page: Page, game: str, *, moves: int | None = None, keys: bool = False) -> int:
    """Play until the game is over, or for so many moves; return how many were sent."""
    sent, until = 0, time.monotonic() + LONGEST
    while page.locator(".ending").count() == 0 and sent != moves:
        assert time.monotonic() < until, page.locator(".board").inner_text()
        sent += _act(page, game, sent, keys=keys)
    return sent


def resign(page: Page) -> None:
    """Leave the game for good, and say so twice."""
    page.locator("#tab-about").click()
    page.get_by_role("button", name="Resign").click()
    page.locator(".alert .danger").click()


def play_together(pages: Sequence[Page], game: str) -> None:
    """Let several people play until the game is over for each of them."""
    sent, until = [0] * len(pages), time.monotonic() + 2 * LONGEST
    while any(page.locator(".ending").count() == 0 for page in pages):
        assert time.monotonic() < until, pages[0].locator(".board").inner_text()
        for number, page in enumerate(pages):
            sent[number] += _act(page, game, sent[number], keys=False)


def _act(page: Page, game: str, sent: int, *, keys: bool) -> bool:
    """Press what is to be pressed next, if anything; tell whether that sent a move."""
    page.evaluate("document.querySelector('.past button')?.click()")  # who plays here needs no time to watch
    confirm = page.locator(".bar .main:not([disabled])")
    if confirm.count():
        _press(confirm.first, keys=keys)
        page.wait_for_selector(".bar", state="detached")
        return True
    if not (page.locator(".status.mine").count() and _choose(page, game, sent, keys=keys)):
        page.wait_for_timeout(150)
    return False


def _choose(page: Page, game: str, number: int, *, keys: bool) -> bool:
    """Press one of what is offered, another each time."""
    for offer in OFFERS[game]:
        found = page.locator(offer)
        if count := found.count():
            _press(found.nth(number * 5 % count), keys=keys)
            return True
    return False


def _press(what: Locator, *, keys: bool) -> None:
    if keys:
        what.focus()
        what.press("Enter")
    else:
        what.click(force=True)  # a dashed cell is hollow, and what lies under its middle is its own board
