"""The daemon on its own, with the settings of an installation: it tells and mails, and sweeps meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tables import commands
from tables.models import Notice, Outbox
from tables.shapes import NewTable
from tests.notices.office import Office
from tests.notices.people import subscribe
from tests.services import SimulatedClock
from tests.tables.rooms import new_player, open_room

ROOT = Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.usefixtures("no_drivers")
def test_the_daemon_mails_without_celery(office: Office, clock: SimulatedClock) -> None:
    room = open_room(seconds=86_400)
    subscribe(room.players[0])
    env = {**os.environ, "POSTA_MAIL_URL": office.url, "POSTA_MAIL_FROM": "Mesa <mesa@example.org>"}
    daemon = subprocess.Popen([sys.executable, "manage.py", "daemon"], cwd=ROOT, env=env)
    try:
        until = time.monotonic() + 60
        while not Notice.objects.filter(table=room.id).exists() and time.monotonic() < until:
            time.sleep(0.1)
        clock.advance(seconds=61)
        while not office.to(room.players[0]) and time.monotonic() < until:
            time.sleep(0.1)
    finally:
        daemon.terminate()
        assert daemon.wait(timeout=30) == 0

    (mail,) = office.to(room.players[0])
    assert mail["From"] == "Mesa <mesa@example.org>"
    assert str(mail["Message-ID"]).endswith("@example.org>")


@pytest.mark.long
@pytest.mark.usefixtures("no_drivers")
def test_a_bot_that_never_answers_holds_no_deadline_up(clock: SimulatedClock) -> None:
    """clocks.md: the daemon alone meets every goal too, whatever it does beside."""
    host = new_player()
    opened = commands.open_table(host, NewTable(game="bomb", bots=["ponder", "ponder"])).answer
    asked = Outbox.objects.filter(table=opened.id, kind="bot", done_at__isnull=True)  # type: ignore[attr-defined]
    daemon = subprocess.Popen([sys.executable, "manage.py", "daemon"], cwd=ROOT)
    try:
        until = time.monotonic() + 60
        while not asked.filter(attempts__gt=0).exists() and time.monotonic() < until:
            time.sleep(0.1)
        room = open_room(seconds=60)
        clock.advance(seconds=61)
        while room.row.turn == 1 and time.monotonic() < until:
            time.sleep(0.1)
        assert room.row.turn == 2
    finally:
        asked.update(done_at="2026-01-01T00:00Z")  # nobody else is to ask it
        daemon.terminate()
        assert daemon.wait(timeout=30) == 0
