"""The rows of the store.  Read through ``store``; written by the SQL function ``events_append`` alone.

The tables, their triggers, functions and grants are SQL (``migrations/0001_initial.sql``), so
Django does not manage them; the models name their columns.
"""

from __future__ import annotations

from django.db import models


class Head(models.Model):
    """Where a stream ends: the version, hash and time of its last event."""

    stream = models.TextField(primary_key=True)
    version = models.IntegerField()
    hash = models.BinaryField()
    at = models.BigIntegerField()

    class Meta:
        """Made by the migration's SQL."""

        managed = False
        db_table = "events_head"


class Event(models.Model):
    """One event: the canonical header as hashed, and columns taken from it by the database."""

    pk = models.CompositePrimaryKey("stream", "position")
    stream = models.TextField()
    position = models.IntegerField()
    type = models.TextField()
    at = models.BigIntegerField()
    batch = models.IntegerField()  # first position of the append that it came with
    header = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        """Made by the migration's SQL."""

        managed = False
        db_table = "events_event"


class Secret(models.Model):
    """The opening of a slot.  Only the eraser may delete it; nobody may change it."""

    pk = models.CompositePrimaryKey("stream", "position", "slot")
    stream = models.TextField()
    position = models.IntegerField()
    slot = models.IntegerField()
    to = models.TextField()
    salt = models.BinaryField()
    payload = models.BinaryField()

    class Meta:
        """Made by the migration's SQL."""

        managed = False
        db_table = "events_secret"


class Snapshot(models.Model):
    """A folded state, to be thrown away at will.  It holds secrets."""

    stream = models.TextField(primary_key=True)
    position = models.IntegerField()
    code = models.TextField()  # version of the code that folded it
    state = models.BinaryField()
    checksum = models.BinaryField()

    class Meta:
        """Made by the migration's SQL."""

        managed = False
        db_table = "events_snapshot"
