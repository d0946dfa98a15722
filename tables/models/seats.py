"""Who holds the seats of a table, to whom they are offered, and who arbitrates it; who answered in time."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from tables.models.accounts import Player
from tables.models.tables import Table


class Tenure(models.Model):
    """Who holds a seat, from one position of the log to another (``until`` None: now).

    The log knows the holder by ``pseudonym`` alone; ``bot`` names the program that plays where
    no person sits.  ``ended`` is why another has the seat: ``absent`` may come back, ``voted`` not.
    """

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="tenures")
    seat = models.SmallIntegerField()
    player = models.ForeignKey(Player, null=True, on_delete=models.SET_NULL, related_name="tenures")
    bot = models.CharField(max_length=40, blank=True)
    pseudonym = models.CharField(max_length=32)
    since = models.IntegerField()
    until = models.IntegerField(null=True)
    ended = models.CharField(max_length=10, blank=True)
    wants_rematch = models.BooleanField(default=False)

    class Meta:
        """A seat has one holder at a time, and a player one seat of a table."""

        constraints = [
            models.UniqueConstraint(
                fields=["table", "seat"], name="seat_held_once", condition=Q(until__isnull=True)
            ),
            models.UniqueConstraint(
                fields=["table", "player"], name="player_seated_once", condition=Q(until__isnull=True)
            ),
        ]


class Arbiter(models.Model):
    """Who arbitrates a table, from one position of its log to another; ``since`` None: is asked to.

    The log knows the arbiter by ``pseudonym`` alone.
    """

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="arbiters")
    player = models.ForeignKey(Player, null=True, on_delete=models.SET_NULL, related_name="arbitrates")
    pseudonym = models.CharField(max_length=32, blank=True)
    since = models.IntegerField(null=True)
    until = models.IntegerField(null=True)

    class Meta:
        """A table has one arbiter at a time."""

        constraints = [
            models.UniqueConstraint(fields=["table"], name="arbiter_once", condition=Q(until__isnull=True))
        ]


class Offer(models.Model):
    """A seat whose holder is absent, offered to a player by those who play."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT)
    seat = models.SmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="offers")

    class Meta:
        """A seat is offered to a player once."""

        constraints = [models.UniqueConstraint(fields=["table", "seat", "player"], name="offer_once")]


class AwaitedTurn(models.Model):
    """Whether a player answered a turn in time."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, db_constraint=False)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, db_constraint=False)
    turn = models.IntegerField()
    in_time = models.BooleanField()

    class Meta:
        """A player answers a turn once; the last ones are looked for."""

        constraints = [models.UniqueConstraint(fields=["player", "table", "turn"], name="turn_answered_once")]
        indexes = [models.Index(fields=["player", "-id"], name="last_turns")]
