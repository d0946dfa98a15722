"""Time and absence over HTTP: the caller's zone and vacations, clocks in views, votes, takeovers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tables.models import Player
from tests.api.callers import person
from tests.api.contract import Api
from tests.api.test_problems import is_problem
from tests.matches import open_match
from tests.services import Services, SimulatedClock

Sign = Callable[..., Api]


def test_zone_and_quiet_hours_are_kept_and_taken_back(new_player: Sign) -> None:
    player = new_player()
    hours = {"start": "23:30", "end": "08:00"}
    answer = player.patch("/v1/me", {"zone": "America/Argentina/Buenos_Aires", "quiet_hours": hours})
    assert answer.status_code == 200
    told = player.get("/v1/me").json()
    assert (told["zone"], told["quiet_hours"]) == ("America/Argentina/Buenos_Aires", hours)
    assert player.patch("/v1/me", {"quiet_hours": None}).json()["quiet_hours"] is None


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"zone": "Europe/Atlantis"}, "#/zone"),
        ({"zone": "../../etc/passwd"}, "#/zone"),
        ({"quiet_hours": {"start": "22:00", "end": "08:01"}}, "#/quiet_hours"),
        ({"quiet_hours": {"start": "22:00", "end": "22:00"}}, "#/quiet_hours"),
        ({"quiet_hours": {"start": "24:00", "end": "08:00"}}, "#/quiet_hours/start"),
        ({"quiet_hours": {"start": "8", "end": "9"}}, "#/quiet_hours/start"),
    ],
)
def test_hours_that_are_none_are_refused(new_player: Sign, body: dict[str, object], pointer: str) -> None:
    player = new_player()
    answer = player.patch("/v1/me", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert player.get("/v1/me").json()["zone"] == "UTC"


def test_a_vacation_from_booking_to_its_end(new_player: Sign) -> None:
    player = new_player()
    booked = player.post("/v1/me/vacations", {}, headers={"Idempotency-Key": "away"})
    assert booked.status_code == 201
    again = player.post("/v1/me/vacations", {}, headers={"Idempotency-Key": "away"})
    assert (again.status_code, again.json()) == (201, booked.json())
    listed = player.get("/v1/me/vacations").json()
    assert listed["items"] == [booked.json()]
    path = booked.headers["Location"]
    assert new_player().delete(path).status_code == 404
    assert player.delete(path).status_code == 204
    assert player.delete(path).status_code == 404
    is_problem(player.post("/v1/me/vacations", {"until": "2020-01-01T00:00:00Z"}), 400, "bad_request")


def test_vacations_go_by_utc_where_this_machine_does_not_know_the_zone() -> None:
    """Another machine of the installation may, or an older one may have."""
    who = person()
    Player.objects.filter(id=who.id).update(zone="Europe/Atlantis")
    booked = who.api.post("/v1/me/vacations", {})
    assert booked.status_code == 201
    assert who.api.get("/v1/me/vacations").json()["items"] == [booked.json()]


def test_a_budget_clock_is_chosen_and_shown(new_player: Sign) -> None:
    clock = {"kind": "budget", "initial": 3600, "increment": 60}
    match = open_match([new_player(), new_player()], clock=clock)
    table = match.players[0].get(match.path).json()
    assert table["clock"] == {**clock, "seconds": None, "cap": 3600}
    clocks = match.view(0)["clocks"]
    assert [(each["seat"], each["is_running"]) for each in clocks] == [(0, True), (1, True)]
    assert all(3590 <= each["seconds_left"] <= 3600 for each in clocks)


@pytest.mark.parametrize(
    ("clock", "pointer"),
    [
        ({"kind": "budget", "seconds": 60}, "#/clock/seconds"),
        ({"kind": "none", "initial": 60}, "#/clock/initial"),
        ({"kind": "per_turn", "cap": 60}, "#/clock/cap"),
        ({"kind": "budget", "initial": 600, "cap": 300}, "#/clock/cap"),
        ({"kind": "per_turn", "seconds": 59}, "#/clock/seconds"),
        ({"kind": "per_turn", "seconds": 400 * 86_400}, "#/clock/seconds"),
    ],
)
def test_a_clock_that_is_none_is_refused(new_player: Sign, clock: dict[str, object], pointer: str) -> None:
    """cases.md R20: at creation, never at the start."""
    answer = new_player().post("/v1/tables", {"game": "reafan", "clock": clock})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_a_vote_from_the_call_to_the_end(new_player: Sign) -> None:
    match = open_match([new_player(), new_player()])
    first, second = match.players
    assert first.post(f"{match.path}/votes", {"motion": "abandon"}).status_code == 200
    vote = match.view(1)["vote"]
    assert (vote["motion"], vote["ayes"], vote["needed"]) == ("abandon", [0], 2)
    is_problem(second.post(f"{match.path}/votes", {"motion": "abandon"}), 409, "vote_open")
    is_problem(second.post(f"{match.path}/votes/2", {"in_favour": True}), 409, "no_vote")
    is_problem(new_player().post(f"{match.path}/votes/1", {"in_favour": True}), 403, "not_seated")
    key = {"Idempotency-Key": "aye"}
    answers = [second.post(f"{match.path}/votes/1", {"in_favour": True}, headers=key) for _ in range(2)]
    assert [each.json()["status"] for each in answers] == ["finished"] * 2
    assert match.view(0)["outcome"]["reason"] == "abandoned_by_vote"


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"motion": "replace"}, "#/seat", "missing_field"),
        ({"motion": "pause"}, "#/seconds", "missing_field"),
        ({"motion": "abandon", "seat": 1}, "#/seat", "unknown_field"),
    ],
)
def test_a_vote_without_what_belongs_to_its_motion_is_refused(
    new_player: Sign, body: dict[str, object], pointer: str, code: str
) -> None:
    match = open_match([new_player(), new_player()])
    answer = match.players[0].post(f"{match.path}/votes", body)
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)
    assert error["detail"]
    assert match.view(0)["vote"] is None


@pytest.mark.long
def test_a_seat_is_sought_offered_and_taken(
    new_player: Sign, clock: SimulatedClock, services: Services
) -> None:
    """Nobody else sweeps, and no bot plays on, meanwhile."""
    services.stop("beat", "deadlines", "worker")
    players = [new_player() for _ in range(3)]
    match = open_match(players, game="arrecife", clock={"seconds": 60}, max_timeouts=1)
    clock.advance(seconds=61)
    table = players[0].get(match.path).json()
    assert [each["seeking"] for each in table["seats"]] == [True] * 3
    heir, name = new_player("heir of a seat"), "heir of a seat"
    listed = heir.get("/v1/tables?seeking=true&limit=200").json()["items"]
    assert match.id in [each["id"] for each in listed]
    is_problem(players[0].post(f"{match.path}/seats/1/offers", {"player": name}), 403, "not_seated")
    back = players[0].post(f"{match.path}/seats/0/replacement", {})
    assert (back.status_code, back.json()["my_seat"]) == (200, 0)
    assert players[0].post(f"{match.path}/seats/1/offers", {"player": name}).status_code == 200
    taken = heir.post(f"{match.path}/seats/1/replacement", {})
    assert (taken.status_code, taken.json()["my_seat"]) == (200, 1)
    is_problem(players[1].post(f"{match.path}/seats/2/replacement", {}), 403, "played_here")
    is_problem(heir.post(f"{match.path}/seats/9/replacement", {}), 409, "already_seated")
    is_problem(players[2].post(f"{match.path}/seats/19/replacement", {}), 409, "seat_not_sought")


def test_a_table_asks_who_is_there(new_player: Sign, clock: SimulatedClock) -> None:
    host, guest = new_player(), new_player()
    table = host.post("/v1/tables", {"game": "reafan"}).json()
    path = f"/v1/tables/{table['id']}"
    is_problem(host.post(f"{path}/presence", {}), 409, "presence_not_asked")
    clock.advance(seconds=86_401)
    assert guest.post(f"{path}/join", {}).json()["status"] == "open"
    assert guest.get(f"{path}/view").json()["presence"]["confirmed"] == [1]
    assert host.post(f"{path}/presence", {}).json()["status"] == "playing"
