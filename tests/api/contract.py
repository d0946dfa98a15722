"""A client that holds every answer against the committed OpenAPI document.

An answer fails that has a status, a media type or a property that the document does not know, or
lacks a header that the document promises.
"""

from __future__ import annotations

import atexit
import copy
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DOCUMENT = Path(__file__).parents[2] / "openapi" / "openapi.yaml"
URI = "urn:posta"
PROBLEM = "application/problem+json"

Headers = Mapping[str, str] | None

_http = httpx.Client(
    verify=False,  # noqa: S501
    timeout=30,
    trust_env=False,
)
atexit.register(_http.close)


class Api:
    """One caller's way to a server; ``token`` None is a stranger."""

    def __init__(self, base_url: str, token: str | None = None) -> None:
        self.base_url = base_url
        self.token = token

    def get(self, path: str, *, headers: Headers = None) -> httpx.Response:
        """Read."""
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, *, headers: Headers = None) -> httpx.Response:
        """Send a body as JSON, or none."""
        return self.send("POST", path, body, headers=headers)

    def patch(self, path: str, body: Any, *, headers: Headers = None) -> httpx.Response:
        """Change something."""
        return self.send("PATCH", path, body, headers=headers)

    def delete(self, path: str, *, headers: Headers = None) -> httpx.Response:
        """Delete something."""
        return self.send("DELETE", path, headers=headers)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content: bytes | None = None,
        headers: Headers = None,
    ) -> httpx.Response:
        """Send a request and return the answer, once it is found to be as documented.

        Header names may be written with underscores.
        """
        told = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.token is not None:
            told.setdefault("Authorization", f"Bearer {self.token}")
        if content is not None:
            told.setdefault("Content-Type", "application/json")
        url = self.base_url + path
        if body is not None:
            answer = _http.request(method, url, json=body, headers=told)
        else:
            answer = _http.request(method, url, content=content, headers=told)
        check(method, path, answer)
        return answer


class Template(NamedTuple):
    """A path of the document."""

    path: str
    pattern: re.Pattern[str]


@cache
def document() -> dict[str, Any]:
    """Return the committed document."""
    loaded: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text("utf-8"))
    return loaded


def check(method: str, path: str, answer: httpx.Response) -> None:
    """Raise AssertionError unless the document knows this answer."""
    where = f"{method} {path} -> {answer.status_code}"
    operation = _operation(method, path.split("?")[0])
    if operation is None:
        assert answer.status_code in (404, 405), f"{where}: no such operation in the document"
        _check_body(where, {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}, answer)
        return
    where = f"{operation['operationId']}: {where}"
    told = operation["responses"].get(str(answer.status_code))
    assert told is not None, f"{where}: status not documented: {answer.text[:500]}"
    for name, header in told.get("headers", {}).items():
        assert name in answer.headers or not header.get("required"), f"{where}: no header {name}"
    _check_body(where, told.get("content"), answer)


def _check_body(where: str, content: dict[str, Any] | None, answer: httpx.Response) -> None:
    if not content:
        assert answer.content == b"", f"{where}: a body where none is documented"
        return
    media_type = answer.headers.get("Content-Type", "").split(";")[0]
    assert media_type in content, f"{where}: media type {media_type!r} not documented"
    errors = sorted(validator(content[media_type]["schema"]).iter_errors(answer.json()), key=str)
    assert not errors, f"{where}: " + "; ".join(
        f"{each.json_path}: {each.message[:300]}" for each in errors[:5]
    )


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for template in _templates():
        if template.pattern.fullmatch(path):
            found: dict[str, Any] | None = document()["paths"][template.path].get(method.lower())
            return found
    return None


@cache
def _templates() -> list[Template]:
    """Return the paths of the document, those with the fewest parameters first."""
    paths = sorted(document()["paths"], key=lambda path: path.count("{"))
    return [Template(path, re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path))) for path in paths]


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return what checks a value by a schema of the document, strictly."""
    return _validator(json.dumps(schema).replace("#/components", f"{URI}#/components"))


@cache
def _validator(schema: str) -> Draft202012Validator:
    checker = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator(json.loads(schema), registry=_registry(), format_checker=checker)


@cache
def _registry() -> Registry[Any]:
    strict = copy.deepcopy(document())
    _close(strict["components"]["schemas"])
    return Registry().with_resource(URI, Resource(contents=strict, specification=DRAFT202012))


def _close(schema: Any) -> None:
    """Forbid every property that a schema with properties does not name."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
        for each in schema.values():
            _close(each)
    elif isinstance(schema, list):
        for each in schema:
            _close(each)
