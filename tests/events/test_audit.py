"""The chain's checks over bytes alone: each kind of damage is found, at its position."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from events import canonical
from events.audit import Finding, Link, check_chain
from events.codec import NewEvent, Opening
from tests.events.streams import Writer, sealed

Openings = dict[tuple[int, int], Opening]


def links(events: list[NewEvent]) -> list[Link]:
    return [Link(position, event.header) for position, event in enumerate(events, start=1)]


def opened(events: list[NewEvent]) -> Openings:
    return {
        (position, slot): opening
        for position, event in enumerate(events, start=1)
        for slot, opening in enumerate(event.openings)
    }


def test_a_sound_stream_has_no_findings() -> None:
    writer = Writer()
    events = [
        *writer.events(2, hidden=2),
        writer.event(assigns=[[1, 0, 3]], opens=[[2, 1]], draws=[[0, "deck"]]),
    ]

    assert check_chain(writer.tid, links(events), opened(events), complete=True) == []
    assert check_chain(writer.tid, links(events), {}) == []
    assert check_chain(writer.tid, [], {}) == []


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"seq": 9}, "seq is 9"),
        ({"prev": "00" * 32}, "prev is not"),
        ({"table": "00" * 16}, "it belongs to table"),
        ({"at": 1}, "at is earlier"),
        ({"v": 2}, "v is malformed"),
        ({"schema": 0}, "schema is malformed"),
        ({"actor": "seat:01"}, "actor is malformed"),
        ({"actor": "someone"}, "actor is malformed"),
        ({"type": "happened"}, "type is malformed"),
        ({"public": []}, "public is malformed"),
        ({"slots": [{"to": "seat:0"}]}, "slots is malformed"),
        ({"slots": [{"to": "everybody", "c": "00" * 32}]}, "slots is malformed"),
        ({"assigns": [[1, 0]]}, "assigns is malformed"),
        ({"opens": [[1, -1]]}, "opens is malformed"),
        ({"draws": [[0, 1]]}, "draws is malformed"),
        ({"more": 1}, "fields of ttx v1"),
        ({"opens": [[1, 5]]}, "slot 5 of event 1 does not exist"),
        ({"assigns": [[3, 0, 1]]}, "slot 0 of event 3 does not exist"),
    ],
)
def test_a_wrong_header_is_found_where_it_stands(changed: dict[str, Any], what: str) -> None:
    writer = Writer()
    events = [writer.event(hidden=1), writer.event(**changed), writer.event()]

    findings = check_chain(writer.tid, links(events), {})

    assert {each.position for each in findings} == {2}
    assert any(what in each.what for each in findings)


def test_a_changed_byte_shows_in_the_hash_stored_beside_it_or_else_in_the_next_event() -> None:
    writer = Writer()
    events = writer.events(3)
    hashes = [canonical.event_hash(event.header) for event in events]
    changed = events[1].header.replace(b'"number":2', b'"number":3')
    headers = [events[0].header, changed, events[2].header]

    with_hashes = [Link(number + 1, headers[number], hashes[number]) for number in range(3)]
    without = [Link(number + 1, headers[number]) for number in range(3)]

    assert check_chain(writer.tid, with_hashes, {}) == [Finding(2, "the stored hash is not the header's")]
    assert check_chain(writer.tid, without, {}) == [Finding(3, "prev is not the hash of the event before")]


def test_a_removed_event_is_found() -> None:
    writer = Writer()
    events = links(writer.events(4))

    findings = check_chain(writer.tid, events[:1] + events[2:], {})

    assert {each.position for each in findings} == {2, 3}


def test_bytes_that_are_not_canonical_are_found() -> None:
    writer = Writer()
    events = links(writer.events(2))
    spaced = Link(1, events[0].header.replace(b",", b", ", 1))

    (finding, *_) = check_chain(writer.tid, [spaced, events[1]], {})

    assert finding.position == 1
    assert "not canonical" in finding.what


def other_payload(opening: Opening) -> Opening:
    return replace(opening, payload=canonical.canonical({"card": 7}))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (other_payload, "does not fit the commitment"),
        (lambda opening: replace(opening, salt=bytes(32)), "does not fit the commitment"),
        (lambda opening: replace(opening, salt=opening.salt[:31]), "malformed"),
        (lambda opening: replace(opening, payload=b'{"card": 1}'), "malformed"),
        (lambda opening: replace(opening, payload=b"\xff"), "malformed"),
        (lambda opening: replace(opening, to="seat:3"), "the opening is for seat:3"),
    ],
)
def test_an_opening_must_fit_its_commitment(change: Callable[[Opening], Opening], what: str) -> None:
    writer = Writer()
    events = writer.events(2, hidden=2)
    openings = opened(events)
    openings[2, 1] = change(openings[2, 1])

    (finding,) = check_chain(writer.tid, links(events), openings)

    assert finding.position == 2
    assert finding.what.startswith("slot 1: ")
    assert what in finding.what


def test_unknown_openings_are_found_and_missing_ones_when_all_should_be_there() -> None:
    writer = Writer()
    events = writer.events(2, hidden=2)
    openings = opened(events)
    openings[2, 2] = openings[9, 0] = sealed(0)
    del openings[1, 0]

    unknown = [
        Finding(2, "an opening for slot 2, which does not exist"),
        Finding(9, "an opening for slot 0, which does not exist"),
    ]
    missing = Finding(1, "slot 0: its opening is missing")
    assert check_chain(writer.tid, links(events), openings) == unknown
    assert check_chain(writer.tid, links(events), openings, complete=True) == [missing, *unknown]


@pytest.mark.parametrize("module", ["events.canonical", "events.audit", "events.receipts"])
def test_what_the_verifier_shares_imports_no_django(module: str) -> None:
    script = f"import sys, {module}; sys.exit('django' in sys.modules or 'events.store' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
