"""Replay: the state at any position is the fold of the events up to it."""

from __future__ import annotations

from events import store
from events.canonical import parse
from events.replay import fold, replay
from events.store import StoredEvent
from tests.events.streams import Writer


def number(event: StoredEvent) -> int:
    """Return the public number of a probe event, which is its position."""
    value: int = parse(event.header)["public"]["number"]
    return value


def listed(state: str, event: int) -> str:
    return f"{state}{event}"


def test_a_fold_applies_events_oldest_first() -> None:
    assert fold(listed, "", [3, 1, 2]) == "312"
    assert fold(listed, "7", []) == "7"


def test_a_stream_is_replayed_up_to_any_position_from_any_other() -> None:
    writer = Writer()
    store.append(writer.stream, 0, writer.events(5))

    assert replay(writer.stream, listed, "", number) == "12345"
    assert replay(writer.stream, listed, "", number, upto=3) == "123"
    assert replay(writer.stream, listed, "123", number, after=3) == "12345"
    assert replay(writer.stream, listed, "", number, upto=0) == ""
