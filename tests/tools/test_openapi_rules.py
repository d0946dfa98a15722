"""The rules for the document: each is broken once, and says so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.contract import committed
from tests.tools import small
from tools.openapi_rules import RULES, broken

POST = "paths|/v1/tables|post"
GET = "paths|/v1/tables/{table_id}|get"
OK = f"{POST}|responses|201"
TABLE = "components|schemas|Table"
GONE = object()

BREACHES: list[tuple[str, str, Any, str]] = [
    ("version", "openapi", "3.2.0", "3.2.0"),
    ("unions", f"{TABLE}|properties|host|oneOf", [{"type": "string"}, {"type": "integer"}], "oneOf"),
    ("unions", f"{TABLE}|properties|host", {"anyOf": [{"type": "null"}]}, "anyOf"),
    ("unions", f"{TABLE}|discriminator", {"propertyName": "id"}, "discriminator"),
    ("unions", f"{TABLE}|properties|title|nullable", True, "nullable"),
    ("answers_are_open", f"{TABLE}|properties|title|enum", ["a"], "enum in an answer"),
    ("answers_are_open", "components|schemas|Turn|properties|turn|const", 1, "const in an answer"),
    ("answers_are_open", f"{TABLE}|additionalProperties", False, "no further fields"),
    ("tags", f"{GET}|tags", ["hooks"], "by webhooks and by paths"),
    ("tags", f"{GET}|tags", ["tables", "hooks"], "2 tags"),
    ("tags", f"{GET}|tags", ["seats"], "what tag seats gathers"),
    ("told_in_full", f"{GET}|operationId", GONE, "no operationId"),
    ("told_in_full", f"{GET}|summary", "", "no summary"),
    ("told_in_full", f"{GET}|description", GONE, "no description"),
    ("told_in_full", f"{GET}|security", GONE, "who may call it"),
    ("told_in_full", "webhooks|turn|post|operationId", "openTable", "used 2 times"),
    ("examples", f"{POST}|requestBody|content|application/json|examples", GONE, "the body"),
    ("examples", f"{OK}|content|application/json|examples", {}, "answer 201"),
    ("problems", f"{GET}|responses|429", GONE, "no answer 429"),
    ("problems", f"{GET}|responses|401|content", {"application/json": {"example": 1}}, "not a Problem"),
    ("problems", f"{GET}|responses|401|x-codes", GONE, "its codes"),
    ("idempotency", f"{POST}|parameters", [], "no Idempotency-Key"),
    ("idempotency", f"{POST}|parameters|0|schema|pattern", GONE, "without pattern"),
    ("paths", f"{GET}|parameters|0|name", "id", "not in both"),
    ("paths", f"{GET}|parameters|0|required", False, "not required"),
    ("links", f"{OK}|links|getTable|operationId", "getSeat", "leads nowhere"),
    ("links", f"{OK}|links|getTable|parameters", {"id": 1}, "which nobody takes"),
    ("links", f"{OK}|links", GONE, "where table_id comes from"),
    ("scopes", f"{GET}|security", [{"cookie": []}], "what cookie is"),
    ("scopes", f"{GET}|security", [{"oauth2": []}], "no scope"),
    ("scopes", f"{GET}|security", [{"oauth2": ["seats"]}], "['seats']"),
    ("levels", f"{GET}|x-since", GONE, "since which feature level"),
    ("levels", f"{GET}|x-since", 0, "x-since is 0"),
    ("levels", f"{TABLE}|properties|title|x-since", "2", "x-since is '2'"),
]


def test_the_committed_document_keeps_every_rule() -> None:
    assert broken(committed().content) == []


def test_the_small_document_keeps_every_rule() -> None:
    assert broken(small.document()) == []


@pytest.mark.parametrize(("rule", "path", "value", "said"), BREACHES)
def test_a_breach_is_told(rule: str, path: str, value: Any, said: str) -> None:
    document = small.document()
    place, last = small.at(document, path)
    if value is GONE:
        del place[last]
    else:
        place[last] = value

    (judge,) = (each for each in RULES if each.__name__ == rule)
    assert any(said in sentence for sentence in judge(document)), broken(document)


def test_every_rule_is_broken_here() -> None:
    assert {rule for rule, *_ in BREACHES} == {rule.__name__ for rule in RULES}


def test_a_property_may_have_any_name() -> None:
    document = small.document()
    document["components"]["schemas"]["Table"]["properties"] |= {
        name: {"type": "string"} for name in ("enum", "nullable", "oneOf", "discriminator", "const")
    }

    assert broken(document) == []
