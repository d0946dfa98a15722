"""One key signs after another: old receipts stay good, and what was signed is signed again alike."""

from __future__ import annotations

import json
import re
import secrets
import time
from pathlib import Path
from typing import Any

import httpx

from engines.registry import GAMES
from tests.api.contract import Api
from tests.matches import Match, open_match
from tests.operations.conftest import Installation
from verify.transcript import judge


def _match(url: str) -> Match:
    def sign_up() -> Api:
        body = {"name": f"player-{secrets.token_hex(6)}", "password": "a long enough password"}
        return Api(url, Api(url).post("/v1/players", body).json()["token"])

    return open_match([sign_up(), sign_up()], "reafan")


def _keep_hand(match: Match, seat: int) -> dict[str, Any]:
    answer = match.send(seat, {"kind": "mulligan", "params": {"take": False}}, 1)
    assert answer.status_code == 201, answer.text
    receipt: dict[str, Any] = answer.json()["receipt"]
    return receipt


def _head(match: Match) -> dict[str, Any]:
    found: dict[str, Any] = match.players[0].get(f"{match.path}/heads").json()
    return found


def _proved(match: Match) -> str:
    file = match.players[0].get(f"{match.path}/transcript").json()
    return judge(json.dumps(file).encode(), GAMES).receipts.status


def _restart(installation: Installation, *names: str) -> None:
    """Let processes start anew, so that they know the list as it is; wait until receipts are signed."""
    installation.services.stop(*names)
    installation.services.start(*names)
    until = time.monotonic() + 30
    while not _is_signed(installation):
        assert time.monotonic() < until, "nobody signs"
        time.sleep(0.1)


def _is_signed(installation: Installation) -> bool:
    checks = httpx.get(f"{installation.services.api_url}/health/deep").json()["checks"]
    return any(each["ok"] for each in checks if each["name"] == "signer")


def test_keys_follow_one_another_and_none_is_forgotten(installation: Installation) -> None:
    _restart(installation, "api")  # earlier tests have cut its connections
    url = installation.services.api_url
    resting, going_on = _match(url), _match(url)
    before = {"resting": _head(resting), "going_on": _keep_hand(going_on, 0)}
    old = before["resting"]["kid"]
    assert before["going_on"]["kid"] == old
    folder = Path(installation.env["POSTA_DATA"])

    code, said = installation.manage("rotate_signing_key")
    assert code == 0, said
    (new,) = re.findall(r"Key (\w+) signs from now on", said)
    assert f"Key {old} is kept in {folder / f'signing-{old}.key'}" in said
    # the time in which both are valid is over
    installation.execute(f"UPDATE tables_serverkey SET valid_until = now_ms() WHERE kid = '{old}'")  # noqa: S608
    _restart(installation, "signer", "api")

    keys = Api(url).get("/v1/keys").json()["items"]
    assert [(each["kid"], each["from"] == 0, each["until"] is None) for each in keys] == [
        (old, True, False),
        (new, False, True),
    ]
    assert _head(resting) == before["resting"]
    assert _keep_hand(going_on, 1)["kid"] == new
    assert [_proved(resting), _proved(going_on)] == ["proved"] * 2
    assert "signing key" not in installation.doctor()

    # the old key is lost: what it signed is pending, until the new one speaks for its time
    (folder / f"signing-{old}.key").unlink()
    _restart(installation, "signer", "api")
    assert _head(resting)["sig"] is None
    assert f"The private half of key {old} is missing" in installation.doctor(POSTA_SIGNER="")
    code, said = installation.manage("rotate_signing_key", "--lost", old)
    assert (code, said) == (0, f"Key {new} now signs what {old} signed, and /v1/keys says so.\n")
    _restart(installation, "api")
    assert _head(resting)["kid"] == new
    assert [_proved(resting), _proved(going_on)] == ["proved"] * 2
    assert "signing key" not in installation.doctor(POSTA_SIGNER="")


def test_a_signer_that_does_not_answer_is_told_of(installation: Installation) -> None:
    socket = installation.where.sockets / "signer.sock"
    named = {"POSTA_SIGNER": f"unix://{socket}"}
    assert "signing key" not in installation.doctor(**named)
    installation.services.kill("signer")
    try:
        said = installation.doctor(**named)
    finally:
        installation.services.start("signer")
    assert f"signing key: Receipts are pending: the signer at {socket} does not answer" in said
    assert "python manage.py signer" in said
    code, said = installation.manage("signer", **named)
    assert (code, said) == (1, f"CommandError: There is nothing to do: a signer runs at {socket} already.\n")


def test_a_key_that_was_never_there_cannot_be_lost(installation: Installation) -> None:
    code, said = installation.manage("rotate_signing_key", "--lost", "0123456789abcdef")
    assert (code, said) == (2, "CommandError: There is no other key 0123456789abcdef; /v1/keys lists them.\n")
