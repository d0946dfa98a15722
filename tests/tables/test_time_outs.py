"""A silent player's turn ends at its deadline, whoever of the drivers is alive."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from events import store
from events.codec import read_header
from tables.models import Table
from tests.api.contract import Api
from tests.matches import Match, keep_hands, open_match
from tests.services import Services, SimulatedClock

LATEST_MS = 2000

pytestmark = pytest.mark.alone


@pytest.fixture
def silent(new_player: Callable[..., Api]) -> Match:
    """A match of Reafan whose starting player will say nothing, and loses by that."""
    match = open_match(
        [new_player(), new_player()], options={"on_timeout": "forfeit"}, clock={"seconds": 600}
    )
    keep_hands(match)
    return match


@pytest.fixture
def with_daemon(services: Services) -> Iterator[Services]:
    """The daemon runs beside the others for one test; all of them run again afterwards."""
    services.start("daemon")
    yield services
    services.stop("daemon")
    services.start("valkey", "deadlines", "worker", "beat")


def _event(match: Match, type_: str) -> dict[str, Any]:
    event = store.last_of_type(match.stream, type_)
    assert event is not None
    return dict(read_header(event.header).public)


def _lateness_ms(match: Match, clock: SimulatedClock) -> int:
    """Let the deadline come; return how late the turn was resolved, no request touching the table."""
    due = _event(match, "clock.deadline_set")["deadline_at"]
    clock.advance(seconds=(due - clock.now_ms()) / 1000 - 0.3)
    until = time.monotonic() + 20
    while Table.objects.get(id=match.id).status == "playing":
        assert time.monotonic() < until, "nobody resolved the turn"
        time.sleep(0.02)
    expired = _event(match, "clock.expired")
    assert expired["deadline_at"] == due
    return int(expired["decided_at"] - due)


def test_beat_and_worker_alone_end_the_game_of_a_silent_player(
    silent: Match, services: Services, clock: SimulatedClock
) -> None:
    """clocks.md, Drivers: Celery alone meets the goal; the one who kept silent has lost by time."""
    assert not services.is_running("daemon")
    silent_seat = silent.view(0)["awaited"][0]["seat"]

    lateness = _lateness_ms(silent, clock)

    assert 0 <= lateness <= LATEST_MS
    outcome = silent.view(0)["outcome"]
    assert (outcome["reason"], outcome["winners"]) == ("timeout", [1 - silent_seat])


@pytest.mark.long
@pytest.mark.parametrize(
    "victims", [("deadlines", "worker"), ("beat",), ("valkey",)], ids=["worker", "beat", "broker"]
)
def test_the_daemon_covers_for_whoever_is_killed(
    silent: Match, with_daemon: Services, clock: SimulatedClock, victims: tuple[str, ...]
) -> None:
    """faults.md F4 to F6, F14."""
    with_daemon.kill(*victims)

    assert 0 <= _lateness_ms(silent, clock) <= LATEST_MS


def test_a_move_after_the_deadline_meets_an_expired_turn(
    new_player: Callable[..., Api], services: Services, clock: SimulatedClock
) -> None:
    """clocks.md: no hidden grace; who comes by first resolves the turn (lazy expiry)."""
    match = open_match([new_player(), new_player()], clock={"seconds": 600})
    keep_hands(match)
    view = match.view(0) if match.view(0)["legal_moves"] else match.view(1)
    with services.paused("beat", "deadlines"):
        clock.advance(seconds=601)
        late = match.send(view["viewer"], view["legal_moves"][0], view["turn"])

    assert (late.status_code, late.json()["code"]) == (409, "turn_passed")
    assert late.json()["facts"]["turn"] == view["turn"] + 1
    assert _event(match, "clock.expired")["turn"] == view["turn"]


def test_a_read_resolves_an_overdue_turn_too(
    new_player: Callable[..., Api], services: Services, clock: SimulatedClock
) -> None:
    """clocks.md, lazy expiry: reads never wait, and never show a passed turn as open."""
    match = open_match([new_player(), new_player()], clock={"seconds": 600})
    with services.paused("beat", "deadlines"):
        clock.advance(seconds=601)
        view = match.view(0)

    assert view["turn"] == 2
    assert view["data"]["mover"] is not None
    played = [read_header(each.header) for each in store.all_of_type(match.stream, "table.move_played")]
    assert [(each.actor, each.public["seat"]) for each in played] == [("table", 0), ("table", 1)]


def test_of_ten_sweeps_at_once_one_resolves_the_turn(
    new_player: Callable[..., Api], services: Services, clock: SimulatedClock
) -> None:
    """cases.md R18: ten deliveries of the same time-out are one time-out."""
    from concurrent.futures import ThreadPoolExecutor

    from django.db import connection

    from tables.sweeps import sweep

    match = open_match([new_player(), new_player()], clock={"seconds": 600})

    def one_sweep() -> int:
        try:
            return sweep("test")
        finally:
            connection.close()

    with services.paused("beat", "deadlines"):
        clock.advance(seconds=601)
        with ThreadPoolExecutor(max_workers=10) as pool:
            for each in [pool.submit(one_sweep) for _ in range(10)]:
                each.result()

    assert len(store.all_of_type(match.stream, "clock.expired")) == 1


def test_a_bot_moves_by_itself(new_player: Callable[..., Api]) -> None:
    """Bots are played by the outbox: nobody but the worker touches the table."""
    player = new_player()
    match = open_match([player], seats=2, bots=["greedy"])
    match.send(0, {"kind": "mulligan", "params": {"take": False}}, 1)
    until = time.monotonic() + 20
    while not (view := match.view(0))["legal_moves"]:
        assert time.monotonic() < until, "the bot did not move"
        time.sleep(0.05)
    assert view["turn"] >= 2
