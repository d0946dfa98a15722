"""Rows beside the log: people, seats, deadlines, and what is still to be sent.

The log of events is the truth of a table.  The columns of ``Table`` and ``Tenure`` repeat what
queries need and can be rebuilt from it; people, names and codes live here alone, so that they
can be erased.
"""

from tables.models.accounts import Player, Vacation
from tables.models.notices import Alert, Mailbox, Notice
from tables.models.people import Block, Mute, PlayerReport
from tables.models.seats import Arbiter, AwaitedTurn, Offer, Tenure
from tables.models.server import Heartbeat, IdempotencyRecord, Outage, Outbox, ServerKey
from tables.models.tables import Import, Sandbox, Seed, Table
from tables.models.talk import LastRead, Message, MessageReport, Note
from tables.models.tokens import Application, Consent, RefreshToken, Token
from tables.models.webhooks import WebhookDelivery, WebhookEndpoint

__all__ = [
    "Alert",
    "Application",
    "Arbiter",
    "AwaitedTurn",
    "Block",
    "Consent",
    "Heartbeat",
    "IdempotencyRecord",
    "Import",
    "LastRead",
    "Mailbox",
    "Message",
    "MessageReport",
    "Mute",
    "Note",
    "Notice",
    "Offer",
    "Outage",
    "Outbox",
    "Player",
    "PlayerReport",
    "RefreshToken",
    "Sandbox",
    "Seed",
    "ServerKey",
    "Table",
    "Tenure",
    "Token",
    "Vacation",
    "WebhookDelivery",
    "WebhookEndpoint",
]
