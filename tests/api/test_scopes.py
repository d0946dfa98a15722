"""A token with scopes is good for the operations that ask for one of them, and for nothing else."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest

from tables import players, tokens
from tables.models import Player
from tables.scopes import SCOPES
from tests.api.contract import Api, committed
from tests.services import Services

HERE = "0197a3c2-5b1e-4d40-9c1f-2f6d8e4b7a10"


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Return method, an address and the document's words of each operation that asks for a token."""
    return [
        (method.upper(), re.sub(r"\{([a-z_]+)\}", _filled, path), told)
        for path, methods in committed().content["paths"].items()
        for method, told in methods.items()
        if told["security"] and {} not in told["security"]
    ]


def _filled(parameter: re.Match[str]) -> str:
    name = parameter[1]
    return HERE if name.endswith("_id") else "1" if name in ("seat", "vote", "position") else quote("x")


def scope_of(told: dict[str, Any]) -> str | None:
    """Return the scope that an operation asks for; None: no scope is enough."""
    schemes: dict[str, list[str]] = {}
    for each in told["security"]:
        schemes |= each
    assert "bearerAuth" in schemes
    return schemes["oauth2"][0] if "oauth2" in schemes else None


@pytest.fixture
def caller(database: None) -> players.Caller:
    player = Player.objects.create(name="scopes-" + tokens.fresh()[6:16], password="!")
    return players.Caller(player.id, player.name, "en", token_id=player.id)


def test_each_operation_refuses_a_token_without_its_scope(
    server: str, services: Services, caller: players.Caller
) -> None:
    """Without a token there is nothing; every other scope together is not enough; with it alone the
    scope is not what is wrong.
    """
    address = {True: services.live_url, False: server}
    api = {
        scope: {
            live: Api(url, players.create_token(caller, "x", scopes=wanted).token)
            for live, url in address.items()
        }
        for scope, wanted in {
            **{name: set(SCOPES) - {name} for name in SCOPES},
            **{f"only {name}": {name} for name in SCOPES},
            None: set(SCOPES),
        }.items()
    }
    seen, strangers = set(), {live: Api(url) for live, url in address.items()}
    for method, path, told in operations():
        scope, is_live = scope_of(told), path.startswith("/v1/live/")
        assert strangers[is_live].send(method, path).status_code == 401, path
        if told["operationId"] == "signOut":  # whoever holds a token may give it up
            continue
        seen.add(scope)
        refused = api[scope][is_live].send(method, path)
        assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope"), path
        assert refused.json()["facts"]["scope"] == scope or scope is None
        if scope is not None and not is_live and method != "DELETE":
            let_in = api[f"only {scope}"][False].send(method, path)
            assert let_in.status_code < 400 or let_in.json()["code"] != "insufficient_scope", path
    assert seen >= {*SCOPES, None}


def test_a_token_for_everything_needs_no_scope_and_makes_tokens_for_less(
    server: str, caller: players.Caller
) -> None:
    me = Api(server, players.create_token(caller, "x").token)
    made = me.post("/v1/me/tokens", {"label": "reader", "scopes": ["tables:read", "profile:read"]}).json()
    assert made["details"]["scopes"] == ["profile:read", "tables:read"]
    reader = Api(server, made["token"])
    assert reader.get("/v1/tables").status_code == 200
    assert reader.get("/v1/games").status_code == 200
    assert reader.post("/v1/tables", {"game": "reafan"}).status_code == 403
    assert reader.post("/v1/me/tokens", {"label": "more"}).status_code == 403
    assert reader.delete("/v1/sessions").status_code == 204
    assert reader.get("/v1/tables").status_code == 401
    for wrong in ([], ["everything"], ["bot:play"], "tables:read"):
        assert me.post("/v1/me/tokens", {"scopes": wrong}).status_code == 400
