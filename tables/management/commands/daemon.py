"""Sweep, relay and notify without a broker, beside Celery or where it is down."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections

from tables import guests
from tables.notices.delivering import deliver
from tables.notices.mailing import mail
from tables.relay import prune, relay
from tables.sweeps import sweep

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 1.0
RELAY_SECONDS = 0.25
MAIL_SECONDS = 5.0
PRUNE_SECONDS = 600.0


class Command(BaseCommand):
    """``manage.py daemon``: runs until it is told to stop."""

    help = "Resolves overdue turns, does what the outbox says and sends mails, without a broker."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run until SIGTERM or SIGINT."""
        stop = threading.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: stop.set())
        mails = threading.Thread(target=_mail_until, args=[stop], daemon=True)
        mails.start()
        logger.info("the daemon is ready")
        since_sweep, since_prune = SWEEP_SECONDS, PRUNE_SECONDS
        while not stop.is_set():
            try:
                if since_sweep >= SWEEP_SECONDS:
                    since_sweep = 0.0
                    sweep("daemon")
                relay()
                deliver()
                if since_prune >= PRUNE_SECONDS:
                    since_prune = 0.0
                    prune()
                    guests.prune()
            except DatabaseError as error:
                logger.warning("the database did not answer, trying again: %s", type(error).__name__)
            close_old_connections()
            stop.wait(RELAY_SECONDS)
            since_sweep += RELAY_SECONDS
            since_prune += RELAY_SECONDS
        mails.join(MAIL_SECONDS)


def _mail_until(stop: threading.Event) -> None:
    """Mail what is due, in a thread of its own: a slow mail server holds nothing else up."""
    while not stop.wait(MAIL_SECONDS):
        try:
            mail()
        except DatabaseError as error:
            logger.warning("the database did not answer, mailing later: %s", type(error).__name__)
        except Exception:
            logger.exception("mails failed")
        close_old_connections()
