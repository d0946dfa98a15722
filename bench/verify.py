"""A whole game, once more: rebuilt from the database and verified, there and as a player would."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from typing import Any

import msgspec

from bench.matches import Match, two_players
from bench.measure import Figure, Goal, Wrong, undisturbed, warm_up
from engines.registry import GAMES
from events import audit, canonical, store
from events.codec import read_header
from stack.temporary import Running
from tables import queries
from tables.folding import fold, stream_of
from verify import verify
from verify.transcript import Judgement, judge

MUST = Goal(20, at_least=False)  # milliseconds
RATE = Goal(5_000)  # events a second on one core, 300,000 a minute


def run(_running: Running, *, quick: bool) -> list[Figure]:
    """Return the time to rebuild and to verify one game of Reafan."""
    match = Match("reafan", two_players())
    match.play(random.Random(3))  # noqa: S311
    stream = stream_of(match.id)
    rounds = 5 if quick else 15

    def rebuild() -> int:
        """Read everything, check chain and commitments, fold to the last state."""
        events, openings = store.read(stream), store.openings(stream)
        if findings := audit.check_chain(match.id.bytes, events, openings, complete=True):
            raise Wrong(f"the chain is broken: {findings[0]}")
        payloads = {ref: canonical.parse(each.payload) for ref, each in openings.items()}
        folded = fold((read_header(each.header) for each in events), lambda seq, slot: payloads[seq, slot])
        if folded.table.status != "finished":
            raise Wrong(f"the rebuilt table is {folded.table.status}")
        return len(events)

    def examine() -> Any:
        """Verify as the offline verifier does: integrity, fairness, replay by the rules."""
        report = verify(match.id.bytes, store.read(stream), store.openings(stream), games=GAMES)
        if not report.is_proved:
            raise Wrong("; ".join(f"{name}: {verdict}" for name, verdict in report))
        return report

    count = rebuild()
    return [
        _figure(
            "a whole game rebuilt, its chain verified", f"{count} events from the database", rebuild, rounds
        ),
        _figure(
            "a whole game verified in full", "chain, chance, and every decision taken again", examine, rounds
        ),
        _rate(match, count, rounds),
    ]


def _rate(match: Match, count: int, rounds: int) -> Figure:
    """Return how many events of a transcript are judged in a second, receipts included."""
    transcript = msgspec.json.encode(queries.transcript(match.players[0], match.id))

    def examine() -> Judgement:
        if not (judgement := judge(transcript, GAMES)).is_proved:
            raise Wrong("; ".join(f"{name}: {verdict}" for name, verdict in judgement.verdicts.items()))
        return judgement

    warm_up(examine, 0.5)
    watches = [undisturbed(lambda: [examine() for _ in range(20)]) for _ in range(rounds)]
    rate = count * 20 / statistics.median(watch.cpu for watch in watches)
    return Figure(
        name="events verified offline",
        method=f"the transcript of that game, {len(transcript) / 1024:.0f} KiB; median of {rounds} x 20",
        figure=f"{rate:,.0f} a second of one core",
        value=rate,
        unit="1/s",
        goal=RATE,
        foreign=statistics.median(watch.foreign or 0.0 for watch in watches),
    )


def _figure(name: str, method: str, task: Callable[[], object], rounds: int) -> Figure:
    warm_up(task, 0.5)
    watches = [undisturbed(lambda: [task() for _ in range(20)]) for _ in range(rounds)]
    wall = statistics.median(watch.wall for watch in watches) / 20 * 1e3
    cpu = statistics.median(watch.cpu for watch in watches) / 20 * 1e3
    return Figure(
        name=name,
        method=f"{method}; median of {rounds} x 20",
        figure=f"{wall:.1f} ms ({cpu:.1f} ms CPU)",
        value=wall,
        unit="ms",
        goal=MUST,
        foreign=statistics.median(watch.foreign or 0.0 for watch in watches),
    )
