"""What the document promises to those who generate clients from it, beyond what common linters hold.

Each rule yields a sentence for whatever breaks it.  ``python -m tools.openapi_rules FILE``
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tools.document import Json, Operation, nodes, operations, reached, read, resolved

PROBLEM: Final = "application/problem+json"
Rule = Callable[[Json], Iterator[str]]


def version(document: Json) -> Iterator[str]:
    """Generators of clients read 3.1, and refuse 3.2."""
    if not str(document.get("openapi")).startswith("3.1."):
        yield f"openapi is {document.get('openapi')}, not 3.1"


def unions(document: Json) -> Iterator[str]:
    """A union is only "X or null": no other spelling survives all generators."""
    for where, node in nodes(document):
        for word in ("oneOf", "anyOf"):
            if word in node and (len(node[word]) != 2 or {"type": "null"} not in node[word]):
                yield f"{where}: {word} of something else than X and null"
        if "discriminator" in node:
            yield f"{where}: a discriminator"
        if "nullable" in node:
            yield f"{where}: nullable, which 3.1 does not know"


def answers_are_open(document: Json) -> Iterator[str]:
    """A value or a field that a client does not know must not break it."""
    for each in operations(document):
        given = [each.told.get("requestBody", {})] if each.is_webhook else [each.told.get("responses", {})]
        for where, node in reached(document, given, each.where):
            for word in ("enum", "const"):
                if word in node:
                    yield f"{where}: {word} in an answer"
            if node.get("additionalProperties") is False:
                yield f"{where}: an answer takes no further fields"


def tags(document: Json) -> Iterator[str]:
    """A tag is told of, and none is of webhooks and paths: generators would lose all its operations."""
    told = {each["name"] for each in document.get("tags", []) if each.get("description")}
    used: dict[bool, set[str]] = {True: set(), False: set()}
    for each in operations(document):
        found = each.told.get("tags", [])
        used[each.is_webhook] |= set(found)
        if len(found) != 1:
            yield f"{each.where}: {len(found)} tags, not one"
        for name in sorted(set(found) - told):
            yield f"{each.where}: nothing says what tag {name} gathers"
    for name in sorted(used[True] & used[False]):
        yield f"tag {name} is used by webhooks and by paths"


def told_in_full(document: Json) -> Iterator[str]:
    """An operation has all that a reader needs who does not know us."""
    for each in operations(document):
        for word in ("operationId", "summary", "description"):
            if not each.told.get(word):
                yield f"{each.where}: no {word}"
        if "security" not in each.told:
            yield f"{each.where}: nothing says who may call it"
    ids = Counter(each.told.get("operationId") for each in operations(document))
    for name, count in ids.items():
        if count > 1:
            yield f"operationId {name} is used {count} times"


def examples(document: Json) -> Iterator[str]:
    """Every body and every answer has an example."""
    for each in operations(document):
        bodies = {"the body": each.told.get("requestBody", {})}
        bodies |= {f"answer {status}": told for status, told in each.told.get("responses", {}).items()}
        for what, body in bodies.items():
            for told in resolved(document, body).get("content", {}).values():
                if not told.get("examples") and "example" not in told:
                    yield f"{each.where}: no example of {what}"


def problems(document: Json) -> Iterator[str]:
    """Whatever goes wrong is one and the same kind of document, and its codes are told."""
    for each in operations(document):
        if each.is_webhook:
            continue
        responses = each.told.get("responses", {})
        if each.told.get("security"):
            for status in ("401", "429"):
                if status not in responses:
                    yield f"{each.where}: no answer {status}"
        for status, told in responses.items():
            if status < "400":
                continue
            content = resolved(document, told).get("content", {})
            if [*content] != [PROBLEM] or not _is_problem(content[PROBLEM].get("schema", {})):
                yield f"{each.where}: answer {status} is not a Problem alone"
            if not told.get("x-codes"):
                yield f"{each.where}: answer {status} does not tell its codes"


def _is_problem(schema: Json) -> bool:
    return bool(schema.get("$ref") == "#/components/schemas/Problem")


def idempotency(document: Json) -> Iterator[str]:
    """Every POST may be sent again under a key of the client's."""
    for each in operations(document):
        if each.method == "post" and not each.is_webhook:
            found = _parameters(document, each).get(("header", "Idempotency-Key"))
            if found is None:
                yield f"{each.where}: no Idempotency-Key"
            elif not {"pattern", "minLength", "maxLength"} <= found["schema"].keys():
                yield f"{each.where}: an Idempotency-Key without pattern and length"


def paths(document: Json) -> Iterator[str]:
    """What a path leaves open is a parameter, required and described."""
    for each in operations(document):
        told = {name: one for (place, name), one in _parameters(document, each).items() if place == "path"}
        wanted = set() if each.is_webhook else set(re.findall(r"\{(\w+)\}", each.path))
        for name in sorted(wanted ^ told.keys()):
            yield f"{each.where}: {name} is in the path or among the parameters, not in both"
        for name, one in sorted(told.items()):
            if not one.get("required") or not one.get("description"):
                yield f"{each.where}: {name} is not required, or not described"


def links(document: Json) -> Iterator[str]:
    """Links lead to operations that there are, and to every one that needs an id of something."""
    known = {each.told.get("operationId"): each for each in operations(document)}
    led: set[tuple[str, str]] = set()
    for each in operations(document):
        for status, told in each.told.get("responses", {}).items():
            for name, link in resolved(document, told).get("links", {}).items():
                target = known.get(link.get("operationId"))
                if target is None:
                    yield f"{each.where}: link {name} of answer {status} leads nowhere"
                    continue
                taken = {parameter for _, parameter in _parameters(document, target)}
                for parameter in link.get("parameters", {}):
                    led.add((target.where, parameter))
                    if parameter not in taken:
                        yield f"{each.where}: link {name} gives {parameter}, which nobody takes"
    for each in known.values():
        for name in () if each.is_webhook else re.findall(r"\{(\w+)\}", each.path):
            if (each.where, name) not in led:
                yield f"{each.where}: no link tells where {name} comes from"


def scopes(document: Json) -> Iterator[str]:
    """Whoever asks for OAuth names scopes that are declared."""
    schemes = document.get("components", {}).get("securitySchemes", {})
    for each in operations(document):
        for alternative in each.told.get("security", []):
            for name, wanted in alternative.items():
                scheme = schemes.get(name)
                if scheme is None:
                    yield f"{each.where}: nothing says what {name} is"
                elif scheme["type"] == "oauth2":
                    declared = {scope for flow in scheme["flows"].values() for scope in flow["scopes"]}
                    if not wanted or not declared.issuperset(wanted):
                        yield f"{each.where}: {name} wants {wanted or 'no scope'}, of {sorted(declared)}"


def levels(document: Json) -> Iterator[str]:
    """An operation tells the feature level at which it came; so does what was added to one later."""
    for each in operations(document):
        if "x-since" not in each.told:
            yield f"{each.where}: nothing says since which feature level"
    for where, node in nodes(document):
        if (found := node.get("x-since", 1)) not in range(1, 1_000):
            yield f"{where}: x-since is {found!r}, not a feature level"


RULES: Final[tuple[Rule, ...]] = (
    version,
    unions,
    answers_are_open,
    tags,
    told_in_full,
    examples,
    problems,
    idempotency,
    paths,
    links,
    scopes,
    levels,
)


def broken(document: Json) -> list[str]:
    """Return a sentence for each breach of a rule, in the order of the rules."""
    return [sentence for rule in RULES for sentence in rule(document)]


def _parameters(document: Json, operation: Operation) -> dict[tuple[str, str], Any]:
    """Return the parameters of an operation by place and name."""
    told = [resolved(document, each) for each in operation.told.get("parameters", [])]
    return {(each["in"], each["name"]): each for each in told}


def main() -> int:
    """Judge the document named on the command line; return the exit code."""
    path = Path(sys.argv[1])
    found = broken(read(path))
    for sentence in found:
        sys.stderr.write(f"{path}: {sentence}\n")
    sys.stdout.write(f"{path}: {len(RULES)} rules, {len(found)} broken\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
