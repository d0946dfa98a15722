"""How log lines look, and where each belongs: JSON in production, readable lines in development.

A line names request, table and position, and never what was sent, seen or hidden.  So production tells
an exception by its type and its place: its message may quote a value.
"""

from __future__ import annotations

import json
import logging
import traceback
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

_PLACE = ("request_id", "table", "position")
_about: ContextVar[Mapping[str, Any]] = ContextVar("about", default={})  # noqa: B039 - never changed, replaced


@contextmanager
def about(
    *, request_id: str | None = None, table: uuid.UUID | None = None, position: int | None = None
) -> Iterator[None]:
    """Let the lines of the block say what they are about, beside what those around it say."""
    told = {"request_id": request_id, "table": table, "position": position}
    before = _about.set(
        {**_about.get(), **{name: value for name, value in told.items() if value is not None}}
    )
    try:
        yield
    finally:
        _about.reset(before)


def at(position: int) -> None:
    """Let the lines from here to the end of the innermost ``about`` name this position."""
    _about.set({**_about.get(), "position": position})


def route_of(request: Any) -> str:
    """Return the template of the route that a request took: no value is in it, nor the kind of a move.

    A typed route names the kind, and who counts kinds counts sealed choices.
    """
    match = getattr(request, "resolver_match", None)
    if match is None:
        return "none"
    route = str(match.route)
    if route.startswith("v1/games/") and "table_id" in match.kwargs and not route.endswith("/view"):
        return route.rpartition("/")[0] + "/<move>"
    return route


class ReadableLines(logging.Formatter):
    """A line for people: time, level, logger, message, and what it is about."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s%(about)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the whole exception below it."""
        record.about = "".join(f" {name}={value}" for name, value in _place(record).items())
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the line without an exception."""
        record.message = _message(record)
        return super().formatMessage(record)


class JsonLines(logging.Formatter):
    """A line for programs: one JSON object, whatever the message holds."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object as one line of ASCII-safe JSON."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
            **_place(record),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line |= _without_messages(record.exc_info[1])
        return json.dumps(line, default=str)


def _place(record: logging.LogRecord) -> dict[str, Any]:
    """Return what is known of where a line belongs; ``extra`` of the call goes before the context."""
    known = {**_about.get(), **{name: value for name in _PLACE if (value := getattr(record, name, None))}}
    match = getattr(getattr(record, "request", None), "resolver_match", None)
    if match is not None and "table_id" in match.kwargs:
        known.setdefault("table", match.kwargs["table_id"])
    return {name: known[name] for name in _PLACE if name in known}


def _message(record: logging.LogRecord) -> str:
    """Return the message; of Django's about a request without the path, which may name a player."""
    request: Any = getattr(record, "request", None)
    if record.name.startswith("django.") and hasattr(request, "path"):
        status = getattr(record, "status_code", "")
        return f"{request.method} {route_of(request)} {status}".rstrip()
    return record.getMessage()


def _without_messages(error: BaseException) -> dict[str, Any]:
    """Return the types of an exception and of its causes, and where each was raised, innermost last."""
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        hidden = following.__suppress_context__
        following = following.__cause__ or (None if hidden else following.__context__)
    trace = [
        f"{type(each).__name__}: {frame.filename}:{frame.lineno} in {frame.name}"
        for each in chain
        for frame in traceback.extract_tb(each.__traceback__)
    ]
    return {"error": " from ".join(type(each).__qualname__ for each in chain), "trace": trace}
