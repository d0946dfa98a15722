"""A receiver, and a database without the endpoints of other tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.webhooks.receiver import Receiver


@pytest.fixture
def receiver(database: None) -> Iterator[Receiver]:
    """A receiver that runs; afterwards nobody has an endpoint, so that no other test calls it."""
    from tables.models import WebhookEndpoint  # at the top it would read Django's settings too early

    with Receiver() as running:
        yield running
    WebhookEndpoint.objects.all().delete()
