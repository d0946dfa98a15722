"""The log in words over HTTP, and the options of a game told and refused in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engines.registry import GAMES
from tests.api.contract import Api
from tests.matches import Match, keep_hands, open_match, play_on

ENGLISH, SPANISH = {"Accept-Language": "en"}, {"Accept-Language": "es"}


@pytest.fixture
def match(new_player: Callable[..., Api]) -> Match:
    match = open_match([new_player(), new_player()])
    keep_hands(match)
    return match


def sentences(player: Api, match: Match, headers: dict[str, str], query: str = "limit=200") -> list[str]:
    answer = player.get(f"{match.path}/narration?{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return [each["sentence"] for each in answer.json()["items"]]


def test_the_narration_follows_the_events_in_the_language_of_the_caller(match: Match) -> None:
    play_on(match)
    player = match.players[0]
    events = player.get(f"{match.path}/events?limit=200").json()["items"]
    answers = [player.get(f"{match.path}/narration?limit=200", headers=each) for each in (ENGLISH, SPANISH)]
    assert [each.headers["Content-Language"] for each in answers] == ["en", "es"]
    for answer in answers:
        told = answer.json()["items"]
        assert [(e["position"], e["type"]) for e in told] == [(e["position"], e["type"]) for e in events]
    pairs = zip(*(answer.json()["items"] for answer in answers), strict=True)
    assert all(english["sentence"] != spanish["sentence"] for english, spanish in pairs)
    name = player.get("/v1/me").json()["name"]
    assert f"{name} joins the table." in sentences(player, match, ENGLISH)
    assert f"{name} se une a la mesa." in sentences(player, match, SPANISH)


def test_the_narration_comes_in_pages(match: Match) -> None:
    player = match.players[0]
    whole = sentences(player, match, ENGLISH)
    found: list[str] = []
    after, more = 0, True
    while more:
        page = player.get(f"{match.path}/narration?after={after}&limit=4").json()
        found += [each["sentence"] for each in page["items"]]
        after, more = page["last_position"], page["has_more"]
    assert found == whole
    assert after == match.version()


def test_a_narration_that_the_caller_holds_is_not_sent_again(match: Match) -> None:
    path = f"{match.path}/narration"
    first = match.players[0].get(path, headers=ENGLISH)
    held = {"If-None-Match": first.headers["ETag"]}
    again = match.players[0].get(path, headers={**ENGLISH, **held})
    assert (again.status_code, again.content, again.headers["Content-Language"]) == (304, b"", "en")
    assert match.players[0].get(path, headers={**SPANISH, **held}).status_code == 200


def test_each_reads_of_its_own_cards_alone(match: Match, new_player: Callable[..., Api]) -> None:
    """cases.md R52."""
    names = [player.get("/v1/me").json()["name"] for player in match.players]
    for own, player in enumerate(match.players):
        told = sentences(player, match, ENGLISH)
        assert f"{names[1 - own]} is dealt three cards." in told
        assert f"{names[own]} is dealt three cards." not in told
        assert f"{names[own]} decides in secret to keep the hand." in told
        assert f"{names[1 - own]} decides in secret about the mulligan." in told
    stranger = sentences(new_player(), match, ENGLISH)
    assert all(f"{name} is dealt three cards." in stranger for name in names)


def test_who_gave_a_seat_back_is_not_taken_for_who_sat_down_there_later(
    new_player: Callable[..., Api],
) -> None:
    host, left, late = (new_player() for _ in range(3))
    match = open_match([host], seats=2, starts="by_host")
    assert left.post(f"{match.path}/join", {}).status_code == 200
    assert left.post(f"{match.path}/leave").status_code == 200
    assert late.post(f"{match.path}/join", {}).status_code == 200
    name = late.get("/v1/me").json()["name"]
    told = sentences(host, match, ENGLISH)
    assert told[-3:] == ["Seat 1 joins the table.", "Seat 1 is free again.", f"{name} joins the table."]


def test_a_hidden_table_has_no_narration(new_player: Callable[..., Api]) -> None:
    match = open_match([new_player()], seats=2, visibility="private")
    assert new_player().get(f"{match.path}/narration").status_code == 404


# Options


@pytest.mark.parametrize("game", GAMES)
def test_a_game_tells_its_options_in_the_language_of_the_caller(server: str, game: str) -> None:
    english, spanish = (
        Api(server).get(f"/v1/games/{game}", headers=each).json()["options"] for each in (ENGLISH, SPANISH)
    )
    schema = Api(server).get(f"/v1/games/{game}/schemas/options").json()
    told = schema["$defs"][schema["$ref"].rsplit("/", 1)[1]]["properties"]
    assert [each["id"] for each in english] == [each.name for each in fields(GAMES[game].options)] == [*told]
    for one, other in zip(english, spanish, strict=True):
        assert one["name"] != other["name"]
        assert one["help"] != other["help"]
        property_ = told[one["id"]]
        assert one["default"] == property_["default"] == getattr(GAMES[game].options(), one["id"])
        assert (one["minimum"], one["maximum"]) == (property_.get("minimum"), property_.get("maximum"))
        assert sorted(each["value"] for each in one["values"]) == sorted(property_.get("enum", []))
        assert one["kind"] == ("choice" if "enum" in property_ else property_["type"])
        for value, translated in zip(one["values"], other["values"], strict=True):
            assert value["value"] == translated["value"]
            assert value["name"] != translated["name"]
        assert Draft202012Validator(schema).is_valid({one["id"]: one["default"]})


@pytest.mark.parametrize(
    ("options", "code", "english", "spanish"),
    [
        (
            {"on_timeout": "sleep"},
            "unknown_value",
            'The option `on_timeout` takes auto, forfeit; it was given "sleep".',
            'La opción `on_timeout` admite auto, forfeit; se ha recibido "sleep".',
        ),
        (
            {"rounds": 4},
            "out_of_range",
            "The option `rounds` takes 1..3; it was given 4.",
            "La opción `rounds` admite 1..3; se ha recibido 4.",
        ),
        (
            {"on_timeout": "auto", "rounds": 0},
            "out_of_range",
            "The option `rounds` takes 1..3; it was given 0.",
            "La opción `rounds` admite 1..3; se ha recibido 0.",
        ),
        (
            {"rounds": True},
            "wrong_type",
            "The option `rounds` takes 1..3; it was given true.",
            "La opción `rounds` admite 1..3; se ha recibido true.",
        ),
        (
            {"rounds": [1] * 60},
            "wrong_type",
            f"The option `rounds` takes 1..3; it was given [{'1, ' * 19}1….",
            f"La opción `rounds` admite 1..3; se ha recibido [{'1, ' * 19}1….",
        ),
        (
            {"speed": "{fast}"},
            "unknown_field",
            'There is no option `speed`, given as "{fast}"; there are: rounds, on_timeout.',
            'No existe la opción `speed`, enviada como "{fast}"; existen: rounds, on_timeout.',
        ),
    ],
)
def test_a_bad_option_names_itself_its_bounds_and_its_value(
    new_player: Callable[..., Api], options: dict[str, Any], code: str, english: str, spanish: str
) -> None:
    player = new_player()
    name = list(options)[-1]
    for headers, text in ((ENGLISH, english), (SPANISH, spanish)):
        answer = player.post("/v1/tables", {"game": "probe", "options": options}, headers=headers)
        assert answer.status_code == 400
        (problem,) = answer.json()["errors"]
        assert problem == {"pointer": f"#/options/{name}", "code": code, "detail": text}
        facts = answer.json()["facts"]
        assert facts["option"] == name
        assert facts.keys() == {"option", "wanted", "given"}


def test_a_choice_of_yes_or_no_tells_both(new_player: Callable[..., Api]) -> None:
    answer = new_player().post("/v1/tables", {"game": "cthulhu", "options": {"series": "yes"}})
    (problem,) = answer.json()["errors"]
    assert problem["detail"] == 'The option `series` takes false, true; it was given "yes".'
