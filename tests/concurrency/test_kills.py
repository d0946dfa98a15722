"""A process that is killed in the middle takes nothing along: no event, and no half of a record."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import psycopg
import pytest

from tables.models import IdempotencyRecord
from tests.api.contract import Api
from tests.api.listening import Told, listening
from tests.matches import keep_hands, open_match
from tests.services import Services

pytestmark = pytest.mark.long


def test_a_stream_goes_on_where_the_live_process_was_killed(
    new_player: Callable[..., Api], services: Services
) -> None:
    match = open_match([new_player(), new_player()])
    path, told = f"/v1/live/tables/{match.id}/stream", list[Told]()
    with listening(services.live_url, match.players[0], path) as stream:
        told += stream.take(match.version())
        last = stream.last_id
        services.kill("live")
        with pytest.raises((httpx.TransportError, StopIteration)):
            stream.take(1)
    keep_hands(match)  # nobody listens
    services.start("live")
    with listening(services.live_url, match.players[0], path, last) as stream:
        told += stream.take(match.version() - int(last))

    logged = match.players[0].get(f"{match.path}/events?limit=200").json()["items"]
    assert [each.data for each in told] == logged


def test_a_move_that_dies_with_its_process_leaves_nothing_and_counts_when_it_is_sent_again(
    new_player: Callable[..., Api], services: Services, superuser_url: str
) -> None:
    match = open_match([new_player(), new_player()])
    player, before = match.players[0], match.version()
    body = {"turn": 1, "kind": "mulligan", "params": {"take": False}}
    key = {"Idempotency-Key": "a-move"}
    kept = IdempotencyRecord.objects.filter(scope=f"POST {match.path}/moves", key="a-move")
    with ThreadPoolExecutor(1) as pool, psycopg.connect(superuser_url) as holder:
        holder.execute("SELECT FROM tables_table WHERE id = %s FOR UPDATE", [match.id])
        sent = pool.submit(player.post, f"{match.path}/moves", body, headers=key)
        _until_it_waits_or_ends(sent, superuser_url)
        services.kill("api")
        holder.rollback()
        with pytest.raises(httpx.TransportError):
            sent.result()
    services.start("api")
    assert (match.version(), kept.count()) == (before, 0)

    first, again = (player.post(f"{match.path}/moves", body, headers=key) for _ in range(2))

    assert (first.status_code, "Idempotency-Replayed" in first.headers) == (201, False)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == first.json()
    assert match.version() == first.json()["version"] > before
    assert kept.count() == 1


def _until_it_waits_or_ends(sent: Future[httpx.Response], superuser_url: str) -> None:
    """Return once a request waits for a table; where it does not any more, it was refused."""
    waiting = (
        "SELECT EXISTS (SELECT FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT suspended_at FROM tables_table%')"
    )
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        while superuser.execute(waiting).fetchone() != (True,) and not sent.done():
            pass
