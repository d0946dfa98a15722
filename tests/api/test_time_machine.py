"""The past of a table over HTTP: other eyes, earlier positions, turns, and who knew what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.api.contract import Api
from tests.matches import Match, keep_hands, open_match, play_on

ENGLISH, SPANISH = {"Accept-Language": "en"}, {"Accept-Language": "es"}


@pytest.fixture
def match(new_player: Callable[..., Api]) -> Match:
    """A match of Reafan after the mulligans."""
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    return match


def end(match: Match) -> None:
    play_on(match, steps=2)
    assert match.players[0].post(f"{match.path}/resign").status_code == 200


@pytest.mark.parametrize("kind", ["view", "events", "narration"])
def test_other_eyes_are_refused_alike_until_the_end(match: Match, kind: str) -> None:
    player, refusals = match.players[0], set()
    for seat in ("1", "9", "full"):
        answer = player.get(f"{match.path}/{kind}?seat={seat}")
        assert (answer.status_code, answer.json()["code"]) == (403, "not_your_eyes")
        refusals.add(str({**answer.json(), "request_id": ""}))
    assert len(refusals) == 1
    for wrong in ("", "seat:1", "-1", "FULL", "1000"):
        assert player.get(f"{match.path}/{kind}?seat={wrong}").status_code == 400
    for allowed in ("0", "public"):
        assert player.get(f"{match.path}/{kind}?seat={allowed}").status_code == 200
    end(match)
    for allowed in ("0", "1", "public", "full"):
        assert player.get(f"{match.path}/{kind}?seat={allowed}").status_code == 200
    assert player.get(f"{match.path}/{kind}?seat=9").status_code == 400, "there is no such seat"


def test_the_typed_view_has_the_same_eyes(match: Match) -> None:
    player, typed = match.players[0], f"/v1/games/reafan/tables/{match.id}/view"
    assert player.get(f"{typed}?seat=1").status_code == 403
    end(match)
    at = player.get(f"{match.path}/turns").json()["items"][1]["position"]
    for seat in ("1", "full"):
        one = player.get(f"{match.path}/view?at={at}&seat={seat}").json()
        other = player.get(f"{typed}?at={at}&seat={seat}").json()
        assert one | {"server_time": ""} == other | {"server_time": ""}
    hands = [each["seats"][seat]["hand"] for seat, each in enumerate(one["seat_data"])]
    assert [len(each) for each in hands] == [3, 3]
    assert one["data"]["seats"][0]["hand"] is None


def test_eyes_have_tags_of_their_own(match: Match) -> None:
    end(match)
    player, path = match.players[0], f"{match.path}/view"
    held = player.get(path).headers["ETag"]
    assert player.get(f"{path}?seat=0", headers={"If-None-Match": held}).status_code == 304
    for seat in ("1", "public", "full"):
        assert player.get(f"{path}?seat={seat}", headers={"If-None-Match": held}).status_code == 200


def test_turns_and_what_was_known_over_http(match: Match) -> None:
    player, path = match.players[0], f"{match.path}/knowledge"
    assert player.get(f"{match.path}/turns").json()["items"][0]["turn"] == 1
    refused = player.get(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "table_not_finished")
    end(match)
    english, spanish = (player.get(path, headers=each) for each in (ENGLISH, SPANISH))
    assert [each.headers["Content-Language"] for each in (english, spanish)] == ["en", "es"]
    one, other = (each.json()["items"][0]["items"][0] for each in (english, spanish))
    assert one["sentence"] != other["sentence"]
    assert {**one, "sentence": ""} == {**other, "sentence": ""}
    again = player.get(path, headers={**ENGLISH, "If-None-Match": english.headers["ETag"]})
    assert again.status_code == 304


def test_a_fork_over_http(match: Match, new_player: Callable[..., Api]) -> None:
    body = {"position": 20, "seat": 1}
    player, path = new_player(), f"{match.path}/fork"
    refused = player.post(path, body)
    assert (refused.status_code, refused.json()["code"]) == (409, "table_not_finished")
    end(match)
    position = player.get(f"{match.path}/turns").json()["items"][1]["position"]
    body = {"position": position, "seat": 1}
    first, again = (player.post(path, body, headers={"Idempotency-Key": "fork-1"}) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    told = first.json()
    assert first.headers["Location"] == f"/v1/tables/{told['id']}"
    assert again.json()["id"] == told["id"]
    assert told["forked_from"] == {"table_id": match.id, "position": position}
    assert (told["my_seat"], told["visibility"], told["status"]) == (1, "private", "playing")
    view = player.get(f"/v1/tables/{told['id']}/view?at=7").json()
    there = player.get(f"{match.path}/view?at={position}&seat=1").json()
    assert view["data"] == there["data"]
    assert match.players[0].get(f"/v1/tables/{told['id']}").status_code == 404
    for wrong in ({"position": 1, "seat": 1}, {"position": position, "seat": 2}, {"position": position}):
        assert player.post(path, wrong).status_code == 400
    assert match.players[0].post(f"/v1/tables/{told['id']}/fork", body).status_code == 404
