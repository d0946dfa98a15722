"""A client that holds every answer against an OpenAPI document, by default the committed one.

An answer fails that has a status, a media type, a property or a code that the document does not know,
or lacks a header that the document promises.
"""

from __future__ import annotations

import atexit
import copy
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from django.core.handlers.wsgi import WSGIHandler
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tools.document import read

DOCUMENT = Path(__file__).parents[2] / "openapi" / "openapi.yaml"
URI = "urn:posta"
PROBLEM = "application/problem+json"
ANY_GAME = ("playMove", 422)
"""Where also the rules of games refuse that the committed document does not know."""

Headers = Mapping[str, str] | None

_http = httpx.Client(
    verify=False,  # noqa: S501
    timeout=30,
    trust_env=False,
)
atexit.register(_http.close)


class Template(NamedTuple):
    """A path of a document."""

    path: str
    pattern: re.Pattern[str]


class Document:
    """An OpenAPI document, and whether an answer is as it says."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self._validators: dict[str, Draft202012Validator] = {}

    def check(self, method: str, path: str, answer: httpx.Response) -> None:
        """Raise AssertionError unless the document knows this answer."""
        where = f"{method} {path} -> {answer.status_code}"
        if method == "OPTIONS" and answer.status_code == 204:
            assert answer.content == b"", f"{where}: a preflight with a body"
            return
        operation = self._operation(method, path.split("?")[0])
        if operation is None:
            assert answer.status_code in (404, 405), f"{where}: no such operation in the document"
            self.check_problem(where, answer)
            return
        where = f"{operation['operationId']}: {where}"
        told = operation["responses"].get(str(answer.status_code))
        assert told is not None, f"{where}: status not documented: {answer.text[:500]}"
        for name, header in told.get("headers", {}).items():
            assert name in answer.headers or not header.get("required"), f"{where}: no header {name}"
        self._check_body(where, told.get("content"), answer)
        if answer.status_code >= 400 and (operation["operationId"], answer.status_code) != ANY_GAME:
            assert answer.json()["code"] in told["x-codes"], f"{where}: code not documented: {answer.text}"
        if answer.status_code >= 400:
            self.check_facts(where, answer.json())

    def check_problem(self, where: str, answer: httpx.Response) -> None:
        """Raise AssertionError unless the answer is a problem, whatever its status."""
        self._check_body(where, {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}, answer)

    def validator(self, schema: dict[str, Any]) -> Draft202012Validator:
        """Return what checks a value by a schema of the document, strictly."""
        told = json.dumps(schema).replace("#/components", f"{URI}#/components")
        if told not in self._validators:
            self._validators[told] = Draft202012Validator(
                json.loads(told),
                registry=self._registry,
                format_checker=Draft202012Validator.FORMAT_CHECKER,
            )
        return self._validators[told]

    def _check_body(self, where: str, content: dict[str, Any] | None, answer: httpx.Response) -> None:
        if not content:
            assert answer.content == b"", f"{where}: a body where none is documented"
            return
        media_type = answer.headers.get("Content-Type", "").split(";")[0]
        assert media_type in content, f"{where}: media type {media_type!r} not documented"
        value = answer.json() if media_type.endswith("json") else answer.text
        errors = sorted(self.validator(content[media_type]["schema"]).iter_errors(value), key=str)
        assert not errors, f"{where}: " + "; ".join(
            f"{each.json_path}: {each.message[:300]}" for each in errors[:5]
        )

    def check_facts(self, where: str, problem: dict[str, Any]) -> None:
        """Raise AssertionError for facts that the table of codes does not name; it has none of rules."""
        facts = problem.get("facts", {}).keys()
        assert facts <= self.facts.get(problem["code"], facts), f"{where}: facts not documented: {problem}"

    @cached_property
    def facts(self) -> dict[str, set[str]]:
        """The names of the facts of each code in the table where the document begins."""
        told = self.content["info"].get("description", "")
        rows = re.findall(r"(?m)^\| `(\w+)` \| [^|]+ \|([^|]*)\|$", told)
        return {code: set(re.findall(r"`(\w+)`", facts)) for code, facts in rows}

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        for template in self._templates:
            if template.pattern.fullmatch(path):
                found: dict[str, Any] | None = self.content["paths"][template.path].get(method.lower())
                return found
        return None

    @cached_property
    def _templates(self) -> list[Template]:
        """The paths of the document, those with the fewest parameters first."""
        paths = sorted(self.content["paths"], key=lambda path: path.count("{"))
        return [Template(path, re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path))) for path in paths]

    @cached_property
    def _registry(self) -> Registry[Any]:
        strict = copy.deepcopy(self.content)
        _close(strict["components"]["schemas"])
        return Registry().with_resource(URI, Resource(contents=strict, specification=DRAFT202012))


@cache
def committed() -> Document:
    """Return the document of this repository."""
    return Document(read(DOCUMENT))


@cache
def generated() -> Document:
    """Return the document of this very process, with every game that it offers."""
    from drf_spectacular.generators import SchemaGenerator

    content = SchemaGenerator().get_schema(request=None, public=True)
    return Document(json.loads(json.dumps(content)))


class Api:
    """One caller's way to a server; ``token`` None is a stranger.

    ``document`` is what answers are held against, ``http`` what sends the requests.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        document: Document | None = None,
        http: httpx.Client = _http,
    ) -> None:
        self.base_url = base_url
        self.token = token
        self._document = document
        self._http = http

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
        content: bytes | Iterable[bytes] | None = None,
        headers: Headers = None,
        failure: int | None = None,
    ) -> httpx.Response:
        """Send a request and return the answer, once it is found to be as documented.

        Header names may be written with underscores.  ``failure`` is the status wanted where no
        operation could document it: the answer must be a problem.
        """
        told = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.token is not None:
            told.setdefault("Authorization", f"Bearer {self.token}")
        if content is not None:
            told.setdefault("Content-Type", "application/json")
        url = self.base_url + path
        if body is not None:
            answer = self._http.request(method, url, json=body, headers=told)
        else:
            answer = self._http.request(method, url, content=content, headers=told)
        document = self._document or committed()
        if failure is None:
            document.check(method, path, answer)
        else:
            assert answer.status_code == failure, f"{method} {path} -> {answer.status_code}: {answer.text}"
            document.check_problem(f"{method} {path}", answer)
        return answer


def in_process(host: str = "localhost", token: str | None = None) -> Api:
    """Return a caller whose requests this very process answers, with what a test has set in it."""
    return Api(f"http://{host}", token, http=httpx.Client(transport=httpx.WSGITransport(app=WSGIHandler())))


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
