"""Playing again with the same seats."""

from __future__ import annotations

from collections.abc import Callable

from tests.api.contract import Api
from tests.concurrency.volley import Shot, fire
from tests.matches import Match, open_match


def _finished(new_player: Callable[..., Api], **settings: object) -> Match:
    match = open_match([new_player(), new_player()], **settings)
    match.players[0].post(f"{match.path}/resign", {})
    return match


def test_when_all_agree_the_same_seats_play_again(new_player: Callable[..., Api]) -> None:
    """cases.md R84: the new log starts clean, with a link to its origin."""
    match = _finished(new_player, options={"on_timeout": "forfeit"}, clock={"seconds": 600}, title="Revenge")

    first = match.players[1].post(f"{match.path}/rematch", {}).json()
    assert (first["agreed"], first["missing"], first["table_id"]) == ([1], [0], None)
    assert (first["games"], sum(first["wins"])) == (1, 1)
    assert match.players[1].post(f"{match.path}/rematch", {}).json() == first
    again = match.players[0].post(f"{match.path}/rematch", {}).json()
    assert (again["agreed"], again["missing"]) == ([0, 1], [])

    old = match.players[0].get(match.path).json()
    new = match.players[0].get(f"/v1/tables/{again['table_id']}").json()
    assert (new["status"], new["origin"], new["id"]) == ("playing", match.id, again["table_id"])
    for same in ("game", "title", "options", "clock", "seats", "host", "visibility", "my_seat"):
        assert new[same] == old[same]
    events = match.players[0].get(f"/v1/tables/{new['id']}/events?limit=200").json()["items"]
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))
    assert events[0]["type"] == "table.opened"


def test_bots_always_agree(new_player: Callable[..., Api]) -> None:
    player = new_player()
    match = open_match([player], seats=2, bots=["greedy"])
    player.post(f"{match.path}/resign", {})

    assert player.post(f"{match.path}/rematch", {}).json()["table_id"] is not None


def test_a_rematch_is_for_who_sat_there_and_after_the_end(new_player: Callable[..., Api]) -> None:
    match = open_match([new_player(), new_player()])
    early = match.players[0].post(f"{match.path}/rematch", {})
    assert (early.status_code, early.json()["code"]) == (409, "table_not_finished")
    match.players[0].post(f"{match.path}/resign", {})

    assert new_player().post(f"{match.path}/rematch", {}).status_code == 403


def test_both_agreeing_at_once_open_one_table(new_player: Callable[..., Api], server: str) -> None:
    for _ in range(5):
        match = _finished(new_player)
        shots = [
            Shot(url=f"{server}{match.path}/rematch", token=player.token or "", body={})
            for player in match.players
        ] * 3
        told = {hit.body["table_id"] for hit in fire(shots, processes=2)} - {None}
        assert len(told) == 1
        mine = match.players[0].get("/v1/tables?mine=true&status=playing").json()["items"]
        assert [table["origin"] for table in mine] == [match.id]
