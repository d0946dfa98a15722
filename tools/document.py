"""An OpenAPI document, and how to walk it: its operations, its schemas, its references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

Json = dict[str, Any]
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MAPS: Final = frozenset({"properties", "patternProperties", "$defs", "schemas", "responses", "headers"})
"""Keys whose value maps names of ours to things, so that none of its keys is a word of the language."""
VALUES: Final = frozenset({"example", "examples", "default", "enum", "const"})
"""Keys whose value is data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation; ``where`` names it in sentences.  ``is_webhook``: the server is who calls."""

    where: str
    path: str
    method: str
    told: Json
    is_webhook: bool


def read(path: Path) -> Json:
    """Return the document of a YAML file."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: Json = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 - both loaders are safe
    return document


def operations(document: Json) -> Iterator[Operation]:
    """Yield every operation, the webhooks' last."""
    for section in ("paths", "webhooks"):
        for path, methods in document.get(section, {}).items():
            for method, told in methods.items():
                if method in METHODS:
                    yield Operation(
                        where=f"{method.upper()} {path}",
                        path=path,
                        method=method,
                        told=told,
                        is_webhook=section == "webhooks",
                    )


def resolved(document: Json, told: Json) -> Json:
    """Return what a reference leads to; anything else as it is."""
    while "$ref" in told:
        found: Any = document
        for step in told["$ref"].removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        told = found
    return told


def nodes(told: Any, where: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every object of the language below ``told`` with its place, references not followed."""
    if isinstance(told, dict):
        yield where, told
        for name, inner in told.items():
            if name in MAPS and isinstance(inner, dict):
                for key, each in inner.items():
                    yield from nodes(each, f"{where}/{name}/{key}")
            elif name not in VALUES and not name.startswith("x-"):
                yield from nodes(inner, f"{where}/{name}")
    elif isinstance(told, list):
        for index, each in enumerate(told):
            yield from nodes(each, f"{where}/{index}")


def reached(document: Json, told: Any, where: str) -> Iterator[tuple[str, Json]]:
    """Yield the objects of the language below ``told``, and once those that references lead to."""
    seen: set[str] = set()
    waiting = [(where, told)]
    while waiting:
        place, each = waiting.pop()
        for inner_place, node in nodes(each, place):
            yield inner_place, node
            reference = node.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                waiting.append((reference.rsplit("/", 1)[1], resolved(document, node)))
