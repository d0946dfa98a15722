"""Players as others see them, and what a block keeps away without anybody being told."""

from __future__ import annotations

import io
import secrets
import uuid
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from django.core.management import CommandError, call_command

from tables.messages import Clock, SettingsChosen
from tables.models import AwaitedTurn, Offer, Outbox, PlayerReport, Table, Tenure
from tests.api.callers import Person, known, person
from tests.tables.rooms import Room, open_room


def two() -> tuple[Person, Person]:
    return person(), person()


def finished(players: list[Person], winner: int, **columns: Any) -> Table:
    """Return the row of a public game of Reafan that is over, as it is without its log.

    It stays, and other tests read lists of all tables: it has all that a row has.
    """
    settings = SettingsChosen(
        game="reafan",
        rules_version=1,
        options={},
        seats=2,
        clock=Clock(kind="none"),
        max_timeouts=1,
        absentee="forfeit",
        vacations=False,
        visibility="public",
        starts="when_full",
    )
    outcome = {
        "winners": [winner],
        "places": [1, 2],
        "scores": None,
        "reason": columns.pop("reason", "played"),
    }
    table = Table.objects.create(
        id=uuid.uuid4(),
        game="reafan",
        invite_code=secrets.token_hex(8),
        seats=2,
        outcome=outcome,
        settings=msgspec.to_builtins(settings),
        **{"status": "finished", "visibility": "public", **columns},
    )
    for seat, each in enumerate(players):
        Tenure.objects.create(table=table, seat=seat, player_id=each.id, since=3)
    return table


# --- Profiles and the directory ------------------------------------------------------------------------


def test_a_profile_tells_what_was_played_and_won_in_public() -> None:
    ana, berta = two()
    for winner in (0, 0, 1):
        finished([ana, berta], winner)
    lost = finished([berta, ana], 0)
    Tenure.objects.filter(table=lost, player=ana.id).update(until=9, ended="absent")
    AwaitedTurn.objects.bulk_create(
        AwaitedTurn(player_id=ana.id, table=lost, turn=turn, in_time=turn > 1) for turn in range(1, 11)
    )

    told = berta.api.get(f"/v1/players/{ana.name.upper()}").json()

    assert told == {
        "name": ana.name,
        "guest": False,
        "since": told["since"],
        "reliability": 90,
        "played": 4,
        "results": [{"game": "reafan", "played": 4, "won": 2, "left": 1}],
    }


@pytest.mark.parametrize(
    "columns",
    [
        {"visibility": "private"},
        {"fairness": "chosen"},
        {"status": "playing"},
        {"reason": "annulled"},
        {"reason": "abandoned_by_vote"},
        {"forked_from": True},
    ],
    ids=str,
)
def test_what_is_private_unrated_or_without_result_does_not_count(columns: dict[str, Any]) -> None:
    ana, berta = two()
    if "forked_from" in columns:
        columns = {"forked_from": finished([], 0)}
    finished([ana, berta], 0, **columns)

    assert ana.api.get(f"/v1/players/{ana.name}").json()["results"] == []


def test_a_profile_reads_the_same_to_everybody() -> None:
    """Also to whom a private table of the player's is hidden."""
    ana, berta = two()
    finished([ana, berta], 0, visibility="private")
    finished([ana, berta], 0)

    stranger = person()
    bodies = {each.api.get(f"/v1/players/{ana.name}").content for each in (ana, berta, stranger)}
    assert len(bodies) == 1


@pytest.mark.parametrize("name", ["nobody at all", "%00", "0f5f5b1e-6a3e-4f9f-9d3c-6a1d8f0d6a11"])
def test_there_is_no_profile_of_nobody(name: str) -> None:
    assert person().api.get(f"/v1/players/{quote(name, safe='%')}").status_code == 404


def test_the_directory_is_read_page_by_page_and_back() -> None:
    start = f"dir-{secrets.token_hex(4)}"
    names = [f"{start} {each}" for each in ("Ábaco", "ana", "Berta", "clara", "ñu")]
    people = [person(name) for name in reversed(names)]
    api = people[0].api

    for sort, expected in (("name", None), ("newest", names)):
        path = f"/v1/players?name={quote(start.upper())}&limit=2&sort={sort}"
        pages = [api.get(path).json()]
        while pages[-1]["next_cursor"]:
            pages.append(api.get(f"{path}&cursor={pages[-1]['next_cursor']}").json())
        told = [each["name"] for page in pages for each in page["items"]]
        assert sorted(told) == sorted(names)
        assert expected is None or told == expected
        back = api.get(f"{path}&cursor={pages[2]['previous_cursor']}").json()
        assert back["items"] == pages[1]["items"]
        assert pages[0]["previous_cursor"] is None
        another = {"name": "newest", "newest": "name"}[sort]
        other = api.get(f"/v1/players?sort={another}&cursor={pages[0]['next_cursor']}")
        assert other.status_code == 400


def test_guests_are_listed_apart() -> None:
    guest = person().api.post("/v1/guests").json()["player"]["name"]

    def found(told: str) -> list[str]:
        page = person().api.get(f"/v1/players?name={guest}&guest={told}").json()
        return [each["name"] for each in page["items"]]

    assert (found("true"), found("false")) == ([guest], [])


# --- Blocks ---------------------------------------------------------------------------------------------


def sought() -> tuple[Room, list[Person]]:
    """Return a private table of three whose host sits in seat 0; seat 2 was voted out, and is sought for."""
    room = open_room("probe")
    Table.objects.filter(id=room.id).update(visibility="private")
    people = [known(each) for each in room.players]
    people[0].api.post(f"/v1/tables/{room.id}/votes", {"motion": "replace", "seat": 2})
    people[1].api.post(f"/v1/tables/{room.id}/votes/1", {"in_favour": True})
    assert room.row.seeking == [2]
    return room, people


def block(who: Person, whom: Person) -> None:
    assert who.api.send("PUT", f"/v1/me/blocks/{whom.name}").status_code == 200


def test_a_block_is_listed_mutes_and_is_taken_back() -> None:
    ana, berta = two()
    block(ana, berta)
    block(ana, berta)

    assert [each["player"] for each in ana.api.get("/v1/me/blocks").json()["items"]] == [berta.name]
    assert [each["player"] for each in ana.api.get("/v1/me/mutes").json()["items"]] == [berta.name]
    assert berta.api.get("/v1/me/blocks").json()["items"] == []
    assert ana.api.delete(f"/v1/me/blocks/{berta.name}").status_code == 204
    assert ana.api.delete(f"/v1/me/blocks/{berta.name}").status_code == 404
    assert ana.api.send("PUT", f"/v1/me/blocks/{ana.name}").status_code == 409


def open_private(host: Person) -> tuple[str, dict[str, str]]:
    table = host.api.post("/v1/tables", {"game": "reafan", "visibility": "private"}).json()
    return f"/v1/tables/{table['id']}", {"invite_code": table["invite_code"]}


def test_who_is_blocked_finds_no_seat_at_a_private_table_of_the_blocker() -> None:
    """It is answered as a table that is not there."""
    ana, berta = two()
    block(ana, berta)
    path, code = open_private(ana)

    refused = berta.api.post(f"{path}/join", code)
    absent = berta.api.post(f"/v1/tables/{uuid.uuid4()}/join", code)
    assert refused.status_code == 404
    same = ("code", "detail", "title", "facts", "errors")
    assert [refused.json()[each] for each in same] == [absent.json()[each] for each in same]
    assert person().api.post(f"{path}/join", code).status_code == 200


def test_public_tables_are_for_everybody() -> None:
    ana, berta = two()
    block(ana, berta)
    table = ana.api.post("/v1/tables", {"game": "reafan"}).json()

    assert berta.api.post(f"/v1/tables/{table['id']}/join", {}).status_code == 200


def offers_and_notices(room: Room, player: Person) -> tuple[bool, bool]:
    told = Outbox.objects.filter(table=room.id, audience=f"player:{player.id}", detail__what="invited")
    return Offer.objects.filter(table=room.id, player=player.id).exists(), told.exists()


@pytest.mark.parametrize("across", ["offerer", "host"])
def test_a_seat_that_is_offered_across_a_block_reaches_nobody_and_is_answered_as_any(across: str) -> None:
    """The player has blocked who offers, or the host of a private table has blocked the player."""
    room, (host, offerer, _) = sought()
    friend, other = two()
    block(*((friend, offerer) if across == "offerer" else (host, friend)))
    path = f"/v1/tables/{room.id}/seats/2/offers"

    told = [offerer.api.post(path, {"player": each.name}) for each in (friend, other)]

    assert [each.status_code for each in told] == [200, 200]
    assert told[0].content == told[1].content
    assert offers_and_notices(room, friend) == (False, False)
    assert offers_and_notices(room, other) == (True, True)
    assert friend.api.get(f"/v1/tables/{room.id}").status_code == 404


def test_a_block_withdraws_what_was_offered_at_the_own_private_tables() -> None:
    room, (host, offerer, _) = sought()
    friend = person()
    offerer.api.post(f"/v1/tables/{room.id}/seats/2/offers", {"player": friend.name})
    assert friend.api.get(f"/v1/tables/{room.id}").status_code == 200
    block(host, friend)

    assert friend.api.get(f"/v1/tables/{room.id}").status_code == 404
    assert friend.api.post(f"/v1/tables/{room.id}/seats/2/replacement").status_code == 404
    code = {"invite_code": room.row.invite_code}
    assert friend.api.post(f"/v1/tables/{room.id}/seats/2/replacement", code).status_code == 404


def test_a_game_that_is_played_together_goes_on() -> None:
    room, (host, other, _) = sought()
    block(host, other)

    assert other.api.get(f"/v1/tables/{room.id}/view").status_code == 200


def test_a_question_to_arbitrate_is_not_told_to_who_has_blocked_the_host() -> None:
    ana, berta = two()
    block(berta, ana)
    table = ana.api.post("/v1/tables", {"game": "reafan", "arbiter": berta.name})

    assert table.json()["arbiter"]["player"] == berta.name
    told = Outbox.objects.filter(table=table.json()["id"], audience=f"player:{berta.id}")
    assert not told.exists()


# --- Reports ----------------------------------------------------------------------------------------------


def test_a_report_of_a_player_reaches_staff_once_until_they_are_done_with_it() -> None:
    ana, berta = two()
    path, reason = f"/v1/players/{berta.name}/report", secrets.token_hex(8)
    first = ana.api.post(path, {"reason": reason})
    again = ana.api.post(path, {"reason": "something else"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()

    (number,) = PlayerReport.objects.filter(player=ana.id).values_list("id", flat=True)
    assert f"{number} " in staff()
    assert reason in staff()
    staff("--done", str(number))
    assert reason not in staff()
    with pytest.raises(CommandError, match="There is no report"):
        staff("--done", str(number))
    assert ana.api.post(path, {"reason": reason}).status_code == 201


def staff(*arguments: str) -> str:
    out = io.StringIO()
    call_command("player_reports", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(("reason", "status"), [("", 400), (" \n", 400), ("x\u0007", 400), ("x" * 501, 400)])
def test_a_report_says_something(reason: str, status: int) -> None:
    ana, berta = two()
    assert ana.api.post(f"/v1/players/{berta.name}/report", {"reason": reason}).status_code == status


def test_nobody_reports_the_own_account() -> None:
    ana = person()
    assert ana.api.post(f"/v1/players/{ana.name}/report", {"reason": "me"}).json()["code"] == "own_account"
