"""What happened meanwhile is shown before the present is, and the end of a game cannot be missed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.browser.players import play, resign, start

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OFFERED = ".hand [role=button]"
TOKEN = "JSON.parse(localStorage.getItem('posta.session')).token"


def test_what_happened_meanwhile_is_shown_step_by_step_and_nothing_is_offered_before_the_present(
    visit: Callable[..., Page], server: str
) -> None:
    page, told = _behind(visit, server)

    for number, sentence in enumerate(told, start=1):
        page.locator(".past b", has_text=sentence).wait_for()
        assert f"{number}/{len(told) + 1}" in page.locator(".past small").inner_text()
        assert page.locator(OFFERED).count() == 0
        page.clock.run_for(1200)

    page.locator(OFFERED).first.wait_for()
    assert page.locator(".past").count() == 0


def test_whoever_does_not_want_to_watch_goes_to_the_present_at_once(
    visit: Callable[..., Page], server: str
) -> None:
    page, _ = _behind(visit, server)

    page.locator(".past button").click()

    page.locator(OFFERED).first.wait_for()
    assert page.locator(".past").count() == 0


def test_the_end_comes_into_view_and_says_who_won_what_i_am_and_the_scores(
    visit: Callable[..., Page],
) -> None:
    page = visit()
    start(page, "reafan")
    play(page, "reafan", moves=2)
    resign(page)

    page.locator(".ending:focus").wait_for()

    box = page.locator(".ending").bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= 740 - box["height"]
    text = page.locator(".ending").inner_text()
    assert "You lose: Greedy wins." in text
    assert "1. Greedy (" in text
    assert "2. You (" in text


def _behind(visit: Callable[..., Page], server: str) -> tuple[Page, list[str]]:
    """Open a game of Reafan whose page sees nothing while two turns are played elsewhere.

    Return the page, which has now been told of them and whose timers stand still, with what is to be shown
    of them before the present.
    """
    page = visit(awake=False)
    start(page, "reafan")
    play(page, "reafan", moves=1)  # the mulligan
    page.locator(OFFERED).first.wait_for()
    page.clock.pause_at(datetime.now() + timedelta(minutes=1))  # noqa: DTZ005
    page.route("**/view", lambda route: route.abort())

    table = page.url.rsplit("/", 1)[1]
    with httpx.Client(
        base_url=f"{server}/v1/tables/{table}/", headers={"Authorization": f"Bearer {page.evaluate(TOKEN)}"}
    ) as api:
        before = _view(api)["version"]
        for _ in range(2):
            now = _view(api)
            move = next(each for each in now["legal_moves"] if each["kind"] != "mulligan")
            sent = {"turn": now["turn"], "kind": move["kind"], "params": move["params"]}
            answer = api.post("moves", json=sent, headers={"Idempotency-Key": f"{now['turn']}"})
            assert answer.status_code == 201
        after = _view(api)["version"]
        told = api.get(f"narration?after={before}&limit=200").json()["items"]
        events = api.get(f"events?after={before}&limit=200").json()["items"]
    assert events[-1]["position"] == after
    plays = [
        line["sentence"].split(" places ")[-1].split(" covers ")[-1]
        for line, event in zip(told, events, strict=True)
        if event["type"].startswith("reafan.card_") and event["type"] != "reafan.card_drawn"
    ]
    page.unroute("**/view")
    page.clock.run_for(5000)  # until it asks again
    return page, plays[:-1]


def _view(api: httpx.Client) -> dict[str, Any]:
    """Return the game as soon as its person is to play."""
    while not (view := api.get("view").json())["legal_moves"]:
        pass
    return dict(view)
