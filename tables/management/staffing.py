"""What the commands of staff share: why they step in, and how a refusal reads."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from tables import wording
from tables.errors import BadField, Refusal
from tables.interventions import REASONS
from tables.rulings import MOST_HOURS
from tables.wanted import sentence


def add_table(parser: CommandParser) -> None:
    """Ask for the table."""
    parser.add_argument("table", type=uuid.UUID, help="the id of the table")


def add_reason(parser: CommandParser, default: str | None = None) -> None:
    """Ask for the reason, which is for all to read and never goes away."""
    parser.add_argument(
        "--reason",
        choices=REASONS,
        default=default,
        required=default is None,
        help="why, for all to read: the conduct of a player, a dispute of players, a fault of the server,"
        " a demand by law, that what was wrong is mended, the request of a player",
    )


def hours_of(hours: int) -> int:
    """Return for how long something is to last.  Raises CommandError for what is too short or too long."""
    if not 1 <= hours <= MOST_HOURS:
        raise CommandError(f"It may be 1 to {MOST_HOURS} hours.")
    return hours


@contextmanager
def refused(what: str) -> Iterator[None]:
    """Turn a refusal, or a database that does not take it, into a sentence that begins with ``what``."""
    try:
        yield
    except BadField as wrong:
        facts = {name: wrong.facts.get(name, "") for name in ("code", "pointer", "wanted")}
        detail = sentence(facts["code"], "en", wanted=facts["wanted"]) or facts["code"]
        raise CommandError(f"{what}, for its {facts['pointer'].removeprefix('#/')}: {detail}") from None
    except Refusal as refusal:
        detail = wording.worded(wording.DETAILS, refusal.code, "en") or refusal.code
        raise CommandError(f"{what}: {detail}") from None
    except DatabaseError as error:
        raise CommandError(f"{what}: the database does not take it ({type(error).__name__}).") from error
