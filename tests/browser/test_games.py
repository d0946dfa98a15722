"""Whole games in a browser the size of a phone, and what comes after them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engines.registry import GAMES
from tests.browser.conftest import DESK
from tests.browser.players import play, play_together, resign, start

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("game", [each.id for each in GAMES.values()])
def test_a_guest_plays_a_whole_game_on_a_phone_and_verifies_it(
    game: str, visit: Callable[..., Page], tmp_path: Path
) -> None:
    page = visit()
    start(page, game)

    play(page, game)

    assert page.locator(".ending strong").inner_text() != ""
    assert _is_within(page)
    page.locator(".ending .main").click()
    page.get_by_label("On one turn").click()
    page.locator(".record .main").click()
    page.wait_for_selector(".verdicts.good")
    assert page.locator(".verdicts li.proved").count() == 3

    with page.expect_download() as saved:
        page.get_by_role("button", name="Download the record").click()
    record = json.loads(Path(saved.value.path()).read_bytes())
    record["events"][-1]["at"] += 1
    lie = tmp_path / "lie.json"
    lie.write_text(json.dumps(record))
    page.set_input_files("input[type=file]", lie)
    page.wait_for_selector(".verdicts.bad li.failed_verdict")


def test_a_game_without_a_drawing_is_played_to_its_end(visit: Callable[..., Page]) -> None:
    """The probe of the tests, of which the client has never heard: a tree, and its moves as buttons."""
    page = visit()
    start(page, "probe")
    page.locator(".tree dt", has_text="round").first.wait_for()

    play(page, "probe")

    assert page.locator(".ending strong").inner_text() != ""
    assert _is_within(page)


def test_a_replay_is_seen_with_the_eyes_of_the_other_seat(visit: Callable[..., Page]) -> None:
    page = visit()
    start(page, "reafan")
    play(page, "reafan", moves=2)
    resign(page)
    page.locator(".ending .main").click()
    own = page.locator(".hand [role=img]").first.get_attribute("aria-label")

    page.locator(".eyes select").select_option("1")

    page.wait_for_selector(f".hand [role=img]:not([aria-label='{own}']) >> nth=0")
    assert "seat=" not in page.url


@pytest.mark.parametrize("game", [each.id for each in GAMES.values()])
def test_two_people_play_a_whole_game_at_a_desk_and_on_a_phone(game: str, visit: Callable[..., Page]) -> None:
    """With a bot, where the game needs three."""
    ana = visit(f"#/new/{game}", viewport=DESK)
    third = ana.get_by_label("Seat 3")
    ana.get_by_label("Seat 2").wait_for()
    if third.count():
        third.select_option(index=1)
    if game == "arrecife":
        ana.get_by_text("Options of the game").click()
        ana.locator("[name=option-starting_hp]").fill("10")
    ana.locator("form button.main").click()
    bea = visit(ana.locator("input[readonly]").input_value().split("/", 3)[3])
    bea.locator("button.main").click()

    play_together((ana, bea), game)

    for page in (ana, bea):
        assert page.locator(".ending strong").inner_text() != ""
        assert _is_within(page)


def test_two_people_play_by_an_invitation_and_talk(visit: Callable[..., Page]) -> None:
    ana = visit("#/new/reafan", viewport=DESK)
    ana.locator("form button.main").click()
    link = ana.locator("input[readonly]").input_value()
    bea = visit(link.split("/", 3)[3])
    bea.locator("button.main").click()

    for page in (ana, bea):
        play(page, "reafan", moves=1)
    ana.locator("#tab-talk").click()
    ana.locator("[name=text]").fill("Good luck, <b>Bea</b>!")
    ana.locator("[name=text]").press("Enter")

    bea.wait_for_selector("#tab-talk .count")
    bea.locator("#tab-talk").click()
    assert bea.locator(".messages p").inner_text() == "Good luck, <b>Bea</b>!"


def test_a_game_goes_on_by_keyboard_alone_in_spanish_in_the_dark(visit: Callable[..., Page]) -> None:
    page = visit(viewport=DESK, locale="es-ES", color_scheme="dark")
    page.locator(".game.reafan button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".status")

    assert play(page, "reafan", moves=4, keys=True) == 4

    assert page.locator("html").get_attribute("lang") == "es"
    assert page.locator(".story li", has_text="coloca").count() > 0
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(18, 24, 29)"


def test_a_lost_connection_is_told_and_no_move_is_offered_until_it_is_back(
    visit: Callable[..., Page],
) -> None:
    page = visit()
    start(page, "arrecife")
    page.locator(".kit [role=button]").first.wait_for()

    page.context.set_offline(True)
    page.wait_for_selector("[role=alert]")
    assert page.locator(".kit [role=button]").count() == 0

    page.context.set_offline(False)
    page.locator(".kit [role=button]").first.wait_for()
    assert page.locator("[role=alert]").count() == 0


def test_a_move_whose_answer_is_lost_is_sent_again_as_the_same_one(visit: Callable[..., Page]) -> None:
    page = visit()
    start(page, "arrecife")
    sent: list[tuple[str | None, str | None]] = []
    page.route("**/moves", lambda route: _lose_first(route, sent))

    play(page, "arrecife", moves=1)
    while len(sent) < 2:
        page.wait_for_timeout(100)

    assert sent[0] == sent[1]


def _lose_first(route: object, sent: list[tuple[str | None, str | None]]) -> None:
    """Let the first command reach the server, and its answer nobody."""
    request = route.request  # type: ignore[attr-defined]
    sent.append((request.headers.get("idempotency-key"), request.post_data))
    answer = route.fetch()  # type: ignore[attr-defined]
    if len(sent) == 1:
        route.abort()  # type: ignore[attr-defined]
    else:
        assert answer.status == 201
        route.fulfill(response=answer)  # type: ignore[attr-defined]


def _is_within(page: Page) -> bool:
    """Tell whether nothing sticks out of the window to the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
