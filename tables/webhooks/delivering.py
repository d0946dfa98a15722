"""From the rows of deliveries to the endpoints: in order for a table and an endpoint, each at least once.

An endpoint is claimed for half a minute, then called while no transaction is open and no lock is held, then
its row is written.  Whoever dies in between leaves an attempt that is made again, under the same id.
Endpoints that fail have a share of the calls at a time, so that they hold up no others.
"""

from __future__ import annotations

import logging
import time
import uuid
from concurrent.futures import FIRST_COMPLETED, Future, wait
from datetime import datetime
from random import SystemRandom
from typing import Final, NamedTuple

import msgspec
from django.conf import settings
from django.db import connection, transaction

from tables import hosting
from tables.answers import text_of
from tables.clock import milliseconds, moment
from tables.models import WebhookDelivery, WebhookEndpoint
from tables.notices import announcing as notices
from tables.operations import metrics
from tables.shapes import WebhookBody, WebhookChallenge, WebhookChallengeData, WebhookData
from tables.webhooks import schedule, signing
from tables.webhooks.announcing import CHALLENGE, TURN
from tables.webhooks.sending import GONE, Letter, Loop, Outcome
from tables.webhooks.targets import BadUrl, target_of

logger = logging.getLogger(__name__)

MOST_SECONDS: Final = 30.0
MOST_AT_ONCE: Final = 32
MOST_FAILING: Final = 16
LOOK_SECONDS: Final = 0.25
LEASE_SECONDS: Final = 30

_NOW = "(SELECT to_timestamp(now_ms() / 1000.0))"
_WAITING = "SELECT EXISTS (SELECT FROM tables_webhookdelivery WHERE status = 'pending')"
_CLAIM = f"""
WITH due AS MATERIALIZED (
  SELECT e.id, d.id AS delivery
  FROM {_NOW} AS n (at), tables_webhookendpoint AS e, LATERAL (
    SELECT h.id, h.next_attempt_at FROM (
      SELECT DISTINCT ON (table_id) id, next_attempt_at FROM tables_webhookdelivery
      WHERE endpoint_id = e.id AND status = 'pending' ORDER BY table_id, id
    ) AS h WHERE h.next_attempt_at <= n.at ORDER BY h.next_attempt_at, h.id LIMIT 1
  ) AS d
  WHERE e.status <> 'disabled' AND (e.busy_until IS NULL OR e.busy_until <= n.at)
    AND (e.failing_since IS NOT NULL) = %s
  ORDER BY d.next_attempt_at LIMIT %s FOR NO KEY UPDATE OF e SKIP LOCKED
), held AS (
  UPDATE tables_webhookendpoint AS e SET busy_until = {_NOW} + make_interval(secs => %s)
  FROM due WHERE e.id = due.id RETURNING e.id, e.url, e.salt, e.old_salt, e.old_until > {_NOW} AS overlaps
)
UPDATE tables_webhookdelivery AS d SET attempts = d.attempts + 1 FROM due JOIN held ON held.id = due.id
WHERE d.id = due.delivery
RETURNING d.id, d.message, d.type, d.table_id, d.position, d.occurred_at,
  held.url, held.salt, held.old_salt, held.overlaps
"""  # noqa: S608
"""The first delivery of each table alone can be due: the others wait for it."""
_PRUNE = """
DELETE FROM tables_webhookdelivery WHERE id IN (
  SELECT d.id FROM tables_webhookdelivery AS d LEFT JOIN tables_table AS t ON t.id = d.table_id
  WHERE d.status <> 'pending' AND d.occurred_at < to_timestamp(now_ms() / 1000.0) - interval '30 days'
    AND (d.type <> %s OR t.status IS NULL OR t.status IN ('finished', 'closed'))
  LIMIT 5000)
"""
"""A turn that is open for longer is told once all the same."""


class Claimed(NamedTuple):
    """A delivery whose endpoint is held for it."""

    id: int
    message: uuid.UUID
    type: str
    table_id: uuid.UUID | None
    position: int | None
    occurred_at: datetime
    url: str
    salt: bytes
    old_salt: bytes | None
    overlaps: bool | None


class _OnItsWay(NamedTuple):
    """A delivery that is being sent, since when, and whether its endpoint failed before."""

    id: int
    began: float
    was_failing: bool


def deliver() -> int:
    """Send what is due until nothing is left or time runs out; return how many attempts were made."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        if not cursor.fetchone()[0]:
            return 0
    with Loop(MOST_AT_ONCE) as loop:
        return _deliver_by(loop)


def _deliver_by(loop: Loop) -> int:
    done, until = 0, time.monotonic() + MOST_SECONDS
    on_its_way: dict[Future[Outcome], _OnItsWay] = {}
    while True:
        if time.monotonic() < until:
            on_its_way |= _begun(loop, on_its_way)
        if not on_its_way:
            return done
        finished, _ = wait(on_its_way, LOOK_SECONDS, FIRST_COMPLETED)
        for each in finished:
            sent = on_its_way.pop(each)
            _record(sent.id, _outcome_of(each), round((time.monotonic() - sent.began) * 1000))
            done += 1


def _begun(loop: Loop, on_its_way: dict[Future[Outcome], _OnItsWay]) -> dict[Future[Outcome], _OnItsWay]:
    """Begin to send what is due, as far as there is room; what fails already has a part of it."""
    begun: dict[Future[Outcome], _OnItsWay] = {}
    for is_failing in (False, True):
        room = MOST_AT_ONCE - len(on_its_way) - len(begun)
        if is_failing:
            room = min(room, MOST_FAILING - sum(each.was_failing for each in on_its_way.values()))
        for claimed in _claim(is_failing=is_failing, most=room) if room > 0 else ():
            try:
                letter = letter_of(claimed)
            except BadUrl:  # the settings allow less than they did
                _record(claimed.id, Outcome("bad_address"), 0)
                continue
            begun[loop.send(letter)] = _OnItsWay(claimed.id, time.monotonic(), is_failing)
    return begun


def _claim(*, is_failing: bool, most: int) -> list[Claimed]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_CLAIM, [is_failing, most, LEASE_SECONDS])
        return [Claimed(*row) for row in cursor.fetchall()]


def letter_of(claimed: Claimed) -> Letter:
    """Return a delivery as it is sent, signed now.  Raises BadUrl."""
    message, at = str(claimed.message), text_of(claimed.occurred_at)
    challenge = None
    told: WebhookBody | WebhookChallenge
    if claimed.position is None:
        challenge = signing.challenge_of(message)
        told = WebhookChallenge(
            type=claimed.type, timestamp=at, data=WebhookChallengeData(challenge=challenge)
        )
    else:
        place = WebhookData(table_id=str(claimed.table_id), position=claimed.position)
        told = WebhookBody(type=claimed.type, timestamp=at, data=place)
    body = msgspec.json.encode(told)
    salts = [claimed.salt, *([claimed.old_salt] if claimed.old_salt and claimed.overlaps else [])]
    return Letter(
        target=target_of(claimed.url, to_loopback=settings.WEBHOOKS_TO_LOOPBACK),
        headers=signing.headers_of(message, body, salts),
        body=body,
        challenge=challenge,
    )


def _outcome_of(sent: Future[Outcome]) -> Outcome:
    try:
        return sent.result()
    except Exception:
        logger.exception("a webhook could not be sent")
        return Outcome("unreachable")


def _record(delivery_id: int, outcome: Outcome, duration_ms: int) -> None:
    """Write down what became of an attempt, and what follows for its endpoint.

    A delivery that was dropped meanwhile, for its endpoint was changed, stays as it is.
    """
    metrics.webhook_sent(delivered=not outcome.error)
    with transaction.atomic():
        endpoint = (
            WebhookEndpoint.objects.select_for_update(no_key=True)
            .filter(deliveries=delivery_id, deliveries__status="pending")
            .first()
        )
        if endpoint is None:
            return
        delivery, now = WebhookDelivery.objects.get(id=delivery_id), hosting.now_ms()
        delivery.attempted_at, delivery.duration_ms = moment(now), duration_ms
        delivery.response_status, delivery.error = outcome.status, outcome.error
        endpoint.busy_until = None
        if outcome.error:
            _failed(endpoint, delivery, now)
        else:
            delivery.status, delivery.next_attempt_at = "delivered", None
            endpoint.failing_since, endpoint.failures = None, 0
            if delivery.type == CHALLENGE:
                endpoint.status = "active"
        delivery.save()
        endpoint.save(update_fields=["status", "reason", "busy_until", "failing_since", "failures"])


def _failed(endpoint: WebhookEndpoint, delivery: WebhookDelivery, now: int) -> None:
    """Put a delivery off, or give it up; give its endpoint up that is gone, or fails for too long."""
    chance = SystemRandom().random()
    again_at = None if delivery.again else schedule.again_at(delivery.attempts, now, chance)
    delivery.status = "failed" if again_at is None else "pending"
    delivery.next_attempt_at = None if again_at is None else moment(again_at)
    endpoint.failing_since = endpoint.failing_since or moment(now)
    endpoint.failures = min(endpoint.failures + 1, len(schedule.PAUSES_MS))
    endpoint.busy_until = moment(schedule.free_at(endpoint.failures, now))
    is_gone = delivery.response_status == GONE
    if is_gone or schedule.is_lost(milliseconds(endpoint.failing_since), now):
        delivery.status, delivery.next_attempt_at = "failed", None
        disable(endpoint, "gone" if is_gone else "failing")
        if delivery.table_id is not None and delivery.position is not None:
            position = delivery.position
            notices.tell(endpoint.player_id, delivery.table_id, "webhook_off", position=position)


def disable(endpoint: WebhookEndpoint, reason: str) -> None:
    """Tell an endpoint nothing any more, for a reason; whoever calls this holds and saves its row."""
    endpoint.status, endpoint.reason = "disabled", reason
    endpoint.failing_since, endpoint.failures, endpoint.busy_until = None, 0, None
    drop(endpoint)


def drop(endpoint: WebhookEndpoint) -> None:
    """Let go of what waits to be sent to an endpoint."""
    waiting = WebhookDelivery.objects.filter(endpoint=endpoint, status="pending")
    waiting.update(status="dropped", next_attempt_at=None)


def prune() -> int:
    """Delete what was settled a month ago; return how many of some thousand rows."""
    with connection.cursor() as cursor:
        cursor.execute(_PRUNE, [TURN])
        return int(cursor.rowcount)
