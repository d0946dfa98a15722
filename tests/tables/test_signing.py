"""Receipts are signed when somebody is there to sign; a move never waits for it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings

from events.receipts import verify
from tables import queries, signing
from tests.api.contract import Api
from tests.matches import Match, open_match
from tests.services import Services
from tests.tables.rooms import open_room


@pytest.fixture
def match(new_player: Callable[..., Api]) -> Match:
    """Three people, and nobody has picked."""
    return open_match([new_player() for _ in range(3)], "probe")


def pick(match: Match, seat: int) -> dict[str, Any]:
    """Let a seat pick; return the receipt, the move being accepted."""
    move = {"kind": "pick", "params": {"number": seat, "rival": (seat + 1) % 3}}
    answer = match.send(seat, move, 1)
    assert answer.status_code == 201, answer.text
    receipt: dict[str, Any] = answer.json()["receipt"]
    return receipt


def head(match: Match, seat: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = match.players[seat].get(f"{match.path}/heads").json()
    return found


def signed_head(match: Match) -> dict[str, Any]:
    """Return the receipt of the log as it stands, as soon as there is one."""
    until = time.monotonic() + 30
    while (told := head(match))["sig"] is None and time.monotonic() < until:
        time.sleep(0.1)
    return told


def is_good(match: Match, receipt: dict[str, Any]) -> bool:
    keys = match.players[0].get("/v1/keys").json()["items"]
    public = next(each["public"] for each in keys if each["kid"] == receipt["kid"])
    return verify(receipt, bytes.fromhex(public))


@pytest.mark.long
def test_while_the_signer_is_dead_moves_are_acknowledged_and_receipts_come_later(
    match: Match, services: Services
) -> None:
    """F61."""
    signed_head(match)
    services.kill("signer")
    try:
        for seat in (0, 1):
            assert pick(match, seat)["sig"] is None
        pending = head(match)
        assert pending["sig"] is None
        assert match.players[0].get(f"{match.path}/transcript").json()["receipts"] == []
    finally:
        services.start("signer")

    receipt = signed_head(match)

    assert {**receipt, "sig": None} == pending
    assert is_good(match, receipt)


@pytest.mark.long
def test_a_signer_that_hangs_holds_no_move_up(match: Match, services: Services) -> None:
    signed_head(match)
    with services.paused("signer"):
        assert [pick(match, seat)["sig"] for seat in range(3)] == [None] * 3
    assert is_good(match, signed_head(match))


def test_a_key_that_is_gone_leaves_receipts_pending_until_it_is_back(
    tmp_path: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = open_room("probe")
    before = queries.head(room.players[0], room.id)
    kept, settings.SIGNING_KEY = settings.SIGNING_KEY, tmp_path / "signing.key"
    monkeypatch.setattr(signing, "_known", signing._Known())
    signing.signer.cache_clear()
    try:
        room.pick(0)
        assert queries.head(room.players[0], room.id).sig is None
        assert not settings.SIGNING_KEY.exists()
        shutil.copy2(kept, settings.SIGNING_KEY)
        after = queries.head(room.players[0], room.id)
    finally:
        signing.signer.cache_clear()
    assert after.sig is not None
    assert (after.kid, after.seq) == (before.kid, before.seq + 1)


@pytest.mark.long
def test_a_head_that_was_rolled_back_was_never_signed(match: Match, superuser_url: str) -> None:
    """Sign after the commit: the signer, which signs one head for a place, is free to sign the next."""
    signed_head(match)
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION no_commit() RETURNS trigger LANGUAGE plpgsql AS $$"
            f" BEGIN IF NEW.id = '{match.id}' THEN RAISE 'full' USING ERRCODE = 'disk_full'; END IF;"
            " RETURN NULL; END $$;"
            "CREATE CONSTRAINT TRIGGER no_commit AFTER UPDATE ON tables_table"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION no_commit()"
        )
        try:
            move = {"kind": "pick", "params": {"number": 0, "rival": 1}}
            assert match.send(0, move, 1).status_code == 503
        finally:
            connection.execute("DROP TRIGGER no_commit ON tables_table; DROP FUNCTION no_commit")

    receipt = pick(match, 1)

    assert receipt["sig"] is not None
    assert is_good(match, receipt)
