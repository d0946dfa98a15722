"""Sweep and relay without a broker, beside Celery or where it is down."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections

from tables.relay import relay
from tables.sweeps import sweep

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 1.0
RELAY_SECONDS = 0.25


class Command(BaseCommand):
    """``manage.py daemon``: runs until it is told to stop."""

    help = "Resolves overdue turns and does what the outbox says, without a broker."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run until SIGTERM or SIGINT."""
        stop = threading.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: stop.set())
        logger.info("the daemon is ready")
        since_sweep = SWEEP_SECONDS
        while not stop.is_set():
            try:
                if since_sweep >= SWEEP_SECONDS:
                    since_sweep = 0.0
                    sweep("daemon")
                relay()
            except DatabaseError as error:
                logger.warning("the database did not answer, trying again: %s", type(error).__name__)
            close_old_connections()
            stop.wait(RELAY_SECONDS)
            since_sweep += RELAY_SECONDS
