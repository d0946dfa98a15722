"""A game that the server was not built with, played over HTTP: by the generic route and by typed ones."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.contract import Api, generated
from tests.matches import Match, open_match, play_on

Sender = Callable[[Match, int, dict[str, Any], int], httpx.Response]


def typed(api: Api, match: Match, name: str, body: dict[str, Any] | None = None) -> httpx.Response:
    """Ask a route of the probe's own, which the document of this process knows."""
    api = Api(api.base_url, api.token, document=generated())
    path = f"/v1/games/probe/tables/{match.id}/{name}"
    return api.get(path) if body is None else api.post(path, body)


def by_generic_route(match: Match, seat: int, move: dict[str, Any], turn: int) -> httpx.Response:
    answer: httpx.Response = match.send(seat, move, turn)
    return answer


def by_typed_route(match: Match, seat: int, move: dict[str, Any], turn: int) -> httpx.Response:
    return typed(match.players[seat], match, move["kind"], {"turn": turn, **move["params"]})


@pytest.fixture
def match(new_player: Callable[..., Api]) -> Match:
    """Three people, and nobody has picked."""
    return open_match([new_player() for _ in range(3)], "probe", options={"rounds": 3})


@pytest.mark.parametrize("send", [by_generic_route, pytest.param(by_typed_route, marks=pytest.mark.long)])
def test_a_whole_game(match: Match, send: Sender) -> None:
    dice = random.Random(3)
    while True:
        views = [match.view(seat) for seat in range(3)]
        able = [seat for seat in range(3) if views[seat]["legal_moves"]]
        if not able:
            break
        seat = dice.choice(able)
        answer = send(match, seat, dice.choice(views[seat]["legal_moves"]), views[seat]["turn"])
        assert answer.status_code == 201, answer.text
        assert answer.json()["turn"] == match.view(seat)["turn"] or match.view(seat)["status"] == "finished"
    assert match.view(0)["status"] == "finished"
    assert match.view(0)["outcome"]["reason"] in ("mark_found", "rounds_over")
    assert match.players[0].get(f"{match.path}/transcript").json()["view"] == "full"


def test_both_routes_show_the_same_view_and_know_the_same_moves(match: Match) -> None:
    pick = {"kind": "pick", "params": {"number": 2, "rival": 1}}
    first = by_generic_route(match, 0, pick, 1)

    again = by_typed_route(match, 0, pick, 1)

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    other = by_typed_route(match, 0, {"kind": "pick", "params": {"number": 1, "rival": 1}}, 1)
    assert (other.status_code, other.json()["code"]) == (409, "already_moved")
    shown, generic = typed(match.players[1], match, "view").json(), match.view(1)
    for view in (shown, generic):
        del view["server_time"]
        for each in view["clocks"]:
            del each["seconds_left"]
    assert shown == generic


def test_a_declaration_holds_nothing_up(match: Match) -> None:
    for seat in range(3):
        match.send(seat, {"kind": "pick", "params": {"number": seat, "rival": (seat + 1) % 3}}, 1)
    before = match.view(1)

    answer = match.send(1, {"kind": "declare", "params": {"marks": 1}}, 2)

    after = match.view(1)
    assert answer.status_code == 201
    for name in ("turn", "deadline_at", "awaited"):
        assert after[name] == before[name]
    assert after["data"]["seats"][1]["declared"] == 1
    assert match.view(0)["data"]["seats"][1] == {**after["data"]["seats"][1], "declared": None, "marks": None}


def test_a_value_out_of_bounds_is_refused_before_the_rules_are_asked(match: Match) -> None:
    for params in ({"number": 3, "rival": 1}, {"number": True, "rival": 1}, {"number": 1}, {}):
        for send in (by_generic_route, by_typed_route):
            answer = send(match, 0, {"kind": "pick", "params": params}, 1)
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_request"), answer.text
    assert match.version() == match.view(0)["version"]


def test_a_refusal_of_the_rules_is_worded_from_the_names_of_the_game(match: Match) -> None:
    answer = match.send(0, {"kind": "pick", "params": {"number": 1, "rival": 0}}, 1)

    assert (answer.status_code, answer.json()["code"]) == (422, "own_seat")
    assert "another seat" in answer.text


def test_bots_play_where_nobody_else_sits(new_player: Callable[..., Api]) -> None:
    match = Match(bots_table(host := new_player()), [host])
    until = time.monotonic() + 30
    while (view := match.view(0))["status"] == "playing":
        assert time.monotonic() < until, "the bots do not move"
        if 0 in [each["seat"] for each in view["awaited"]]:
            match.send(0, view["legal_moves"][0], view["turn"])
        else:
            time.sleep(0.02)
    assert view["outcome"]["reason"] in ("mark_found", "rounds_over")


def bots_table(host: Api) -> str:
    opened = host.post("/v1/tables", {"game": "probe", "options": {"rounds": 1}, "bots": ["random"] * 2})
    assert opened.status_code == 201, opened.text
    return str(opened.json()["id"])


def test_whoever_resigns_is_played_for_to_the_end(match: Match) -> None:
    resigned = match.players[2].post(f"{match.path}/resign", {})
    assert resigned.status_code == 200, resigned.text
    again = match.players[2].post(f"{match.path}/resign", {})
    assert (again.status_code, again.json()["code"]) == (409, "already_resigned")

    assert [each["seat"] for each in match.view(0)["awaited"]] == [0, 1]
    play_on(match)
    outcome = match.view(2)["outcome"]
    assert 2 not in outcome["winners"]
