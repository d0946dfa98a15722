"""Judges what players were told against what the log holds.  Pure: no database, no clock, no process.

Each function returns findings, one sentence each; none means that the promise was kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from faults.history import Call

LATEST_SECONDS = 5.0
"""A time-out may be decided so long after its deadline, whatever was killed meanwhile."""

BUCKETS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, LATEST_SECONDS)


class Finding(NamedTuple):
    """A broken promise: ``what`` names it (``lost``, ``doubled``, ...), ``told`` where and how."""

    what: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a call left in the log; ``mark`` tells calls of a kind at a table apart (``Call.mark``)."""

    kind: str
    table: str
    mark: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How the chance of a seat to move at a turn ended: by its ``move``, or by ``time-out``.

    ``at`` is when that was decided, ``due`` the deadline of the turn; both in milliseconds of the
    database.  ``due`` is None for a turn without a deadline.
    """

    table: str
    turn: int
    seat: int
    how: str
    at: int
    due: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """A table whose deadline had passed for so many seconds and that nobody had looked at."""

    table: str
    seconds: float


class Delivery(NamedTuple):
    """A webhook: the id under which it is sent, as often as it takes, and what it is about."""

    id: str
    table: str
    position: int


def calls(told: Iterable[Call], effects: Iterable[Effect]) -> list[Finding]:
    """Judge every call: done once if it was acknowledged, at most once if unknown, never if refused."""
    found: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for effect in effects:
        found[effect.kind, effect.table, effect.mark].append(effect.position)
    sent: dict[tuple[str, str, str], list[Call]] = defaultdict(list)
    for call in told:
        sent[call.kind, call.table, call.mark].append(call)
    findings: list[Finding] = []
    for key in sent.keys() | found.keys():
        findings += _judged(" ".join(key), sent.get(key, []), found.get(key, []))
    return sorted(findings)


def _judged(name: str, sent: Sequence[Call], positions: Sequence[int]) -> Iterable[Finding]:
    acknowledged = [call for call in sent if call.outcome == "ok"]
    if len(positions) > 1:
        yield Finding("doubled", f"{name}: at positions {', '.join(map(str, sorted(positions)))}")
    if len(acknowledged) > 1:
        ids = ", ".join(call.id for call in acknowledged)
        yield Finding("doubled", f"{name}: acknowledged as new to {ids}")
    for call in acknowledged:
        if not positions:
            yield Finding("lost", f"{name}: {call.id} was acknowledged and is not in the log")
        elif call.position is not None and call.position not in positions:
            yield Finding("lost", f"{name}: {call.id} was acknowledged at position {call.position}")
    if positions and not any(call.outcome in ("ok", "unknown") for call in sent):
        why = "it was refused" if sent else "nobody sent it"
        yield Finding("unasked", f"{name}: at position {positions[0]}, but {why}")


def receipts(told: Iterable[Call], heads: Mapping[tuple[str, int], str]) -> list[Finding]:
    """Judge the signed heads of answers: the log still has that hash at that position."""
    return [
        Finding("rewritten", f"{call.table}: {call.id} has a receipt for another event at {call.signed}")
        for call in told
        if call.outcome == "ok" and call.head and heads.get((call.table, call.signed or 0)) != call.head
    ]


def winners(decisions: Iterable[Decision]) -> list[Finding]:
    """Judge who won: of the move of a seat and its time-out, one."""
    counted = Counter((each.table, each.turn, each.seat) for each in decisions)
    return [
        Finding("two winners", f"{table}: turn {turn} of seat {seat} was decided {count} times")
        for (table, turn, seat), count in sorted(counted.items())
        if count > 1
    ]


def early(decisions: Iterable[Decision]) -> list[Finding]:
    """Judge time-outs: none before its deadline."""
    return [
        Finding(
            "early", f"{each.table}: turn {each.turn} expired {each.due - each.at} ms before its deadline"
        )
        for each in decisions
        if each.how == "time-out" and each.due is not None and each.at < each.due
    ]


def overtime(decisions: Iterable[Decision]) -> list[Finding]:
    """Judge moves: none accepted at or after its deadline."""
    return [
        Finding("overtime", f"{each.table}: turn {each.turn} was moved {each.at - each.due} ms too late")
        for each in decisions
        if each.how == "move" and each.due is not None and each.at >= each.due
    ]


def late(
    decisions: Iterable[Decision], overdue: Iterable[Overdue] = (), limit: float = LATEST_SECONDS
) -> list[Finding]:
    """Judge liveness: no time-out later than ``limit`` seconds, and nothing forgotten."""
    waited = [
        (each.table, f"turn {each.turn} expired at {_clock(each.at)},", seconds)
        for each in decisions
        if each.how == "time-out" and (seconds := lateness(each)) is not None
    ]
    waited += [(each.table, "it was still waiting", each.seconds) for each in overdue]
    return [
        Finding("late", f"{table}: {what} {seconds:.1f} s after its deadline")
        for table, what, seconds in waited
        if seconds > limit
    ]


def webhooks(written: Sequence[Delivery], got: Sequence[Delivery]) -> list[Finding]:
    """Judge what an endpoint got of what was written down for it: all, and each table's in order.

    It may come twice, for nobody knows what a call did whose caller was killed.
    """
    first, known = dict.fromkeys(got), set(written)
    findings = [
        Finding("untold", f"{each.table}: nobody was told of position {each.position}")
        for each in written
        if each not in first
    ]
    findings += [
        Finding("unasked", f"{each.table}: position {each.position} was told, and never written down")
        for each in first
        if each not in known
    ]
    for table in sorted({each.table for each in written}):
        wanted = [each for each in written if each.table == table and each in first]
        if wanted != [each for each in first if each.table == table and each in known]:
            findings.append(Finding("disordered", f"{table}: its webhooks came in another order"))
    return findings


def _clock(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%H:%M:%S}"


def lateness(decision: Decision) -> float | None:
    """Return the seconds from deadline to decision; None without a deadline."""
    return None if decision.due is None else (decision.at - decision.due) / 1000


def histogram(seconds: Iterable[float]) -> list[tuple[str, int]]:
    """Return how many fall into each bucket, named by its upper end."""
    counted = Counter(next((b for b in BUCKETS if value <= b), None) for value in seconds)
    named: list[tuple[str, int]] = [(f"≤ {bucket:g} s", counted[bucket]) for bucket in BUCKETS]
    return [*named, (f"> {BUCKETS[-1]:g} s", counted[None])]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` of them lie; 0 where there is none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
