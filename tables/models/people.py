"""What players think of one another: whom they mute, block and report."""

from __future__ import annotations

from django.db import models

from tables.models.accounts import Player


class Mute(models.Model):
    """Whose messages a player does not want to read."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="mutes")
    muted = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="muted_by")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """A player is muted once."""

        constraints = [models.UniqueConstraint(fields=["player", "muted"], name="mute_once")]


class Block(models.Model):
    """With whom a player wants to have nothing to do; nobody else ever knows."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="blocked_by")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """A player is blocked once."""

        constraints = [models.UniqueConstraint(fields=["player", "blocked"], name="block_once")]


class PlayerReport(models.Model):
    """That a player has asked staff to look at another, and why."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="reports")
    reported = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="reported_by")
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        """A player reports another once, until staff have looked."""

        constraints = [models.UniqueConstraint(fields=["player", "reported"], name="player_reported_once")]
