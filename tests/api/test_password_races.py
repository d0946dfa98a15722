"""What is asked for while the password changes is made before, and ended by it, or not at all."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import psycopg
import pytest
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.http import QueryDict
from pytest_django.fixtures import Settings

from tables import passwords, players
from tables.errors import BadCredentials
from tables.models import Consent, Player, Token
from tables.oauth import consenting
from tables.players import Wish
from tests.api.contract import in_process
from tests.api.phone import Phone

OLD, NEW = "a long enough password", "quite another password"

Deed = Callable[[Player, str], object]


def sign_in(player: Player, _: str) -> None:
    in_process().post("/v1/sessions", {"name": player.name, "password": OLD})


def make_a_token(_: Player, token: str) -> None:
    in_process(token=token).post("/v1/me/tokens", {"label": "a bot"})


def let_an_application_in(player: Player, _: str) -> None:
    asked = Phone("http://localhost").wish().partition("?")[2]
    with suppress(BadCredentials):
        consenting.allow(consenting.wish(QueryDict(asked)), player.name, OLD)


@pytest.mark.parametrize(
    "deed", [sign_in, make_a_token, let_an_application_in], ids=lambda deed: deed.__name__
)
def test_nothing_comes_of_the_old_password_after_it_was_changed(
    deed: Deed, settings: Settings, superuser_url: str
) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    player = Player.objects.create(name=f"Íñigo {secrets.token_hex(6)}", password=make_password(OLD))
    here, elsewhere = (players.new_secret(player, Wish("x"), None) for _ in range(2))

    assert in_process(token=elsewhere.token).get("/v1/me").status_code == 200  # its first use is noted

    def run() -> None:
        try:
            deed(player, elsewhere.token)
        finally:
            connection.close()

    rival = threading.Thread(target=run)
    with transaction.atomic():
        passwords.change(here.player, OLD, NEW)
        rival.start()
        _until_it_waits_or_ends(rival, superuser_url)
    rival.join()

    assert [str(each.id) for each in Token.objects.filter(player=player)] == [here.details.id]
    assert not Consent.objects.filter(player=player).exists()


def _until_it_waits_or_ends(rival: threading.Thread, superuser_url: str) -> None:
    """Return once a thread is done, or its statement waits for the account."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        while rival.is_alive():
            row = superuser.execute(waiting, ["%tables_player%FOR NO KEY UPDATE%"]).fetchone()
            if row and row[0]:
                return
            time.sleep(0.01)
