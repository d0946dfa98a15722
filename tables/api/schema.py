"""The OpenAPI document, derived from the records that the views read and answer.

A view's method carries an ``Operation``; the types in it become components.  The cautions of
api.md 2 are kept here: no unions but "X or null", no closed lists in answers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from drf_spectacular.drainage import warn
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction, OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework.permissions import AllowAny

from tables.api import codes, deprecation, headers, samples, security
from tables.api.deprecation import Deprecation
from tables.api.parameters import Parameter
from tables.api.rendering import JSON, PROBLEM
from tables.api.scopes import EVERYTHING, scope_of
from tables.errors import InsufficientScope
from tables.shapes import Problem

REF = "#/components/schemas/{name}"
LIVE: Final = "/v1/live/"
INTRODUCTION: Final = Path(__file__).with_name("introduction.md")
FREE_OBJECT: Final = {"type": "object", "additionalProperties": {}}
PROBLEMS: dict[int, tuple[str, str]] = {
    400: ("bad_request", "The request is malformed; `errors` says where."),
    401: ("unauthenticated", "There is no valid token."),
    403: ("forbidden", "The caller may not do this."),
    404: ("not_found", "There is nothing, or nothing that the caller may see."),
    406: ("not_acceptable", "The answer does not exist in a form that the caller accepts."),
    409: ("version_conflict", "The request does not fit what has happened meanwhile; `code` says how."),
    412: ("precondition_failed", "The settings are no longer those that `If-Match` names."),
    413: ("body_too_large", "The body has more than 65,536 bytes."),
    415: ("unsupported_media_type", "The body is not `application/json` in UTF-8."),
    421: ("misdirected", "This process does not wait; `live_url` of `GET /v1/status` tells which one does."),
    422: ("not_your_turn", "The request is understood and refused: by the rules, or for its key."),
    429: ("rate_limited", "Too many requests."),
    503: ("busy", "The server could not get to it in time, or lacks the table's rules; nothing was changed."),
}
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What the document says of one method of a view.

    ``answers`` gives for each status a record, None for no body, or a ready schema.
    ``examples`` gives the values of ``body`` and of the statuses; it is called for the document
    alone.  ``media`` is the form of the answer, ``sent`` are headers of the request, ``key`` is what a
    POST says of its Idempotency-Key.  A ``conditional`` read has an ETag, a ``localised`` one texts.
    ``since`` is the feature level at which it came; a field of a record that came later than its operation
    says so itself, by ``extra_json_schema={"x-since": …}``.
    """

    id: str
    tag: str
    summary: str
    description: str
    answers: Mapping[int, Any]
    body: type | None = None
    body_required: bool = True
    problems: tuple[int, ...] = ()
    parameters: tuple[Parameter[Any], ...] = ()
    examples: Callable[[], Mapping[str, Any]] = field(default=dict)
    conditional: bool = False
    localised: bool = False
    located: bool = False
    media: str = JSON
    sent: tuple[OpenApiParameter, ...] = ()
    key: OpenApiParameter = headers.IDEMPOTENCY_KEY
    deprecation: Deprecation | None = None
    since: int = 1


def operation(**facts: Any) -> Callable[[F], F]:
    """Attach an ``Operation`` to a method of a view."""

    def mark(method: F) -> F:
        method.operation = Operation(**facts)  # type: ignore[attr-defined]
        return method

    return mark


def problems(told: Mapping[int, list[str]], path: str) -> dict[tuple[int, str], OpenApiResponse]:
    """Return what the document says of problem answers, by status and codes; all of the one component."""
    return {
        (status, PROBLEM): OpenApiResponse(
            Problem,
            description=f"{PROBLEMS[status][1]} Codes: {', '.join(f'`{code}`' for code in found)}.",
            examples=[
                OpenApiExample(found[0], value=samples.problem(found[0], status, path), response_only=True)
            ],
        )
        for status, found in sorted(told.items())
    }


class RecordSchema(AutoSchema):
    """One operation, told by the ``Operation`` of the view's method."""

    @property
    def operation(self) -> Operation:
        """What the method carries."""
        found: Operation = getattr(self.view, self.method.lower()).operation
        return found

    @property
    def is_public(self) -> bool:
        """Whether a caller without a token is let in."""
        return any(isinstance(each, AllowAny) for each in self.view.get_permissions())

    @property
    def scope(self) -> str | None:
        """What a token with scopes needs."""
        told = self.operation
        return None if self.is_public else scope_of(told.id, told.tag, self.method)

    def get_operation_id(self) -> str:
        return self.operation.id

    def get_summary(self) -> str:
        return self.operation.summary

    def get_description(self) -> str:  # type: ignore[override]
        return self.operation.description

    def is_deprecated(self) -> bool:
        return self.operation.deprecation is not None

    def get_extensions(self) -> dict[str, Any]:
        return {"x-since": self.operation.since}

    def get_tags(self) -> list[str]:
        return [self.operation.tag]

    def get_response_serializers(self) -> Any:
        told = self.operation
        examples = told.examples()
        answers: dict[Any, OpenApiResponse] = {}
        for status, record in told.answers.items():
            shown = [
                OpenApiExample(told.id, value=examples[str(status)], response_only=True)
                for _ in range(str(status) in examples)
            ]
            key = status if record is None else (status, told.media)
            is_repeat = status == 200 and 201 in told.answers
            said = (
                "The same again: the first answer, and nothing is done twice. So it is whenever"
                " `Idempotency-Replayed` is `true`, which a 201 has where a key was sent again."
                if is_repeat
                else f"{told.summary}."
            )
            answers[key] = OpenApiResponse(record, description=said, examples=shown)
        if told.conditional:
            answers[304] = OpenApiResponse(None, description="The caller holds the present answer.")
        return {**answers, **problems(self.problem_codes(), path=self.path)}

    def problem_codes(self) -> dict[int, list[str]]:
        """Return the codes of the problems that may be answered, by status."""
        told = self.operation
        found = codes.of(told.id, tag=told.tag, path=self.path, method=self.method)
        if self.scope is not None:
            found.setdefault(403, []).append(InsufficientScope.code)
        for status in self._problem_statuses():
            found.setdefault(status, [PROBLEMS[status][0]])
        if told.body is not None:
            found[400].append("bad_json")
        return found

    def _problem_statuses(self) -> set[int]:
        """Return the statuses that follow from what the operation is."""
        statuses = {*self.operation.problems, 400, 401, 406, 429, 503}
        if self.path.startswith(LIVE):
            statuses = statuses - {406} | {421}
        if self.method == "POST":
            statuses |= {422}
        if self.operation.body is not None:
            statuses |= {413, 415}
        return statuses

    def get_override_parameters(self) -> list[Any]:
        told = self.operation
        failed = sorted(self.problem_codes())
        parameters = [
            *(each.told() for each in told.parameters),
            *told.sent,
            *(each for name, each in headers.PATH.items() if f"{{{name}}}" in self.path),
            *headers.of_problems(failed),
            headers.request_id([*told.answers, *failed, *([304] if told.conditional else [])]),
        ]
        if self.method == "POST":
            parameters += [told.key, headers.replayed(list(told.answers))]
        if told.deprecation:
            not_modified = [304] if told.conditional else []
            parameters += deprecation.told([*told.answers, *failed, *not_modified])
        if told.located:
            parameters += [headers.LOCATION]
        if told.conditional:
            parameters += [headers.IF_NONE_MATCH, headers.ETAG, headers.CACHE_CONTROL, headers.VARY]
        if told.localised:
            parameters += [headers.CONTENT_LANGUAGE]
        if any(each.name == "cursor" for each in told.parameters):
            parameters += [headers.LINK]
        return [*parameters, headers.ACCEPT_LANGUAGE]

    def _get_response_for_code(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Name the codes of a problem for programs too."""
        response: dict[str, Any] = super()._get_response_for_code(*args, **kwargs)  # type: ignore[no-untyped-call]
        status = args[1] if len(args) > 1 else kwargs["status_code"]
        found = self.problem_codes().get(int(status[0] if isinstance(status, tuple) else status))
        return {**response, "x-codes": found} if found else response

    def _get_request_body(self, direction: Direction = "request") -> dict[str, Any] | None:
        """Return what is said of the body, that of a DELETE too, for which the library has none."""
        told = self.operation
        if told.body is None:
            return None
        shown: dict[str, Any] = {"schema": self.resolve_serializer(told.body, direction).ref}
        if "body" in (examples := told.examples()):
            name = told.id[0].upper() + told.id[1:]
            shown["examples"] = {name: {"value": examples["body"], "summary": told.id}}
        return {"content": {JSON: shown}, "required": told.body_required}


class RecordExtension(OpenApiSerializerExtension):
    """Records and dataclasses as components, nested ones included, each under its class's name."""

    @classmethod
    def _matches(cls, target: Any) -> bool:
        return isinstance(target, type) and (
            issubclass(target, msgspec.Struct) or dataclasses.is_dataclass(target)
        )

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:  # noqa: ARG002
        """Return the name of the component."""
        return str(self.target.__name__)

    def get_identity(self, auto_schema: AutoSchema, direction: Direction) -> str:  # noqa: ARG002
        """Return what makes two components the same."""
        return str(self.target.__name__)

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """Return the schema of the record, and register those that it refers to."""
        _, components = msgspec.json.schema_components([self.target], ref_template=REF)
        tidied = {
            name: tidy(schema, is_answer=direction == "response") for name, schema in components.items()
        }
        own: dict[str, Any] = tidied.pop(self.target.__name__)
        for name, schema in tidied.items():
            component = ResolvedComponent(name, ResolvedComponent.SCHEMA, schema, name)  # type: ignore[no-untyped-call]
            if component in auto_schema.registry:
                if auto_schema.registry[component].schema not in (schema, None):
                    warn(f"two records are called {name}")
            else:
                auto_schema.registry.register(component)
        return own


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The token of ``tables.api.auth``, and how an application gets one."""

    target_class = "tables.api.auth.BearerAuthentication"
    name = ["bearerAuth", "oauth2"]

    def get_security_requirement(self, auto_schema: RecordSchema) -> list[dict[str, list[str]]]:  # type: ignore[override]
        """Return what an operation takes: a token, or one of an application with its scope."""
        scope = auto_schema.scope
        return [{"bearerAuth": []}, *([{"oauth2": [scope]}] if scope not in (None, EVERYTHING) else [])]

    def get_security_definition(self, auto_schema: AutoSchema) -> list[dict[str, Any]]:  # noqa: ARG002
        """Return the two schemes."""
        return [security.BEARER, security.oauth2()]


def tidy(schema: Any, *, is_answer: bool) -> Any:
    """Return a schema in the spelling that every generator of clients understands."""
    if isinstance(schema, list):
        return [tidy(each, is_answer=is_answer) for each in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: tidy(each, is_answer=is_answer) for name, each in schema.items() if name != "title"}
    if "properties" in schema:
        told["properties"] = {
            name: tidy(each, is_answer=is_answer) for name, each in schema["properties"].items()
        }
    told = _without_positions(_with_null(told))
    if "enum" in told and "type" not in told:
        told["type"] = "string"
    if is_answer and "enum" in told:
        told["x-known-values"] = [each for each in told.pop("enum") if each is not None]
    if "$ref" in told and len(told) > 1:
        told["allOf"] = [{"$ref": told.pop("$ref")}]
    if told.get("type") == "object" and not {"properties", "additionalProperties"} & told.keys():
        told["additionalProperties"] = {}
    return told


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return "X or null" as a list of types where X is simple, else as ``oneOf``."""
    parts = schema.get("anyOf")
    if not parts or len(parts) != 2 or {"type": "null"} not in parts:
        return schema
    outer = {name: each for name, each in schema.items() if name != "anyOf"}
    (one,) = (each for each in parts if each != {"type": "null"})
    if "$ref" in one or "allOf" in one or "properties" in one:
        return {**outer, "oneOf": [one, {"type": "null"}]}
    one = {**one, **outer, "type": [one.get("type", "string"), "null"]}
    return {**one, "enum": [*one["enum"], None]} if "enum" in one else one


def _without_positions(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a tuple as a list of a fixed length, of one type where its items share one."""
    if "prefixItems" not in schema:
        return schema
    told = dict(schema)
    items = told.pop("prefixItems")
    return {**told, "items": items[0] if all(each == items[0] for each in items) else {}}


def finish(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Return the document with its introduction, tags and links, and with what the live process serves."""
    from tables.api import links, live, webhook_document

    game = samples.first_game()
    told = INTRODUCTION.read_text("utf-8").replace("{game}", game.id).replace("{bot}", min(game.bots))
    result["info"]["description"] = f"{told}\n{codes.table()}"
    used = {told["tags"][0] for path in result["paths"].values() for told in path.values()}
    result["paths"][live.STATUS_PATH] = live.STATUS_DOCUMENT
    used |= {"server", webhook_document.TAG}
    result["tags"] = [{"name": name, "description": text} for name, text in samples.tags() if name in used]
    for path, operations in result["paths"].items():
        for told in operations.values() if path.startswith(LIVE) else ():
            told["servers"] = live.SERVERS
    result["paths"] = dict(sorted(result["paths"].items()))
    schemas = {**result["components"]["schemas"], **webhook_document.components()}
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    result["webhooks"] = webhook_document.webhooks()
    links.add(result)
    return result
