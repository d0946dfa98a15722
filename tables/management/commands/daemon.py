"""Sweep, relay, notify and call webhooks without a broker, beside Celery or where it is down."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections

from tables import devices, guests
from tables.notices import alerts
from tables.notices.delivering import deliver
from tables.notices.mailing import mail
from tables.relay import prune, relay
from tables.sweeps import sweep
from tables.webhooks import delivering as webhooks

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 1.0
RELAY_SECONDS = 0.25
MAIL_SECONDS = 5.0
CALL_SECONDS = 0.5
PRUNE_SECONDS = 600.0
MOST_SECONDS_MORE = 5.0
"""How long what is under way may take when the daemon is told to stop."""


class Command(BaseCommand):
    """``manage.py daemon``: runs until it is told to stop."""

    help = "Resolves overdue turns, does what the outbox says and sends mails and webhooks, without a broker."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run until SIGTERM or SIGINT; deadlines wait for nothing else that is done here."""
        stop = threading.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: stop.set())
        others = [
            threading.Thread(target=_repeat, args=[stop, *each], daemon=True)
            for each in (
                (RELAY_SECONDS, _tell),
                (MAIL_SECONDS, mail),
                (CALL_SECONDS, webhooks.deliver),
                (PRUNE_SECONDS, _prune),
            )
        ]
        for thread in others:
            thread.start()
        logger.info("the daemon is ready")
        _repeat(stop, SWEEP_SECONDS, _sweep)
        for thread in others:
            thread.join(MOST_SECONDS_MORE)


def _repeat(stop: threading.Event, seconds: float, deed: Callable[[], object]) -> None:
    """Do something every so many seconds; each deed has a thread of its own, so that none holds others up."""
    while not stop.is_set():
        began = time.monotonic()
        try:
            deed()
        except DatabaseError as error:
            logger.warning("the database did not answer, trying again: %s", type(error).__name__)
        except Exception:
            logger.exception("%s failed, trying again", deed.__name__)
        close_old_connections()
        stop.wait(max(0.0, seconds - (time.monotonic() - began)))


def _sweep() -> None:
    sweep("daemon")


def _tell() -> None:
    relay()
    deliver()


def _prune() -> None:
    prune()
    webhooks.prune()
    guests.prune()
    devices.prune()
    alerts.prune()
