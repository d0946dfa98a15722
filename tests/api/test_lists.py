"""Every list costs as many statements for a hundred rows as for one; and how lists are ordered and cut."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from events import store
from events.codec import read_header
from tables import access, players, talk
from tables.folding import stream_of
from tables.live import feeds
from tables.models import (
    Block,
    Mailbox,
    Mute,
    Notice,
    Player,
    Table,
    Tenure,
    Vacation,
    WebhookDelivery,
    WebhookEndpoint,
)
from tables.shapes import SandboxChoice
from tests.api.callers import Person, known, person
from tests.api.contract import committed
from tests.tables.rooms import Room, open_room

MANY = 100
MANY_LOGS = 30
"""So many where each row needs a table with a log of its own, for time's sake."""

LISTS = {
    operation["operationId"]
    for path, operations in committed().content["paths"].items()
    for method, operation in operations.items()
    if method == "get" and not path.startswith("/v1/live/")
    for content in [operation["responses"]["200"]["content"]]
    if "text/csv" in content
    or "items"
    in committed()
    .content["components"]["schemas"]
    .get(content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2], {})
    .get("properties", {})
}
WITHOUT_ROWS = {
    "listGames": "the registry, in memory",
    "listKeys": "the keys of one server, in one statement",
}


def several(count: int) -> list[Player]:
    return Player.objects.bulk_create(
        Player(name=f"one-{secrets.token_hex(8)}", password="!") for _ in range(count)
    )


def copies(who: Person, count: int, **columns: Any) -> list[Table]:
    """Give a player so many tables, each with a host, a holder of another seat and an arbiter of its own.

    They are rows alone, as lists read them.
    """
    room = open_room("reafan")
    row = Table.objects.get(id=room.id)
    made = []
    for host, other in zip(several(count), several(count), strict=True):
        row.pk, row.invite_code, row.host = uuid.uuid4(), secrets.token_hex(8), host
        for name, value in columns.items():
            setattr(row, name, value)
        row.save(force_insert=True)
        Tenure.objects.create(table=row, seat=0, player_id=who.id, since=3)
        Tenure.objects.create(table=row, seat=1, player=other, since=4)
        made.append(Table.objects.get(id=row.pk))
    return made


def tables(who: Person, count: int) -> str:
    copies(who, count)
    return "/v1/tables?mine=true&limit=200"


def results(who: Person, count: int) -> str:
    outcome = {"winners": [0], "places": [1, 2], "scores": None, "reason": "played"}
    copies(who, count, status="finished", outcome=outcome)
    return "/v1/tables/results.csv?mine=true"


def turns(who: Person, count: int) -> str:
    waiting(who, count)
    return "/v1/me/turns?expand=view"


def waiting(who: Person, count: int) -> list[uuid.UUID]:
    """Seat a player at so many tables that wait for it, logs and all."""
    found = []
    for _ in range(count):
        row = open_room("reafan", seconds=None).row
        Tenure.objects.filter(table=row, seat=row.awaited[0]).update(player=who.id)
        found.append(row.id)
    return found


def events_of_all(who: Person, count: int) -> str:
    """From the deal of the own hand on, at as many tables as it takes."""
    after = {}
    for table in waiting(who, -(-count // 2)):
        seat = access.seat_of(who.id, table)
        dealt = store.all_of_type(stream_of(table), "reafan.dealt")
        after[table] = (
            next(each.position for each in dealt if read_header(each.header).public["seat"] == seat) - 1
        )
    return f"/v1/me/events?limit={count}&after={feeds.cursor_of(after)}"


def tokens(who: Person, count: int) -> str:
    caller = players.Caller(who.id, who.name, "en", token_id=who.id)
    for number in range(count - 1):  # one it comes with
        players.create_token(caller, f"token {number}")
    return "/v1/me/tokens"


def vacations(who: Person, count: int) -> str:
    then = datetime(2020, 1, 1, tzinfo=UTC)
    Vacation.objects.bulk_create(
        Vacation(
            player_id=who.id, since=then + timedelta(days=day), until=then + timedelta(days=day, hours=1)
        )
        for day in range(count)
    )
    return "/v1/me/vacations"


def notices(who: Person, count: int) -> str:
    box = Mailbox.objects.create(player_id=who.id, last_number=count)
    Notice.objects.bulk_create(
        Notice(
            id=uuid.uuid4(),
            mailbox=box,
            table=table,
            number=number,
            kind="your_turn",
            what="your_turn",
            facts={"turn": 1, "seat": 0, "until": None},
            created_at=datetime.now(UTC),
        )
        for number, table in enumerate(copies(who, count), start=1)
    )
    return "/v1/me/notices?limit=200"


def mutes(who: Person, count: int) -> str:
    Mute.objects.bulk_create(Mute(player_id=who.id, muted=each) for each in several(count))
    return "/v1/me/mutes"


def blocks(who: Person, count: int) -> str:
    Block.objects.bulk_create(Block(player_id=who.id, blocked=each) for each in several(count))
    return "/v1/me/blocks"


def directory(_who: Person, count: int) -> str:
    start = secrets.token_hex(6)
    Player.objects.bulk_create(Player(name=f"{start} {each}", password="!") for each in range(count))
    return f"/v1/players?name={start}&limit=200"


def endpoint(who: Person, label: str = "") -> WebhookEndpoint:
    return WebhookEndpoint.objects.create(
        player_id=who.id,
        label=label,
        url="https://bot.example/hook",
        types=["turn.awaited"],
        salt=b"s" * 32,
        created_at=datetime.now(UTC),
    )


def webhooks(who: Person, count: int) -> str:
    for number in range(count):
        endpoint(who, f"endpoint {number}")
    return "/v1/me/webhook-endpoints"


def deliveries(who: Person, count: int) -> str:
    made = endpoint(who)
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(
            message=uuid.uuid4(), endpoint=made, type="endpoint.challenge", occurred_at=made.created_at
        )
        for _ in range(count)
    )
    return f"/v1/me/webhook-endpoints/{made.id}/deliveries?limit=200"


def messages(who: Person, count: int) -> str:
    room = open_room("reafan")
    Tenure.objects.filter(table=room.id, seat=0).update(player=who.id)
    for number in range(count):
        talk.say((who.id, room.players[1])[number % 2], room.id, f"number {number}")
    return f"/v1/tables/{room.id}/messages?limit=200"


@pytest.fixture(scope="module")
def long_game(database: None) -> Room:
    """A game that is over, always the same, of many turns, whose picks are all hidden at first."""
    sandbox = SandboxChoice(seed="1f" * 32)
    room = open_room("arrecife", seconds=None, starting_hp=60, settings={"sandbox": sandbox})
    room.play_on()
    return room


GROWN: dict[str, Callable[[Person, int], str]] = {
    "listTables": tables,
    "exportResults": results,
    "listMyTurns": turns,
    "listMyEvents": events_of_all,
    "listTokens": tokens,
    "listVacations": vacations,
    "listNotices": notices,
    "listMutes": mutes,
    "listBlocks": blocks,
    "listPlayers": directory,
    "listMessages": messages,
    "listWebhookEndpoints": webhooks,
    "listWebhookDeliveries": deliveries,
}
OF_A_GAME = {
    "listEvents": "events",
    "getNarration": "narration",
    "listTurns": "turns",
    "getKnowledge": "knowledge",
}
"""Those that are read page by page: of one game, with ``limit``."""


def test_every_list_is_counted_here() -> None:
    assert GROWN.keys() | OF_A_GAME.keys() | WITHOUT_ROWS.keys() == LISTS


def cost(who: Person, path: str) -> tuple[int, int]:
    """Return how many rows an answer has, and how many statements it took."""
    who.api.get("/v1/me")  # the first request of a token notes the day
    with CaptureQueriesContext(connection) as statements:
        answer = who.api.get(path)
    assert answer.status_code == 200, answer.text
    if answer.headers["Content-Type"].startswith("text/csv"):
        return answer.text.count("\r\n") // 2, len(statements)  # two seats a table, and the head
    return len(answer.json()["items"]), len(statements)


@pytest.mark.parametrize("name", GROWN)
def test_a_list_costs_the_same_for_one_row_as_for_a_hundred(name: str) -> None:
    one, many = person(), person()

    count = MANY_LOGS if name in ("listMyTurns", "listMyEvents") else MANY

    costs = [cost(who, GROWN[name](who, rows)) for who, rows in ((one, 1), (many, count))]

    assert costs == [(1, costs[0][1]), (count, costs[0][1])]


@pytest.mark.parametrize("name", OF_A_GAME)
def test_a_page_of_a_game_costs_the_same_for_one_row_as_for_many(name: str, long_game: Room) -> None:
    who = known(long_game.players[0])
    own = next(each for each in long_game.headers("table.move_played") if each.actor == "seat:0")
    path = f"/v1/tables/{long_game.id}/{OF_A_GAME[name]}?after={own.seq - 1}&limit="

    (rows, statements), (more, as_many) = (cost(who, f"{path}{limit}") for limit in (1, MANY))

    assert (rows, statements) == (1, as_many)
    assert more > MANY // 2


# --- Orders and filters ----------------------------------------------------------------------------------


def ids(who: Person, query: str) -> list[str]:
    """Return the ids that a list of tables has, over all its pages, which can be walked back."""
    path, found, pages = f"/v1/tables?mine=true&limit=2&{query}", [], []
    cursor = ""
    while True:
        page = who.api.get(path + cursor).json()
        pages.append([each["id"] for each in page["items"]])
        found += pages[-1]
        if len(pages) > 1:
            back = who.api.get(f"{path}&cursor={page['previous_cursor']}").json()
            assert [each["id"] for each in back["items"]] == pages[-2]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_tables_come_in_the_order_that_is_asked_for() -> None:
    who, now = person(), datetime.now(UTC)
    made = copies(who, 5)
    told = [str(each.id) for each in made]
    for number, later in enumerate((3, 1, None, 2, 1)):
        moment = None if later is None else now + timedelta(hours=later)
        Table.objects.filter(id=told[number]).update(deadline_at=moment, finished_at=moment)
    twins = sorted((told[1], told[4]))

    assert ids(who, "sort=newest") == ids(who, "") == told[::-1]
    assert ids(who, "sort=oldest") == told
    assert ids(who, "sort=deadline") == [*twins, told[3], told[0]]
    assert ids(who, "sort=finished") == [told[0], told[3], *twins[::-1]]


def test_a_cursor_is_of_one_order() -> None:
    who = person()
    copies(who, 3)
    cursor = who.api.get("/v1/tables?mine=true&limit=1").json()["next_cursor"]

    assert who.api.get(f"/v1/tables?mine=true&limit=1&sort=oldest&cursor={cursor}").status_code == 400


def test_tables_of_a_player_are_those_that_the_caller_sees() -> None:
    ana, berta = person(), person()
    public, private = copies(ana, 2)
    Table.objects.filter(id=private.id).update(visibility="private")
    Tenure.objects.filter(table=public.id, player=ana.id).update(until=7)

    found = berta.api.get(f"/v1/tables?player={ana.name.upper()}").json()["items"]

    assert [each["id"] for each in found] == [str(public.id)]
    assert berta.api.get("/v1/tables?player=nobody%20at%20all").json()["items"] == []


def test_games_are_found_by_how_many_play() -> None:
    def found(seats: int) -> set[str]:
        items = person().api.get(f"/v1/games?seats={seats}").json()["items"]
        return {each["id"] for each in items} & {"reafan", "arrecife", "cthulhu"}

    assert [found(seats) for seats in (2, 3, 7, 8)] == [
        {"reafan"},
        {"arrecife", "cthulhu"},
        {"arrecife"},
        set(),
    ]


def test_messages_are_read_from_the_last_one_back() -> None:
    who = person()
    path = messages(who, 5).partition("?")[0]

    pages, before = [], 2**31 - 1
    while True:
        page = who.api.get(f"{path}?before={before}&limit=2").json()
        pages.append([each["text"] for each in page["items"]])
        before = page["last_position"]
        if not page["has_more"]:
            break

    assert pages == [["number 4", "number 3"], ["number 2", "number 1"], ["number 0"]]
    assert who.api.get(f"{path}?before=1").json()["last_position"] == 1
    between = who.api.get(f"{path}?after=1&before=4").json()["items"]
    assert [each["position"] for each in between] == [3, 2]


# --- Pages -----------------------------------------------------------------------------------------------

PAGED = {
    operation["operationId"]
    for operations in committed().content["paths"].values()
    for operation in operations.values()
    if any(each["name"] == "cursor" for each in operation.get("parameters", []))
}


@pytest.mark.parametrize("name", sorted(PAGED))
def test_headers_link_the_pages_beside(name: str) -> None:
    """RFC 8288; the cursors of the body lead to the same."""
    who = person()
    path = GROWN[name](who, 3).replace("limit=200", "limit=1")
    path += "" if "limit=1" in path else "&limit=1"

    pages = [who.api.get(path)]
    while "next" in pages[-1].links:
        pages.append(who.api.get(pages[-1].links["next"]["url"]))
    back = [pages[-1]]
    while "prev" in back[0].links:
        back.insert(0, who.api.get(back[0].links["prev"]["url"]))

    assert [len(each.json()["items"]) for each in pages] == [1, 1, 1]
    assert [each.json()["items"] for each in back] == [each.json()["items"] for each in pages]
    assert all(("next" in each.links) == (each.json()["next_cursor"] is not None) for each in pages)
    unchanged = who.api.get(path, headers={"If-None-Match": pages[0].headers["ETag"]})
    assert (unchanged.status_code, unchanged.links) == (304, {})
