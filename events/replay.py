"""Fold a stream up to a position: the time machine.  The decider and the codec are arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TypeVar

from events import store
from events.store import StoredEvent

State = TypeVar("State")
Event = TypeVar("Event")


def fold(evolve: Callable[[State, Event], State], state: State, events: Iterable[Event]) -> State:
    """Return ``state`` after ``events``, oldest first."""
    return reduce(evolve, events, state)


def replay(
    stream: str,
    evolve: Callable[[State, Event], State],
    state: State,
    decode: Callable[[StoredEvent], Event],
    *,
    after: int = 0,
    upto: int | None = None,
) -> State:
    """Return the state of ``stream`` at position ``upto`` (None: now), from ``state`` at ``after``."""
    return fold(evolve, state, map(decode, store.read(stream, after=after, upto=upto)))
