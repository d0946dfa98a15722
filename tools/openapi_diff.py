"""What an older document promised and a newer one breaks: for clients that were written or generated then.

``python -m tools.openapi_diff RELEASED CURRENT`` prints a sentence for each; with ``--release`` it writes the
current promises to the first file, without the words around them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from tools.document import MAPS, VALUES, Json, Operation, operations, read, resolved

TAKEN: Final = "taken"  # the server reads it: what was right must stay right
GIVEN: Final = "given"  # the server sends it: what was sent before must still come, and nothing else
LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
WORDS: Final = ("description", "summary", "title", "links", "servers", "license", "example", "examples")


class Comparison:
    """Two documents, and all that is lost from one to the other, a sentence each."""

    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new
        self._seen: set[tuple[str, str, str]] = set()

    def lost(self) -> Iterator[str]:
        """Yield what is lost, operation by operation."""
        present = {each.where: each for each in operations(self._new)}
        for old in operations(self._old):
            if old.where in present:
                yield from self._operation(old, present[old.where])
            else:
                yield f"{old.where} is gone"

    def _operation(self, old: Operation, new: Operation) -> Iterator[str]:
        where = old.where
        for word in ("operationId", "tags"):  # the names of methods and classes in generated clients
            if old.told.get(word) != new.told.get(word):
                yield f"{where}: {word} was {old.told.get(word)}, is {new.told.get(word)}"
        yield from self._security(where, old.told.get("security"), new.told.get("security"))
        yield from self._parameters(where, old.told, new.told)
        yield from self._body(where, old, new)
        yield from self._answers(where, old.told.get("responses", {}), new.told.get("responses", {}))

    def _security(self, where: str, old: list[Any] | None, new: list[Any] | None) -> Iterator[str]:
        """A way to be let in lets in no more: another scheme, or a scope more."""
        for way in old or [{}]:
            if not any(
                each.keys() <= way.keys() and all(set(each[name]) <= set(way[name]) for name in each)
                for each in new or [{}]
            ):
                yield f"{where}: who came with {way or 'nothing'} is not let in"

    def _parameters(self, where: str, old: Json, new: Json) -> Iterator[str]:
        before, after = self._by_name(self._old, old), self._by_name(self._new, new)
        for key, told in before.items():
            place = f"{where}: {key[0]} parameter {key[1]}"
            if key not in after:
                yield f"{place} is gone"
                continue
            if after[key].get("required") and not told.get("required"):
                yield f"{place} must be given now"
            yield from self._schema(place, told.get("schema", {}), after[key].get("schema", {}), TAKEN)
        for key in after.keys() - before.keys():
            if after[key].get("required"):
                yield f"{where}: {key[0]} parameter {key[1]} must be given now"

    def _by_name(self, document: Json, told: Json) -> dict[tuple[str, str], Json]:
        found = [resolved(document, each) for each in told.get("parameters", [])]
        return {(each["in"], each["name"]): each for each in found}

    def _body(self, where: str, old: Operation, new: Operation) -> Iterator[str]:
        before = resolved(self._old, old.told.get("requestBody", {}))
        after = resolved(self._new, new.told.get("requestBody", {}))
        if after.get("required") and not before.get("required"):
            yield f"{where}: a body must be given now"
        if before and not after:
            yield f"{where}: the body is gone"
            return
        direction = GIVEN if old.is_webhook else TAKEN
        yield from self._content(f"{where}: body", before, after, direction)

    def _answers(self, where: str, old: Json, new: Json) -> Iterator[str]:
        for status, told in old.items():
            place = f"{where}: answer {status}"
            if status not in new:
                if status < "400":
                    yield f"{place} is gone"
                continue
            before, after = resolved(self._old, told), resolved(self._new, new[status])
            yield from self._headers(place, before.get("headers", {}), after.get("headers", {}))
            yield from self._content(place, before, after, GIVEN)
        for status in sorted(new.keys() - old.keys()):
            if status.startswith("2"):
                yield f"{where}: answer {status} is none that clients know"

    def _headers(self, where: str, old: Json, new: Json) -> Iterator[str]:
        for name, told in old.items():
            if name not in new:
                yield f"{where}: header {name} is gone"
            elif told.get("required") and not new[name].get("required"):
                yield f"{where}: header {name} may be missing now"

    def _content(self, where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
        after = new.get("content", {})
        for media, told in old.get("content", {}).items():
            if media not in after:
                yield f"{where}: {media} is gone"
            else:
                yield from self._schema(
                    where, told.get("schema", {}), after[media].get("schema", {}), direction
                )

    def _schema(self, where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
        old, new = _unwrapped(old), _unwrapped(new)
        yield from _nulls(where, old, new, direction)
        old, new = _without_null(old), _without_null(new)
        names = (old.get("$ref", ""), new.get("$ref", ""))
        if names[0] != names[1]:
            yield f"{where}: its type was called {_last(names[0])}, is {_last(names[1])}"
        if all(names):
            if (*names, direction) in self._seen:
                return
            self._seen.add((*names, direction))
            where = _last(names[0])
        old, new = resolved(self._old, old), resolved(self._new, new)
        yield from _types(where, old, new, direction)
        yield from _bounds(where, old, new, direction)
        yield from self._properties(where, old, new, direction)
        yield from self._within(where, old, new, direction)

    def _properties(self, where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        needed, wanted = set(old.get("required", [])), set(new.get("required", []))
        for name, told in before.items():
            if name in after:
                yield from self._schema(f"{where}.{name}", told, after[name], direction)
            else:
                yield f"{where}.{name} is gone"
        if direction is TAKEN:
            yield from (f"{where}.{name} must be given now" for name in sorted(wanted - needed))
            if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
                yield f"{where} takes no further fields now"
        else:
            missing = (needed - wanted) & after.keys()
            yield from (f"{where}.{name} may be missing now" for name in sorted(missing))

    def _within(self, where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
        """Compare what lists and maps hold."""
        for word, place in (("items", f"{where}[]"), ("additionalProperties", f"{where}{{}}")):
            if isinstance(old.get(word), dict) and isinstance(new.get(word), dict):
                yield from self._schema(place, old[word], new[word], direction)


def _types(where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
    """Tell of types and values that are taken no more, or are given now."""
    before, after = _kinds(old), _kinds(new)
    lost, strange = sorted(before - after), sorted(after - before)
    if direction is TAKEN and after and (lost or not before):
        yield f"{where}: {' or '.join(lost) or 'another type'} is taken no more"
    if direction is GIVEN and before and (strange or not after):
        yield f"{where}: may be {' or '.join(strange) or 'anything'} now"
    values, present = (each.get("enum") for each in (old, new))
    if direction is TAKEN and present is not None:
        gone = [each for each in values or [] if each not in present]
        if values is None or gone:
            yield f"{where}: {', '.join(map(str, gone)) or 'what is not in a list'} is taken no more"
    if old.get("format") != new.get("format"):
        yield f"{where}: its format was {old.get('format')}, is {new.get('format')}"


def _kinds(schema: Json) -> set[str]:
    """Return the types beside null that a schema lets in; none when it says nothing of them."""
    told = schema.get("type", [])
    kinds = ({told} if isinstance(told, str) else set(told)) - {"null"}
    return kinds | {"integer"} if "number" in kinds else kinds


def _nulls(where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
    """Tell of null that is taken no more, or is given now."""
    before, after = _may_be_null(old), _may_be_null(new)
    if direction is TAKEN and before and not after:
        yield f"{where}: null is taken no more"
    if direction is GIVEN and after and not before:
        yield f"{where}: may be null now"


def _may_be_null(schema: Json) -> bool:
    return {"type": "null"} in schema.get("oneOf", []) or "null" in schema.get("type", [])


def _without_null(schema: Json) -> Json:
    """Return X of "X or null"."""
    parts = [each for each in schema.get("oneOf", []) if each != {"type": "null"}]
    return _unwrapped(parts[0]) if len(parts) == 1 else schema


def _bounds(where: str, old: Json, new: Json, direction: str) -> Iterator[str]:
    """Tell of what is taken only within closer bounds."""
    if direction is GIVEN:
        return
    for word in (*LEAST, *MOST):
        if word in new and (
            word not in old or (new[word] > old[word] if word in LEAST else new[word] < old[word])
        ):
            yield f"{where}: {word} was {old.get(word)}, is {new[word]}"
    if "pattern" in new and new["pattern"] != old.get("pattern"):
        yield f"{where}: pattern was {old.get('pattern')}, is {new['pattern']}"
    if "default" in old and old["default"] != new.get("default"):
        yield f"{where}: left out it meant {old['default']}, means {new.get('default')}"


def _unwrapped(schema: Json) -> Json:
    """Return the one schema of an ``allOf`` that only adds words to it."""
    parts = schema.get("allOf", [])
    return parts[0] if len(parts) == 1 else schema


def _last(reference: str) -> str:
    return reference.rsplit("/", 1)[-1] or "nothing"


def promises(told: Any, *, is_map: bool = False) -> Any:
    """Return a document without the words and examples around what it promises."""
    if isinstance(told, list):
        return [promises(each) for each in told]
    if not isinstance(told, dict):
        return told
    if is_map:
        return {name: promises(each) for name, each in told.items()}
    kept = {name: each for name, each in told.items() if name not in WORDS and not name.startswith("x-")}
    return {name: _promised(name, each) for name, each in kept.items()}


def _promised(name: str, told: Any) -> Any:
    if name == "headers":  # their values are compared by nobody
        return {header: {"required": each.get("required", False)} for header, each in told.items()}
    return told if name in VALUES else promises(told, is_map=name in MAPS)


def main() -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.openapi_diff", description=__doc__)
    parser.add_argument("released", type=Path)
    parser.add_argument("current", type=Path)
    parser.add_argument("--release", action="store_true", help="the current promises are the released ones")
    options = parser.parse_args()
    current = read(options.current)
    if options.release:
        text = yaml.safe_dump(
            promises(current), sort_keys=False, allow_unicode=True, width=120, default_flow_style=None
        )
        options.released.write_text(text, "utf-8")
        return 0
    found = list(Comparison(read(options.released), current).lost())
    for sentence in found:
        sys.stderr.write(f"{options.current}: {sentence}\n")
    sys.stdout.write(f"{options.current}: {len(found)} promises of {options.released} broken\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
