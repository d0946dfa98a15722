"""Let deadlines expire again after the database's clock has jumped."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tables.models import Heartbeat


class Command(BaseCommand):
    """``manage.py trust_clock``: the operator's word that the clock is right."""

    help = "Says that the database's clock is right, so that deadlines expire again after a jump."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Have the drivers compare their clocks anew; the time since they stopped counts as an outage."""
        Heartbeat.objects.update(jumped=False, boot="")
        self.stdout.write("Deadlines expire again.")
