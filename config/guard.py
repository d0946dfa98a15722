"""No server serves a log that its database would let the application change."""

from __future__ import annotations

import sys

from django.conf import settings
from django.db import DatabaseError, connection

from events import privileges


def require_guarded_log() -> None:
    """End the process with a sentence for each privilege or trigger that differs from what it must be.

    Does nothing where no owner is named, which only development allows.
    """
    if not settings.OWNER_SEPARATE:
        return
    try:
        findings = privileges.audit(connection)
    except DatabaseError as error:
        findings = [f"The database cannot be asked: {str(error).strip()}. Has it been migrated?"]
    finally:
        connection.close()
    if findings:
        print("Posta does not serve: its log of events is not safe.", *findings, sep="\n- ", file=sys.stderr)  # noqa: T201
        sys.exit(1)
