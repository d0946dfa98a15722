"""Accounts, and when their players are away."""

from __future__ import annotations

import uuid

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower


class Player(AbstractBaseUser):
    """An account.  ``zone`` is an IANA name; quiet hours are minutes after its midnight.

    From ``closed_at`` on it lets nobody in, and is being erased.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=40, unique=True)
    locale = models.CharField(max_length=8, default="en")
    zone = models.CharField(max_length=64, default="UTC")
    quiet_from = models.SmallIntegerField(null=True)
    quiet_until = models.SmallIntegerField(null=True)
    last_login = None
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)

    USERNAME_FIELD = "name"
    objects = BaseUserManager()

    class Meta:
        """A name is taken in whatever case; guests, who have no password, are looked for by their age."""

        constraints = [models.UniqueConstraint(Lower("name"), name="player_name_once")]
        indexes = [
            models.Index(fields=["created_at"], name="player_guests", condition=Q(password__startswith="!"))  # noqa: S106
        ]


class Vacation(models.Model):
    """When a player is away: the own clocks stand still at every table that allows it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="vacations")
    since = models.DateTimeField()
    until = models.DateTimeField()
