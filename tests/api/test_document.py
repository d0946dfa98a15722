"""The committed document is current, sound, and tells of every route."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from engines.base import Game
from engines.registry import GAMES
from events import canonical
from tables import catalogue, queries, wording
from tables.api import samples
from tests.api.contract import DOCUMENT, committed
from verify.transcript import judge

ROOT = Path(__file__).parents[2]
WITHOUT_TOKEN = {"getLiveStatus"}
"""Operations that look at no token, and count nobody's requests."""

OPERATIONS = [
    pytest.param(method, operation, id=operation["operationId"])
    for path in committed().content["paths"].values()
    for method, operation in path.items()
]


@pytest.mark.long
def test_the_committed_document_is_current(tmp_path: Path) -> None:
    """Mend it with: manage.py spectacular --validate --fail-on-warn --file openapi/openapi.yaml."""
    fresh = tmp_path / "openapi.yaml"
    env = {name: value for name, value in os.environ.items() if name != "POSTA_EXTRA_GAMES"}
    command = [sys.executable, "manage.py", "spectacular", "--validate", "--fail-on-warn", "--file", fresh]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert fresh.read_text("utf-8") == DOCUMENT.read_text("utf-8")


@pytest.mark.long
def test_the_document_is_sound() -> None:
    validate(committed().content)
    assert committed().content["openapi"] == "3.1.0"


def test_routes_and_document_match_both_ways() -> None:
    paths = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", f"/{route}")
        for route in _routes(get_resolver(), "")
        if route.startswith("v1/")
    }
    own = re.compile(r"/v1/games/(?P<game>[a-z_]+)/tables/.*")
    paths = {path for path in paths if not (found := own.fullmatch(path)) or found["game"] in GAMES}
    assert paths == set(committed().content["paths"])


@pytest.mark.parametrize(("method", "operation"), OPERATIONS)
def test_an_operation_is_told_in_full(method: str, operation: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z]+([A-Z][a-z0-9]*)*", operation["operationId"])
    assert operation["summary"]
    assert operation["description"]
    assert len(operation["tags"]) == 1
    if operation["operationId"] in WITHOUT_TOKEN:
        assert operation["security"] == []
        assert not {"401", "429"} & operation["responses"].keys()
    else:
        assert operation["security"]
        assert {"401", "429"} <= operation["responses"].keys()
    if method == "post":
        (key,) = (each for each in operation["parameters"] if each["name"] == "Idempotency-Key")
        assert key["schema"].keys() >= {"pattern", "minLength", "maxLength"}


@pytest.mark.parametrize(("method", "operation"), OPERATIONS)
def test_every_body_and_answer_has_an_example_that_fits(method: str, operation: dict[str, Any]) -> None:
    contents = [operation.get("requestBody", {}), *operation["responses"].values()]
    for content in contents:
        for told in content.get("content", {}).values():
            assert told["examples"]
            for example in told["examples"].values():
                errors = list(committed().validator(told["schema"]).iter_errors(example["value"]))
                assert not errors, errors[0].message


def test_the_events_of_the_examples_are_as_the_schemas_of_games_say() -> None:
    found = [each for each in _parts(list(_examples())) if {"type", "data", "position"} <= each.keys()]
    for event in found:
        data = event["data"]
        game = next(each for each in GAMES.values() if _is_of(each, data))
        schema = catalogue.json_schema(game, f"event.{event['type']}")
        Draft202012Validator(schema).validate(data)
    assert {each["type"] for each in found} == {"clock.deadline_set", "table.move_played"}


def test_the_entropy_of_the_examples_is_what_was_committed_to() -> None:
    paths = committed().content["paths"]
    sent = [_body(paths[f"/v1/tables/{{table_id}}/entropy/{each}"]) for each in ("commitment", "reveal")]
    drawn = bytes.fromhex(sent[1]["entropy"])

    assert sent[0]["commit"] == canonical.entropy_commit(uuid.UUID(samples.TABLE).bytes, 0, 0, drawn).hex()


def test_the_transcript_of_the_document_verifies() -> None:
    """So that a reader can try a verifier of their own on it."""
    operation = committed().content["paths"]["/v1/tables/{table_id}/transcript"]["get"]
    (told,) = operation["responses"]["200"]["content"]["application/json"]["examples"].values()
    example = told["value"]
    assert example["openings"]

    judged = judge(json.dumps(example).encode(), GAMES)

    assert judged.is_good, judged.verdicts
    assert judged.verdicts["integrity"].status == judged.verdicts["receipts"].status == "proved"
    example["events"][-1]["public"]["turn"] += 1
    assert judge(json.dumps(example).encode(), GAMES).is_failed


def test_every_code_of_a_wrong_field_is_listed() -> None:
    code = committed().content["components"]["schemas"]["FieldProblem"]["properties"]["code"]
    assert code["x-known-values"] == list(wording.FIELDS)


def test_every_code_is_explained() -> None:
    """Where the document begins, or in the words of the game whose rules refuse."""
    listed = {
        code
        for path in committed().content["paths"].values()
        for operation in path.values()
        for answer in operation["responses"].values()
        for code in answer.get("x-codes", [])
    }
    ruled = {code for game in GAMES.values() for code in catalogue.names_of(game)["errors"]}
    told = set(re.findall(r"(?m)^\| `(\w+)` \| .+ \|$", committed().content["info"]["description"]))

    assert listed - ruled <= told
    assert "turn_passed" in listed


def test_the_changes_of_this_feature_level_are_told() -> None:
    levels = re.findall(r"(?m)^## Level (\d+)$", DOCUMENT.with_name("CHANGES.md").read_text("utf-8"))
    assert levels == [str(level) for level in range(queries.FEATURE_LEVEL, 0, -1)]


def test_the_changes_of_a_level_name_the_operations_that_came_with_it() -> None:
    """Those of a single game are named as one, by what they are."""
    told = DOCUMENT.with_name("CHANGES.md").read_text("utf-8")
    parts = re.split(r"(?m)^## Level (\d+)$", told)[1:]
    named = {
        int(level): set(re.findall(r"`(\w+)`", text))
        for level, text in zip(parts[::2], parts[1::2], strict=True)
    }
    levels = {
        operation["operationId"]: operation["x-since"]
        for path in committed().content["paths"].values()
        for operation in path.values()
        if operation["tags"][0] not in GAMES
    }

    assert [name for name, level in levels.items() if name not in named[level]] == []


def test_operation_ids_are_unique() -> None:
    ids = [each.values[1]["operationId"] for each in OPERATIONS]  # type: ignore[index, call-overload]
    assert len(ids) == len(set(ids))


def test_unions_are_only_of_something_and_null() -> None:
    """Neither spelling of a union survives all generators of clients (api.md 2.1)."""
    for schema in _schemas(committed().content):
        for word in ("oneOf", "anyOf"):
            if word in schema:
                assert len(schema[word]) == 2
                assert {"type": "null"} in schema[word]
        assert "discriminator" not in schema
        assert "nullable" not in schema


def test_answers_have_no_closed_lists() -> None:
    """A value that a client does not know must not break it."""
    components = committed().content["components"]["schemas"]
    seen: set[str] = set()
    for path in committed().content["paths"].values():
        for operation in path.values():
            for schema in _schemas(operation["responses"]):
                _follow(schema, components, seen)
    for name in seen:
        for schema in _schemas(components[name]):
            assert "enum" not in schema, name


def test_components_are_json_schema() -> None:
    for schema in committed().content["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def _follow(schema: dict[str, Any], components: dict[str, Any], seen: set[str]) -> None:
    ref = schema.get("$ref")
    if not isinstance(ref, str) or (name := ref.rsplit("/", 1)[1]) in seen:
        return
    seen.add(name)
    for inner in _schemas(components[name]):
        _follow(inner, components, seen)


def _schemas(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for name, each in value.items():
            if name != "examples":
                yield from _schemas(each)
    elif isinstance(value, list):
        for each in value:
            yield from _schemas(each)


def _routes(resolver: URLResolver, prefix: str) -> Iterator[str]:
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver):
            yield from _routes(each, prefix + str(each.pattern))
        elif isinstance(each, URLPattern):
            yield prefix + str(each.pattern)


def _examples() -> Iterator[Any]:
    """Yield the examples of all bodies and answers."""
    for path in committed().content["paths"].values():
        for operation in path.values():
            for told in (operation.get("requestBody", {}), *operation["responses"].values()):
                for content in told.get("content", {}).values():
                    yield from (each["value"] for each in content["examples"].values())


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object within a value."""
    if isinstance(value, dict):
        yield value
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in within:
        yield from _parts(each)


def _body(path: dict[str, Any]) -> dict[str, Any]:
    (told,) = path["post"]["requestBody"]["content"]["application/json"]["examples"].values()
    found: dict[str, Any] = told["value"]
    return found


def _is_of(game: Game[Any], data: dict[str, Any]) -> bool:
    """Tell whether a move is one of a game; all else is of every game."""
    return "kind" not in data or game.move_type(data["kind"]) is not None
