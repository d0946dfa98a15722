"""A client of the streams: what arrives, event by event."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx

from tests.api.contract import Api, committed


class Told(NamedTuple):
    """One server-sent event; ``id`` is empty where it has none."""

    event: str
    id: str
    data: Any


class Stream:
    """A stream that is open; ``last_id`` is what to come back with."""

    def __init__(self, answer: httpx.Response) -> None:
        self.last_id = ""
        self._lines = answer.iter_lines()
        assert next(self._lines) == "retry: 3000"
        assert next(self._lines) == ""

    def __iter__(self) -> Iterator[Told]:
        """Give what comes, heartbeats left out, to the end of the stream."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            self.last_id = fields.get("id", self.last_id)
            if "event" in fields:
                yield Told(fields["event"], fields.get("id", ""), json.loads(fields["data"]))
            fields = {}

    def take(self, count: int) -> list[Told]:
        """Return the next so many events of games, as soon as they are there."""
        found: list[Told] = []
        told = iter(self)
        while len(found) < count:
            found += [each for each in [next(told)] if each.id]
        return found

    def until(self, event: str) -> list[Told]:
        """Return what comes up to the next event of a type."""
        found: list[Told] = []
        for each in self:
            found.append(each)
            if each.event == event:
                return found
        raise AssertionError(f"the stream ended before {event}: {found}")


@contextmanager
def listening(live_url: str, api: Api, path: str, last_id: str = "") -> Iterator[Stream]:
    """Listen to a stream of the live process during the block."""
    headers = {"Authorization": f"Bearer {api.token}"}
    if last_id:
        headers["Last-Event-ID"] = last_id
    with (
        httpx.Client(trust_env=False, timeout=30) as http,
        http.stream("GET", live_url + path, headers=headers) as answer,
    ):
        if answer.status_code != 200:
            answer.read()
            committed().check("GET", path, answer)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        stream = Stream(answer)  # held here: forgotten, it would hang up
        yield stream
