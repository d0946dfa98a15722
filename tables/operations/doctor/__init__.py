"""What is wrong with this installation and how to mend it, a sentence for each thing.

It looks, and changes and starts nothing.  A check is a function that yields sentences; one that cannot
be made is a finding too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import psycopg

from tables.operations.doctor import broker, database, host


@dataclass(frozen=True, slots=True)
class Examined:
    """One check that was made, and what it found."""

    title: str
    findings: tuple[str, ...]


def examine() -> Iterator[Examined]:
    """Make every check, in the order in which things have to be mended; yield each as it is made.

    Where the database does not answer, or no process starts, what it would have been asked is left out.
    """
    starts = True
    for each in (_examined(title, look) for title, look in host.CHECKS):
        starts &= each.title != "metrics" or not each.findings
        yield each
    yield _examined("broker", broker.check)
    if not starts:
        return
    try:
        connection = database.connect("default")
    except psycopg.Error as error:
        yield Examined("database", (database.unreachable("DATABASE_URL", error),))
        return
    with connection:
        yield Examined("database", ())
        for title, check in database.CHECKS:
            examined = _examined(title, partial(check, connection))
            yield examined
            if title == "migrations" and examined.findings:
                return  # the tables that the others ask may be missing


def _examined(title: str, check: Callable[[], Iterable[str]]) -> Examined:
    try:
        return Examined(title, tuple(check()))
    except Exception as error:  # a doctor does not faint
        told = (str(error).strip().splitlines() or ["no reason given"])[0]
        return Examined(title, (f"This could not be looked at: {told} ({type(error).__name__}).",))
