"""When a failure is tried again, and when an endpoint is given up, by a time and a chance that are told."""

from __future__ import annotations

import pytest

from tables.webhooks import schedule

HOUR = 3_600_000
NOW = 1_767_636_000_000
WAITS = [5_000, 300_000, 1_800_000, *(each * HOUR for each in (2, 5, 10, 14, 20, 24))]


def test_the_waits_are_those_of_the_api() -> None:
    """api.md 3.8."""
    again = [schedule.again_at(attempts, NOW, 0.0) for attempts in range(1, 10)]
    assert again == [NOW + each for each in WAITS]
    assert schedule.again_at(10, NOW, 0.0) is None


@pytest.mark.parametrize("attempts", range(1, 10))
def test_chance_makes_a_wait_longer_by_a_fifth_at_most(attempts: int) -> None:
    wait = WAITS[attempts - 1]
    assert schedule.again_at(attempts, NOW, 0.5) == NOW + wait + wait // 10
    assert schedule.again_at(attempts, NOW, 1.0) == NOW + wait + wait // 5


def test_an_endpoint_that_fails_is_left_alone_for_longer_up_to_five_minutes() -> None:
    pauses = [schedule.free_at(failures, NOW) - NOW for failures in (1, 2, 3, 4, 5, 100)]
    assert pauses == [5_000, 20_000, 80_000, 300_000, 300_000, 300_000]


def test_an_endpoint_is_lost_after_five_days() -> None:
    assert not schedule.is_lost(NOW, NOW + 120 * HOUR - 1)
    assert schedule.is_lost(NOW, NOW + 120 * HOUR)
