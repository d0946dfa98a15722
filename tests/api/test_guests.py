"""Guests play at once, are kept by a name and a password, and are forgotten when they are gone."""

from __future__ import annotations

import secrets
import uuid
from datetime import timedelta

import msgspec
import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from tables import commands, erasure, guests, players
from tables.api import throttling
from tables.idempotency import Idempotency
from tables.models import Player, Token
from tables.shapes import NewTable
from tests.api.contract import Api, in_process

PASSWORD = "a long enough password"


def welcomed(server: str, **headers: str) -> Api:
    answer = Api(server).post("/v1/guests", headers=headers)
    assert answer.status_code == 201
    return Api(server, answer.json()["token"])


def aged(player_id: uuid.UUID, days: float) -> None:
    """Let a player have been seen last so many days ago."""
    then = timezone.now() - timedelta(days=days)
    Player.objects.filter(id=player_id).update(created_at=then)
    Token.objects.filter(player=player_id).update(created_at=then, last_used_on=then.date())


def test_a_guest_plays_at_once_and_is_kept_later(server: str) -> None:
    guest = welcomed(server)
    me = guest.get("/v1/me").json()
    assert me["guest"]
    assert me["name"].startswith("guest-")
    table = guest.post("/v1/tables", {"game": "probe"}).json()
    assert table["host"] == me["name"]

    name = f"Berta {secrets.token_hex(6)}"
    kept = guest.send("PUT", "/v1/me/credentials", {"name": name, "password": PASSWORD})
    assert kept.json() == {**me, "name": name, "guest": False}
    again = guest.send("PUT", "/v1/me/credentials", {"name": name, "password": PASSWORD})
    assert again.json() == kept.json()
    other = guest.send("PUT", "/v1/me/credentials", {"name": name, "password": "some other words"})
    assert (other.status_code, other.json()["code"]) == (409, "no_guest")
    signed_in = Api(server).post("/v1/sessions", {"name": name, "password": PASSWORD}).json()
    mine = Api(server, signed_in["token"]).get("/v1/tables?mine=true").json()["items"]
    assert [(each["id"], each["host"]) for each in mine] == [(table["id"], name)]


def test_a_guest_takes_no_name_that_another_has(server: str) -> None:
    guest = welcomed(server)
    name = f"Carla {secrets.token_hex(6)}"
    Api(server).post("/v1/players", {"name": name, "password": PASSWORD})
    taken = guest.send("PUT", "/v1/me/credentials", {"name": name.upper(), "password": PASSWORD})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    assert guest.get("/v1/me").json()["guest"]


def test_nobody_signs_in_as_a_guest(server: str) -> None:
    name = welcomed(server).get("/v1/me").json()["name"]
    for password in ("", "!", PASSWORD, Player.objects.get(name=name).password):
        refused = Api(server).post("/v1/sessions", {"name": name, "password": password})
        assert (refused.status_code, refused.json()["code"]) == (401, "bad_credentials")


def test_a_repeat_with_a_long_key_gives_the_same_guest(server: str) -> None:
    key = secrets.token_hex(16)
    first, second = (welcomed(server, Idempotency_Key=key) for _ in range(2))
    assert first.token == second.token
    other = Api(server).post("/v1/guests", {"locale": "es"}, headers={"Idempotency-Key": key})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    short = Api(server).post("/v1/guests", headers={"Idempotency-Key": key[:31]})
    assert (short.status_code, short.json()["errors"][0]["code"]) == (400, "bad_length")


@pytest.mark.parametrize("body", [{}, None])
def test_a_guest_needs_no_password_to_go(server: str, body: dict[str, str] | None) -> None:
    guest = welcomed(server)
    assert guest.send("DELETE", "/v1/me", body).status_code == 204
    assert guest.get("/v1/me").status_code == 401


@pytest.mark.usefixtures("no_drivers")
def test_who_comes_again_with_the_key_of_an_erased_guest_is_not_erased() -> None:
    """The outbox sweeps after an erased account once more, a minute later."""
    key = Idempotency(secrets.token_hex(16), "POST /v1/guests", bytes(32))
    gone = guests.welcome("en", key).player.id
    erasure.delete_account(gone, "")
    here = guests.welcome("en", key).player.id
    assert here == gone
    erasure.erase(gone)
    assert players.exists(here)


def test_guests_are_counted_by_their_address_whoever_asks(settings: Settings) -> None:
    settings.THROTTLES = True
    throttling._windows.clear()
    address = {"X-Forwarded-For": f"10.0.0.{secrets.randbelow(256)}"}
    settings.TRUSTED_PROXIES = 1
    api = in_process()
    statuses = []
    for _ in range(throttling.GUESTS.quota + 1):
        answer = api.post("/v1/guests", headers=address)
        statuses.append(answer.status_code)
        api.token = answer.json().get("token", api.token)  # a guest of before asks for the next
    throttling._windows.clear()
    assert statuses == [201] * throttling.GUESTS.quota + [429]


@pytest.mark.usefixtures("no_drivers")
def test_guests_who_are_gone_are_forgotten() -> None:
    gone, here, seated, kept = (guests.welcome("en").player.id for _ in range(4))
    guests.keep(kept, f"Dora {secrets.token_hex(6)}", PASSWORD)
    table = uuid.UUID(msgspec.to_builtins(commands.open_table(seated, NewTable(game="probe")).answer)["id"])
    for each in (gone, seated, kept):
        aged(each, guests.LAPSE_DAYS + 2)
    aged(here, guests.LAPSE_DAYS - 2)
    Player.objects.filter(id=here).update(created_at=timezone.now() - timedelta(days=90))

    guests.prune()

    assert [each for each in (gone, here, seated, kept) if players.exists(each)] == [here, seated, kept]
    commands.leave(seated, table)
    guests.prune()
    assert not Player.objects.filter(id=seated).exists()


def test_a_guest_without_a_valid_token_is_gone(no_drivers: None) -> None:
    """Nobody could come back, however lately it was used."""
    guest = guests.welcome("en").player.id
    aged(guest, guests.LAPSE_DAYS + 2)
    Token.objects.filter(player=guest).update(last_used_on=timezone.now().date())
    guests.prune()
    assert players.exists(guest)
    Token.objects.filter(player=guest).update(expires_at=timezone.now())
    guests.prune()
    assert not players.exists(guest)
