"""What players are told, and where it is mailed to."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from tables.models.accounts import Player
from tables.models.tables import Table


class Mailbox(models.Model):
    """Where a player's notices are mailed to, by which ``choices``, and how many there have been.

    ``code_at`` is when the code that confirms the address is to be mailed, ``reset_mail_at`` when that for
    another password is, which was asked for at ``reset_at``; ``attempts`` and ``next_attempt_at`` count
    mails of notices.  ``read_upto`` is the last number that was read.
    """

    player = models.OneToOneField(Player, on_delete=models.CASCADE, primary_key=True)
    address = models.CharField(max_length=254, blank=True)
    confirmed_at = models.DateTimeField(null=True)
    code_at = models.DateTimeField(null=True)
    reset_at = models.DateTimeField(null=True)
    reset_mail_at = models.DateTimeField(null=True)
    reset_used = models.BooleanField(default=False)
    choices = models.JSONField(default=dict)
    last_number = models.IntegerField(default=0)
    read_upto = models.IntegerField(default=0)
    attempts = models.SmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)

    class Meta:
        """Codes are looked for that are to be mailed, and accounts by their address."""

        indexes = [
            models.Index(fields=["code_at"], name="mailbox_codes", condition=Q(code_at__isnull=False)),
            models.Index(
                fields=["reset_mail_at"], name="mailbox_resets", condition=Q(reset_mail_at__isnull=False)
            ),
            models.Index(Lower("address"), name="mailbox_addresses"),
        ]


class Notice(models.Model):
    """Something that a player was told about a table; ``id`` is that of its row in the outbox.

    ``mail_at`` is when it is to be mailed, None: no longer, or never; ``mail`` the mail that it is in.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="notices")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, db_constraint=False)
    number = models.IntegerField()
    kind = models.CharField(max_length=20)
    what = models.CharField(max_length=30)
    facts = models.JSONField()
    created_at = models.DateTimeField()
    mail_at = models.DateTimeField(null=True)
    mail = models.UUIDField(null=True)

    class Meta:
        """A player's notices are numbered without gaps; those that are due for mailing are looked for."""

        constraints = [models.UniqueConstraint(fields=["mailbox", "number"], name="notice_number_once")]
        indexes = [models.Index(fields=["mail_at"], name="notice_mails", condition=Q(mail_at__isnull=False))]


class Alert(models.Model):
    """What a confirmed address is to be told of its account, ``name``, at ``mail_at``; deleted with that.

    It refers to nothing, for the account may be gone by then.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    what = models.CharField(max_length=20)
    address = models.CharField(max_length=254)
    name = models.CharField(max_length=40)
    locale = models.CharField(max_length=8)
    created_at = models.DateTimeField()
    mail_at = models.DateTimeField()
