"""A mail server on this machine, and the people whom it brings mail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.notices.office import Office


@pytest.fixture
def office(settings: Settings) -> Iterator[Office]:
    """A mail server that runs; this process sends by it."""
    from config.environment import mail_server  # at its top it would name settings before there are any

    with Office() as running:
        for name, value in mail_server(running.url).items():
            setattr(settings, name, value)
        settings.DEFAULT_FROM_EMAIL = "Posta <posta@example.org>"
        yield running
