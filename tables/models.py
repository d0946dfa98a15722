"""Rows beside the log: people, seats, deadlines, and what is still to be sent.

The log of events is the truth of a table.  The columns of ``Table`` and ``Tenure`` repeat what
queries need and can be rebuilt from it; people, names and codes live here alone, so that they
can be erased.
"""

from __future__ import annotations

import uuid

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from tables.oauth.rows import Application, Consent, RefreshToken

__all__ = ["Application", "Consent", "RefreshToken"]


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


class Token(models.Model):
    """What a request brings along; only its digest is kept.

    ``kind`` tells where it comes from: ``session``, ``personal``, or ``oauth``, by a consent.
    ``scopes`` None: it may do everything.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    digest = models.BinaryField(max_length=32, unique=True)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="tokens")
    kind = models.CharField(max_length=10, default="personal")
    label = models.CharField(max_length=80)
    scopes = ArrayField(models.CharField(max_length=40), null=True)
    consent = models.ForeignKey(Consent, null=True, on_delete=models.CASCADE, related_name="tokens")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_on = models.DateField(null=True)


class Vacation(models.Model):
    """When a player is away: the own clocks stand still at every table that allows it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="vacations")
    since = models.DateTimeField()
    until = models.DateTimeField()


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


class Message(models.Model):
    """Who said what stands at a position of a table's talk; None: an account that is gone.

    ``game_position`` is the log's, for queries.  Here and below a table has no constraint, for its
    check would lock the table's row: talk never waits for a move, nor a move for talk.
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


class Note(models.Model):
    """What a player has noted down at a table, for itself alone: whoever holds the seat later has another."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, db_constraint=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE)
    text = models.TextField()
    changed_at = models.DateTimeField()

    class Meta:
        """One note for a player at a table."""

        constraints = [models.UniqueConstraint(fields=["player", "table"], name="note_once")]


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
