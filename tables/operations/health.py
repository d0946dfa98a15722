"""Is this process alive, may it serve, and does the installation keep up?  Without ids, names or addresses.

An answer is kept for a second, so it costs as little whoever asks and however often.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

import msgspec
from django.conf import settings
from django.db import connection

from events import privileges
from tables import signing
from tables.operations import bounded, figures, migrated

KEPT_SECONDS = 1.0


class Check(msgspec.Struct, kw_only=True, frozen=True):
    """One thing looked at; ``age_seconds`` None: it has never happened."""

    name: str
    ok: bool
    detail: str
    age_seconds: int | msgspec.UnsetType | None = msgspec.UNSET
    count: int | msgspec.UnsetType = msgspec.UNSET
    limit: int | msgspec.UnsetType = msgspec.UNSET


class Health(msgspec.Struct, kw_only=True, frozen=True):
    """All checks of one look; ``status`` is ``ok`` or ``failing``."""

    status: str
    checks: tuple[Check, ...] = ()

    @property
    def is_ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.status == "ok"


_lock = Lock()
_kept: dict[str, tuple[float, Health]] = {}


def live() -> Health:
    """Return that this process answers."""
    return Health(status="ok")


def ready() -> Health:
    """Return whether this process can serve: database, migrations, and the guards of the log."""
    return _recent("ready", _ready)


def deep() -> Health:
    """Return whether the installation keeps up: heartbeats, outbox, webhooks, deadlines, tables, proofs."""
    return _recent("deep", _deep)


def _recent(name: str, look: Callable[[], list[Check]]) -> Health:
    """Return what a look finds, or found within the last second."""
    with _lock:
        looked_at, health = _kept.get(name, (0.0, live()))
        if looked_at and time.monotonic() - looked_at < KEPT_SECONDS:
            return health
        try:
            checks = bounded.look(look)
        except bounded.NoAnswer:
            checks = [_NO_ANSWER]
        health = Health(status="ok" if all(each.ok for each in checks) else "failing", checks=tuple(checks))
        _kept[name] = (time.monotonic(), health)
        return health


def _ready() -> list[Check]:
    missing = migrated.missing(connection)
    told = f"{len(missing)} are not applied; run: python manage.py migrate" if missing else "All are applied."
    checks = [
        _ANSWER,
        Check(name="migrations", ok=not missing, detail=told, count=len(missing), limit=0),
    ]
    return checks if missing else [*checks, _guards()]


def _guards() -> Check:
    """Judge the log's guards without saying what is open: who asks may be anybody."""
    if not settings.OWNER_SEPARATE:
        return Check(name="guards", ok=True, detail="The log has no guards, as only development may.")
    found = len(privileges.audit(connection))
    told = "Roles, privileges and triggers keep the log append-only."
    if found:
        told = "The log can be changed, or not be written; manage.py doctor says by whom, and how to mend it."
    return Check(name="guards", ok=not found, detail=told, count=found, limit=0)


def _deep() -> list[Check]:
    with connection.cursor() as cursor:
        found = figures.look(cursor)
    return [
        _ANSWER,
        *(_beat(driver, found.beats.get(driver)) for driver in settings.DRIVERS),
        Check(
            name="clock",
            ok=not found.has_jumped,
            detail="It was set, and nothing expires until it is trusted again."
            if found.has_jumped
            else "It runs.",
        ),
        _aged("outbox", "The oldest row of the outbox", found.outbox_age, figures.OUTBOX_SECONDS),
        _aged("webhooks", "The oldest webhook", found.webhook_age, figures.WEBHOOK_SECONDS),
        _aged("overdue", "The turn overdue for longest", found.overdue_age, figures.OVERDUE_SECONDS),
        _none("suspended", found.suspended_tables, "tables are suspended"),
        _none("verdicts", found.unproved_tables, "finished games are not proved"),
        _proof(found.beats.get(figures.VERIFIER)),
        _signer(),
    ]


def _signer() -> Check:
    """Judge whether receipts are signed."""
    signs = signing.is_signing()
    told = "Receipts are signed." if signs else "No signature is to be had: receipts are pending."
    return Check(name="signer", ok=signs, detail=told)


def _beat(driver: str, age: float | None) -> Check:
    """Judge whether a driver of deadlines sweeps."""
    told = "never" if age is None else f"{age:.0f} s ago"
    return Check(
        name=f"sweep_{driver}",
        ok=age is not None and age <= figures.STALE_SECONDS,
        detail=f"Last sweep: {told}.",
        age_seconds=None if age is None else int(age),
        limit=figures.STALE_SECONDS,
    )


def _aged(name: str, what: str, age: float, limit: int) -> Check:
    told = f"{what} has waited for {age:.0f} s." if age else "Nothing waits."
    return Check(name=name, ok=age <= limit, detail=told, age_seconds=int(age), limit=limit)


def _none(name: str, count: int, what: str) -> Check:
    return Check(name=name, ok=not count, detail=f"{count} {what}.", count=count, limit=0)


def _proof(age: float | None) -> Check:
    """Judge when all tables were last proved; that nobody has ever asked for it is no failure."""
    told = "never" if age is None else f"{age / 3600:.0f} h ago"
    return Check(
        name="verification",
        ok=age is None or age <= figures.VERIFIED_SECONDS,
        detail=f"All tables were last proved: {told}.",
        age_seconds=None if age is None else int(age),
        limit=figures.VERIFIED_SECONDS,
    )


_ANSWER = Check(name="database", ok=True, detail="The database answers.")
_NO_ANSWER = Check(
    name="database",
    ok=False,
    detail=f"The database gives no answer, or no connection, within {bounded.LIMIT_SECONDS:.0f} s.",
)
