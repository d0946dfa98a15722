"""The arbiter of a table over HTTP: who may do what, to whom the table is hidden, and what is decided."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction

from tables import arbitration, queries
from tables.models import Arbiter, Player, Table
from tests.api.contract import Api
from tests.api.test_attacks import wait_until_somebody_waits_for_a_table
from tests.matches import Match, open_match
from tests.tables.rooms import Room, open_room
from tests.tables.rooms import new_player as someone

PAUSE = {"ruling": "pause", "reason": "dispute", "hours": 2}


def name_of(player: Api) -> str:
    name: str = player.get("/v1/me").json()["name"]
    return name


def with_arbiter(new_player: Callable[..., Api], *, seats: int = 2, **settings: Any) -> tuple[Match, Api]:
    """Return a running match, and its arbiter."""
    arbiter = new_player()
    players = [new_player() for _ in range(seats)]
    opened = (
        players[0]
        .post("/v1/tables", {"game": "reafan", "seats": seats, "arbiter": name_of(arbiter)} | settings)
        .json()
    )
    match = Match(opened["id"], players)
    for player in players[1:]:
        assert player.post(f"{match.path}/join", {"invite_code": opened["invite_code"]}).status_code == 200
    assert arbiter.post(f"{match.path}/arbiter/acceptance").status_code == 200
    return match, arbiter


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody who may try something at a table."""

    match: Match
    who: dict[str, Api]


@pytest.fixture(params=["public", "private"])
def cast(request: pytest.FixtureRequest, new_player: Callable[..., Api], server: str) -> tuple[str, Cast]:
    match, former = with_arbiter(new_player, visibility=request.param)
    assert former.delete(f"{match.path}/arbiter").status_code == 204
    arbiter = Player.objects.get(name=name_of(new := new_player()))
    Arbiter.objects.create(table_id=match.id, player=arbiter)
    assert new.post(f"{match.path}/arbiter/acceptance").status_code == 200
    host, guest = match.players
    who = {
        "anonymous": Api(server),
        "somebody else": new_player(),
        "host": host,
        "guest": guest,
        "former arbiter": former,
        "arbiter": new,
    }
    return request.param, Cast(match, who)


def test_who_may_do_what(cast: tuple[str, Cast]) -> None:
    """Where the table is hidden nothing tells that it is there."""
    visibility, (played) = cast
    hidden = 404 if visibility == "private" else 403
    path = played.match.path
    wanted: dict[str, dict[str, tuple[int, ...]]] = {
        "ask": {"host": (409,), "guest": (403,), "arbiter": (403,)},
        "accept": {"host": (403,), "guest": (403,), "arbiter": (200,)},
        "rule": {"host": (403,), "guest": (403,), "arbiter": (200,)},
        "release": {"host": (409,), "guest": (403,), "arbiter": (204,)},
    }
    attempts: dict[str, Callable[[Api], Any]] = {
        "ask": lambda api: api.post(f"{path}/arbiter", {"player": "nobody"}),
        "accept": lambda api: api.post(f"{path}/arbiter/acceptance"),
        "rule": lambda api: api.post(f"{path}/rulings", PAUSE),
        "release": lambda api: api.delete(f"{path}/arbiter"),
    }
    for attempt, do in attempts.items():
        statuses = {name: do(api).status_code for name, api in played.who.items()}
        told = {name: (statuses[name],) for name in wanted[attempt]}
        assert told == wanted[attempt], attempt
        assert statuses["anonymous"] == 401
        assert (statuses["somebody else"], statuses["former arbiter"]) == (hidden, hidden), attempt


def test_who_is_arbiter_no_more_decides_nothing_that_waits(
    new_player: Callable[..., Api], superuser_url: str
) -> None:
    match, arbiter = with_arbiter(new_player)
    with ThreadPoolExecutor(max_workers=1) as pool:
        with transaction.atomic():
            Table.objects.select_for_update().get(id=match.id)
            sent = pool.submit(arbiter.post, f"{match.path}/rulings", PAUSE)
            wait_until_somebody_waits_for_a_table(superuser_url)
            Arbiter.objects.filter(table=match.id).update(until=match.version())
        answer = sent.result()
    assert (answer.status_code, answer.json()["code"]) == (403, "not_arbiter")


def test_an_arbiter_sees_what_a_spectator_sees(new_player: Callable[..., Api]) -> None:
    """Also at a private table, which it sees, but for the invite code."""
    match, arbiter = with_arbiter(new_player, visibility="private")
    view = arbiter.get(f"{match.path}/view").json()
    assert (view["viewer"], view["legal_moves"]) == (None, [])
    assert all(seat["hand"] is None for seat in view["data"]["seats"])
    table = arbiter.get(match.path).json()
    assert (table["my_seat"], table["invite_code"]) == (None, None)
    assert table["arbiter"] == {"player": name_of(arbiter), "accepted": True, "is_me": True}
    transcript = arbiter.get(f"{match.path}/transcript").json()
    assert transcript["view"] == "public"
    assert transcript["openings"] == []


def test_all_that_an_arbiter_gets_is_a_spectators(new_player: Callable[..., Api]) -> None:
    match, arbiter = with_arbiter(new_player)
    stranger = new_player()
    for route in ("view", "events?limit=200", "narration?limit=200", "transcript", "heads"):
        one, other = (each.get(f"{match.path}/{route}").json() for each in (arbiter, stranger))
        for answer in (one, other):
            answer.pop("server_time", None)
            for clock in answer.get("clocks", ()):
                clock.pop("seconds_left")
        assert one == other, route


def test_the_log_knows_an_arbiter_by_a_pseudonym_alone(new_player: Callable[..., Api]) -> None:
    match, arbiter = with_arbiter(new_player)
    me = arbiter.get("/v1/me").json()
    events = match.players[0].get(f"{match.path}/events?limit=200")
    (named,) = [each for each in events.json()["items"] if each["type"] == "table.arbiter_named"]
    assert len(named["data"]["arbiter"]) == 32
    assert me["id"] not in events.text
    assert me["name"] not in events.text


def test_an_arbiter_pauses_extends_resumes_and_adjudicates(new_player: Callable[..., Api]) -> None:
    match, arbiter = with_arbiter(new_player, seats=2)

    def rule(**body: Any) -> Any:
        answer = arbiter.post(f"{match.path}/rulings", {"reason": "dispute"} | body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    before = match.players[0].get(match.path).json()["deadline_at"]
    assert rule(ruling="pause", hours=5)["deadline_at"] > before
    assert rule(ruling="resume")["deadline_at"][:16] == before[:16]
    assert rule(ruling="extend", hours=5)["deadline_at"] > before
    outcome = rule(ruling="adjudicate", places=[2, 1])["outcome"]
    assert outcome == {"winners": [1], "places": [2, 1], "scores": None, "reason": "adjudicated"}
    said = [
        (each["data"]["by"], each["data"]["ruling"])
        for each in match.players[0].get(f"{match.path}/events?limit=200").json()["items"]
        if each["type"] == "table.ruling_made"
    ]
    assert said == [("arbiter", each) for each in ("pause", "resume", "extend", "adjudicate")]
    again = arbiter.post(f"{match.path}/rulings", PAUSE)
    assert (again.status_code, again.json()["code"]) == (409, "table_not_playing")


def test_an_arbiter_removes_a_player_or_annuls_the_game(new_player: Callable[..., Api]) -> None:
    match, arbiter = with_arbiter(new_player, game="arrecife", seats=3)
    removal = {"ruling": "remove", "reason": "conduct", "seat": 1}
    assert arbiter.post(f"{match.path}/rulings", removal).json()["status"] == "playing"
    again = arbiter.post(f"{match.path}/rulings", removal)
    assert (again.status_code, again.json()["code"]) == (409, "already_resigned")
    over = arbiter.post(f"{match.path}/rulings", {"ruling": "annul", "reason": "conduct"}).json()
    assert (over["outcome"]["winners"], over["outcome"]["reason"]) == ([], "annulled")
    events = match.players[1].get(f"{match.path}/events?limit=200").json()["items"]
    (left,) = [each for each in events if each["type"] == "table.seat_abandoned"]
    assert left["data"] == {"seat": 1, "reason": "removed"}


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"ruling": "pause"}, "#/hours", "missing_field"),
        ({"ruling": "pause", "hours": 721}, "#/hours", "out_of_range"),
        ({"ruling": "annul", "hours": 1}, "#/hours", "unknown_field"),
        ({"ruling": "remove"}, "#/seat", "missing_field"),
        ({"ruling": "remove", "seat": 7}, "#/seat", "out_of_range"),
        ({"ruling": "adjudicate", "places": [1]}, "#/places", "bad_length"),
        ({"ruling": "adjudicate", "places": [1, 3]}, "#/places", "bad_format"),
        ({"ruling": "annul", "reason": "I like it"}, "#/reason", "unknown_value"),
    ],
)
def test_a_ruling_that_says_something_else_changes_nothing(
    new_player: Callable[..., Api], body: dict[str, Any], pointer: str, code: str
) -> None:
    match, arbiter = with_arbiter(new_player)
    before = match.version()

    answer = arbiter.post(f"{match.path}/rulings", {"reason": "dispute"} | body)

    assert answer.status_code == 400
    assert [(each["pointer"], each["code"]) for each in answer.json()["errors"]] == [(pointer, code)]
    assert match.version() == before


def test_nothing_is_resumed_that_was_not_paused(new_player: Callable[..., Api]) -> None:
    match, arbiter = with_arbiter(new_player)
    answer = arbiter.post(f"{match.path}/rulings", {"ruling": "resume", "reason": "mended"})
    assert (answer.status_code, answer.json()["code"]) == (409, "not_paused")


def test_a_ruling_sent_twice_with_its_key_counts_once(new_player: Callable[..., Api]) -> None:
    match, arbiter = with_arbiter(new_player)
    answers = [
        arbiter.post(f"{match.path}/rulings", PAUSE, headers={"Idempotency-Key": "once"}) for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotency-Replayed"] == "true"


def test_nobody_judges_the_own_game(new_player: Callable[..., Api]) -> None:
    host, guest, asked = new_player(), new_player(), new_player()
    match = Match(host.post("/v1/tables", {"game": "arrecife", "seats": 3}).json()["id"], [host, guest])
    guest.post(f"{match.path}/join", {})
    for name, status, code in (
        (name_of(host), 409, "own_account"),
        (name_of(guest), 400, "bad_request"),
        ("nobody of this name", 400, "bad_request"),
        (name_of(asked).upper(), 200, None),
        (name_of(asked), 409, "has_arbiter"),
    ):
        answer = host.post(f"{match.path}/arbiter", {"player": name})
        assert (answer.status_code, answer.json().get("code")) == (status, code)
    refused = asked.post(f"{match.path}/join", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "arbitrates")

    assert asked.delete(f"{match.path}/arbiter").status_code == 204
    assert asked.post(f"{match.path}/join", {}).status_code == 200
    late = host.post(f"{match.path}/arbiter", {"player": name_of(new_player())})
    assert (late.status_code, late.json()["code"]) == (409, "table_not_open")


def test_who_was_asked_decides_nothing_before_saying_yes(new_player: Callable[..., Api]) -> None:
    host, asked = new_player(), new_player()
    match = open_match([host], seats=2, bots=["greedy"], arbiter=name_of(asked))
    early = asked.post(f"{match.path}/rulings", PAUSE)
    assert (early.status_code, early.json()["code"]) == (403, "not_arbiter")
    assert host.get(match.path).json()["arbiter"] == {
        "player": name_of(asked),
        "accepted": False,
        "is_me": False,
    }
    assert asked.post(f"{match.path}/arbiter/acceptance").status_code == 200
    assert asked.post(f"{match.path}/rulings", PAUSE).status_code == 200


@pytest.mark.parametrize("is_over", [False, True])
def test_who_was_asked_sees_a_private_table_until_the_host_takes_it_back(
    new_player: Callable[..., Api], is_over: bool
) -> None:
    host, asked = new_player(), new_player()
    match = open_match([host], seats=2, bots=["greedy"], arbiter=name_of(asked), visibility="private")
    if is_over:
        assert host.post(f"{match.path}/resign").status_code == 200
    assert asked.get(match.path).json()["status"] == ("finished" if is_over else "playing")

    assert host.delete(f"{match.path}/arbiter").status_code == 204

    assert asked.get(match.path).status_code == 404
    assert host.get(match.path).json()["arbiter"] is None


def test_an_arbiter_who_deletes_the_account_is_gone(
    new_player: Callable[..., Api],
) -> None:
    match, arbiter = with_arbiter(new_player)
    gone = name_of(arbiter)
    deleted = arbiter.send("DELETE", "/v1/me", {"password": "a long enough password"})
    assert deleted.status_code == 204
    table = match.players[0].get(match.path)
    assert table.json()["arbiter"] is None
    assert gone not in table.text
    last = match.players[0].get(f"{match.path}/events?limit=200").json()["items"][-1]
    assert (last["type"], last["data"]) == ("table.arbiter_named", {"arbiter": None})


def test_the_name_of_an_arbiter_who_is_gone_is_in_no_answer_that_was_kept(
    new_player: Callable[..., Api],
) -> None:
    host, asked = new_player(), new_player()
    name, key = name_of(asked), {"Idempotency-Key": "again"}
    body = {"game": "reafan", "arbiter": name}
    assert name in host.post("/v1/tables", body, headers=key).text
    assert asked.send("DELETE", "/v1/me", {"password": "a long enough password"}).status_code == 204

    again = host.post("/v1/tables", body, headers=key)

    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["arbiter"]["player"] is None


def test_players_are_told_of_an_arbiter(new_player: Callable[..., Api]) -> None:
    room: Room = open_room()
    asked = someone()
    Arbiter.objects.create(table_id=room.id, player_id=asked)
    arbitration.accept(asked, room.id)
    arbitration.release(asked, room.id)
    sentences = queries.narration(room.players[0], room.id, "en", limit=99).items
    assert [each.sentence for each in sentences[-2:]] == [
        "The table has an arbiter.",
        "The table has no arbiter any more.",
    ]
    room.prove()
