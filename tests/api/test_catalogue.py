"""The games on offer, in both languages."""

from __future__ import annotations

import re

import pytest
from jsonschema import Draft202012Validator

from engines.registry import GAMES
from tables.catalogue import names_of, rulebook_of
from tests.api.contract import Api


def test_every_game_is_listed(server: str) -> None:
    listed = Api(server).get("/v1/games").json()["items"]
    assert set(GAMES) <= {each["id"] for each in listed}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_texts_in_two_languages(server: str, game: str) -> None:
    english = Api(server).get(f"/v1/games/{game}", headers={"Accept-Language": "en"})
    spanish = Api(server).get(f"/v1/games/{game}", headers={"Accept-Language": "es-MX,es;q=0.9,en;q=0.8"})
    assert (english.headers["Content-Language"], spanish.headers["Content-Language"]) == ("en", "es")
    assert english.json()["rulebook"] != spanish.json()["rulebook"]
    assert english.headers["ETag"] != spanish.headers["ETag"]
    assert english.json()["names"].keys() == spanish.json()["names"].keys()
    for told, locale in ((english, "en"), (spanish, "es")):
        assert told.json()["credits"] == names_of(GAMES[game])["credits"][locale]
    assert (
        Api(server).get(f"/v1/games/{game}", headers={"Accept-Language": "fr"}).headers["Content-Language"]
        == "en"
    )


@pytest.mark.parametrize("locale", ["en", "es"])
@pytest.mark.parametrize("game", GAMES)
def test_a_rulebook_calls_options_and_values_as_the_form_of_a_table_does(game: str, locale: str) -> None:
    rules = rulebook_of(GAMES[game], locale)
    options = names_of(GAMES[game])["options"]
    values = {key: word for each in options.values() for key, word in each.get("values", {}).items()}
    ids = {*options, *values}

    assert not [each for each in re.findall(r"`([^`]+)`", rules) if ids & set(re.split(r"\W+", each))]
    assert any(f"{word[locale]}*" in rules for word in values.values())


@pytest.mark.parametrize("game", GAMES)
def test_every_schema_of_a_game_is_one(server: str, game: str) -> None:
    names = Api(server).get(f"/v1/games/{game}").json()["schemas"]
    assert {"options", "view"} < set(names)
    for name in names:
        answer = Api(server).get(f"/v1/games/{game}/schemas/{name}")
        assert answer.status_code == 200
        Draft202012Validator.check_schema(answer.json())


@pytest.mark.parametrize(
    "path",
    [
        "/v1/games/chess",
        "/v1/games/reafan/schemas/move.castle",
        "/v1/games/%00",
        "/v1/games/reafan/schemas/x",
    ],
)
def test_what_is_not_there_is_not_found(server: str, path: str) -> None:
    answer = Api(server).get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_client_keeps_the_catalogue(server: str) -> None:
    first = Api(server).get("/v1/games/reafan")
    again = Api(server).get(
        "/v1/games/reafan", headers={"If-None-Match": f'"other", {first.headers["ETag"]}'}
    )
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert Api(server).get("/v1/games/reafan", headers={"If-None-Match": '"other"'}).status_code == 200
