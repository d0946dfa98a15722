"""The checker is pure: nothing of these tests needs the database."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _database_for_all() -> None:
    """Replace the fixture of all other tests."""
