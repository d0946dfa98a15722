"""Checks of the database and of what its rows tell: roles, migrations, guards, sweeps, outbox, clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import psycopg
from django.conf import settings
from django.db import connections

from events import privileges
from events.receipts import NoSignature
from tables.operations import figures, migrated
from tables.signing import signer

MOST_SECONDS_APART = 2.0
MOST_IDS = 5
_HOW = {
    "celery": "celery -A config beat, and celery -A config worker --queues deadlines",
    "daemon": "python manage.py daemon",
}


def connect(alias: str) -> psycopg.Connection[Any]:
    """Return a plain connection to a database of the settings.  Raises psycopg.Error within seconds."""
    parameters: dict[str, Any] = connections[alias].get_connection_params()
    connection = psycopg.connect(**{**parameters, "connect_timeout": 2}, autocommit=True)
    connection.execute("SET statement_timeout = '5s'")
    return connection


def unreachable(variable: str, error: psycopg.Error) -> str:
    """Return the sentence for a database that cannot be reached."""
    told = (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")
    mend = "start it" if settings.PRODUCTION else "start it, with make up if it is the embedded one"
    return f"The database does not answer: {told}; {mend}, or mend {variable}."


def roles(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that who migrates is not who plays."""
    if not settings.OWNER_SEPARATE:
        yield (
            "DATABASE_OWNER_URL is not set, so the application owns the log and can change it; make the roles"
            " with: psql -d posta -f stack/roles.sql, and set it to the address of posta_owner."
        )
        return
    try:
        owner = connect("owner")
    except psycopg.Error as error:
        yield unreachable("DATABASE_OWNER_URL", error)
        return
    with owner:
        names = [_value(each, "SELECT current_user") for each in (connection, owner)]
        if names[0] == names[1]:
            yield (
                f"DATABASE_URL and DATABASE_OWNER_URL both connect as {names[0]}, so the application can"
                " change the log; let them name posta_app and posta_owner (stack/roles.sql makes them)."
            )


def migrations(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that the database is that of this code."""
    if missing := migrated.missing(connection):
        yield (
            f"{_count(len(missing), 'migration')} not applied, {missing[0]} first;"
            " run: python manage.py migrate"
        )


def guards(connection: psycopg.Connection[Any]) -> Iterable[str]:
    """Judge roles, privileges, triggers and functions around the log, as servers do when they start."""
    return privileges.audit(connection) if settings.OWNER_SEPARATE else ()


def sweeps(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that every driver of deadlines has just swept."""
    beats = _figures(connection).beats
    for driver in settings.DRIVERS:
        age = beats.get(driver)
        if age is not None and age <= figures.STALE_SECONDS:
            continue
        last = "has never swept" if age is None else f"last swept {_age(age)} ago"
        how = _HOW[driver] if settings.PRODUCTION else f"make up, or {_HOW[driver]}"
        yield (
            f"Overdue turns may wait: the driver {driver} {last}; start it with: {how}."
            f" If it is not meant to run, set POSTA_DRIVERS={_other(driver)}."
        )


def outbox(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that what is to be done gets done."""
    found = _figures(connection)
    if found.outbox_age > figures.OUTBOX_SECONDS:
        yield (
            f"{_count(found.outbox_rows, 'row')} waiting in the outbox, the oldest for"
            f" {_age(found.outbox_age)}, so bots do not move; start celery -A config worker --queues default,"
            " or python manage.py daemon. If they run, their logs say what fails."
        )


def webhooks(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that webhooks are sent; that receivers fail is their owners' affair."""
    found = _figures(connection)
    if found.webhook_age > figures.WEBHOOK_SECONDS:
        yield (
            f"{_count(found.webhook_rows, 'webhook')} waiting to be sent, the oldest for"
            f" {_age(found.webhook_age)}; start celery -A config worker --queues webhooks, or python"
            " manage.py daemon. If they run, their logs say what fails."
        )


def overdue(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that turns end at their deadlines."""
    found = _figures(connection)
    if found.overdue_age > figures.OVERDUE_SECONDS:
        yield (
            f"{_count(found.overdue_tables, 'table')} overdue, the oldest for {_age(found.overdue_age)};"
            " if drivers sweep, the log of one says which time-out fails, and why."
        )


def suspended(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that no table has been given up."""
    rows = connection.execute(
        "SELECT id FROM tables_table WHERE suspended_at IS NOT NULL ORDER BY id"
    ).fetchall()
    if not rows:
        return
    ids = ", ".join(str(row[0]) for row in rows[:MOST_IDS]) + (", ..." if len(rows) > MOST_IDS else "")
    yield (
        f"{_count(len(rows), 'table')} suspended because the time-out failed too often: {ids}."
        " The log of whoever swept says why, and python manage.py verify_streams --table ID what is broken."
        " Mend that, then run: python manage.py resume_table ID"
    )


def keys(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that the private half of every key that has signed is at hand, and that the present one signs."""
    rows = connection.execute("SELECT kid, valid_from, valid_until FROM tables_serverkey").fetchall()
    try:
        at_hand = [each.kid for each in signer().held()]
    except NoSignature:
        return  # the check of the signing key says why
    retired = {kid: since for kid, since, until in rows if until is not None}
    reaches_back_to = min((since for kid, since, _ in rows if kid in at_hand), default=0)
    if at_hand[0] in retired:
        yield (
            f"The signing key is {at_hand[0]}, which was retired, so new receipts are pending; let"
            " POSTA_SIGNING_KEY name its successor."
        )
    for kid in (each for each in retired if each not in at_hand and retired[each] < reaches_back_to):
        yield (
            f"The private half of key {kid} is missing, so games of its time get no receipt any more; put its"
            " file beside the signing key, or if it is lost, run: python manage.py rotate_signing_key"
            f" --lost {kid}"
        )


def clock(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that database and host tell the same time, within what the question itself takes."""
    before = time.time()
    told = _value(connection, "SELECT now_ms()") / 1000
    after = time.time()
    apart = max(before - told, told - after, 0.0)
    if apart > MOST_SECONDS_APART:
        side = "behind" if told < before else "ahead of"
        yield (
            f"The clock of the database is {_age(apart)} {side} this machine's, and turns end by the"
            " database's; let both follow a time server (timedatectl set-ntp true)."
        )


def trust(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Judge that no driver has found the clock of the database set."""
    if _figures(connection).has_jumped:
        yield (
            "The clock of the database was set while Posta ran, so no turn ends until you say that it is"
            " right; look at it, then run: python manage.py trust_clock"
        )


CHECKS: Final[tuple[tuple[str, Callable[[psycopg.Connection[Any]], Iterable[str]]], ...]] = (
    ("roles", roles),
    ("migrations", migrations),
    ("guards of the log", guards),
    ("signing keys", keys),
    ("clock", clock),
    ("trust in the clock", trust),
    ("sweeps", sweeps),
    ("outbox", outbox),
    ("webhooks", webhooks),
    ("overdue tables", overdue),
    ("suspended tables", suspended),
)


def _figures(connection: psycopg.Connection[Any]) -> figures.Figures:
    with connection.cursor() as cursor:
        return figures.look(cursor)


def _value(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query).fetchone()
    return row and row[0]


def _other(driver: str) -> str:
    return "daemon" if driver == "celery" else "celery"


def _count(number: int, what: str) -> str:
    return f"{number} {what} is" if number == 1 else f"{number} {what}s are"


def _age(seconds: float) -> str:
    """Return a length of time in the unit that fits it."""
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if round(seconds) >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
