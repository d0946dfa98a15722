"""Attacks that once succeeded, each by name."""

from __future__ import annotations

import base64
import socket
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import psycopg
import pytest
from django.db import transaction

from tables import commands
from tables.models import Table
from tables.shapes import Join
from tests.api.contract import Api
from tests.matches import open_match


def test_who_gave_a_seat_back_cannot_move_for_its_new_holder(
    new_player: Callable[..., Api], superuser_url: str
) -> None:
    """The move waits for the table's lock while seat, holder and game change under it."""
    host, leaver, heir = new_player(), new_player(), new_player()
    table = host.post("/v1/tables", {"game": "reafan", "starts": "by_host"}).json()
    path, table_id = f"/v1/tables/{table['id']}", uuid.UUID(table["id"])
    leaver.post(f"{path}/join", {})
    ids = [uuid.UUID(each.get("/v1/me").json()["id"]) for each in (host, leaver, heir)]
    move = {"turn": 1, "kind": "mulligan", "params": {"take": True}}
    with ThreadPoolExecutor(max_workers=1) as pool:
        with transaction.atomic():
            Table.objects.select_for_update().get(id=table_id)
            sent = pool.submit(leaver.post, f"{path}/moves", move)
            wait_until_somebody_waits_for_a_table(superuser_url)
            commands.leave(ids[1], table_id)
            commands.join(ids[2], table_id, Join())
            commands.start(ids[0], table_id)
        answer = sent.result()

    assert (answer.status_code, answer.json()["code"]) == (403, "not_seated")
    assert heir.get(f"{path}/view").json()["data"]["seats"][1]["has_answered"] is False


def wait_until_somebody_waits_for_a_table(superuser_url: str) -> None:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        waiting: tuple[int] | None = (0,)
        while waiting == (0,):
            waiting = connection.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT suspended_at FROM tables_table%'"
            ).fetchone()


@pytest.mark.parametrize("head", ["Content-Length: 30\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nzz"])
def test_a_request_cut_off_half_way_does_nothing(
    new_player: Callable[..., Api], server: str, head: str
) -> None:
    host, player = new_player(), new_player()
    table = host.post("/v1/tables", {"game": "reafan"}).json()
    port = int(server.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(
            (
                f"POST /v1/tables/{table['id']}/join HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Authorization: Bearer {player.token}\r\nContent-Type: application/json\r\n{head}"
            ).encode()
        )
        connection.shutdown(socket.SHUT_WR)
        told = connection.recv(65_536)

    assert b" 200 " not in told.split(b"\r\n")[0]
    seats = host.get(f"/v1/tables/{table['id']}").json()["seats"]
    assert [each["player"] is None for each in seats] == [False, True]


@pytest.mark.parametrize(
    "told",
    [
        "next newest {id} 0001-01-01T00:00:00+23:59",
        "previous newest {id} 9999-12-31T23:59:59.999999-23:59",
        "previous newest {id} 2026-01-01T00:00:00+00:00:30.5",
        "sideways newest {id} 2026-01-01T00:00:00+00:00",
        "next oldest {id} 2026-01-01T00:00:00+00:00",
        "next newest 7 2026-01-01T00:00:00+00:00",
        "next newest {id} 2026-01-01",
        "next",
    ],
)
def test_a_cursor_that_was_made_up_is_refused_or_harmless(new_player: Callable[..., Api], told: str) -> None:
    cursor = base64.urlsafe_b64encode(told.format(id=uuid.uuid4()).encode()).decode().rstrip("=")

    assert new_player().get(f"/v1/tables?cursor={cursor}").status_code in (200, 400)


@pytest.mark.long
def test_twins_of_one_sign_up_all_get_its_account(server: str) -> None:
    body = {"name": f"twin-{uuid.uuid4().hex[:12]}", "password": "a long enough password"}
    key = {"Idempotency-Key": "twins"}
    with ThreadPoolExecutor(max_workers=8) as pool:
        sent = [pool.submit(Api(server).post, "/v1/players", body, headers=key) for _ in range(8)]
        answers = [each.result() for each in sent]

    assert [each.status_code for each in answers] == [201] * 8
    assert len({each.json()["token"] for each in answers}) == 1


def test_who_left_a_private_table_before_the_start_sees_it_no_more(new_player: Callable[..., Api]) -> None:
    host, guest = new_player(), new_player()
    table = host.post("/v1/tables", {"game": "reafan", "visibility": "private", "starts": "by_host"}).json()
    path = f"/v1/tables/{table['id']}"
    assert guest.post(f"{path}/join", {"invite_code": table["invite_code"]}).status_code == 200
    assert guest.post(f"{path}/leave", {}).status_code == 200

    assert guest.get(path).status_code == 404
    assert guest.post(f"{path}/join", {}).status_code == 404


def test_a_private_table_answers_strangers_as_an_absent_one_even_while_it_is_locked(
    new_player: Callable[..., Api], superuser_url: str
) -> None:
    match = open_match([new_player()], seats=2, visibility="private")
    stranger = new_player()
    with psycopg.connect(superuser_url) as holder:
        holder.execute("SELECT 1 FROM tables_table WHERE id = %s FOR UPDATE", [match.id])
        for route in ("leave", "resign", "start", "join"):
            assert stranger.post(f"{match.path}/{route}", {}).status_code == 404
        holder.rollback()


def test_the_printed_address_is_that_of_the_client(server: str) -> None:
    answer = httpx.get(server)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/html")
