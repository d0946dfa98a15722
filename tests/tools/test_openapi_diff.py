"""The comparison of two documents: what an older one promised is broken once each, and told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.contract import DOCUMENT, committed
from tests.tools import small
from tools.document import read
from tools.openapi_diff import Comparison, promises

POST = "paths|/v1/tables|post"
GET = "paths|/v1/tables/{table_id}|get"
OK = f"{POST}|responses|201"
NEW, TABLE = "components|schemas|NewTable", "components|schemas|Table"
GONE = object()
SEAT = {"$ref": "#/components/schemas/Seat"}

BREACHES: list[tuple[str, Any, str]] = [
    (GET, GONE, "GET /v1/tables/{table_id} is gone"),
    (f"{GET}|operationId", "lookAtTable", "operationId was getTable, is lookAtTable"),
    (f"{GET}|tags", ["play"], "tags was"),
    (f"{GET}|security", [{"oauth2": ["tables"]}], "who came with {'bearerAuth': []} is not let in"),
    (f"{GET}|security", [{"bearerAuth": []}, {"oauth2": ["tables", "b"]}], "is not let in"),
    (f"{GET}|parameters|1|name", "before", "query parameter at is gone"),
    (f"{GET}|parameters|1|required", True, "query parameter at must be given now"),
    (f"{POST}|parameters|1", {"name": "X", "in": "header", "required": True}, "parameter X must be given"),
    (f"{GET}|parameters|1|schema|minimum", 2, "minimum was 1, is 2"),
    (f"{GET}|parameters|1|schema|maximum", 8, "maximum was 9, is 8"),
    (f"{GET}|parameters|1|schema|default", 1, "left out it meant 3, means 1"),
    (f"{POST}|parameters|0|schema|pattern", "^a$", "pattern was"),
    (f"{POST}|requestBody", GONE, "the body is gone"),
    (f"{GET}|requestBody", {"required": True, "content": {}}, "a body must be given now"),
    (f"{POST}|requestBody|content", {"text/plain": {}}, "application/json is gone"),
    (OK, GONE, "answer 201 is gone"),
    (f"{POST}|responses|202", {"description": "Later."}, "answer 202 is none that clients know"),
    (f"{OK}|headers", {}, "header ETag is gone"),
    (f"{OK}|headers|ETag|required", False, "header ETag may be missing now"),
    (f"{OK}|content|application/json|schema", SEAT, "was called Table, is Seat"),
    (f"{NEW}|required", ["game", "title"], "NewTable.title must be given now"),
    (f"{NEW}|properties|title", GONE, "NewTable.title is gone"),
    (f"{NEW}|properties|title|type", "string", "NewTable.title: null is taken no more"),
    (f"{NEW}|properties|seats|type", "integer", "NewTable.seats: number is taken no more"),
    (f"{NEW}|properties|game|enum", ["reafan"], "NewTable.game: arrecife is taken no more"),
    (f"{NEW}|properties|title|enum", ["a"], "NewTable.title: what is not in a list is taken no more"),
    (f"{NEW}|properties|game|maxLength", 30, "maxLength was 40, is 30"),
    (f"{TABLE}|properties|title", GONE, "Table.title is gone"),
    (f"{TABLE}|required", ["id"], "Table.seats may be missing now"),
    (f"{TABLE}|properties|title|type", ["string", "null"], "Table.title: may be null now"),
    (f"{TABLE}|properties|title|type", ["string", "integer"], "Table.title: may be integer now"),
    (f"{TABLE}|properties|title", {}, "Table.title: may be anything now"),
    (f"{TABLE}|properties|id|format", "uri", "its format was uuid, is uri"),
    (f"{TABLE}|properties|seats|items|type", "string", "Table.seats[]: may be string now"),
    ("components|schemas|Seat|properties|player", GONE, "Seat.player is gone"),
    ("components|schemas|Problem|properties|code|type", "integer", "Problem.code: may be integer now"),
    ("components|schemas|Turn|properties|turn|type", "string", "Turn.turn: may be string now"),
    ("webhooks|turn", GONE, "POST turn is gone"),
]
ADDITIONS: list[tuple[str, Any]] = [
    ("paths|/v1/seats", {"get": {"operationId": "listSeats"}}),
    (f"{GET}|parameters|2", {"name": "seat", "in": "query", "schema": {"type": "string"}}),
    (f"{GET}|responses|404", {"description": "Nothing."}),
    (f"{GET}|security", [{}]),
    (f"{GET}|description", "Other words."),
    (f"{NEW}|properties|bots", {"type": "array"}),
    (f"{NEW}|properties|title|type", ["string", "null", "integer"]),
    (f"{NEW}|properties|game|enum", ["reafan", "arrecife", "cthulhu"]),
    (f"{NEW}|properties|game|maxLength", 80),
    (f"{TABLE}|properties|turn", {"type": "integer"}),
    (f"{TABLE}|required", ["id", "seats", "title"]),
    (f"{TABLE}|properties|host", SEAT),
    (f"{OK}|headers|Link", {"schema": {"type": "string"}}),
]


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the small document, changed at one place."""
    document = small.document()
    place, last = small.at(document, path)
    if value is GONE:
        del place[last]
    elif isinstance(place, list):
        place[last:] = [value]
    else:
        place[last] = value
    return document


def lost(path: str, value: Any) -> list[str]:
    """Return what is lost when the small document is changed at one place."""
    return list(Comparison(small.document(), changed(path, value)).lost())


@pytest.mark.parametrize(("path", "value", "said"), BREACHES)
def test_a_broken_promise_is_told(path: str, value: Any, said: str) -> None:
    told = lost(path, value)

    assert any(said in sentence for sentence in told), told


@pytest.mark.parametrize(("path", "value"), ADDITIONS)
def test_what_is_added_breaks_nothing(path: str, value: Any) -> None:
    assert lost(path, value) == []


def test_promises_without_their_words_are_the_same_promises() -> None:
    bare = promises(small.document())

    assert "Look at" not in str(bare)
    assert list(Comparison(bare, small.document()).lost()) == []
    for path, value, _ in BREACHES:
        assert list(Comparison(bare, changed(path, value)).lost()), path


def test_the_committed_document_breaks_no_released_promise() -> None:
    released = read(DOCUMENT.with_name("released.yaml"))

    assert list(Comparison(released, committed().content).lost()) == []
