"""Who said what at a table, up to where it was read and what was reported of it; a player's own notes."""

from __future__ import annotations

from django.db import models

from tables.models.accounts import Player
from tables.models.tables import Table


class Message(models.Model):
    """Who said what stands at a position of a table's talk; None: an account that is gone.

    ``game_position`` is the log's, for queries.  Here and in other modules a table may have no constraint,
    for its check would lock the table's row: talk never waits for a move, nor a move for talk.
    """

    table = models.ForeignKey(Table, on_delete=models.PROTECT, db_constraint=False)
    position = models.IntegerField()
    player = models.ForeignKey(Player, null=True, on_delete=models.SET_NULL, related_name="messages")
    game_position = models.IntegerField()

    class Meta:
        """A position has one message; it is looked for by table and position."""

        constraints = [models.UniqueConstraint(fields=["table", "position"], name="message_once")]


class MessageReport(models.Model):
    """What a player has asked staff to look at, and why."""

    message = models.ForeignKey(Message, on_delete=models.PROTECT, related_name="reports")
    player = models.ForeignKey(Player, on_delete=models.CASCADE)
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """A player reports a message once."""

        constraints = [models.UniqueConstraint(fields=["message", "player"], name="message_reported_once")]


class LastRead(models.Model):
    """Up to which position a player has read what was said at a table."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, db_constraint=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE)
    position = models.IntegerField()

    class Meta:
        """One mark for a player at a table."""

        constraints = [models.UniqueConstraint(fields=["player", "table"], name="last_read_once")]


class Note(models.Model):
    """What a player has noted down at a table, for itself alone: whoever holds the seat later has another."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, db_constraint=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE)
    text = models.TextField()
    changed_at = models.DateTimeField()

    class Meta:
        """One note for a player at a table."""

        constraints = [models.UniqueConstraint(fields=["player", "table"], name="note_once")]
