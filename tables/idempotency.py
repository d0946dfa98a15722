"""A request that was sent twice counts once.

The record is written in the transaction of what the request did.  It keeps no secret of a game: a move's
answer is made again from the log, a refusal is kept as its code and facts.
Source: api.md 3.4.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import IntegrityError, transaction

from engines.errors import RuleViolation
from tables.errors import IdempotencyKeyReused
from tables.models import IdempotencyRecord
from tables.shapes import Answer


@dataclass(frozen=True, slots=True)
class Idempotency:
    """The key of a request, and what the request was: ``fingerprint`` is a SHA-256."""

    key: str
    scope: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """What a command answers; ``replayed`` tells that an earlier request had done it."""

    answer: Answer
    status: int = 200
    replayed: bool = False


def recall(player_id: uuid.UUID, idempotency: Idempotency | None) -> dict[str, Any] | None:
    """Return what was kept of an earlier request with the key, None for a new one.

    Raises IdempotencyKeyReused when that was another request, RuleViolation when it was this
    one and the rules refused it.
    """
    if idempotency is None:
        return None
    record = IdempotencyRecord.objects.filter(
        player=player_id, scope=idempotency.scope, key=idempotency.key
    ).first()
    if record is None:
        return None
    if bytes(record.fingerprint) != idempotency.fingerprint:
        raise IdempotencyKeyReused()
    kept: dict[str, Any] = record.answer
    if "refused" in kept:
        raise RuleViolation(kept["refused"], **kept["facts"])
    return kept


def keep(player_id: uuid.UUID, idempotency: Idempotency | None, answer: dict[str, Any]) -> None:
    """Write down what a request did, within its transaction."""
    if idempotency is not None:
        IdempotencyRecord.objects.create(
            player_id=player_id,
            scope=idempotency.scope,
            key=idempotency.key,
            fingerprint=idempotency.fingerprint,
            answer=answer,
        )


def keep_refusal(player_id: uuid.UUID, idempotency: Idempotency | None, refusal: RuleViolation) -> None:
    """Write down that the rules refused a request, after its transaction was undone."""
    try:
        with transaction.atomic():
            keep(player_id, idempotency, {"refused": refusal.code, "facts": refusal.facts})
    except IntegrityError:
        pass  # a twin of this request has written the same


def once(
    player_id: uuid.UUID,
    idempotency: Idempotency | None,
    answer_type: type[Answer],
    run: Callable[[], Done],
) -> Done:
    """Run a command within the caller's transaction, or return the answer that it gave before."""
    if (kept := recall(player_id, idempotency)) is not None:
        return Done(msgspec.convert(kept["body"], answer_type), kept["status"], replayed=True)
    done = run()
    keep(player_id, idempotency, {"status": done.status, "body": msgspec.to_builtins(done.answer)})
    return done
