"""What the server keeps for its own work: what is still to be done, repeated requests, sweeps, keys."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from tables.models.accounts import Player
from tables.models.tables import Table


class Outbox(models.Model):
    """Something to be done after an event, written in its transaction; done at least once.

    ``detail`` is what a notice tells, public facts alone; a ``key`` is written once.  ``table`` None:
    it is about an account.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, null=True, on_delete=models.PROTECT, db_constraint=False)
    position = models.IntegerField()
    kind = models.CharField(max_length=20)
    audience = models.CharField(max_length=50)
    key = models.CharField(max_length=150, null=True, unique=True)
    detail = models.JSONField(null=True)
    attempts = models.SmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    class Meta:
        """Relays look for what is due, and for what comes before it."""

        indexes = [
            models.Index(fields=["next_attempt_at"], name="outbox_due", condition=Q(done_at__isnull=True)),
            models.Index(
                fields=["table", "audience"], name="outbox_pending", condition=Q(done_at__isnull=True)
            ),
        ]


class IdempotencyRecord(models.Model):
    """What a request with an Idempotency-Key did, so that a repeat gets its first answer."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE)
    scope = models.CharField(max_length=200)
    key = models.CharField(max_length=255)
    fingerprint = models.BinaryField(max_length=32)
    answer = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """A key counts once for an account, a method and a path."""

        constraints = [
            models.UniqueConstraint(fields=["player", "scope", "key"], name="idempotency_key_once")
        ]


class Heartbeat(models.Model):
    """The last sweep of one driver of deadlines (``celery`` or ``daemon``).

    ``monotonic_ms`` is the clock of the driver's host, in its run ``boot``, at ``started_at``; ``jumped``
    that the two do not fit, so that nothing expires until an operator says so.
    """

    driver = models.CharField(max_length=20, primary_key=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    handled = models.IntegerField(default=0)
    oldest_overdue_ms = models.BigIntegerField(default=0)
    monotonic_ms = models.BigIntegerField(default=0)
    boot = models.CharField(max_length=64, blank=True)
    jumped = models.BooleanField(default=False)


class Outage(models.Model):
    """A time in which nobody looked at deadlines; those that fell in it are extended."""

    since = models.DateTimeField()
    until = models.DateTimeField()


class ServerKey(models.Model):
    """The public half of a key that signs heads, and from when until when: milliseconds of database time.

    It stays for ever; ``valid_until`` None: it signs now.
    """

    kid = models.CharField(max_length=16, primary_key=True)
    public = models.BinaryField(max_length=32)
    valid_from = models.BigIntegerField()
    valid_until = models.BigIntegerField(null=True)
