"""JSON bodies, read strictly: what is accepted has one meaning for every reader.

At most 64 KiB and 32 levels; UTF-8 and application/json only; no duplicate key, no NaN, no
number beyond 2^53 - 1, no NUL and no lone surrogate.  Nothing is coerced afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

import msgspec
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.http.request import UnreadablePostError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from tables.errors import Refusal

MAX_BYTES = 65_536
MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1

_TOKENS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_CONTENT_TYPE = re.compile(r'\s*application/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)
T = TypeVar("T")


class BadJson(Refusal):
    """The body is not acceptable JSON.  Facts: pointer and code of what is wrong."""

    code, status = "bad_json", 400


class BodyTooLarge(Refusal):
    """The body has more bytes than the server reads."""

    code, status = "body_too_large", 413


class UnsupportedMediaType(Refusal):
    """The body is not application/json in UTF-8."""

    code, status = "unsupported_media_type", 415


class JsonParser(BaseParser):
    """The strict reader in the shape that the framework asks for."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:  # noqa: ARG002
        """Return the value of the request's body."""
        return value_of(parser_context["request"])


def read(request: Request, record: type[T], *, may_be_empty: bool = False) -> tuple[T, Any]:
    """Return the body as a ``record``, and as the plain value it was read from.

    ``may_be_empty`` takes no body for an empty object.  Raises msgspec.ValidationError,
    BadJson, BodyTooLarge, UnsupportedMediaType.
    """
    value = value_of(request, may_be_empty=may_be_empty)
    return msgspec.convert(value, record), value


def value_of(request: Request, *, may_be_empty: bool = False) -> Any:
    """Return the value of the request's body; see ``read``."""
    body = _bytes_of(request._request)
    if not body:
        if may_be_empty:
            return {}
        raise BadJson(pointer="#", code="empty_body")
    if not _CONTENT_TYPE.fullmatch(request._request.META.get("CONTENT_TYPE", "")):
        raise UnsupportedMediaType
    return loads(body)


def loads(body: bytes) -> Any:
    """Return the value of a JSON text.  Raises BadJson."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise BadJson(pointer="#", code="syntax") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(text):
        raise BadJson(pointer="#", code="too_deep")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=_integer,
            parse_float=_number,
        )
    except ValueError:
        raise BadJson(pointer="#", code="syntax") from None
    if "\\u" in text and not all(map(_is_clean, _strings(value))):
        raise BadJson(pointer="#", code="bad_text")
    return value


def _bytes_of(request: HttpRequest) -> bytes:
    """Return the body, of which no more is read than may be."""
    length = request.META.get("CONTENT_LENGTH") or ""
    is_chunked = not length and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower()
    stream = request.META.get("wsgi.input") or request
    try:
        if length.isdecimal() and int(length) > MAX_BYTES:
            raise BodyTooLarge
        body: bytes = stream.read(MAX_BYTES + 1) if is_chunked else request.body
        if len(body) > MAX_BYTES:
            raise BodyTooLarge
    except RequestDataTooBig:
        raise BodyTooLarge from None
    except (UnreadablePostError, OSError):
        raise BadJson(pointer="#", code="syntax") from None
    if (is_chunked and not body) or (length.isdecimal() and len(body) < int(length)):
        raise BadJson(pointer="#", code="syntax")  # the client went away half-way
    return body


def _is_too_deep(text: str) -> bool:
    """Tell whether brackets outside strings nest over the limit; linear in the text."""
    depth = 0
    for token in _TOKENS.finditer(text):
        first = token[0][0]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif first in "]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadJson(pointer="#", code="duplicate_key")
    return found


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(value := int(digits)) > MAX_INTEGER:
        raise BadJson(pointer="#", code="number_too_large")
    return value


def _number(digits: str) -> int | float:
    """Return a number with a fraction or an exponent; ``42.0`` is an integer, as JSON Schema has it."""
    value = float(digits)
    if abs(value) > MAX_INTEGER:
        raise BadJson(pointer="#", code="number_too_large")
    return int(value) if value.is_integer() else value


def _refuse_constant(_: str) -> NoReturn:
    raise BadJson(pointer="#", code="not_a_number")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _is_clean(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
