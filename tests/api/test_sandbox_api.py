"""A sandbox over HTTP: the example of the guide, and what is a sandbox's alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tables.api import throttling
from tables.api.throttling import Limit
from tests.api.callers import person

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def example(guide: str) -> Any:
    """Return the body that a guide shows."""
    text = (GUIDES / guide).read_text("utf-8")
    (found,) = (each for each in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"sandbox"' in each)
    return json.loads(found)


@pytest.mark.parametrize("guide", ["playing.md", "playing.es.md"])
def test_the_sandbox_of_the_guide_is_opened_and_says_what_it_is(guide: str) -> None:
    body, api = example(guide), person().api
    opened = api.post("/v1/tables", body)

    assert opened.status_code == 201, opened.text
    table = opened.json()
    assert (table["sandbox"], table["fairness"], table["status"]) == (True, "chosen", "playing")
    assert body["sandbox"]["seed"] not in opened.text
    assert table["clock"]["seconds"] == 2
    found = [each["id"] for each in api.get("/v1/tables?mine=true&sandbox=true").json()["items"]]
    assert found == [table["id"]]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"sandbox": None}, "#/clock/seconds"),
        ({"fairness": "players"}, "#/fairness"),
        ({"sandbox": {"seed": "5E" * 32}}, "#/sandbox/seed"),
        ({"sandbox": {"seed": "5e"}}, "#/sandbox/seed"),
        ({"sandbox": {"script": [{"seat": 3, "kind": "pick"}]}}, "#/sandbox/script/0/seat"),
        ({"sandbox": {"script": [{"seat": 1, "kind": "place"}]}}, "#/sandbox/script/0/kind"),
        ({"sandbox": {"script": [{"seat": 1, "kind": "pick"}]}}, "#/sandbox/script/0/params/card"),
    ],
)
def test_what_does_not_fit_a_sandbox_is_named(change: dict[str, Any], pointer: str) -> None:
    refused = person().api.post("/v1/tables", {**example("playing.md"), **change})

    assert refused.status_code == 400, refused.text
    assert [each["pointer"] for each in refused.json()["errors"]] == [pointer]


def test_sandboxes_and_other_tables_have_quotas_of_their_own(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.THROTTLES = True
    monkeypatch.setattr(throttling, "JOINS", Limit("joins", 1, 86_400 * 365))
    monkeypatch.setattr(throttling, "SANDBOXES", Limit("sandboxes", 2, 86_400 * 365))
    api, sandbox, table = person().api, example("playing.md"), {"game": "arrecife"}

    opened = [api.post("/v1/tables", body) for body in (sandbox, table, sandbox, table, sandbox)]

    assert [each.status_code for each in opened] == [201, 201, 201, 429, 429]
    assert [each.json()["facts"]["policy"] for each in opened[3:]] == ["joins", "sandboxes"]
