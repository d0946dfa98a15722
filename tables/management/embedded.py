"""The embedded PostgreSQL for a management command that is run on its own."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import CommandError


def ensure_database() -> None:
    """Start the embedded server for as long as this command runs, unless one is named or running.

    Raises CommandError, in a sentence, when it cannot be started.
    """
    if not settings.EMBEDDED_DATABASE:
        return
    from stack import postgres
    from stack.errors import StackError

    try:
        postgres.ensure(settings.DATA_DIR)
    except StackError as error:
        raise CommandError(str(error)) from error
