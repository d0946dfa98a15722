"""Checks of a stream over its bytes alone: headers, chain, commitments.

Pure: it shares only ``events.canonical``, so the management command that walks the database and the
offline verifier judge alike.  Source: transcript format ``ttx v1``, Offline verification, 1, 2, 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from events.canonical import ZERO_HASH, NotCanonical, commitment, event_hash, parse

Ref = tuple[int, int]  # seq, slot

LAST_TIME = 253_402_300_799_999
"""The last millisecond of the year 9999, beyond which no database and no calendar of ours goes."""


class Finding(NamedTuple):
    """Something that is wrong at a position."""

    position: int
    what: str


class Link(NamedTuple):
    """One event to check.  ``hash`` is what was stored beside it, None if nothing was."""

    position: int
    header: bytes
    hash: bytes | None = None


class LinkLike(Protocol):
    """An event as stored; ``Link`` is one."""

    @property
    def position(self) -> int: ...
    @property
    def header(self) -> bytes: ...
    @property
    def hash(self) -> bytes | None: ...


class OpeningLike(Protocol):
    """What opens a slot."""

    @property
    def to(self) -> str: ...
    @property
    def salt(self) -> bytes: ...
    @property
    def payload(self) -> bytes: ...


def check_chain(
    tid: bytes,
    events: Iterable[LinkLike],
    openings: Mapping[Ref, OpeningLike],
    *,
    complete: bool = False,
) -> list[Finding]:
    """Return what is wrong with the events of table ``tid`` from its first on, in the order of positions.

    ``openings`` may be fewer than the slots unless they should be ``complete``.  That the last
    event is the last is not proved here: a receipt does that.
    """
    findings: list[Finding] = []
    slots: dict[Ref, dict[str, str]] = {}
    prev, at = ZERO_HASH, 0
    for expected, event in enumerate(events, start=1):
        recomputed = event_hash(event.header)
        problems = _check_stored(event, expected, recomputed)
        header, malformed = _parsed(event.header)
        problems += malformed
        if header is not None:
            slots |= {(expected, number): slot for number, slot in enumerate(header["slots"])}
            problems += _check_place(header, tid, expected, prev, at) + _check_refs(header, slots)
            at = max(at, header["at"])
        findings += [Finding(expected, what) for what in problems]
        prev = recomputed if event.hash is None else event.hash
    findings += _check_openings(tid, slots, openings, complete=complete)
    return sorted(findings, key=lambda finding: finding.position)


def _check_stored(event: LinkLike, expected: int, recomputed: bytes) -> list[str]:
    """Return where the columns beside a header contradict it."""
    problems = []
    if event.position != expected:
        problems.append(f"position {event.position} stands where {expected} should")
    if event.hash is not None and event.hash != recomputed:
        problems.append("the stored hash is not the header's")
    return problems


def _parsed(data: bytes) -> tuple[dict[str, Any] | None, list[str]]:
    """Return a well-formed header, or None and how it departs from ``ttx v1``."""
    try:
        header = parse(data)
    except NotCanonical as error:
        return None, [f"the header is not canonical: {error}"]
    if not isinstance(header, dict) or header.keys() != _FORM.keys():
        return None, ["the header has not the fields of ttx v1"]
    wrong = [f"{name} is malformed" for name, is_right in _FORM.items() if not is_right(header[name])]
    return (None, wrong) if wrong else (header, [])


def _check_place(header: dict[str, Any], tid: bytes, seq: int, prev: bytes, at: int) -> list[str]:
    """Return why a well-formed header does not belong where it stands."""
    problems = []
    if header["table"] != tid.hex():
        problems.append(f"it belongs to table {header['table']}")
    if header["seq"] != seq:
        problems.append(f"seq is {header['seq']}")
    if header["prev"] != prev.hex():
        problems.append("prev is not the hash of the event before")
    if header["at"] < at:
        problems.append("at is earlier than before")
    if header["at"] > LAST_TIME:
        problems.append("at is behind the year 9999")
    return problems


def _check_refs(header: dict[str, Any], slots: Mapping[Ref, object]) -> list[str]:
    """Return the references to slots that this event and those before it do not have."""
    refs = [*header["opens"], *(each[:2] for each in header["assigns"])]
    return [f"slot {slot} of event {seq} does not exist" for seq, slot in refs if (seq, slot) not in slots]


def _check_openings(
    tid: bytes, slots: Mapping[Ref, Mapping[str, str]], openings: Mapping[Ref, OpeningLike], *, complete: bool
) -> list[Finding]:
    findings = []
    for (seq, number), opening in openings.items():
        slot = slots.get((seq, number))
        if slot is None:
            findings.append(Finding(seq, f"an opening for slot {number}, which does not exist"))
        elif what := _check_opening(tid, seq, number, slot, opening):
            findings.append(Finding(seq, f"slot {number}: {what}"))
    if complete:
        missing = slots.keys() - openings.keys()
        findings += [Finding(seq, f"slot {number}: its opening is missing") for seq, number in missing]
    return findings


def _check_opening(
    tid: bytes, seq: int, number: int, slot: Mapping[str, str], opening: OpeningLike
) -> str | None:
    if opening.to != slot["to"]:
        return f"the opening is for {opening.to}, the slot for {slot['to']}"
    try:
        parse(opening.payload)
        recomputed = commitment(opening.salt, tid, seq, number, opening.payload)
    except ValueError as error:  # also NotCanonical
        return f"the opening is malformed: {error}"
    return None if recomputed.hex() == slot["c"] else "the opening does not fit the commitment"


# --- The form of a header -----------------------------------------------------------------------

_HASH = re.compile(r"[0-9a-f]{64}")
_TID = re.compile(r"[0-9a-f]{32}")
_TYPE = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_ACTOR = re.compile(r"seat:(0|[1-9][0-9]*)|table|staff")
_RECEIVER = re.compile(r"seat:(0|[1-9][0-9]*)|server")


def _is_int(value: object, least: int = 0) -> bool:
    return type(value) is int and value >= least


def _is_text(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_list(is_item: Callable[[Any], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(is_item, value))


def _is_slot(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"to", "c"}
        and _is_text(_RECEIVER)(value["to"])
        and _is_text(_HASH)(value["c"])
    )


def _is_numbers(count: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and len(value) == count and all(map(_is_int, value))


def _is_draw(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and _is_int(value[0])
        and isinstance(value[1], str)
        and value[1].isascii()
    )


_FORM: dict[str, Callable[[Any], bool]] = {
    "v": lambda value: type(value) is int and value == 1,
    "table": _is_text(_TID),
    "seq": lambda value: _is_int(value, 1),
    "prev": _is_text(_HASH),
    "type": _is_text(_TYPE),
    "schema": lambda value: _is_int(value, 1),
    "actor": _is_text(_ACTOR),
    "at": _is_int,
    "public": lambda value: isinstance(value, dict),
    "slots": _is_list(_is_slot),
    "assigns": _is_list(_is_numbers(3)),
    "opens": _is_list(_is_numbers(2)),
    "draws": _is_list(_is_draw),
}
