"""Talk over HTTP: each operation once, its refusals, and two who speak at once."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import httpx
import psycopg
import pytest

from tests.api.contract import Api
from tests.api.test_problems import MISSING, is_problem
from tests.matches import Match, open_match

NewPlayer = Callable[..., Api]


@pytest.fixture
def match(new_player: NewPlayer) -> Match:
    """Two people at Reafan, where talk is open."""
    return open_match([new_player(), new_player()])


def say(match: Match, seat: int, text: str = "Hello!", **headers: str) -> httpx.Response:
    return match.players[seat].post(f"{match.path}/messages", {"text": text}, headers=headers)


def heard(match: Match, seat: int, query: str = "") -> dict[str, object]:
    answer = match.players[seat].get(f"{match.path}/messages{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


def name_of(api: Api) -> str:
    return str(api.get("/v1/me").json()["name"])


def test_what_one_says_the_other_reads(match: Match) -> None:
    version = match.version()
    said = say(match, 0, "Hallo, <b>Berta</b> & 🌵!\n")

    assert said.status_code == 201
    assert said.headers["Location"] == f"{match.path}/messages"
    told = said.json()
    assert told == {
        "position": 1,
        "seat": 0,
        "player": name_of(match.players[0]),
        "said_at": told["said_at"],
        "game_position": version,
        "text": "Hallo, <b>Berta</b> & 🌵!\n",
        "hidden": None,
        "erased": False,
        "muted": False,
    }
    assert heard(match, 1) == {
        "items": [told],
        "last_position": 1,
        "has_more": False,
        "last_read": 0,
        "unread": 1,
    }


def test_talk_moves_neither_version_nor_turn_nor_tag(match: Match) -> None:
    paths = [match.path, f"{match.path}/view", f"{match.path}/events", f"{match.path}/heads"]
    before = [match.players[0].get(path) for path in paths]

    say(match, 0)
    say(match, 1)

    for path, earlier in zip(paths, before, strict=True):
        held = {"If-None-Match": earlier.headers["ETag"]}
        assert match.players[0].get(path, headers=held).status_code == 304
    assert match.view(0)["version"] == before[0].json()["version"]
    assert "talk." not in match.players[0].get(f"{match.path}/transcript").text


def test_a_page_has_a_tag_that_new_messages_move(match: Match) -> None:
    page = match.players[0].get(f"{match.path}/messages")
    held = {"If-None-Match": page.headers["ETag"]}
    assert match.players[0].get(f"{match.path}/messages", headers=held).status_code == 304

    say(match, 1)

    assert match.players[0].get(f"{match.path}/messages", headers=held).status_code == 200


def test_pages_and_the_mark(match: Match) -> None:
    for number in range(5):
        say(match, number % 2, f"message {number}")

    first = heard(match, 0, "?limit=2")
    rest = heard(match, 0, f"?after={first['last_position']}&limit=3")
    assert first["has_more"] is True
    assert rest["has_more"] is False
    marked = match.players[0].send("PUT", f"{match.path}/messages/read", {"position": 2})
    assert marked.json() == {"last_read": 2, "unread": 1}
    beyond = match.players[0].send("PUT", f"{match.path}/messages/read", {"position": 6})
    is_problem(beyond, 400, "bad_request", ("#/position", "out_of_range"))
    bad = match.players[0].send("PUT", f"{match.path}/messages/read", {"position": -1})
    is_problem(bad, 400, "bad_request", ("#/position", "out_of_range"))
    is_problem(
        match.players[0].get(f"{match.path}/messages?limit=0"), 400, "bad_request", ("?limit", "out_of_range")
    )


@pytest.mark.parametrize("round_", range(10))
def test_of_two_who_speak_at_once_both_are_heard(match: Match, round_: int) -> None:
    """Also of the two first, when there is no end of the talk to lock yet."""
    with ThreadPoolExecutor(max_workers=6) as pool:
        sent = [pool.submit(say, match, number % 2, f"message {number}") for number in range(6)]
        answers = [each.result() for each in sent]

    assert [each.status_code for each in answers] == [201] * 6
    page = heard(match, 0)
    assert isinstance(page["items"], list)
    assert [each["position"] for each in page["items"]] == [1, 2, 3, 4, 5, 6]
    assert sorted(each["text"] for each in page["items"]) == [f"message {number}" for number in range(6)]


def test_twins_with_one_key_are_one_message(match: Match) -> None:
    with ThreadPoolExecutor(max_workers=6) as pool:
        sent = [pool.submit(say, match, 0, "once", Idempotency_Key="k-1") for _ in range(6)]
        answers = [each.result() for each in sent]

    assert [each.status_code for each in answers] == [201] * 6
    assert all(each.json() == answers[0].json() for each in answers)
    assert sum("Idempotency-Replayed" in each.headers for each in answers) == 5
    is_problem(say(match, 0, "other", Idempotency_Key="k-1"), 422, "idempotency_key_reused")


def test_talk_waits_for_no_move_and_no_move_for_talk(match: Match, superuser_url: str) -> None:
    say(match, 0)
    with psycopg.connect(superuser_url) as holder:
        holder.execute("SELECT 1 FROM tables_table WHERE id = %s FOR UPDATE", [match.id])
        assert say(match, 1).status_code == 201
        assert match.players[0].send("PUT", f"{match.path}/messages/read", {"position": 2}).status_code == 200
        assert match.players[0].send("PUT", f"{match.path}/note", {"text": "x"}).status_code == 200
    with psycopg.connect(superuser_url) as holder:
        stream = f"talk-{uuid.UUID(match.id)}"
        holder.execute("SELECT 1 FROM events_head WHERE stream = %s FOR UPDATE", [stream])
        move = {"kind": "mulligan", "params": {"take": False}}
        assert match.send(0, move, 1).status_code == 201
        is_problem(say(match, 1), 503, "busy")


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({}, "#/text", "missing_field"),
        ({"text": ""}, "#/text", "bad_length"),
        ({"text": "x" * 2001}, "#/text", "bad_length"),
        ({"text": 7}, "#/text", "wrong_type"),
        ({"text": " \n "}, "#/text", "blank_text"),
        ({"text": "bell\u0007"}, "#/text", "control_character"),
        ({"text": "x", "seat": 1}, "#/seat", "unknown_field"),
    ],
)
def test_a_message_that_is_none(match: Match, body: object, pointer: str, code: str) -> None:
    is_problem(match.players[0].post(f"{match.path}/messages", body), 400, "bad_request", (pointer, code))
    assert heard(match, 0)["items"] == []


def test_two_thousand_characters_of_any_script(match: Match) -> None:
    assert say(match, 0, "🌵" * 2000).status_code == 201


def test_spectators_are_let_in_by_the_table(new_player: NewPlayer) -> None:
    stranger = new_player()
    for allowed, reads, speaks in ((None, 403, 403), ("read", 200, 403), ("write", 200, 201)):
        settings = {} if allowed is None else {"spectator_talk": allowed}
        match = open_match([new_player(), new_player()], **settings)
        shown = stranger.get(match.path).json()
        assert (shown["talk"], shown["spectator_talk"]) == ("open", allowed or "none")
        say(match, 0)
        assert stranger.get(f"{match.path}/messages").status_code == reads
        assert stranger.post(f"{match.path}/messages", {"text": "Hi"}).status_code == speaks
        assert stranger.post(f"{match.path}/messages/1/report", {"reason": "x"}).status_code == (
            201 if reads == 200 else 403
        )
        is_problem(stranger.get(f"{match.path}/note"), 403, "not_seated")


def test_where_talk_is_silent_the_server_says_so(match: Match, superuser_url: str) -> None:
    """R61: a raw call gets no further than a client."""
    statement = "UPDATE tables_table SET settings = jsonb_set(settings, '{options,talk}', %s) WHERE id = %s"
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute(statement, ['"silent"', match.id])
    assert match.players[0].get(match.path).json()["talk"] == "silent"

    is_problem(say(match, 0), 409, "talk_silent")

    assert heard(match, 0)["items"] == []


def test_a_private_table_is_not_there_for_strangers(new_player: NewPlayer) -> None:
    match = open_match([new_player()], seats=2, visibility="private", spectator_talk="write")
    say(match, 0)
    stranger = new_player()
    for path in (match.path, f"/v1/tables/{MISSING}"):
        answers = [
            stranger.get(f"{path}/messages"),
            stranger.post(f"{path}/messages", {"text": "Hi"}),
            stranger.post(f"{path}/messages/1/report", {"reason": "x"}),
            stranger.send("PUT", f"{path}/messages/read", {"position": 0}),
            stranger.get(f"{path}/note"),
            stranger.send("PUT", f"{path}/note", {"text": "x"}),
        ]
        for answer in answers:
            is_problem(answer, 404, "not_found")
    is_problem(Api(stranger.base_url).get(f"{match.path}/messages"), 401, "unauthenticated")


def test_a_message_is_reported_once(match: Match) -> None:
    say(match, 0)
    path = f"{match.path}/messages/1/report"

    first = match.players[1].post(path, {"reason": "An insult."})
    again = match.players[1].post(path, {"reason": "Still."})

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.json()["reason"] == "An insult."
    for position in (2, 0, 2**31, 10**40):
        is_problem(
            match.players[1].post(f"{match.path}/messages/{position}/report", {"reason": "x"}),
            404,
            "not_found",
        )
    is_problem(match.players[1].post(path, {"reason": " "}), 400, "bad_request", ("#/reason", "blank_text"))
    key = {"Idempotency-Key": "r"}
    replays = [match.players[0].post(path, {"reason": "x"}, headers=key) for _ in range(2)]
    assert [each.status_code for each in replays] == [201, 201]
    assert replays[1].headers["Idempotency-Replayed"] == "true"


def test_a_player_is_muted_for_oneself(match: Match, new_player: NewPlayer) -> None:
    loud = new_player(f"Ruidosa Ñ {uuid.uuid4().hex[:8]}")
    match = open_match([match.players[0], loud])
    say(match, 1, "LOUD")
    path = f"/v1/me/mutes/{quote(name_of(loud).lower())}"

    muted = match.players[0].send("PUT", path)

    assert muted.status_code == 200
    assert muted.json()["player"] == name_of(loud)
    assert match.players[0].send("PUT", path).json() == muted.json()
    assert match.players[0].get("/v1/me/mutes").json() == {"items": [muted.json()]}
    (item,) = match.players[0].get(f"{match.path}/messages").json()["items"]
    assert (item["text"], item["muted"]) == (None, True)
    assert match.players[1].get("/v1/me/mutes").json() == {"items": []}
    assert match.players[0].delete(path).status_code == 204
    is_problem(match.players[0].delete(path), 404, "not_found")
    (item,) = match.players[0].get(f"{match.path}/messages").json()["items"]
    assert (item["text"], item["muted"]) == ("LOUD", False)
    own = f"/v1/me/mutes/{quote(name_of(match.players[0]))}"
    is_problem(match.players[0].send("PUT", own), 409, "own_account")
    is_problem(match.players[0].send("PUT", "/v1/me/mutes/nobody%00"), 404, "not_found")


def test_a_note_is_the_seats_own(match: Match) -> None:
    path = f"{match.path}/note"
    assert match.players[0].get(path).json() == {"text": "", "changed_at": None}

    written = match.players[0].send("PUT", path, {"text": "x" * 4000})

    assert written.json()["text"] == "x" * 4000
    assert match.players[0].get(path).json() == written.json()
    assert match.players[1].get(path).json() == {"text": "", "changed_at": None}
    too_long = match.players[0].send("PUT", path, {"text": "x" * 4001})
    is_problem(too_long, 400, "bad_request", ("#/text", "bad_length"))


def test_a_browser_may_put(match: Match) -> None:
    asked = {"Origin": "https://app.example.org", "Access-Control-Request-Method": "PUT"}
    answer = match.players[0].send("OPTIONS", f"{match.path}/note", headers=asked)
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
