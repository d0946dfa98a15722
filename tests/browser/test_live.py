"""What is shown is the present, or is said to be old: streams, long-polls, sleep."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.players import play, start

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

pytestmark = pytest.mark.browser

OFFERED = ".kit [role=button]"


def test_a_stream_goes_on_where_it_was_cut(visit: Callable[..., Page]) -> None:
    page = visit()
    streams: list[Request] = []
    page.on("request", lambda sent: streams.append(sent) if sent.url.endswith("/stream") else None)
    start(page, "arrecife")
    play(page, "arrecife", moves=2)
    page.locator(OFFERED).first.wait_for()

    page.context.set_offline(True)
    page.wait_for_selector("[role=alert]")
    with page.expect_request("**/stream") as again:
        page.context.set_offline(False)
    page.locator(OFFERED).first.wait_for()

    before, after = (int(each.headers["last-event-id"]) for each in (streams[0], again.value))
    assert 0 < before < after
    assert page.locator("[role=alert]").count() == 0


def test_a_game_goes_on_by_long_polls_where_no_stream_can_be_had(visit: Callable[..., Page]) -> None:
    page = visit()
    page.route("**/stream", lambda route: route.abort())
    with page.expect_request("**/live/tables/*/events?wait=*"):
        start(page, "arrecife")

    assert play(page, "arrecife", moves=3) == 3
    assert page.locator("[role=alert]").count() == 0


def test_a_game_goes_on_where_the_live_process_cannot_be_reached(visit: Callable[..., Page]) -> None:
    page = visit()
    page.route("**/v1/live/**", lambda route: route.abort())
    start(page, "arrecife")

    assert play(page, "arrecife", moves=3) == 3
    assert page.locator("[role=alert]").count() == 0


def test_a_device_that_has_slept_offers_nothing_before_it_has_looked_again(
    visit: Callable[..., Page],
) -> None:
    page = visit("", awake=False)
    start(page, "arrecife")
    page.locator(OFFERED).first.wait_for()
    page.route("**/view", lambda _: None)  # asked, and not answered yet

    page.clock.fast_forward("08:00:00")

    page.wait_for_selector("[role=alert]")
    assert page.locator(OFFERED).count() == 0
    page.unroute("**/view")
    page.clock.fast_forward("00:00:16")  # the question is given up, and asked anew
    page.locator(OFFERED).first.wait_for()
    assert page.locator("[role=alert]").count() == 0
