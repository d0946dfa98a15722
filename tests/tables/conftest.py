"""Tables in process: the test is the only driver, but where it asks for a ``server``."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_drivers(request: pytest.FixtureRequest) -> None:
    """Stop the drivers that an earlier test has started; ``server`` starts them again."""
    if "server" not in request.fixturenames:
        request.getfixturevalue("no_drivers")
