"""Many games, spread over processes in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

T = TypeVar("T")


def spread(work: Callable[[range], T], *, seed: int, games: int, at_once: int, jobs: int) -> Iterator[T]:
    """Return what ``work`` makes of each part of the seeds from ``seed`` on, as parts are done."""
    end = seed + games
    parts = [range(first, min(first + at_once, end)) for first in range(seed, end, at_once)]
    if jobs == 1:
        yield from map(work, parts)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(work, part) for part in parts]):
            yield future.result()
