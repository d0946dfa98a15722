"""Say in sentences what is wrong with this installation, and how to mend it."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console

from tables.operations import doctor


class Command(BaseCommand):
    """``manage.py doctor``: exit code 0 when nothing is wrong, 1 when something is."""

    help = "Says what is wrong with this installation and how to mend it; changes and starts nothing."
    requires_system_checks = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Make every check, tell what was found, and exit."""
        shown = Console(highlight=False) if self.stdout.isatty() else None
        wrong = 0
        for each in doctor.examine():
            wrong += len(each.findings)
            if shown is None:
                for sentence in each.findings:
                    self.stdout.write(f"{each.title}: {sentence}")
                continue
            mark = "[red]✗[/]" if each.findings else "[green]✓[/]"
            shown.print(f"{mark} [bold]{each.title}[/]")
            for sentence in each.findings:
                shown.print(f"  {sentence}", markup=False, soft_wrap=True)
        if not wrong:
            self.stdout.write("Nothing is wrong.")
            return
        self.stdout.write("One thing is wrong." if wrong == 1 else f"{wrong} things are wrong.")
        sys.exit(1)
