"""Reads that are cheap to repeat, pages, other eyes, earlier positions, repeated requests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.api.contract import Api
from tests.matches import Match, keep_hands, open_match

KINDS = ("", "/view", "/events", "/heads", "/transcript")


@pytest.fixture
def match(new_player: Callable[..., Api]) -> Match:
    """A match of Reafan after the mulligans."""
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    return match


def first_move(match: Match) -> tuple[int, dict[str, object], int]:
    """Return the seat to move, a move of its, and the turn."""
    seat = match.view(0)["awaited"][0]["seat"]
    view = match.view(seat)
    return seat, view["legal_moves"][0], view["turn"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_is_repeated_for_nothing_until_something_happens(match: Match, kind: str) -> None:
    player, path = match.players[0], match.path + kind
    first = player.get(path)
    assert first.headers["ETag"].startswith('W/"')
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["Vary"] == "Authorization, Accept-Language"
    again = player.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    strong = player.get(path, headers={"If-None-Match": first.headers["ETag"].removeprefix("W/")})
    assert strong.status_code == 304

    seat, move, turn = first_move(match)
    match.send(seat, move, turn)
    changed = player.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]


def test_a_tag_is_the_viewers_own_and_does_not_depend_on_the_language(
    match: Match, new_player: Callable[..., Api]
) -> None:
    path = f"{match.path}/view"
    eyes = [*match.players, new_player()]
    tags = {player.get(path).headers["ETag"] for player in eyes}
    assert len(tags) == 3
    spanish = eyes[0].get(path, headers={"Accept-Language": "es"})
    assert spanish.headers["ETag"] == eyes[0].get(path).headers["ETag"] == spanish.json()["etag"]


def test_the_typed_view_is_the_generic_one(match: Match) -> None:
    player = match.players[0]
    generic = player.get(f"{match.path}/view")
    typed = player.get(f"/v1/games/reafan/tables/{match.id}/view")
    assert typed.headers["ETag"] == generic.headers["ETag"]
    assert typed.json() | {"server_time": ""} == generic.json() | {"server_time": ""}


def test_the_typed_view_of_a_table_that_has_not_started(new_player: Callable[..., Api]) -> None:
    match = open_match([new_player()], seats=2)
    assert match.players[0].get(f"/v1/games/reafan/tables/{match.id}/view").json()["data"] is None
    assert match.view(0)["data"] == {}


def test_a_typed_move_is_the_generic_one(match: Match) -> None:
    seat, move, turn = first_move(match)
    body = {"turn": turn, **move["params"]}  # type: ignore[dict-item]
    typed = match.players[seat].post(f"/v1/games/reafan/tables/{match.id}/{move['kind']}", body)
    assert typed.status_code == 201
    assert typed.headers["Location"] == f"{match.path}/events"
    again = match.send(seat, move, turn)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")
    assert again.json() == typed.json()
    assert typed.json()["etag"] == match.players[seat].get(f"{match.path}/view").headers["ETag"]


def test_a_view_as_it_was(match: Match) -> None:
    player = match.players[0]
    now = match.view(0)
    then = player.get(f"{match.path}/view?at={now['version'] - 1}").json()
    assert then["version"] == now["version"] - 1
    assert then["legal_moves"] == []


def test_events_page_by_position(match: Match) -> None:
    player = match.players[0]
    whole = player.get(f"{match.path}/events?limit=200").json()
    assert [each["position"] for each in whole["items"]] == list(range(1, match.version() + 1))
    assert not whole["has_more"]
    found, after, has_more = [], 0, True
    while has_more:
        page = player.get(f"{match.path}/events?after={after}&limit=3").json()
        found += page["items"]
        after, has_more = page["last_position"], page["has_more"]
    assert found == whole["items"]


def test_tables_page_both_ways(new_player: Callable[..., Api]) -> None:
    player = new_player()
    opened = [
        player.post("/v1/tables", {"game": "reafan", "visibility": "private"}).json()["id"] for _ in range(5)
    ]
    first = player.get("/v1/tables?mine=true&limit=2").json()
    second = player.get(f"/v1/tables?mine=true&limit=2&cursor={first['next_cursor']}").json()
    back = player.get(f"/v1/tables?mine=true&limit=2&cursor={second['previous_cursor']}").json()
    ids = [each["id"] for page in (first, second) for each in page["items"]]
    assert ids == opened[:0:-1]
    assert back["items"] == first["items"]
    assert first["previous_cursor"] is None
    assert player.get("/v1/tables?mine=true&status=playing").json()["items"] == []


def test_the_tables_that_wait_for_me(match: Match) -> None:
    seat = match.view(0)["awaited"][0]["seat"]
    waiting = match.players[seat].get("/v1/me/turns")
    assert [each["table_id"] for each in waiting.json()["items"]] == [match.id]
    assert waiting.json()["etag"] == waiting.headers["ETag"]
    assert match.players[1 - seat].get("/v1/me/turns").json()["items"] == []
    again = match.players[seat].get("/v1/me/turns", headers={"If-None-Match": waiting.headers["ETag"]})
    assert again.status_code == 304


def test_the_home_screen_comes_with_its_views(match: Match) -> None:
    view = match.view(0)
    (awaited,) = view["awaited"]
    player = match.players[awaited["seat"]]
    plain, whole = player.get("/v1/me/turns"), player.get("/v1/me/turns?expand=view")
    (item,) = whole.json()["items"]
    assert item["kinds"] == awaited["kinds"]
    assert plain.json()["items"] == [{**item, "view": None}]
    own = match.view(awaited["seat"])
    moments = ("server_time", "clocks")
    assert {**item["view"], **{each: own[each] for each in moments}} == own

    assert plain.headers["ETag"] != whole.headers["ETag"]
    held = {"If-None-Match": whole.headers["ETag"]}
    assert player.get("/v1/me/turns?expand=view", headers=held).status_code == 304
    match.send(awaited["seat"], own["legal_moves"][0], own["turn"])
    assert player.get("/v1/me/turns?expand=view", headers=held).status_code == 200
    assert player.get("/v1/me/turns?expand=all").status_code == 400


def test_a_command_with_a_key_counts_once(new_player: Callable[..., Api]) -> None:
    player = new_player()
    key = {"Idempotency-Key": "open-1"}
    first, second = (player.post("/v1/tables", {"game": "reafan"}, headers=key) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert first.headers["Location"] == f"/v1/tables/{first.json()['id']}"
    assert second.headers["Idempotency-Replayed"] == "true"
    other = player.post("/v1/tables", {"game": "reafan", "title": "another"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len(player.get("/v1/tables?mine=true").json()["items"]) == 1

    table = f"/v1/tables/{first.json()['id']}"
    leaves = [player.post(f"{table}/leave", headers={"Idempotency-Key": "x"}) for _ in range(2)]
    assert leaves[0].json() == leaves[1].json()
    assert leaves[1].headers["Idempotency-Replayed"] == "true"


def test_a_stranger_reads_a_public_table_as_a_spectator(match: Match, new_player: Callable[..., Api]) -> None:
    view = new_player().get(f"{match.path}/view").json()
    assert view["viewer"] is None
    assert view["legal_moves"] == []
    assert all(seat["hand"] is None for seat in view["data"]["seats"])
