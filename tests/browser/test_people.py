"""What people do beside moves: keeping an account, votes, another game, vacations, seats of the absent."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.browser.conftest import DESK
from tests.browser.players import resign
from tests.services import SimulatedClock

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

Visit = Callable[..., "Page"]


def test_a_guest_keeps_the_account_and_enters_it_elsewhere(visit: Visit) -> None:
    name, password = f"Ana-{secrets.token_hex(4)}", "five-dragons-at-dawn"
    page = visit()
    page.locator(".game.reafan button").click()
    page.locator(".status").wait_for()
    page.locator(".who").click()
    _enter(page, name, password)
    page.locator(".who", has_text=name).wait_for()
    page.get_by_role("button", name="Keep this account").wait_for(state="detached")

    other = visit("#/sign-in", viewport=DESK)
    _enter(other, name, password)
    other.locator(".tables .row").first.wait_for()


def test_two_people_pause_the_clocks_end_the_game_and_play_again(visit: Visit) -> None:
    ana, bea = _two(visit)
    assert ana.locator(".chip.hot").count() == 0  # two days are much
    ana.locator("#tab-about").click()
    ana.get_by_text("Propose to the others").click()
    ana.get_by_role("button", name="Pause for 3 d").click()
    ana.locator(".alert .danger").click()
    bea.get_by_role("button", name="In favour").click()
    for page in (ana, bea):
        page.get_by_text("The clocks stand still").first.wait_for()

    resign(bea)
    for page in (ana, bea):
        page.get_by_role("link", name="Keep this account").wait_for()
        page.get_by_role("button", name="Play again").click()

    old = ana.url
    for page in (ana, bea):
        page.wait_for_url(lambda url: url != old)
        page.locator(".status").first.wait_for()
    assert ana.url == bea.url


def test_the_pages_of_both_players_add_to_the_chance_of_their_game(visit: Visit) -> None:
    ana, _ = _two(visit, fairness="players")

    told = ana.locator(".story").inner_text()
    assert told.count("has sealed") == told.count("shows the sealed") == 2, told


def test_an_invitation_tells_who_invites_to_which_game_and_nothing_as_markup(visit: Visit) -> None:
    ana = visit("#/new/cthulhu")
    ana.locator("form button.main").click()
    ana.get_by_text("Waiting for 2 more.").wait_for()
    link = ana.locator("input[readonly]").input_value().split("/", 3)[3]

    bea = visit(link)
    bea.get_by_text("Time for a turn: 1 d.").wait_for()
    bea.get_by_text("No account is needed").wait_for()
    assert re.fullmatch(
        r"guest-\w+ invites you to a game: Don't Mess with Cthulhu", bea.locator("h1").inner_text()
    )

    forged = visit(re.sub(r"&.*", "&game=chess&by=<b>Eve</b>&time=soon", link))
    forged.get_by_text("<b>Eve</b> invites you to a game", exact=True).wait_for()
    forged.locator("button.main").click()
    ana.get_by_text("Waiting for 1 more.").wait_for()


def test_notices_are_counted_until_they_are_read(visit: Visit) -> None:
    ana, _ = _two(visit)
    ana.locator(".brand").click()
    ana.locator("#top .count").wait_for()

    ana.get_by_label("Notices").click()

    ana.get_by_text("The game begins").first.wait_for()
    ana.locator("#top .count").wait_for(state="detached")


def test_quiet_hours_a_vacation_and_an_address_are_kept(visit: Visit) -> None:
    page = visit(timezone_id="America/Lima")
    page.locator(".game.reafan button").click()
    page.locator(".status").wait_for()
    page.locator(".who").click()
    assert page.locator("[name=zone]").input_value() == "America/Lima"

    page.locator("[name=start]").fill("22:30")
    page.locator("[name=end]").fill("07:00")
    page.locator("form:has([name=zone]) button").click()
    page.get_by_text("Saved.").wait_for()
    page.get_by_role("button", name="Go on vacation").click()
    page.get_by_role("button", name="End", exact=True).wait_for()

    page.locator("[name=email]").fill("ana@example.org")
    page.locator("[name=mail]").select_option("daily")
    page.locator("form:has([name=email]) button").click()
    page.locator("[name=code]").wait_for()

    page.reload()
    assert page.locator("[name=mail]").input_value() == "daily"
    assert page.locator("[name=start]").input_value() == "22:30"
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="End", exact=True).wait_for(state="detached")


def test_somebody_plays_on_for_a_player_who_is_absent(visit: Visit, server: str, superuser_url: str) -> None:
    opened = {"game": "reafan", "absentee": "open", "max_timeouts": 1, "clock": {"seconds": 60}}
    table = httpx.post(f"{server}/v1/tables", json=opened, headers=_guest(server)).json()["id"]
    httpx.post(f"{server}/v1/tables/{table}/join", headers=_guest(server)).raise_for_status()
    SimulatedClock(superuser_url).advance(seconds=90)

    page = visit()
    page.locator(".game.reafan button").click()
    page.locator(".status").wait_for()
    page.locator(".brand").click()
    page.locator(f"section:has-text('A player is sought') [href='#/table/{table}']").click()
    page.get_by_role("button", name="Take a seat").first.click()

    page.locator(".hand").wait_for()


def _two(visit: Visit, fairness: str = "server") -> tuple[Page, Page]:
    """Two people at a table that one has opened, and to which the other came by the link."""
    ana = visit("#/new/reafan", viewport=DESK)
    ana.get_by_text("Options of the table").click()
    ana.locator("[name=fairness]").select_option(fairness)
    ana.locator("form button.main").click()
    link = ana.locator("input[readonly]").input_value()
    bea = visit(link.split("/", 3)[3])
    bea.locator("button.main").click()
    for page in (ana, bea):
        page.locator(".hand").wait_for()
    return ana, bea


def _enter(page: Page, name: str, password: str) -> None:
    page.locator("[name=name]").fill(name)
    page.locator("[name=password]").fill(password)
    page.locator("form:has([name=password]) button").click()


def _guest(server: str) -> dict[str, str]:
    """Somebody without a browser, by the header that says so."""
    key = {"Idempotency-Key": secrets.token_hex(16)}
    token = httpx.post(f"{server}/v1/guests", headers=key).json()["token"]
    return {"Authorization": f"Bearer {token}"}
