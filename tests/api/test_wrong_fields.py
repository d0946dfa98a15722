"""What is wrong in a request is pointed at where it stands, and said in words that people know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tables import wanted
from tests.api.contract import Api
from tests.api.test_problems import is_problem
from tests.matches import open_match

Sign = Callable[..., Api]


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("/v1/tables?Mine=true", "?Mine"),
        ("/v1/me/turns?limit=3", "?limit"),
        ("/v1/status?x", "?x"),
        ("/v1/me?seat=public&at=1", "?seat"),
    ],
)
def test_a_parameter_that_is_not_known_is_refused_like_a_field(
    new_player: Sign, path: str, pointer: str
) -> None:
    is_problem(new_player().get(path), 400, "bad_request", (pointer, "unknown_field"))


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"bots": ["greedy", "greedy"]}, "#/bots", "bad_length"),
        ({"seats": 3}, "#/seats", "out_of_range"),
        ({"clock": {"seconds": 3}}, "#/clock/seconds", "out_of_range"),
        (
            {
                "bots": ["greedy"],
                "sandbox": {"script": [{"seat": 1, "kind": "mulligan", "params": {"x": 1, "take": True}}]},
            },
            "#/sandbox/script/0/params/x",
            "unknown_field",
        ),
    ],
)
def test_what_was_sent_is_what_is_pointed_at(
    new_player: Sign, body: dict[str, Any], pointer: str, code: str
) -> None:
    answer = new_player().post("/v1/tables", {"game": "reafan", **body})
    is_problem(answer, 400, "bad_request", (pointer, code))


def test_a_seat_that_the_table_does_not_have(new_player: Sign) -> None:
    host, guest = new_player(), new_player()
    path = f"/v1/tables/{host.post('/v1/tables', {'game': 'reafan'}).json()['id']}"
    answer = guest.post(f"{path}/join", {"seat": 2})
    is_problem(answer, 400, "bad_request", ("#/seat", "out_of_range"))
    assert answer.json()["errors"][0]["detail"] == "This is out of range; possible: from 0 to 1."
    assert guest.post(f"{path}/join", {"seat": 1}).status_code == 200
    is_problem(host.get(f"{path}/view?seat=2"), 403, "not_your_eyes")
    assert guest.post(f"{path}/resign").json()["status"] == "finished"
    for read in ("view", "events", "narration"):
        asked = host.get(f"{path}/{read}?seat=2")
        is_problem(asked, 400, "bad_request", ("?seat", "out_of_range"))
        assert host.get(f"{path}/{read}?seat=1").status_code == 200


def test_after_a_position_that_is_still_to_come_the_real_last_one_is_told(new_player: Sign) -> None:
    match = open_match([new_player(), new_player()])
    player, version = match.players[0], match.version()
    for read in ("events", "turns", "narration"):
        page = player.get(f"{match.path}/{read}?after=100000").json()
        assert (page["items"], page["last_position"]) == ([], version)


def test_a_token_knows_itself_in_the_list(new_player: Sign) -> None:
    player = new_player()
    made = player.post("/v1/me/tokens", {"label": "bot"}).json()
    assert [each["current"] for each in player.get("/v1/me/tokens").json()["items"]] == [False, True]
    other = Api(player.base_url, token=made["token"])
    (current,) = (each for each in other.get("/v1/me/tokens").json()["items"] if each["current"])
    assert current["id"] == made["details"]["id"]


def test_where_no_scope_is_enough_it_is_said_so(new_player: Sign) -> None:
    made = new_player().post("/v1/me/tokens", {"scopes": ["tables:read"]}).json()
    bot = Api(new_player().base_url, token=made["token"])
    refused = bot.get("/v1/me/tokens")
    is_problem(refused, 403, "insufficient_scope")
    assert refused.json()["detail"].endswith("it wants one without scopes.")
    refused = bot.get("/v1/me/tokens", headers={"Accept-Language": "es"})
    assert refused.json()["detail"].endswith("hace falta uno sin permisos limitados.")


@pytest.mark.parametrize(
    ("code", "facts", "english", "spanish"),
    [
        ("out_of_range", {"wanted": ">= 60"}, "possible: 60 or more.", "se admite: 60 o más."),
        ("out_of_range", {"wanted": "60.."}, "possible: 60 or more.", "se admite: 60 o más."),
        ("out_of_range", {"wanted": "..5"}, "possible: 5 or less.", "se admite: 5 o menos."),
        ("bad_length", {"wanted": "0..4"}, "is to be from 0 to 4.", "ha de ser de 0 a 4."),
        (
            "wrong_type",
            {"wanted": "int | null", "given": "str"},
            "Expected a whole number or null, not a text.",
            "Se esperaba un número entero o null, no un texto.",
        ),
        ("unknown_value", {"wanted": "server"}, "not known here. Known here: server.", "Se conoce: server."),
        ("unknown_value", {}, "This value is not known here.", "Este valor no se conoce aquí."),
    ],
)
def test_what_a_field_should_have_been_is_said_in_words(
    code: str, facts: dict[str, str], english: str, spanish: str
) -> None:
    assert str(wanted.sentence(code, "en", **facts)).endswith(english)
    assert str(wanted.sentence(code, "es", **facts)).endswith(spanish)
