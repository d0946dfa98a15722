"""What ``docs/transcript.md`` tells to the byte is what the code does; of annexes it tells every key."""

from __future__ import annotations

import hmac
import json
import re
from pathlib import Path
from typing import Any

import pytest

from engines.chance import KeyedChance
from engines.registry import GAMES
from events import canonical
from tests.engines.annexes import annex_of
from tests.verify.test_vectors import ANSWERS, draw_key

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "transcript.md").read_text("utf-8")
OF_TABLES = json.loads((ROOT / "tables" / "annex-v1.json").read_text("utf-8"))
ANNEXES = [OF_TABLES, *map(annex_of, GAMES.values())]


def block(language: str, holding: str) -> str:
    """Return the one block of a language with a text in it."""
    (found,) = (each for each in re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL) if holding in each)
    return str(found)


VECTORS = [json.loads(line) for line in block("jsonl", "seed_commit").splitlines()]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["of"])
def test_a_vector_of_the_document_holds(vector: dict[str, Any]) -> None:
    assert ANSWERS[vector["of"]](**vector["in"]) == vector["out"]


def test_the_vectors_of_the_document_are_of_everything_that_is_hashed() -> None:
    of = {
        "entropy_commit",
        "seed_commit",
        "stream_key",
        "draw_key",
        "below",
        "shuffle",
        "commitment",
        "receipt",
    }
    assert {each["of"] for each in VECTORS} >= of


def test_the_event_that_is_worked_out_has_its_hash() -> None:
    header = block("json", "prev").rstrip("\n")
    before, told = TEXT.split(header)

    assert canonical.parse(header.encode())["seq"] == 3
    assert f"then these {len(header)}," in before
    assert f"`{canonical.event_hash(header.encode()).hex()}`" in told.split("\n\n")[1]
    assert f"13 bytes `{b'ttx/event/v1'.hex()}00`" in before


def test_the_opening_that_is_worked_out_fits() -> None:
    (salt, message, c) = (
        bytes.fromhex(line.split(maxsplit=1)[1]) for line in block("text", "salt").splitlines()
    )

    assert hmac.digest(salt, message, "sha256") == c
    assert canonical.commitment(salt, message[12:28], 1, 0, b'{"card":51}') == c


def test_the_shuffle_that_is_worked_out_is_that_of_its_words() -> None:
    lines = [line.split() for line in block("text", "block 0").splitlines()]
    key = next(each["out"] for each in VECTORS if each["of"] == "stream_key")
    list_ = list(range(5))

    assert lines[0] == ["D", draw_key(key, 1, "roles")]
    stream = hmac.digest(bytes.fromhex(lines[0][1]), bytes(4), "sha256").hex()
    assert lines[1][-1] == stream
    for at, (_, i, _, word, _, bound, _, j, _, *told) in enumerate(lines[2:]):
        assert (word, int(bound)) == (stream[16 * at : 16 * at + 16], int(i) + 1)
        assert int(j) == int(word, 16) % int(bound)
        list_[int(i)], list_[int(j)] = list_[int(j)], list_[int(i)]
        assert list_ == [int(each) for each in told]
    assert tuple(list_) == KeyedChance(bytes.fromhex(key), 1).shuffle(5, "roles")


def names_in(heading: str) -> set[str]:
    """Return what the first column of a table names."""
    rows = TEXT.split(f"| {heading} | what it is |\n|---|---|\n")[1].split("\n\n")[0].splitlines()
    return {name for row in rows for name in row.split("|")[1].strip().split(", ")}


def test_every_key_of_an_annex_is_told() -> None:
    assert {key for annex in ANNEXES for key in annex} == names_in("key of an annex")
    events = [event for annex in ANNEXES for event in annex["events"].values()]
    assert {key for event in events for key in event} == names_in("key of an event")
