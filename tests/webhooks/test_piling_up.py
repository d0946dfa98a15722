"""Whether webhooks pile up here, as health, metrics and the doctor tell; what a receiver owes is its own."""

from __future__ import annotations

import pytest
from django.db import connection

from tables.models import WebhookDelivery
from tables.operations import figures, health, metrics
from tables.operations.doctor import database
from tables.webhooks import delivering
from tests.operations.test_counting import _value
from tests.services import SimulatedClock
from tests.tables.rooms import new_player
from tests.webhooks.people import subscribe
from tests.webhooks.receiver import Receiver
from tests.webhooks.test_delivering import STARTED, seated

pytestmark = pytest.mark.usefixtures("no_drivers")


def look() -> tuple[int, float]:
    with connection.cursor() as cursor:
        found = figures.look(cursor)
    return found.webhook_rows, found.webhook_age


def doctor() -> list[str]:
    with database.connect("default") as plain:
        return list(database.webhooks(plain))


def is_healthy() -> bool:
    (check,) = (each for each in health._deep() if each.name == "webhooks")
    return check.ok


def test_what_nobody_has_tried_to_send_is_told(receiver: Receiver, clock: SimulatedClock) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    for _ in range(2):
        seated(one.player)
    clock.advance(seconds=50)
    assert look()[0] == 2
    assert is_healthy()
    assert doctor() == []

    clock.advance(seconds=3600 * 3)

    assert 10_800 < look()[1] < 11_000
    assert not is_healthy()
    (said,) = doctor()
    assert said.startswith(
        "2 webhooks are waiting to be sent, the oldest for 3 hours; start celery -A config"
    )
    assert _value("posta_webhook_rows") == 2
    assert _value("posta_webhook_age_seconds") > 10_800

    before = _value("posta_webhook_attempts_total", result="delivered")
    delivering.deliver()

    assert look() == (0, 0.0)
    assert is_healthy()
    assert _value("posta_webhook_attempts_total", result="delivered") == before + 2
    assert metrics.exposition("")[0].count(b"webhook_") > 3


def test_what_waits_for_a_receiver_that_fails_is_no_fault_here(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    one = subscribe(new_player(), receiver)
    room = seated(one.player)
    receiver.answer = lambda _: 500
    before = _value("posta_webhook_attempts_total", result="failed")
    delivering.deliver()
    room.pick(0)
    clock.advance(seconds=120)
    assert WebhookDelivery.objects.filter(endpoint=one.id, status="pending").count() > 2

    assert look() == (0, 0.0)

    one_table = str(room.id)
    receiver.answer = lambda got: 500 if got.told["data"]["table_id"] == one_table else 204
    seated(one.player)
    for _ in range(2):
        delivering.deliver()
        clock.advance(seconds=81)
    assert one.row.failing_since is None
    clock.advance(seconds=120)
    assert look() == (0, 0.0)
    assert _value("posta_webhook_attempts_total", result="failed") >= before + 2
