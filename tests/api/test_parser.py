"""The strict reader of bodies: every JSON value of ours comes through, every text comes to an end."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.api.parser import MAX_DEPTH, MAX_INTEGER, BadJson, loads

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=10)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES, st.booleans())
def test_a_value_is_read_as_it_was_written(value: Any, is_escaped: bool) -> None:
    assert loads(json.dumps(value, ensure_ascii=is_escaped).encode()) == value


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text('{}[]",:\\u0ad8 1-.eE+truefalsn', max_size=80).map(str.encode))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadJson):
        loads(body)


@pytest.mark.parametrize(
    ("text", "value"), [("42.0", 42), ("4.2e1", 42), ("-0.0", 0), ("9007199254740991.0", MAX_INTEGER)]
)
def test_an_integer_may_be_written_with_a_fraction(text: str, value: int) -> None:
    """JSON Schema takes it for one, and so do its validators in clients."""
    read = loads(text.encode())
    assert (read, type(read)) == (value, int)


def test_a_fraction_stays_one() -> None:
    assert loads(b"2.5") == 2.5


@pytest.mark.parametrize("text", ["1e400", "-1e400", "9007199254740993.0", "1e16"])
def test_a_number_that_not_every_reader_can_hold_is_refused(text: str) -> None:
    with pytest.raises(BadJson) as refused:
        loads(text.encode())
    assert refused.value.facts["code"] == "number_too_large"


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_is_counted_outside_strings_alone(brackets: str) -> None:
    opening = {"[]": "[", "{}": '{"a":'}[brackets]
    for depth in (MAX_DEPTH, MAX_DEPTH + 1):
        body = (opening * depth + '"]]]{{{[[[\\"[[["' + brackets[1] * depth).encode()
        if depth == MAX_DEPTH:
            loads(body)
        else:
            with pytest.raises(BadJson):
                loads(body)
    flat = json.dumps(["[[[[{{{{" * 20, [[]] * 100]).encode()
    assert loads(flat) == json.loads(flat)


@pytest.mark.parametrize("piece", ['"', '\\"', '"\\', "[", "[]", '{"a":', '"\\"[', "1", "-", "\\u", "e1"])
def test_the_longest_body_of_one_piece_is_refused(piece: str) -> None:
    body = (piece * 65_536)[:65_536].encode()
    with pytest.raises(BadJson):
        loads(body)
