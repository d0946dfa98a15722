"""The JSON profile: the bytes of RFC 8785 for what it allows, a refusal for the rest."""

from __future__ import annotations

import json
import math
from enum import IntEnum, StrEnum
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from events import canonical as module
from events.canonical import MAX_INT, NotCanonical, canonical, parse

unhurried = settings(deadline=None)  # other tests share the processors

keys = st.from_regex(r"[a-z0-9_]{1,6}", fullmatch=True)
texts = st.text(
    st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8
) | st.sampled_from(["seat:0", "seat:e", "-e", ",n", "x.y", '"', "\\", '{"":', ":.", "ñ"])
scalars = st.none() | st.booleans() | st.integers(-MAX_INT, MAX_INT) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)
# the same, with here and there something that the profile leaves out
odd_keys = keys | st.sampled_from(["", "A", "a b", "a.b", "a:", "ñ", '"', "\\", "seat:0"])
odd_scalars = (
    scalars | st.floats() | st.sampled_from([1e16, -1e22, 1e-7, math.nan, math.inf, "\x00", "\ud800"])
)
odd_values = st.recursive(
    odd_scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(odd_keys, inner, max_size=4),
    max_leaves=20,
)


@unhurried
@given(values)
def test_the_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@unhurried
@given(values)
def test_what_was_written_is_read_back(value: Any) -> None:
    assert parse(canonical(value)) == value


@settings(unhurried, max_examples=500)
@given(odd_values)
def test_bytes_like_those_seen_before_are_judged_as_the_walk_judges(value: Any) -> None:
    """The short cut for known shapes must let nothing through that the walk refuses."""
    try:
        module._walk(value, "", 0)
    except NotCanonical:
        with pytest.raises(NotCanonical):
            canonical(value)
    else:
        assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("like", "value"),
    [
        ({"a": 1}, {"": 1}),
        ({"a": 1}, {"A": 1}),
        ({"a": 1}, {"a": 1.5}),
        ({"a": 1}, {"a": 1e16}),
        ({"a": 1}, {"a": -1e22}),
        ({"a": 1}, {"a": 1e-7}),
        ({"a": -1}, {"a": -1e22}),
        ({"a": -1}, {"a": -1e-7}),
        ({"a": -1}, {"a": 1e-7}),
        ({"a": [1, 2]}, {"a": [1, 2e16]}),
        ({"a": [1, 2]}, {"a": [1e20, 2]}),
        ({"a": None}, {"a": math.nan}),
        ({"a": 1}, {"a": math.nan}),
        ({"a": True}, {"a": math.inf}),
        ({"a": "b"}, {"a": "\x00"}),
        ({"a": "\\u0000"}, {"a": "\x00"}),
        ({"a": "b"}, {"a": "\ud800"}),
        (1, 1.0),
        ([], 1e300),
    ],
)
def test_a_value_outside_the_profile_is_refused_also_after_one_like_it(like: Any, value: Any) -> None:
    canonical(like)

    with pytest.raises(NotCanonical):
        canonical(value)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"public": {"cards": [1, 2.5]}}, "public.cards[1]"),
        ({"public": {"x": {"Y": 1}}}, "public.x"),
        ({"n": 2**53}, "n"),
        ({"n": -(2**53)}, "n"),
        ({"n": 2**64}, "n"),
        ({1: 2}, ""),
        ({"a": ["\ud800"]}, "a[0]"),
        ({"a": ["\x00"]}, "a[0]"),
        ({"a": b"bytes"}, "a"),
        ({"a": {1, 2}}, "a"),
    ],
)
def test_a_refusal_names_the_place(value: Any, path: str) -> None:
    with pytest.raises(NotCanonical) as refused:
        canonical(value)

    assert refused.value.path == path


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 0


def test_sixteen_levels_are_deep_enough() -> None:
    assert parse(canonical(nested(16))) == nested(16)
    for too_deep in (nested(17), nested(300)):
        with pytest.raises(NotCanonical):
            canonical(too_deep)


def test_64_kib_are_long_enough() -> None:
    assert len(canonical("x" * (64 * 1024 - 2))) == 64 * 1024
    with pytest.raises(NotCanonical):
        canonical("x" * (64 * 1024 - 1))
    with pytest.raises(NotCanonical):
        parse(b'"' + b"x" * 64 * 1024 + b'"')


def test_enumerations_are_written_as_their_values() -> None:
    class Suit(StrEnum):
        SUN = "sun"

    class Rank(IntEnum):
        ACE = 1

    assert canonical({"suit": Suit.SUN, "rank": Rank.ACE}) == b'{"rank":1,"suit":"sun"}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b' {"a":1}',
        b'{"a": 1}',
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b'{"b":1,"a":2}',
        b'{"A":1}',
        b'{"a":1.0}',
        b'{"a":1e2}',
        b'{"a":-0}',
        b'{"a":01}',
        b'{"a":9007199254740992}',
        b'{"a":123456789012345678901234567890}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\\u0000"}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b"NaN",
        b"[" * 2000 + b"]" * 2000,
    ],
)
def test_any_other_spelling_is_refused(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        parse(data)


@unhurried
@given(st.binary(max_size=40) | values.map(lambda value: json.dumps(value).encode()))
def test_what_is_read_has_one_spelling(data: bytes) -> None:
    try:
        value = parse(data)
    except NotCanonical:
        return
    assert rfc8785.dumps(value) == data


def test_the_known_shapes_are_bounded() -> None:
    for number in range(module._MAX_SHAPES + 2):
        canonical("." * number)

    assert len(module._shapes) <= module._MAX_SHAPES


def test_orjson_refuses_what_the_short_cut_relies_on() -> None:
    """The short cut never sees these: orjson itself must refuse them under our options."""
    for value in (2**53, "\ud800", {1: 2}, object()):
        with pytest.raises(TypeError):
            orjson.dumps(value, option=module._OPTIONS)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_secrets_of_another_length_are_refused(length: int) -> None:
    tid, wrong = bytes(16), bytes(length)
    with pytest.raises(ValueError, match="wanted"):
        module.commitment(wrong, tid, 1, 0, b"{}")
    with pytest.raises(ValueError, match="wanted"):
        module.seed_commit(tid, 0, wrong)
    with pytest.raises(ValueError, match="wanted"):
        module.entropy_commit(tid, 0, 0, wrong)
    with pytest.raises(ValueError, match="wanted"):
        module.stream_key(tid, 0, bytes(32), [wrong])
