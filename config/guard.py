"""No server serves a log that its database would let the application change."""

from __future__ import annotations

import sys
import time

from django.conf import settings
from django.db import OperationalError, connection

from events import privileges

PATIENCE_SECONDS = 15


def require_guarded_log() -> None:
    """End the process with a sentence for each privilege or trigger that differs from what it must be.

    Does nothing where no owner is named, which only development allows.
    """
    if not settings.OWNER_SEPARATE:
        return
    try:
        findings = _audit()
    finally:
        connection.close()
    if findings:
        sys.exit("\n- ".join(["Posta does not serve: its log of events is not safe.", *findings]))


def _audit() -> list[str]:
    """Return what the audit finds, waiting for a database that is just starting."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return privileges.audit(connection)
        except OperationalError as error:
            if time.monotonic() > until:
                sys.exit(f"Posta does not serve: the database does not answer: {str(error).strip()}")
        time.sleep(0.5)
