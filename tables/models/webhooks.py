"""Where programs of players are told what happens, and what they were told."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from tables.models.accounts import Player
from tables.models.tables import Table


class WebhookEndpoint(models.Model):
    """Where a player's program is told what happens at its tables, of which ``types``.

    Its secret is computed from ``salt``; the one before, from ``old_salt``, signs too until ``old_until``.
    ``failures`` are those in a row, ``failing_since`` the first of them.  Nobody else sends to it, or
    tries to, before ``busy_until``.  ``reason`` is why it is ``disabled``.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="webhook_endpoints")
    label = models.CharField(max_length=80, blank=True)
    url = models.CharField(max_length=1000)
    types = ArrayField(models.CharField(max_length=40))
    status = models.CharField(max_length=10, default="unverified")
    reason = models.CharField(max_length=10, blank=True)
    salt = models.BinaryField(max_length=32)
    old_salt = models.BinaryField(max_length=32, null=True)
    old_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    failing_since = models.DateTimeField(null=True)
    failures = models.SmallIntegerField(default=0)
    busy_until = models.DateTimeField(null=True)


class WebhookDelivery(models.Model):
    """Something that an endpoint is told, written in the transaction of what happened; told at least once.

    ``message`` is its id for the receiver; ``table`` and ``position`` None: the question whose the endpoint
    is.  Those of a table are sent by the order of their ``id``.  ``again``: it was asked for once more.
    """

    message = models.UUIDField(unique=True)
    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.CASCADE, related_name="deliveries")
    table = models.ForeignKey(Table, null=True, on_delete=models.PROTECT, db_constraint=False)
    position = models.IntegerField(null=True)
    type = models.CharField(max_length=40)
    occurred_at = models.DateTimeField()
    status = models.CharField(max_length=10, default="pending")
    attempts = models.IntegerField(default=0)
    again = models.BooleanField(default=False)
    next_attempt_at = models.DateTimeField(null=True)
    attempted_at = models.DateTimeField(null=True)
    duration_ms = models.IntegerField(null=True)
    response_status = models.SmallIntegerField(null=True)
    error = models.CharField(max_length=20, blank=True)

    class Meta:
        """Those that wait are looked for by endpoint and table, and the log of an endpoint is read."""

        indexes = [
            models.Index(fields=["endpoint", "-id"], name="webhook_log"),
            models.Index(
                fields=["endpoint", "table", "id"], name="webhook_pending", condition=Q(status="pending")
            ),
        ]
