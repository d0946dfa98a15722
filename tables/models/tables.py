"""Tables, and what belongs to one of them: its secrets, and the log of another server that it came with."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from tables.models.accounts import Player


class Table(models.Model):
    """One hosted play of a game.  Locked before everything else that a command touches.

    ``due_at`` is when time brings something about next: the deadline of a turn, the end of a vote.
    ``author`` wrote the title, and may be another than ``host`` by now.  ``imported_from`` is the key of the
    server where it was played, None: here; ``forked_from`` and ``forked_at`` the table and position from
    which it goes on, unrated.  ``verdict`` (``proved`` or
    ``failed``) is what was found at ``verified_at`` of the log up to ``verified_upto``.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    game = models.CharField(max_length=40)
    title = models.CharField(max_length=80, blank=True)
    visibility = models.CharField(max_length=10)
    invite_code = models.CharField(max_length=32, unique=True)
    host = models.ForeignKey(Player, null=True, on_delete=models.SET_NULL, related_name="hosted")
    author = models.ForeignKey(Player, null=True, on_delete=models.SET_NULL, related_name="titled")
    origin = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="rematches")
    forked_from = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="forks")
    forked_at = models.IntegerField(null=True)
    imported_from = models.CharField(max_length=16, null=True)
    spectator_talk = models.CharField(max_length=10, default="none")
    least_reliability = models.SmallIntegerField(default=0)
    fairness = models.CharField(max_length=20, default="server")
    status = models.CharField(max_length=10)
    seats = models.SmallIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    settings = models.JSONField(default=dict)
    version = models.IntegerField(default=0)
    turn = models.IntegerField(default=0)
    outcome = models.JSONField(null=True)
    awaited = ArrayField(models.SmallIntegerField(), default=list)
    deadline_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    seeking = ArrayField(models.SmallIntegerField(), default=list)
    expiry_attempts = models.SmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    suspended_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)
    verified_upto = models.IntegerField(null=True)
    verdict = models.CharField(max_length=10, null=True)

    class Meta:
        """Sweeps look for tables that are due, the lobby for open ones, health for those not proved."""

        indexes = [
            models.Index(
                fields=["due_at"],
                name="table_due",
                condition=Q(due_at__isnull=False, suspended_at__isnull=True),
            ),
            models.Index(fields=["status", "-created_at"], name="table_lobby"),
            models.Index(fields=["verdict"], name="table_not_proved", condition=Q(verdict="failed")),
        ]


class Import(models.Model):
    """What came with the log of a table that was played on another server: its receipts, and whose they are.

    Both are lists as transcripts have them; no key of ours signs such a table.
    """

    table = models.OneToOneField(Table, on_delete=models.PROTECT, primary_key=True, related_name="imported")
    receipts = models.JSONField()
    keys = models.JSONField()
    imported_at = models.DateTimeField(auto_now_add=True)


class Seed(models.Model):
    """The server's secret behind all chance of one epoch of a table, published when it ends."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="seeds")
    epoch = models.SmallIntegerField()
    seed = models.BinaryField(max_length=32)

    class Meta:
        """One seed an epoch."""

        constraints = [models.UniqueConstraint(fields=["table", "epoch"], name="seed_once")]


class Sandbox(models.Model):
    """What a sandbox plays: the secret behind all its chance, and the moves that its bots are told."""

    table = models.OneToOneField(Table, on_delete=models.PROTECT, primary_key=True, related_name="plan")
    root = models.BinaryField(max_length=32)
    script = models.JSONField()
