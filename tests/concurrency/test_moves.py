"""A move counts once however often it is sent, and rivals have one winner.

Real server, separate client processes.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.api.contract import Api
from tests.concurrency.volley import Shot, fire
from tests.matches import Match, keep_hands, open_match

pytestmark = [pytest.mark.alone, pytest.mark.long]


def _to_move(match: Match) -> tuple[int, dict]:  # type: ignore[type-arg]
    views = [match.view(seat) for seat in range(len(match.players))]
    seat = views[0]["awaited"][0]["seat"]
    return seat, views[seat]


def _with_many_moves(players: list[Api]) -> tuple[Match, dict]:  # type: ignore[type-arg]
    """Return a match in which the seat to move has 50 moves or more, and its view.

    Not every deal gets so far before it ends, so that matches are played until one does.
    """
    dice = random.Random(7)
    while True:
        match = open_match(players)
        while match.step(dice.choice) and match.view(0)["awaited"]:
            view = _to_move(match)[1]
            if len(view["legal_moves"]) >= 50:
                return match, view


def test_fifty_identical_submits_are_one_move_and_fifty_equal_answers(
    new_player: Callable[..., Api], server: str
) -> None:
    """api.md 3.4; faults.md F38: one 201, 49 replays, one batch of events."""
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    seat, view = _to_move(match)
    before = match.version()
    move = view["legal_moves"][0]
    body = {"turn": view["turn"], "kind": move["kind"], "params": move["params"]}
    shot = Shot(url=f"{server}{match.path}/moves", token=match.players[seat].token or "", body=body)

    hits = fire([shot] * 50)

    assert sorted(hit.status for hit in hits) == [200] * 49 + [201]
    assert all((hit.status == 201) != (hit.headers.get("idempotency-replayed") == "true") for hit in hits)
    assert all(hit.body == hits[0].body for hit in hits)
    assert match.version() == hits[0].body["version"] > before


def test_fifty_submits_with_one_key_are_one_move(new_player: Callable[..., Api], server: str) -> None:
    """The same, told by an Idempotency-Key."""
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    seat, view = _to_move(match)
    move = view["legal_moves"][0]
    body = {"turn": view["turn"], "kind": move["kind"], "params": move["params"]}
    shot = Shot(
        url=f"{server}{match.path}/moves",
        token=match.players[seat].token or "",
        body=body,
        headers={"Idempotency-Key": '"move-1"'},
    )

    hits = fire([shot] * 50)

    assert [hit.status for hit in hits] == [201] * 50
    assert sum("idempotency-replayed" in hit.headers for hit in hits) == 49
    assert all(hit.body == hits[0].body for hit in hits)
    assert match.version() == hits[0].body["version"]


def test_of_fifty_rival_moves_of_one_seat_one_wins(new_player: Callable[..., Api], server: str) -> None:
    """faults.md F39: 49 clear conflicts, and nothing of the losers in the log."""
    match, view = _with_many_moves([new_player(), new_player()])
    seat = view["viewer"]
    shots = [
        Shot(
            url=f"{server}{match.path}/moves",
            token=match.players[seat].token or "",
            body={"turn": view["turn"], "kind": move["kind"], "params": move["params"]},
        )
        for move in view["legal_moves"][:50]
    ]

    hits = fire(shots)

    assert sorted(hit.status for hit in hits) == [201] + [409] * 49
    assert {hit.body["code"] for hit in hits if hit.status == 409} <= {"already_moved", "turn_passed"}
    won = next(hit for hit in hits if hit.status == 201)
    assert match.version() == won.body["version"]


def test_seats_that_answer_the_same_turn_never_disturb_each_other(
    new_player: Callable[..., Api], server: str
) -> None:
    """cases.md R02, R04: both mulligans at the same moment, 10 tables."""
    for _ in range(10):
        match = open_match([new_player(), new_player()])
        shots = [
            Shot(
                url=f"{server}{match.path}/moves",
                token=player.token or "",
                body={"turn": 1, "kind": "mulligan", "params": {"take": True}},
            )
            for player in match.players
        ]

        hits = fire(shots, processes=2)

        assert [hit.status for hit in hits] == [201, 201]
        types = [
            event["type"] for event in match.players[0].get(f"{match.path}/events?limit=200").json()["items"]
        ]
        assert types.count("reafan.mulligans_revealed") == 1
        assert match.view(0)["turn"] == 2


def test_ten_players_race_for_the_last_seat_and_one_gets_it(
    new_player: Callable[..., Api], server: str
) -> None:
    """cases.md R06: the game starts once, nine are told that the table is full."""
    host = new_player()
    table = host.post("/v1/tables", {"game": "reafan"}).json()
    players = [new_player() for _ in range(10)]
    url = f"{server}/v1/tables/{table['id']}/join"

    hits = fire([Shot(url=url, token=player.token or "", body={}) for player in players])

    assert sorted(hit.status for hit in hits) == [200] + [409] * 9
    assert {hit.body["code"] for hit in hits if hit.status == 409} <= {"table_full", "table_not_open"}
    types = [
        event["type"] for event in host.get(f"/v1/tables/{table['id']}/events?limit=200").json()["items"]
    ]
    assert types.count("table.started") == 1
    assert types.count("table.seat_taken") == 2


def test_a_player_who_joins_twice_at_once_sits_once(new_player: Callable[..., Api], server: str) -> None:
    """cases.md R07: a database constraint proves it."""
    host, player = new_player(), new_player()
    table = host.post("/v1/tables", {"game": "probe", "seats": 3}).json()
    url = f"{server}/v1/tables/{table['id']}/join"

    hits = fire([Shot(url=url, token=player.token or "", body={})] * 10)

    assert sorted(hit.status for hit in hits) == [200] + [409] * 9
    assert {hit.body["code"] for hit in hits if hit.status == 409} == {"already_seated"}
