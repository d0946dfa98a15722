"""Celery alone and the daemon alone both deliver, over a real broker and with an installation's settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.api.contract import Api
from tests.services import Services
from tests.webhooks.receiver import Receiver
from tests.webhooks.test_webhooks_api import ENDPOINTS

DRIVERS = {"Celery": ("valkey", "caller", "beat"), "the daemon": ("daemon",)}


@pytest.fixture
def services_of(services: Services) -> Iterator[Services]:
    """The processes, of which none that delivers is left running afterwards."""
    yield services
    services.stop("caller", "daemon")


@pytest.mark.long
@pytest.mark.parametrize("driver", DRIVERS)
def test_one_driver_alone_delivers(
    driver: str, services_of: Services, new_player: Callable[..., Api], receiver: Receiver
) -> None:
    services_of.stop("beat", "deadlines", "worker", "caller", "daemon")
    services_of.start("api", *DRIVERS[driver])
    player = new_player()
    types = ["table.started", "table.finished"]
    made = player.post(ENDPOINTS, {"url": receiver.url(), "types": types}).json()
    path, until = f"{ENDPOINTS}/{made['endpoint']['id']}", time.monotonic() + 60
    while player.get(path).json()["status"] != "active":
        assert time.monotonic() < until
        time.sleep(0.1)
    table = player.post("/v1/tables", {"game": "reafan", "bots": ["random"]}).json()["id"]
    assert player.post(f"/v1/tables/{table}/resign").status_code == 200

    got = receiver.wait_for(2)

    assert [each.type for each in got] == types
    for each in got:
        each.verify(made["secret"])
    while {each["status"] for each in player.get(f"{path}/deliveries").json()["items"]} != {"delivered"}:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert len(receiver.at()) == 2
