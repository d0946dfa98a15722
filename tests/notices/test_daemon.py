"""The daemon tells and mails on its own, with the settings that an installation has."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tables.models import Notice
from tests.notices.office import Office
from tests.notices.people import subscribe
from tests.services import SimulatedClock
from tests.tables.rooms import open_room

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
