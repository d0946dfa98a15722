"""The installation that is measured: a durable database and the real server, on this machine.

This process becomes a client of the same database, so that commands can be measured without HTTP.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from stack import temporary
from stack.temporary import Running

SETTINGS = {"POSTA_EXTRA_GAMES": "bench.longplay", "POSTA_THROTTLES": "0"}
NAMED = ("POSTA_DATA", "DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "POSTA_EXTRA_GAMES")


@contextmanager
def running() -> Iterator[Running]:
    """Run everything during the block, Django set up on it.  Only one such block in a process."""
    with temporary.running(durable=True, env=SETTINGS) as found:
        os.environ |= {name: found.env[name] for name in NAMED}
        os.environ["POSTA_WORKER"] = "1"  # one plain connection
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django
        from django.db import connections

        django.setup()
        logging.getLogger("httpx").setLevel(logging.WARNING)
        try:
            yield found
        finally:
            connections.close_all()
