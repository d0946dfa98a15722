"""Adding to the chance of a game over HTTP, held against the document."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable

from tests.api.contract import Api
from tests.api.test_problems import is_problem

Sign = Callable[..., Api]


def test_two_players_commit_and_reveal(new_player: Sign) -> None:
    host, guest, stranger = new_player(), new_player(), new_player()
    table = host.post("/v1/tables", {"game": "reafan", "fairness": "players"}).json()
    assert table["fairness"] == "players"
    path, drawn = f"/v1/tables/{table['id']}", [bytes([seat]) * 32 for seat in range(2)]
    bodies = [{"epoch": 0, "commit": commitment(table["id"], seat, drawn[seat])} for seat in range(2)]
    told = {"epoch": 0, "stage": "commit", "until": None, "committed": [], "revealed": []}
    assert host.get(f"{path}/view").json()["entropy"] == told
    assert host.post(f"{path}/entropy/commitment", bodies[0]).status_code == 200
    assert guest.post(f"{path}/join", {}).json()["status"] == "open"
    assert guest.get(f"{path}/view").json()["entropy"]["committed"] == [0]

    is_problem(stranger.post(f"{path}/entropy/commitment", bodies[1]), 403, "not_seated")
    is_problem(guest.post(f"{path}/entropy/commitment", {"epoch": 0, "commit": "Zz"}), 400, "bad_request")
    is_problem(guest.post(f"{path}/entropy/commitment", bodies[1] | {"epoch": 1}), 409, "entropy_not_asked")
    is_problem(host.post(f"{path}/entropy/commitment", bodies[1]), 409, "entropy_committed")
    key = {"Idempotency-Key": "once"}
    answers = [guest.post(f"{path}/entropy/commitment", bodies[1], headers=key) for _ in range(2)]
    assert [each.status_code for each in answers] == [200, 200]
    assert host.get(f"{path}/view").json()["entropy"]["stage"] == "reveal"

    is_problem(host.post(f"{path}/leave", {}), 409, "seating_closed")
    reveals = [{"epoch": 0, "entropy": each.hex()} for each in drawn]
    is_problem(host.post(f"{path}/entropy/reveal", reveals[1]), 409, "entropy_mismatch")
    assert host.post(f"{path}/entropy/reveal", reveals[0]).json()["status"] == "open"
    assert guest.get(f"{path}/view").json()["entropy"]["revealed"] == [0]
    assert guest.post(f"{path}/entropy/reveal", reveals[1]).json()["status"] == "playing"
    is_problem(
        guest.post(f"{path}/entropy/reveal", {"epoch": 0, "entropy": "0" * 64}), 409, "entropy_not_asked"
    )
    assert guest.get(f"{path}/view").json()["entropy"] is None


def test_a_strict_table_refuses_bots_in_words(new_player: Sign) -> None:
    body = {"game": "reafan", "fairness": "players_strict", "bots": ["greedy"]}

    for locale, words in (("en", "Bots add nothing to chance"), ("es", "Los bots no aportan nada al azar")):
        answer = new_player().post("/v1/tables", body, headers={"Accept-Language": locale})
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["pointer"], error["code"]) == (400, "#/bots", "no_bots")
        assert error["detail"].startswith(words)


def commitment(table: str, seat: int, drawn: bytes) -> str:
    """What a client computes by the document alone."""
    place = uuid.UUID(table).bytes + bytes(4) + seat.to_bytes(2, "big")
    return hashlib.sha256(b"ttx/entropy/v1\0" + place + drawn).hexdigest()
