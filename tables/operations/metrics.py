"""What Prometheus may ask: counters and durations of all processes, and the figures of the database.

No label is an id, and none tells what is hidden: moves are counted by game and by what became of
them, never by kind, for a kind of a sealed choice is the choice.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from functools import partial, wraps
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

import prometheus_client.values
from django.conf import settings
from django.db import connection, transaction
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.values import MultiProcessValue

from engines.errors import RuleViolation
from tables.errors import Refusal
from tables.operations import bounded, figures
from tables.operations.figures import Figures

P = ParamSpec("P")
R = TypeVar("R")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
MOST_PROCESSES = 1000
_slot: tuple[int, int, IO[bytes] | None] = (0, 0, None)


def _own_slot() -> int:
    """Return the number under which this process counts: the lowest that no living process has.

    Whoever comes after it goes on counting where it stopped, so files do not pile up as workers come
    and go.  The kernel drops the lock with the process; a child of a fork takes a number of its own.
    """
    global _slot
    process, number, held = _slot
    if process == os.getpid():
        return number
    if held is not None:
        held.close()  # our copy of the parent's; the parent still has the lock
    for number in range(MOST_PROCESSES):
        lock = (Path(settings.METRICS_DIR) / f"{number}.lock").open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        _slot = (os.getpid(), number, lock)
        return number
    raise OSError(f"more than {MOST_PROCESSES} processes count in {settings.METRICS_DIR}")


if settings.METRICS_DIR:
    Path(settings.METRICS_DIR).mkdir(mode=0o700, parents=True, exist_ok=True)
    prometheus_client.values.ValueClass = MultiProcessValue(_own_slot)  # type: ignore[no-untyped-call]

_registry = CollectorRegistry()
REQUESTS = Histogram(
    "posta_request_seconds",
    "Time to answer a request, by method, route and class of status.",
    ["method", "route", "status"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=_registry,
)
MOVES = Counter(
    "posta_moves",
    "Moves by game and by what became of them: played, repeated, refused by the rules, or late.",
    ["game", "result"],
    registry=_registry,
)
LATENESS = Histogram(
    "posta_time_out_lateness_seconds",
    "Time from a deadline to its time-out.",
    buckets=(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600),
    registry=_registry,
)
REPLAYS = Histogram(
    "posta_replay_seconds",
    "Time to fold a log from its events, where no snapshot serves.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=_registry,
)
SWEPT = Counter("posta_swept_tables", "Overdue tables taken up by sweeps.", ["driver"], registry=_registry)
WEBHOOKS = Counter(
    "posta_webhook_attempts",
    "Attempts to send a webhook: delivered, or failed at the receiver's end.",
    ["result"],
    registry=_registry,
)
RELAYED = Counter("posta_outbox_done", "Rows of the outbox that were done.", registry=_registry)


def answered(method: str | None, route: str, status: int, seconds: float) -> None:
    """Count an answered request; ``route`` is a template, not a path."""
    known = method if method in METHODS else "other"
    REQUESTS.labels(known, route, f"{status // 100}xx").observe(seconds)


def counted(play: Callable[P, R]) -> Callable[P, R]:
    """Let a function that plays a move at a host be counted; it returns (span, whether it is a repeat)."""

    @wraps(play)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        host: Any = args[0]
        try:
            done: Any = play(*args, **kwargs)
        except (RuleViolation, Refusal) as refusal:
            result = "refused" if isinstance(refusal, RuleViolation) else "late"
            MOVES.labels(host.game.id, result).inc()
            raise
        MOVES.labels(host.game.id, "repeated" if done[1] else "played").inc()
        return done  # type: ignore[no-any-return]

    return run


def timed_out(late_ms: int) -> None:
    """Note how late a time-out is, once it is committed."""
    transaction.on_commit(partial(LATENESS.observe, late_ms / 1000), robust=True)


def swept(driver: str, tables: int) -> None:
    """Count what one sweep has taken up."""
    SWEPT.labels(driver).inc(tables)


def webhook_sent(*, delivered: bool) -> None:
    """Count an attempt to send a webhook."""
    WEBHOOKS.labels("delivered" if delivered else "failed").inc()


def exposition(accept: str) -> tuple[bytes, str]:
    """Return all metrics in the format that ``accept`` asks for, and the format's name."""
    registry = CollectorRegistry()
    if settings.METRICS_DIR:
        MultiProcessCollector(registry, settings.METRICS_DIR)  # type: ignore[no-untyped-call]
    registry.register(_FromDatabase())
    encode, content_type = choose_encoder(accept)
    own = b"" if settings.METRICS_DIR else encode(_registry)
    return own.removesuffix(b"# EOF\n") + encode(registry), content_type


class _FromDatabase(Collector):
    """The figures of the database at the moment of asking."""

    def collect(self) -> Iterator[Metric]:
        """Yield the figures, or that there is no answer."""
        try:
            found = bounded.look(_figures)
        except bounded.NoAnswer:
            yield GaugeMetricFamily("posta_database_up", "Whether the database answers.", 0)
            return
        yield GaugeMetricFamily("posta_database_up", "Whether the database answers.", 1)
        beats = GaugeMetricFamily(
            "posta_sweep_age_seconds", "Time since a driver's last sweep.", labels=["driver"]
        )
        for driver, age in sorted(found.beats.items()):
            beats.add_metric([driver], age)
        yield beats
        for name, text, value in (
            ("posta_outbox_rows", "Rows of the outbox that are due.", found.outbox_rows),
            ("posta_outbox_age_seconds", "How long the oldest of them has been due.", found.outbox_age),
            ("posta_webhook_rows", "Webhooks that wait for their first attempt.", found.webhook_rows),
            ("posta_webhook_age_seconds", "How long the oldest of them has been due.", found.webhook_age),
            ("posta_overdue_tables", "Tables whose deadline has passed.", found.overdue_tables),
            ("posta_overdue_age_seconds", "For how long, of the oldest.", found.overdue_age),
            ("posta_suspended_tables", "Tables whose time-out failed too often.", found.suspended_tables),
            ("posta_unproved_tables", "Finished games whose log did not hold.", found.unproved_tables),
        ):
            yield GaugeMetricFamily(name, text, value)


def _figures() -> Figures:
    with connection.cursor() as cursor:
        return figures.look(cursor)
