"""Metrics: one sum over all processes, no id and no kind of a move in it, and not for everybody."""

from __future__ import annotations

import re
import time

import httpx
import pytest
from django.core.handlers.wsgi import WSGIHandler
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.fixtures import Settings

from engines.audience import name_of
from tables import catalogue
from tests.api.contract import Api
from tests.matches import open_match, play_on
from tests.operations.conftest import Installation

TOKEN = "0123456789abcdef" * 3
UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")


def test_requests_are_counted_over_all_workers(installation: Installation) -> None:
    address = installation.services.api_url
    labels = {"method": "GET", "route": "v1/games", "status": "2xx"}
    before = _value(address, "posta_request_seconds_count", **labels)
    for _ in range(30):
        with httpx.Client() as stranger:  # each over a connection of its own, to whichever worker takes it
            assert stranger.get(f"{address}/v1/games").status_code == 200
    for _ in range(5):
        assert _value(address, "posta_request_seconds_count", **labels) == before + 30


def test_the_live_process_gives_the_same(installation: Installation) -> None:
    live = f"{installation.services.live_url}/v1/live/status"
    until = time.monotonic() + 60
    while httpx.get(live).status_code != 200:  # its connection may be one that was cut
        assert time.monotonic() < until
    labels = {"method": "GET", "route": "v1/live/status", "status": "2xx"}
    for address in (installation.services.api_url, installation.services.live_url):
        assert _value(address, "posta_request_seconds_count", **labels) >= 1


def test_no_label_is_an_id_or_a_name_or_a_kind_of_move(installation: Installation) -> None:
    address = installation.services.api_url
    players = [_sign_up(address, f"canary-{seat}") for seat in (0, 1)]
    match = open_match(players)
    typed = f"/v1/games/reafan/tables/{match.id}/mulligan"
    assert players[0].post(typed, {"turn": 1, "take": False}).status_code == 201
    play_on(match, steps=3)
    assert players[0].get("/v1/games/canary").status_code == 404
    assert httpx.get(f"{address}/canary").status_code == 404
    assert httpx.request("CANARY", f"{address}/v1/games").status_code == 405

    told = httpx.get(f"{address}/metrics").text

    assert 'route="v1/games/reafan/tables/<uuid:table_id>/<move>"' in told
    assert not UUID.search(told)
    assert "canary" not in told.lower()
    for game in catalogue.games().values():
        for move in game.moves:
            assert name_of(move) not in re.findall(r'\w+(?==")|(?<=[/"])\w+(?=[/"])', told)


def test_the_database_is_asked_at_that_moment(installation: Installation) -> None:
    address = installation.services.api_url
    assert _value(address, "posta_database_up") == 1
    assert _value(address, "posta_sweep_age_seconds", driver="daemon") < 60
    assert _value(address, "posta_suspended_tables") == 0
    limit = "ALTER ROLE posta_app CONNECTION LIMIT {}"
    with installation.broken(limit.format(0), limit.format(-1)):
        installation.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'posta_app'"
        )
        assert _value(address, "posta_database_up") == 0
    until = time.monotonic() + 60
    while not _value(address, "posta_database_up"):
        assert time.monotonic() < until


def test_a_process_that_comes_after_another_counts_on_in_its_place(installation: Installation) -> None:
    """Others may begin to count meanwhile, but not one for each restart."""
    folder, restarts = installation.where.data / "metrics", 4
    before = len(list(folder.glob("*.lock")))
    assert list(folder.glob("*.db"))
    for _ in range(restarts):
        installation.services.kill("daemon")
        installation.services.start("daemon")
    assert len(list(folder.glob("*.lock"))) < before + restarts


def test_only_this_machine_itself_may_look(settings: Settings) -> None:
    assert _ask().status_code == 200
    assert _ask(remote="::1").status_code == 200
    nowhere = _ask("/nowhere", remote="192.0.2.7")
    for refused in (
        _ask(remote="192.0.2.7"),
        _ask(remote=""),
        _ask(headers={"X-Forwarded-For": "127.0.0.1"}),
        _ask(headers={"X-Forwarded-Proto": "https"}),
        _ask(headers={"Forwarded": "for=127.0.0.1"}),
        _ask(headers={"Authorization": "Bearer "}, remote="192.0.2.7"),
    ):
        assert refused.status_code == nowhere.status_code == 404
        assert refused.headers.keys() == nowhere.headers.keys()
        assert refused.json().keys() == nowhere.json().keys()


def test_whoever_brings_the_token_may_look(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN

    def bring(words: str) -> int:
        headers = {"Authorization": words, "X-Forwarded-For": "192.0.2.9"}
        return _ask(headers=headers, remote="192.0.2.7").status_code

    assert bring(f"Bearer {TOKEN}") == 200
    assert bring(f"bearer {TOKEN}") == 200
    assert bring(f"Bearer {TOKEN}x") == 404
    assert bring(f"Basic {TOKEN}") == 404
    assert bring("Bearer") == 404


@pytest.mark.parametrize("accept", ["", "application/openmetrics-text; version=1.0.0"])
def test_the_answer_is_one_whole_document(accept: str) -> None:
    answer = _ask(headers={"Accept": accept})
    assert answer.text.count("# EOF") == (1 if accept else 0)
    assert answer.text.count("# TYPE posta_database_up ") == 1
    assert answer.text.count("# TYPE posta_request_seconds ") == 1


def _ask(
    path: str = "/metrics", *, remote: str = "127.0.0.1", headers: dict[str, str] | None = None
) -> httpx.Response:
    """Ask this very process, as somebody at an address."""
    with httpx.Client(transport=httpx.WSGITransport(app=WSGIHandler(), remote_addr=remote)) as client:
        return client.get(f"http://localhost{path}", headers=headers)


def _sign_up(address: str, name: str) -> Api:
    answer = Api(address).post(
        "/v1/players", {"name": f"{name}-{time.monotonic_ns()}", "password": "five-dragons-at-dawn"}
    )
    assert answer.status_code == 201
    return Api(address, answer.json()["token"])


def _value(address: str, name: str, **labels: str) -> float:
    """Return what a server tells of one metric; 0 for one that it does not have yet."""
    told = httpx.get(f"{address}/metrics")
    assert told.status_code == 200
    samples = (each for family in text_string_to_metric_families(told.text) for each in family.samples)
    return sum(each.value for each in samples if each.name == name and each.labels.items() >= labels.items())
