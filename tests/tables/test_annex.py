"""The frozen annex of the table and its clock agrees with the code that writes their events."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import tables
from engines.audience import COMMITTED, OPENED, PUBLIC, fields_of
from engines.base import MovePlayed
from events.codec import MOVE_PLAYED
from tables import catalogue, interventions, messages
from tables.shapes import NewRuling, NewTable
from tests.probe.messages import Open, Pick
from tests.tables.rooms import Room, open_room, running_room

FOLDER = Path(tables.__file__).parent
ANNEX = json.loads((FOLDER / "annex-v1.json").read_text(encoding="utf-8"))
EVENTS: dict[str, Any] = ANNEX["events"]
PARTS = ("schema", "public", "slots", "assigns", "opens", "draws", "actor", "when", "values")


def test_the_annex_lists_every_event_with_its_fields() -> None:
    assert set(EVENTS) == {*messages.EVENTS, MOVE_PLAYED}
    for name, event in messages.EVENTS.items():
        frozen = EVENTS[name]
        assert frozen["public"] == [each.name for each in fields_of(event)]
        hidden = {each.name: each.audience for each in fields_of(event) if each.audience != PUBLIC}
        told = {frozen["slots"]["field"]: COMMITTED} if frozen["slots"] else {}
        assert hidden == told | {each["field"]: OPENED for each in frozen["opens"]}
        assert (frozen["assigns"], frozen["draws"]) == ([], [])


@pytest.mark.parametrize("name", EVENTS)
def test_each_event_is_told_alike(name: str) -> None:
    frozen = EVENTS[name]
    assert tuple(frozen) == PARTS
    assert frozen["schema"] == 1
    assert set(frozen["values"]) <= set(frozen["public"])
    assert name.partition(".")[0] in ANNEX["areas"]


@pytest.mark.parametrize("by_table", [False, True])
def test_a_move_is_laid_out_as_the_annex_says(*, by_table: bool) -> None:
    codec, frozen = catalogue.codec_of(catalogue.game_of("probe")), EVENTS[MOVE_PLAYED]
    sealed, open_ = (
        codec.encode(MovePlayed(seat=1, window=2, move=move, by_table=by_table))
        for move in (Pick(number=2, rival=0), Open(owner=0, place=1))
    )

    assert list(sealed.public) == list(open_.public) == frozen["public"]
    assert open_.items == ()
    ((to, payload),) = sealed.items
    assert to == ("server" if by_table else "seat:1")
    assert list(payload) == frozen["slots"]["payload"]
    assert payload["params"].keys() | sealed.public["params"].keys() == {"number", "rival"}
    assert not payload["params"].keys() & sealed.public["params"].keys()


def test_closed_sets_of_values_are_those_of_the_code() -> None:
    chosen = EVENTS["table.settings_chosen"]["values"]
    for name in ("visibility", "starts"):
        assert list(get_args(get_type_hints(NewTable)[name])) == chosen[name]
    reasons = EVENTS["table.seat_abandoned"]["values"]["reason"]
    assert re.findall(r"``(\w+)``", messages.SeatAbandoned.__doc__ or "") == reasons
    for name in ("table.reinstated", "table.staff_peeked", "table.ruling_made"):
        assert EVENTS[name]["values"]["reason"] == list(interventions.REASONS)
        assert list(get_args(get_type_hints(NewRuling)["reason"])) == list(interventions.REASONS)
    assert (
        list(get_args(get_type_hints(NewRuling)["ruling"])) == EVENTS["table.ruling_made"]["values"]["ruling"]
    )


@pytest.fixture(scope="module")
def rooms(database: None) -> list[Room]:
    """A game to its end, and one that somebody has left."""
    whole, left = open_room("probe"), running_room("probe", moves=0)
    whole.play_on()
    left.resign(2)
    return [whole, left]


def test_what_is_written_has_the_actors_values_and_places_that_the_annex_says(rooms: list[Room]) -> None:
    for room in rooms:
        headers = room.headers()
        assert [each.type for each in headers[:2]] == ["table.opened", "table.settings_chosen"]
        for header in (each for each in headers if each.type in EVENTS):
            frozen = EVENTS[header.type]
            assert sorted(header.public) == sorted(frozen["public"])
            assert re.sub(r"\d+", "N", header.actor) in frozen["actor"]
            for name, allowed in frozen["values"].items():
                value = header.public[name]
                if isinstance(allowed, list):
                    assert value in allowed
                elif (digits := re.match(r"(\d+) hex digits", allowed)) is not None:
                    assert re.fullmatch(rf"[0-9a-f]{{{digits[1]}}}", value)
