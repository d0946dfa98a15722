"""Edits on a condition: nothing that the client has not seen is overwritten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.api.contract import Api
from tests.api.test_problems import is_problem

CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("PATCH", "/v1/me", {"locale": "es"}, {"zone": "Europe/Madrid"}),
    ("PUT", "/v1/me/notice-choices", {"mail": "hourly"}, {"mail": "daily"}),
    ("PATCH", "{endpoint}", {"label": "first"}, {"label": "second"}),
]


@pytest.mark.parametrize(("method", "path", "first", "second"), CASES)
def test_an_edit_of_what_has_changed_since_changes_nothing(
    new_player: Callable[..., Api], method: str, path: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    player = new_player()
    if path == "{endpoint}":
        made = player.post("/v1/me/webhook-endpoints", {"url": "https://bot.example.net/hook"})
        path = made.headers["Location"]
    seen = player.get(path).headers["ETag"]
    assert player.send(method, path, first, headers={"If-Match": seen}).status_code == 200
    before = player.get(path)
    assert before.headers["ETag"] != seen

    for held in (seen, '"bogus"'):
        headers = {"If-Match": held, "Accept-Language": "en"}
        is_problem(player.send(method, path, second, headers=headers), 412, "precondition_failed")
    assert player.get(path).json() == before.json()
    listed = {"If-Match": f'"bogus", {before.headers["ETag"]}'}
    assert player.send(method, path, second, headers=listed).status_code == 200
    assert player.send(method, path, first, headers={"If-Match": "*"}).status_code == 200
    assert player.send(method, path, second).status_code == 200
