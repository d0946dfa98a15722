"""An installation as ``make up`` starts it, for programs that play against bots."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.services import Services


@pytest.fixture
def whole_server(server: str, services: Services) -> Iterator[str]:
    """The address of the API, with the daemon too: bots move at once."""
    services.start("daemon")
    yield server
    services.stop("daemon")
