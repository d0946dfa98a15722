"""Bad input of every kind: a problem document with a stable code, and nothing changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import psycopg
import pytest

from tests.api.contract import PROBLEM, Api
from tests.matches import Match, keep_hands, open_match, play_on

MISSING = "0197a3c2-5b1e-4d40-9c1f-2f6d8e4b7a10"


@pytest.fixture
def match(new_player: Callable[..., Api]) -> Iterator[Match]:
    """A match of Reafan after the mulligans, which stays as it is."""
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    before = match.version(), match.players[0].get(f"{match.path}/heads").json()
    yield match
    assert (match.version(), match.players[0].get(f"{match.path}/heads").json()) == before


def is_problem(answer: httpx.Response, status: int, code: str, *fields: tuple[str, str]) -> None:
    """Assert that an answer is the problem wanted, wrong ``fields`` (pointer, code) included."""
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["Content-Type"] == PROBLEM
    assert answer.json()["type"] == f"/docs/errors#{code}"
    assert answer.json()["status"] == status
    assert answer.json()["request_id"] == answer.headers["X-Request-Id"]
    assert answer.headers["Content-Language"] == "en"
    if fields:
        assert [(each["pointer"], each["code"]) for each in answer.json()["errors"]] == list(fields)


def deep(levels: int) -> bytes:
    return b'{"turn": 2, "kind": "place", "params": ' + b'{"a":' * levels + b"1" + b"}" * levels + b"}"


BODIES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "empty_body"),
    "no JSON": (b"turn=2", "syntax"),
    "cut off": (b'{"turn": 2, "kind": "pl', "syntax"),
    "two values": (b'{"turn": 2} {}', "syntax"),
    "a trailing comma": (b'{"turn": 2,}', "syntax"),
    "a raw control character": (b'{"kind": "a\x01b"}', "syntax"),
    "a raw NUL": (b'{"kind": "a\x00b"}', "syntax"),
    "no UTF-8": (b'{"kind": "\xff"}', "syntax"),
    "a surrogate in UTF-8": (b'{"kind": "\xed\xa0\x80"}', "syntax"),
    "UTF-16": ('{"turn": 2}'.encode("utf-16"), "syntax"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "syntax"),
    "100,000 arrays, cut to fit": (b"[" * 60_000, "too_deep"),
    "33 levels": (deep(32), "too_deep"),
    "60,000 closing brackets": (b"]" * 60_000, "syntax"),
    "escaped quotes without end": (b'"\\"' * 20_000 + b"[" * 40, "syntax"),
    "NaN": (b'{"turn": NaN}', "not_a_number"),
    "Infinity": (b'{"turn": -Infinity}', "not_a_number"),
    "a huge number": (b'{"turn": 9007199254740992}', "number_too_large"),
    "60,000 digits": (b'{"turn": ' + b"9" * 60_000 + b"}", "number_too_large"),
    "a key twice": (b'{"turn": 2, "turn": 3}', "duplicate_key"),
    "a key twice, deeper": (b'{"params": {"x": 1, "x": 1}}', "duplicate_key"),
    "a key twice, escaped": (b'{"turn": 1, "\\u0074urn": 1}', "duplicate_key"),
    "a lone surrogate": (b'{"kind": "\\ud800"}', "bad_text"),
    "a lone surrogate in a key": (b'{"\\udc00": 1}', "bad_text"),
    "an escaped NUL": (b'{"params": {"card": "7\\u0000h"}}', "bad_text"),
    "an escaped NUL in a key": (b'{"params": {"a\\u0000": 1}}', "bad_text"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_no_json_of_ours(match: Match, name: str) -> None:
    content, code = BODIES[name]
    answer = match.players[0].send("POST", f"{match.path}/moves", content=content)
    is_problem(answer, 400, "bad_json", ("#", code))


def test_json_nested_100_000_deep(match: Match) -> None:
    """It is over 64 KiB too, and never read."""
    for content in (b"[" * 100_000, deep(100_000), b'{"a":' * 100_000):
        answer = match.players[0].send("POST", f"{match.path}/moves", content=content)
        is_problem(answer, 413, "body_too_large")


def test_a_body_of_64_kib_is_read_and_a_larger_one_is_not(match: Match) -> None:
    room = 65_536 - len(b'{"turn": 2, "kind": "x", "params": {"a": ""}}')
    for extra, status in ((0, 400), (1, 413)):
        text = "a" * (room + extra)
        content = b'{"turn": 2, "kind": "x", "params": {"a": "' + text.encode() + b'"}}'
        assert match.players[0].send("POST", f"{match.path}/moves", content=content).status_code == status


def test_a_chunked_body_has_the_same_limit(match: Match) -> None:
    def chunks(count: int) -> Iterator[bytes]:
        yield b'{"turn": 2, "kind": "x", "params": {"a": "'
        for _ in range(count):
            yield b"a" * 1024
        yield b'"}}'

    for count, status, code in ((1, 400, "bad_request"), (200, 413, "body_too_large")):
        answer = match.players[0].send("POST", f"{match.path}/moves", content=chunks(count))
        is_problem(answer, status, code)


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "", "json"],
)
def test_a_body_of_another_type(match: Match, content_type: str) -> None:
    content = b'{"turn": 2, "kind": "place", "params": {}}'
    answer = match.players[0].send(
        "POST", f"{match.path}/moves", content=content, headers={"Content-Type": content_type}
    )
    is_problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ([], "#", "wrong_type"),
        (7, "#", "wrong_type"),
        ({}, "#/turn", "missing_field"),
        ({"turn": 2, "params": {}}, "#/kind", "missing_field"),
        ({"turn": "2", "kind": "place"}, "#/turn", "wrong_type"),
        ({"turn": 2.5, "kind": "place"}, "#/turn", "wrong_type"),
        ({"turn": True, "kind": "place"}, "#/turn", "wrong_type"),
        ({"turn": None, "kind": "place"}, "#/turn", "wrong_type"),
        ({"turn": 0, "kind": "place"}, "#/turn", "out_of_range"),
        ({"turn": 2**31, "kind": "place"}, "#/turn", "out_of_range"),
        ({"turn": 2, "kind": ""}, "#/kind", "bad_length"),
        ({"turn": 2, "kind": "place", "params": []}, "#/params", "wrong_type"),
        ({"turn": 2, "kind": "place", "params": {}, "seat": 1}, "#/seat", "unknown_field"),
        ({"turn": 2, "kind": "place", "params": {"card": "7h", "x": 0}}, "#/params/y", "missing_field"),
        ({"turn": 2, "kind": "place", "params": {"card": 7, "x": 0, "y": 0}}, "#/params/card", "wrong_type"),
        (
            {"turn": 2, "kind": "place", "params": {"card": "7x", "x": 0, "y": 0}},
            "#/params/card",
            "bad_format",
        ),
        (
            {"turn": 2, "kind": "place", "params": {"card": "7h", "x": 52, "y": 0}},
            "#/params/x",
            "out_of_range",
        ),
        (
            {"turn": 2, "kind": "place", "params": {"card": "7h", "x": 0, "y": 0, "z": 0}},
            "#/params/z",
            "unknown_field",
        ),
        ({"turn": 2, "kind": "castle", "params": {}}, "#/kind", "unknown_value"),
    ],
)
def test_a_move_of_another_shape(match: Match, body: Any, pointer: str, code: str) -> None:
    content = json.dumps(body).encode()
    answer = match.players[0].send("POST", f"{match.path}/moves", content=content)
    is_problem(answer, 400, "bad_request", (pointer, code))


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"card": "7h", "x": 0, "y": 0}, "#/turn", "missing_field"),
        ({"turn": 2, "card": "7h", "x": "0", "y": 0}, "#/x", "wrong_type"),
        ({"turn": 2, "card": "7h", "x": 0, "y": 0, "kind": "place"}, "#/kind", "unknown_field"),
    ],
)
def test_a_typed_move_of_another_shape(match: Match, body: dict[str, Any], pointer: str, code: str) -> None:
    answer = match.players[0].post(f"/v1/games/reafan/tables/{match.id}/place", body)
    is_problem(answer, 400, "bad_request", (pointer, code))


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"game": "reafan", "seats": 3}, "#/seats"),
        ({"game": "reafan", "seats": 21}, "#/seats"),
        ({"game": "reafan", "bots": ["nobody"]}, "#/bots/0"),
        ({"game": "reafan", "options": {"on_timeout": "sleep"}}, "#/options/on_timeout"),
        ({"game": "reafan", "options": {"speed": 1}}, "#/options/speed"),
        ({"game": "reafan", "clock": {"kind": "per_turn", "seconds": 1}}, "#/clock/seconds"),
        ({"game": "reafan", "visibility": "secret"}, "#/visibility"),
        ({"game": "reafan", "title": "x" * 81}, "#/title"),
    ],
)
def test_a_table_that_cannot_be(new_player: Callable[..., Api], body: dict[str, Any], pointer: str) -> None:
    answer = new_player().post("/v1/tables", body)
    is_problem(answer, 400, "bad_request")
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_a_table_of_an_unknown_game(new_player: Callable[..., Api]) -> None:
    is_problem(new_player().post("/v1/tables", {"game": "chess"}), 404, "not_found")


def test_ids_that_lead_nowhere(new_player: Callable[..., Api]) -> None:
    player = new_player()
    move = {"turn": 1, "kind": "mulligan", "params": {"take": False}}
    for table in (MISSING, "1", "not-an-id", MISSING.upper() + "0"):
        path = f"/v1/tables/{table}"
        for read in ("", "/view", "/events", "/heads", "/transcript"):
            is_problem(player.get(path + read), 404, "not_found")
        for write in ("/leave", "/start", "/resign", "/join"):
            is_problem(player.post(path + write), 404, "not_found")
        is_problem(player.post(path + "/moves", move), 404, "not_found")
        is_problem(player.get(f"/v1/games/reafan/tables/{table}/view"), 404, "not_found")
    is_problem(player.delete(f"/v1/me/tokens/{MISSING}"), 404, "not_found")
    for path in ("/v1", "/v1/", "/v1/nothing", "/v1/tables/", "/v1/%ff", "/v1/tables/%00", "/admin"):
        is_problem(player.get(path), 404, "not_found")


def test_a_hidden_table_answers_as_one_that_is_not_there(new_player: Callable[..., Api]) -> None:
    match = open_match([new_player()] * 1, seats=2, visibility="private")
    stranger = new_player()
    for path in ("", "/view", "/events", "/heads", "/transcript"):
        hidden = stranger.get(f"{match.path}{path}")
        absent = stranger.get(f"/v1/tables/{MISSING}{path}")
        is_problem(hidden, 404, "not_found")
        told = [answer.json() | {"instance": "", "request_id": ""} for answer in (hidden, absent)]
        assert told[0] == told[1]
        names = [set(answer.headers) for answer in (hidden, absent)]
        assert names[0] == names[1]
    is_problem(stranger.post(f"{match.path}/join", {}), 404, "not_found")
    is_problem(stranger.post(f"{match.path}/join", {"invite_code": "wrong"}), 404, "not_found")


def test_other_peoples_tables(match: Match, new_player: Callable[..., Api]) -> None:
    stranger = new_player()
    move = match.view(0)["legal_moves"] or match.view(1)["legal_moves"]
    body = {"turn": 2, "kind": move[0]["kind"], "params": move[0]["params"]}
    is_problem(stranger.post(f"{match.path}/moves", body), 403, "not_seated")
    is_problem(stranger.post(f"{match.path}/resign"), 403, "not_seated")
    is_problem(stranger.post(f"{match.path}/start"), 403, "not_host")
    is_problem(stranger.post(f"{match.path}/join", {}), 409, "table_not_open")


def test_moves_at_the_wrong_time(match: Match) -> None:
    views = [match.view(seat) for seat in (0, 1)]
    mover = views[0]["awaited"][0]["seat"]
    move = views[mover]["legal_moves"][0]
    is_problem(match.send(1 - mover, move, views[mover]["turn"]), 422, "not_your_turn")
    is_problem(match.send(mover, move, 1), 409, "turn_passed")
    is_problem(match.send(mover, move, 9), 409, "turn_not_reached")
    taken = {"kind": "mulligan", "params": {"take": True}}
    is_problem(match.send(mover, taken, 1), 409, "already_moved")


def test_moves_against_the_rules(match: Match) -> None:
    views = [match.view(seat) for seat in (0, 1)]
    mover = views[0]["awaited"][0]["seat"]
    turn, hand = views[mover]["turn"], views[mover]["data"]["seats"][mover]["hand"]
    deck = {f"{rank}{suit}" for rank in ("3", "4", "5", "6", "7", "8", "9", "10") for suit in "cdhs"}
    foreign = sorted(deck - set(hand))[0]

    not_held = match.send(mover, {"kind": "place", "params": {"card": foreign, "x": 0, "y": 0}}, turn)
    is_problem(not_held, 422, "card_not_in_hand")
    assert not_held.json()["facts"] == {"card": foreign}
    assert not_held.json()["detail"] == f"You do not hold {foreign}."

    legal = views[mover]["legal_moves"][0]["params"]
    astray = {"kind": "place", "params": {**legal, "x": 3, "y": 3}}
    is_problem(match.send(mover, astray, turn), 422, "first_card_at_origin")

    spanish = match.players[mover].post(
        f"/v1/games/reafan/tables/{match.id}/place",
        {"turn": turn, "card": foreign, "x": 0, "y": 0},
        headers={"Accept-Language": "es"},
    )
    assert spanish.json()["detail"] == f"No tienes {foreign} en la mano."
    assert spanish.headers["Content-Language"] == "es"


def test_a_move_after_the_end(new_player: Callable[..., Api]) -> None:
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    assert match.players[0].post(f"{match.path}/resign").status_code == 200
    before = match.version()
    move = {"kind": "discard", "params": {"card": "7h"}}
    for seat in (0, 1):
        answer = match.send(seat, move, match.view(seat)["turn"])
        is_problem(answer, 409, "table_not_playing")
        is_problem(match.players[seat].post(f"{match.path}/resign"), 409, "table_not_playing")
    assert match.version() == before


def test_a_whole_game_is_played_as_documented(new_player: Callable[..., Api]) -> None:
    match = open_match([new_player(), new_player()])
    play_on(match)
    view = match.view(0)
    assert view["status"] == "finished"
    assert view["outcome"]["reason"]
    assert view["awaited"] == view["legal_moves"] == []


def test_a_table_that_somebody_holds_for_too_long(match: Match, superuser_url: str) -> None:
    with psycopg.connect(superuser_url) as holder:
        holder.execute("SELECT FROM tables_table WHERE id = %s FOR UPDATE", [match.id])
        answer = match.players[0].post(f"{match.path}/resign")
        is_problem(answer, 503, "busy")
        assert answer.headers["Retry-After"] == "1"
        assert match.players[0].get(f"{match.path}/view").status_code == 200
        holder.rollback()


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/v1/games", "GET"),
        ("POST", "/v1/games/reafan", "GET"),
        ("GET", "/v1/guests", "POST"),
        ("PATCH", f"/v1/tables/{MISSING}/moves", "POST"),
        ("PUT", "/v1/me", "GET, PATCH"),
    ],
)
def test_a_method_that_a_resource_does_not_know(
    new_player: Callable[..., Api], method: str, path: str, allow: str
) -> None:
    answer = new_player().send(method, path)
    is_problem(answer, 405, "method_not_allowed")
    assert set(allow.split(", ")) <= set(answer.headers["Allow"].split(", "))


def test_a_form_of_answer_that_there_is_not(new_player: Callable[..., Api]) -> None:
    player = new_player()
    for accept in ("text/html", "application/xml", "image/*"):
        is_problem(player.get("/v1/me", headers={"Accept": accept}), 406, "not_acceptable")
    for accept in ("*/*", "application/json", "text/html, application/json;q=0.1", "application/*"):
        assert player.get("/v1/me", headers={"Accept": accept}).status_code == 200


def test_no_token_no_answer(server: str) -> None:
    stranger = Api(server)
    for path in ("/v1/me", "/v1/me/tokens", "/v1/me/turns", "/v1/tables", f"/v1/tables/{MISSING}/view"):
        answer = stranger.get(path)
        is_problem(answer, 401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    is_problem(stranger.post("/v1/tables", {"game": "reafan"}), 401, "unauthenticated")


@pytest.mark.parametrize(
    "query",
    [
        *(f"limit={limit}" for limit in ("0", "201", "x", "1.0", "", "-1", "%EF%BC%91")),
        *("status=lost", "mine=maybe", "cursor=%00", "cursor=bm8", "game=%00", "game=Reafan!"),
    ],
)
def test_bad_parameters_of_a_list(new_player: Callable[..., Api], query: str) -> None:
    answer = new_player().get(f"/v1/tables?{query}")
    name = query.split("=")[0]
    code = {"limit": ("bad_format", "out_of_range"), "status": ("unknown_value",), "mine": ("unknown_value",)}
    is_problem(answer, 400, "bad_request")
    assert answer.json()["errors"][0]["pointer"] == f"?{name}"
    assert answer.json()["errors"][0]["code"] in code.get(name, ("bad_format",))


def test_bad_parameters_of_a_table(match: Match) -> None:
    player = match.players[0]
    for path, name in (("events?after=-1", "after"), ("events?limit=0", "limit"), ("view?at=0", "at")):
        answer = player.get(f"{match.path}/{path}")
        is_problem(answer, 400, "bad_request")
        assert answer.json()["errors"][0]["pointer"] == f"?{name}"
    assert player.get(f"{match.path}/view?at=999").status_code == 400
    assert player.get(f"{match.path}/events?after=999").json()["items"] == []
    is_problem(
        player.get(f"{match.path}/events?nothing=1"), 400, "bad_request", ("?nothing", "unknown_field")
    )
