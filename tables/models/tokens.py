"""What requests bring along, or are allowed by a player's consent to get; of secrets only digests."""

from __future__ import annotations

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tables.models.accounts import Player


class Application(models.Model):
    """A program of somebody else's, registered by staff; it keeps no secret, so it has none."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    redirect_uris = ArrayField(models.CharField(max_length=500))
    created_at = models.DateTimeField(auto_now_add=True)

    @property
    def client_id(self) -> str:
        """What the protocol calls it by."""
        return str(self.id)


class Consent(models.Model):
    """What a player has let an application do, once; all tokens that come of it go with it.

    It begins with a code, which is good once, for the ``redirect_uri`` and whoever can answer the
    ``challenge``.  ``used_on`` is when tokens were last asked for.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="consents")
    application = models.ForeignKey(Application, on_delete=models.CASCADE, related_name="consents")
    scopes = ArrayField(models.CharField(max_length=40))
    code_digest = models.BinaryField(max_length=32, unique=True)
    code_expires_at = models.DateTimeField()
    code_used_at = models.DateTimeField(null=True)
    redirect_uri = models.CharField(max_length=500)
    challenge = models.CharField(max_length=43)
    created_at = models.DateTimeField(auto_now_add=True)
    used_on = models.DateField(null=True)


class RefreshToken(models.Model):
    """What an application gets its next token for; good once, and whoever uses it again ends the consent."""

    digest = models.BinaryField(primary_key=True, max_length=32)
    consent = models.ForeignKey(Consent, on_delete=models.CASCADE, related_name="refreshes")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


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
