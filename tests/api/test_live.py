"""Waiting for news over HTTP, at the live process: long-polls and streams."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import replace
from typing import Any

import httpx
import msgspec
import pytest

from tables import commands, players, talk
from tables.live import streams
from tables.models import Table, Tenure, Token
from tables.players import Caller
from tables.shapes import NewTable
from tests.api.contract import Api
from tests.api.listening import Told, listening
from tests.api.test_problems import is_problem
from tests.services import Services
from tests.tables.rooms import new_player, open_room


@pytest.fixture
def live(server: str, services: Services) -> str:
    """The address of the live process."""
    return services.live_url


def api_of(url: str, player: uuid.UUID) -> Api:
    """Return a player's way to a process."""
    caller = Caller(player, "", "en", token_id=player)
    return Api(url, players.create_token(caller, "test").token)


def events_of(server: str, api: Api, table: uuid.UUID, after: int = 0) -> list[Any]:
    """Return all events of a table as the API tells them."""
    items: list[Any] = []
    while True:
        page = Api(server, api.token).get(f"/v1/tables/{table}/events?after={after}").json()
        items += page["items"]
        after = page["last_position"]
        if not page["has_more"]:
            return items


def events_in(told: list[Told]) -> list[Any]:
    """Return the events of games among what a stream has told."""
    return [each.data for each in told if each.id]


@contextmanager
def asking(api: Api, path: str, **headers: str) -> Iterator[Future[httpx.Response]]:
    """Send a request that may have to wait during the block."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(api.get, path, headers=headers)


def test_a_stream_tells_each_viewer_what_the_log_does(live: str, server: str) -> None:
    room = open_room()
    path = f"/v1/live/tables/{room.id}/stream"
    viewers = [api_of(live, each) for each in (*room.players, room.stranger)]
    with ExitStack() as stack:
        streams_of_all = [stack.enter_context(listening(live, each, path)) for each in viewers]
        begun = [each.take(room.row.version) for each in streams_of_all]
        room.pick(0, 1, 2)
        more = [each.take(room.row.version - len(begun[0])) for each in streams_of_all]
    for number, viewer in enumerate(viewers):
        told = begun[number] + more[number]
        assert events_in(told) == events_of(server, viewer, room.id)
        assert [each.id for each in told] == [str(each.data["position"]) for each in told]
        assert all(each.event == each.data["type"] for each in told)


def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(live: str, server: str) -> None:
    room = open_room()
    path = f"/v1/live/tables/{room.id}/stream"
    viewer = api_of(live, room.players[1])
    told: list[Told] = []
    last = ""
    for count, seat in ((3, 0), (2, 1), (4, 2)):
        with listening(live, viewer, path, last) as stream:
            told += stream.take(count)
            last = stream.last_id
        room.pick(seat)
    with listening(live, viewer, path, last) as stream:
        told += stream.take(room.row.version - int(last))
    assert events_in(told) == events_of(server, viewer, room.id)

    with listening(live, viewer, f"{path}?after={room.row.version - 1}", "1") as stream:
        assert stream.take(1)[0].id == str(room.row.version)


def test_one_stream_tells_of_all_tables_of_a_player(live: str, server: str) -> None:
    first, second, later = open_room(), open_room(), open_room()
    player = first.players[0]
    Tenure.objects.filter(table=second.id, seat=1).update(player=player)
    api = api_of(live, player)
    began = {first.id: first.row.version, second.id: second.row.version, later.id: 0}
    told: list[Told] = []
    with listening(live, api, "/v1/live/me/stream") as stream:
        first.pick(0)
        told += stream.take(1)
        last = stream.last_id
    second.pick(0)
    Tenure.objects.filter(table=later.id, seat=2).update(player=player)
    first.play_on()  # to the end
    with listening(live, api, "/v1/live/me/stream", last) as stream:
        while len(events_in(told)) < sum(
            room.row.version - began[room.id] for room in (first, second, later)
        ):
            told += stream.take(1)
        second.pick(2)
        told += stream.take(1)
        last = stream.last_id
    for room in (first, second, later):
        own = [each for each in events_in(told) if each["table_id"] == str(room.id)]
        assert [{**each, "table_id": str(room.id)} for each in own] == own
        wanted = events_of(server, api, room.id, began[room.id])
        assert [{name: each[name] for name in each if name != "table_id"} for each in own] == wanted[
            : len(own)
        ]
    assert events_in(told)[-1]["table_id"] == str(second.id)

    page = Api(server, api.token).get(f"/v1/me/events?after={last}").json()
    assert [each["table_id"] for each in page["items"]] == [str(second.id)] * len(page["items"])


def test_who_has_lost_a_seat_is_told_until_then(live: str, server: str) -> None:
    room = open_room()
    api = Api(server, api_of(live, room.players[0]).token)
    begun = api.get("/v1/me/events").json()
    assert (begun["items"], begun["has_more"]) == ([], False)
    room.pick(0)
    until = room.row.version
    Tenure.objects.filter(table=room.id, seat=0).update(until=until)
    room.pick(1, 2)
    told = api.get(f"/v1/me/events?after={begun['cursor']}").json()
    assert [each["position"] for each in told["items"]][-1] == until < room.row.version
    again = api.get(f"/v1/me/events?after={told['cursor']}").json()
    assert (again["items"], again["cursor"]) == ([], told["cursor"])
    Tenure.objects.filter(table=room.id, seat=0).update(until=None)
    back = api.get(f"/v1/me/events?after={told['cursor']}").json()
    assert back["items"][0]["position"] == until + 1


def test_a_page_of_events_ends_at_its_limit(live: str, server: str) -> None:
    rooms = [open_room(), open_room()]
    player = rooms[0].players[0]
    Tenure.objects.filter(table=rooms[1].id, seat=0).update(player=player)
    api = Api(server, api_of(live, player).token)
    found, after, pages = [], "m", 0
    while True:
        page = api.get(f"/v1/me/events?after={after}&limit=3").json()
        assert len(page["items"]) <= 3
        found += [(each["table_id"], each["position"]) for each in page["items"]]
        after, pages = page["cursor"], pages + 1
        if not page["has_more"]:
            break
    wanted = [(str(room.id), n) for room in rooms for n in range(1, room.row.version + 1)]
    assert sorted(found) == sorted(wanted)
    assert pages == -(-len(wanted) // 3)
    for bad in ("x", "m=", "mAAAA", "m" + "A" * 26, after + "A"):
        refused = api.get(f"/v1/me/events?after={bad}")
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "?after")


def test_streams_tell_of_talk_and_of_notices(live: str) -> None:
    room = open_room()
    seat, stranger = api_of(live, room.players[1]), api_of(live, room.stranger)
    path = f"/v1/live/tables/{room.id}/stream?after={room.row.version}"
    with (
        listening(live, seat, path) as table,
        listening(live, seat, "/v1/live/me/stream") as mine,
        listening(live, stranger, path) as watching,
    ):
        talk.say(room.players[0], room.id, "Hello")
        told = Told("talk", "", {"table_id": str(room.id), "version": 1})
        assert table.until("talk") == [told]
        assert mine.until("talk")[-1] == told
        numbers = [each.data["last_number"] for each in mine.until("notices") if each.event == "notices"]
        assert numbers[-1] >= 1
        room.pick(0)
        heard = watching.until(room.headers()[-1].type)
        assert [each.id for each in heard][-1] == str(room.row.version)
        assert all(each.id for each in heard)  # not a word of the talk
    with listening(live, seat, path) as table:
        assert table.until("talk")[-1].data["version"] == 1  # told anew


def test_a_stream_ends_with_its_token(live: str) -> None:
    room = open_room()
    api = api_of(live, room.players[0])
    path = f"/v1/live/tables/{room.id}/stream?after={room.row.version}"
    with listening(live, api, path) as table, listening(live, api, "/v1/live/me/stream") as mine:
        room.pick(1)
        assert table.take(1)[0].id
        Token.objects.filter(player=room.players[0]).delete()
        room.pick(2)
        assert [each[::2] for each in table] == [("end", {"kind": "unauthenticated"})]
        assert list(mine)[-1][::2] == ("end", {"kind": "unauthenticated"})


@pytest.mark.long
def test_a_silent_stream_ends_with_its_token_too(live: str) -> None:
    """Within 30 s, with nothing to tell."""
    room = open_room()
    api = api_of(live, room.players[0])
    began = time.monotonic()
    with listening(live, api, f"/v1/live/tables/{room.id}/stream?after={room.row.version}") as table:
        Token.objects.filter(player=room.players[0]).delete()
        assert [each.data for each in table] == [{"kind": "unauthenticated"}]
    assert time.monotonic() - began < 30


def test_a_player_has_five_streams(live: str) -> None:
    api = api_of(live, new_player())
    path = "/v1/live/me/stream"
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(listening(live, api, path))
        refused = api.get(path)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
        stack.enter_context(listening(live, api_of(live, new_player()), path))
    until = time.monotonic() + 20
    while True:  # until the server has noticed that they are gone
        try:
            with listening(live, api, path):
                return
        except AssertionError:
            assert time.monotonic() < until


def test_nobody_waits_for_what_it_may_not_see(live: str, server: str) -> None:
    opened = commands.open_table(new_player(), NewTable(game="probe", visibility="private")).answer
    table = msgspec.to_builtins(opened)["id"]
    stranger, missing = api_of(live, new_player()), str(uuid.uuid4())
    for what in ("events", "view", "stream"):
        hidden, absent = (stranger.get(f"/v1/live/tables/{each}/{what}") for each in (table, missing))
        assert hidden.status_code == absent.status_code == 404
        told = [{**each.json(), "instance": "", "request_id": ""} for each in (hidden, absent)]
        assert told[0] == told[1]
        assert Api(live).get(f"/v1/live/tables/{table}/{what}").status_code == 401
        assert stranger.send("POST", f"/v1/live/tables/{table}/{what}").status_code == 405
        wrong = Api(server, stranger.token).get(f"/v1/live/tables/{table}/{what}")
        assert (wrong.status_code, wrong.json()["facts"]) == (421, {"live_url": live})
    assert stranger.get(f"/v1/live/tables/{table}/stream?after=x").status_code == 400
    bad = stranger.get("/v1/live/me/stream", headers={"Last-Event-ID": "12"})
    assert bad.status_code == 400
    assert stranger.get("/v1/live/me/events?wait=31").status_code == 400


def test_a_long_poll_answers_as_soon_as_there_are_events(live: str, server: str) -> None:
    room = open_room()
    api = api_of(live, room.players[0])
    version = room.row.version
    path = f"/v1/live/tables/{room.id}/events?after={version}"
    none = api.get(f"{path}&wait=0").json()
    assert none == {"items": [], "last_position": version, "has_more": False}
    cursor = api.get("/v1/live/me/events").json()["cursor"]
    with asking(api, path) as events, asking(api, f"/v1/live/me/events?after={cursor}") as mine:
        room.pick(1)
    wanted = events_of(server, api, room.id, version)
    assert events.result().json()["items"] == wanted
    own = mine.result().json()
    assert [{**each, "table_id": str(room.id)} for each in wanted] == own["items"]


def test_a_view_and_a_home_screen_are_waited_for(live: str, server: str) -> None:
    room = open_room()
    api = api_of(live, room.players[0])
    view, turns = f"/v1/live/tables/{room.id}/view", "/v1/live/me/turns"
    held, waiting = api.get(view), api.get(turns)
    assert held.json()["etag"] == held.headers["ETag"]
    assert [each["table_id"] for each in waiting.json()["items"]] == [str(room.id)]
    same = {"If_None_Match": held.headers["ETag"]}
    assert api.get(f"{view}?wait=0", headers=same).status_code == 304
    with (
        asking(api, view, **same) as another,
        asking(api, turns, If_None_Match=waiting.headers["ETag"]) as fewer,
    ):
        room.pick(0)
    assert another.result().json()["version"] == room.row.version
    assert fewer.result().json()["items"] == []


def test_what_is_wrong_is_pointed_at_where_it_stands(live: str) -> None:
    """A wrong id of the header is not one of the query; parameters of the plain read are not taken."""
    room = open_room()
    api, path = api_of(live, room.players[0]), f"/v1/live/tables/{room.id}"
    is_problem(api.get(f"{path}/view?wait=0&seat=0"), 400, "bad_request", ("?seat", "unknown_field"))
    for stream, given in (
        (f"{path}/stream", "x"),
        ("/v1/live/me/stream", "x"),
        ("/v1/live/me/stream", "mAAA"),
    ):
        answer = api.get(stream, headers={"Last-Event-ID": given})
        is_problem(answer, 400, "bad_request", ("Last-Event-ID", "bad_format"))
    answer = api.get("/v1/live/me/stream?after=mAAA")
    is_problem(answer, 400, "bad_request", ("?after", "bad_format"))


def frames(stream: AsyncGenerator[bytes]) -> list[bytes]:
    """Return a stream that ends by itself, in this process."""

    async def all_of_it() -> list[bytes]:
        async with aclosing(stream):
            return [each async for each in stream]

    return asyncio.run(all_of_it())


def caller_of(player: uuid.UUID) -> Caller:
    caller = Caller(player, "", "en", token_id=player)
    return replace(caller, token_id=uuid.UUID(players.create_token(caller, "").details.id))


def ended(kind: str) -> bytes:
    return b'event: end\ndata: {"kind":"' + kind.encode() + b'"}\n\n'


def test_who_is_too_far_behind_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_BEHIND", 3)
    room = open_room()
    caller = caller_of(room.players[0])
    assert frames(streams.of_table(caller, room.id, 0)) == [streams.BEGIN, ended("resync")]
    assert frames(streams.of_player(caller, {room.id: 1})) == [streams.BEGIN, ended("resync")]


def test_a_stream_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_SECONDS", 0.05)
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.02)
    room = open_room()
    told = frames(streams.of_table(caller_of(room.players[0]), room.id, room.row.version))
    assert (told[0], told[-1]) == (streams.BEGIN, ended("renew"))
    assert set(told[1:-1]) == {streams.HEARTBEAT}


def test_a_stream_of_a_table_that_is_hidden_now_ends() -> None:
    room = open_room()
    Table.objects.filter(id=room.id).update(visibility="private")
    assert frames(streams.of_table(caller_of(room.stranger), room.id, 0)) == [
        streams.BEGIN,
        ended("not_found"),
    ]
