"""No refusal sends a fact that the document does not name, and none that it names is never sent.

Beside this, ``contract.Document`` holds the facts of every refusal in the whole suite against it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from tables.api import codes
from tests.api.contract import committed

TABLES: Final = Path(codes.__file__).parents[1]
ERRORS: Final = {"pointer", "code"}
"""Facts of a wrong field, which stand in the ``errors`` of the problem."""
BY_CLASS: Final = {each.__name__: each for each in codes.refusals().values()}
BY_THEMSELVES: Final = {"BadField", "TooManyRequests", "TooManyAtOnce"}
"""These put their facts together elsewhere than where they are raised."""


def raised() -> dict[str, set[str]]:
    """Return the names of the facts with which each refusal is raised anywhere."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in TABLES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BY_CLASS:
                found[node.func.id] |= {each.arg for each in node.keywords if each.arg is not None}
    return found


RAISED: Final = raised()


@pytest.mark.parametrize("name", sorted(BY_CLASS))
def test_a_refusal_is_raised_with_the_facts_that_it_is_declared_to_have(name: str) -> None:
    told = set(BY_CLASS[name].about)

    if name in BY_THEMSELVES:
        assert RAISED[name] - ERRORS <= told
    else:
        assert RAISED[name] - ERRORS == told


def test_the_document_names_them() -> None:
    told = committed().content["info"]["description"]

    assert "| `turn_passed` | The turn that this move answers has passed. | `turn` |" in told
    assert committed().facts["bad_request"] == {"option", "wanted", "given"}
    assert {
        code: set(each.about) for code, each in codes.refusals().items()
    }.items() <= committed().facts.items()


def test_a_fact_that_it_does_not_name_is_noticed() -> None:
    committed().check_facts("here", {"code": "turn_passed", "facts": {"turn": 7}})
    with pytest.raises(AssertionError, match="not documented"):
        committed().check_facts("here", {"code": "turn_passed", "facts": {"turn": 7, "hand": 3}})
