"""Who may call what: every operation of the document, by everybody who could.

Staff have no account of their own: they act by ``manage.py`` on the server's host, so the API knows them
as strangers.  What they decide at a table an arbiter may decide too, who stands here for both.

Each request is sent for real, and undone: the tables stay as they are from one row to the next.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction

from tables.models import Block, Mute, Player, Table, Vacation, WebhookDelivery, WebhookEndpoint
from tests.api.callers import Person, known, person
from tests.api.contract import committed, in_process
from tests.services import Services
from tests.tables.rooms import Room, open_room

OK: Literal[0] = 0
"""The caller may: what else may be wrong with the request, or does not fit the moment, is not asked here."""

REFUSED = {
    401: {"unauthenticated"},
    403: {"forbidden", "not_seated", "not_host", "not_arbiter", "played_here", "not_your_eyes"},
    404: {"not_found"},
}


class Access(NamedTuple):
    """What each of those gets who could call an operation at a table: a status of refusal, or OK.

    ``other`` does not see the table, which is private; to a ``spectator`` it is public.
    """

    other: int
    spectator: int
    host: int
    seat: int
    former: int
    arbiter: int
    anonymous: int = 401


SIGHT = Access(404, OK, OK, OK, OK, OK)
SEAT = Access(404, 403, OK, OK, 403, 403)
HOST = Access(404, 403, OK, 403, 403, 403)
ARBITER = Access(404, 403, 403, 403, 403, OK)
TOKEN = Access(OK, OK, OK, OK, OK, OK)
OPEN = Access(OK, OK, OK, OK, OK, OK, anonymous=OK)


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request of an operation that would do: at a table of ``scene``, or None where it is about no table.

    ``fill`` gives what is in braces in the path; ``prepare`` is done before, for the caller.
    """

    may: Access
    scene: str | None = None
    body: Any = None
    fill: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    prepare: Callable[[uuid.UUID], Any] = lambda _caller: None


def playing(may: Access, **more: Any) -> Call:
    return Call(may=may, scene="arrecife", **more)


def waiting(may: Access, **more: Any) -> Call:
    return Call(may=may, scene="open", **more)


def over(may: Access, **more: Any) -> Call:
    return Call(may=may, scene="over", **more)


@cache
def somebody() -> Player:
    """Return somebody whom others speak of."""
    return Player.objects.get(id=person().id)


def mute(caller: uuid.UUID) -> None:
    Mute.objects.create(player_id=caller, muted=somebody())


def block(caller: uuid.UUID) -> None:
    Block.objects.create(player_id=caller, blocked=somebody())


HEX = "00" * 32
EXAMPLE = object()
"""The body that the document shows."""
CALLS: dict[str, Call] = {
    # The server and its catalogue
    "getStatus": Call(may=OPEN),
    "getTime": Call(may=OPEN),
    "listKeys": Call(may=OPEN),
    "listGames": Call(may=OPEN),
    "getGame": Call(may=OPEN, fill={"game": "reafan"}),
    "getGameSchema": Call(may=OPEN, fill={"game": "reafan", "name": "view"}),
    # Accounts
    "signUp": Call(may=OPEN, body={"name": "x", "password": "long enough for one"}),
    "signIn": Call(may=OPEN, body={"name": "nobody", "password": "wrong"}),
    "signOut": Call(may=TOKEN),
    "welcomeGuest": Call(may=OPEN, body={}),
    "keepGuest": Call(may=TOKEN, body={"name": "x", "password": "long enough for one"}),
    "getMe": Call(may=TOKEN),
    "changeMe": Call(may=TOKEN, body={"zone": "Europe/Madrid"}),
    "deleteMe": Call(may=TOKEN, body={"password": "not this one"}),
    "listTokens": Call(may=TOKEN),
    "createToken": Call(may=TOKEN, body={}),
    "exportMe": Call(may=TOKEN),
    "changePassword": Call(may=TOKEN, body=EXAMPLE),
    "askPasswordReset": Call(may=OPEN, body={"email": "nobody@example.org"}),
    "resetPassword": Call(may=OPEN, body={"code": "0" * 20, "password": "long enough for one"}),
    "listWebhookEndpoints": Call(may=TOKEN),
    "createWebhookEndpoint": Call(may=TOKEN, body=EXAMPLE),
    "listMyTurns": Call(may=TOKEN),
    "listMyEvents": Call(may=TOKEN),
    "listVacations": Call(may=TOKEN),
    "bookVacation": Call(may=TOKEN, body={}),
    "listNotices": Call(may=TOKEN),
    "markNoticesRead": Call(may=TOKEN, body={"upto": 0}),
    "getNoticeChoices": Call(may=TOKEN),
    "chooseNotices": Call(may=TOKEN, body={}),
    "getEmail": Call(may=TOKEN),
    "giveEmail": Call(may=TOKEN, body={"email": "a@example.org"}),
    "forgetEmail": Call(may=TOKEN),
    "confirmEmail": Call(may=TOKEN, body={"code": "000000"}),
    # Other players
    "listPlayers": Call(may=TOKEN),
    "getPlayer": Call(may=TOKEN),
    "reportPlayer": Call(may=TOKEN, body={"reason": "x"}),
    "listBlocks": Call(may=TOKEN),
    "blockPlayer": Call(may=TOKEN),
    "unblockPlayer": Call(may=TOKEN, prepare=block),
    "listMutes": Call(may=TOKEN),
    "mutePlayer": Call(may=TOKEN),
    "unmutePlayer": Call(may=TOKEN, prepare=mute),
    # Tables
    "listTables": Call(may=TOKEN),
    "openTable": Call(may=TOKEN, body={"game": "reafan"}),
    "exportResults": Call(may=TOKEN),
    "getTable": playing(SIGHT),
    "joinTable": waiting(SIGHT._replace(former=404), body={}),
    "leaveTable": waiting(SEAT._replace(former=404)),
    "startTable": waiting(HOST._replace(former=404)),
    "askArbiter": waiting(HOST._replace(former=404), body={"player": "nobody at all"}),
    "releaseArbiter": waiting(HOST._replace(former=404, arbiter=OK)),
    "acceptArbitration": waiting(ARBITER._replace(former=404)),
    "confirmPresence": waiting(SEAT._replace(former=404)),
    "commitEntropy": waiting(SEAT._replace(former=404), body={"epoch": 0, "commit": HEX}),
    "revealEntropy": waiting(SEAT._replace(former=404), body={"epoch": 0, "entropy": HEX}),
    "resignTable": playing(SEAT),
    "callVote": playing(SEAT, body={"motion": "abandon"}),
    "castVote": playing(SEAT, fill={"vote": 1}, body={"in_favour": True}),
    "makeRuling": playing(ARBITER, body={"ruling": "pause", "reason": "request", "hours": 1}),
    "offerSeat": playing(SEAT, fill={"seat": 2}, body={"player": "nobody at all"}),
    "takeSeatOver": playing(SIGHT._replace(former=403), fill={"seat": 2}, body={}),
    "agreeToRematch": over(SEAT),
    "forkTable": over(SIGHT, body={"position": 1, "seat": 0}),
    # Play, and what is told of it
    "playMove": playing(SEAT, body={"turn": 1, "kind": "pick", "params": {"card": "A"}}),
    "getView": playing(SIGHT),
    "listEvents": playing(SIGHT),
    "getNarration": playing(SIGHT),
    "listTurns": playing(SIGHT),
    "getHead": playing(SIGHT),
    "getTranscript": playing(SIGHT),
    "getKnowledge": over(SIGHT),
    "getReport": over(SIGHT),
    # Talk
    "listMessages": playing(SEAT._replace(former=OK)),
    "sendMessage": playing(SEAT, body={"text": "x"}),
    "markMessagesRead": playing(SEAT._replace(former=OK), body={"position": 1}),
    "reportMessage": playing(SEAT._replace(former=OK), fill={"position": 1}, body={"reason": "x"}),
    "getNote": playing(SEAT._replace(former=OK)),
    "writeNote": playing(SEAT._replace(former=OK), body={"text": "x"}),
    # Each game
    "getArrecifeView": playing(SIGHT),
    "playArrecifePick": playing(SEAT, body=EXAMPLE),
    "playArrecifeAbility": playing(SEAT, body=EXAMPLE),
    "getCthulhuView": Call(may=SIGHT, scene="cthulhu"),
    "playCthulhuInvestigate": Call(may=SEAT, scene="cthulhu", body=EXAMPLE),
    "playCthulhuDeclare": Call(may=SEAT, scene="cthulhu", body=EXAMPLE),
    "getReafanView": Call(may=SIGHT, scene="reafan"),
    "playReafanCover": Call(may=SEAT, scene="reafan", body=EXAMPLE),
    "playReafanDiscard": Call(may=SEAT, scene="reafan", body=EXAMPLE),
    "playReafanMulligan": Call(may=SEAT, scene="reafan", body=EXAMPLE),
    "playReafanPlace": Call(may=SEAT, scene="reafan", body=EXAMPLE),
    "playReafanSwap": Call(may=SEAT, scene="reafan", body=EXAMPLE),
}
OF_OTHERS = (
    "revokeToken",
    "endVacation",
    "getWebhookEndpoint",
    "changeWebhookEndpoint",
    "deleteWebhookEndpoint",
    "rotateWebhookSecret",
    "listWebhookDeliveries",
    "redeliverWebhook",
)
"""About something of the caller's own: another's is not there."""
LIVE = {
    "getLiveStatus": Call(may=OPEN),
    "awaitMyTurns": Call(may=TOKEN, query="?wait=0"),
    "awaitMyEvents": Call(may=TOKEN, query="?wait=0"),
    "streamMyEvents": Call(may=TOKEN),
    "awaitEvents": playing(SIGHT, query="?wait=0"),
    "awaitView": playing(SIGHT, query="?wait=0"),
    "streamEvents": playing(SIGHT),
}
"""Of the live process, which reads what others have committed."""

OPERATIONS = {
    operation["operationId"]: (method.upper(), path)
    for path, operations in committed().content["paths"].items()
    for method, operation in operations.items()
}


def test_every_operation_is_here() -> None:
    assert CALLS.keys() | {*OF_OTHERS} | LIVE.keys() == OPERATIONS.keys()


@dataclass(frozen=True)
class Scene:
    """A private table, and who has to do with it."""

    room: Room
    people: dict[str, Person]


def _seated(game: str, seats: int, **options: Any) -> Scene:
    """Return a game under way, of whose three or more seats the last was given to a bot by vote."""
    arbiter = person()
    room = open_room(game, seats=seats, seconds=None, settings={"arbiter": arbiter.name}, **options)
    people = {"host": known(room.players[0]), "seat": known(room.players[1]), "arbiter": arbiter}
    path = f"/v1/tables/{room.id}"
    arbiter.api.post(f"{path}/arbiter/acceptance")
    people["seat"].api.post(f"{path}/messages", {"text": "Good luck!"})
    if seats > 2:
        people["former"] = known(room.players[2])
        people["host"].api.post(f"{path}/votes", {"motion": "replace", "seat": 2})
        people["seat"].api.post(f"{path}/votes/1", {"in_favour": True})
    return _hidden(Scene(room, people))


def _open() -> Scene:
    """Return a table that waits for its third player; somebody has sat there and left."""
    people = {name: person() for name in ("host", "seat", "former", "arbiter")}
    body = {"game": "arrecife", "seats": 3, "arbiter": people["arbiter"].name}
    table = people["host"].api.post("/v1/tables", body).json()
    path = f"/v1/tables/{table['id']}"
    for name in ("former", "seat"):
        people[name].api.post(f"{path}/join", {"seat": 1})
        if name == "former":
            people[name].api.post(f"{path}/leave")
    people["arbiter"].api.post(f"{path}/arbiter/acceptance")
    return _hidden(Scene(Room(uuid.UUID(table["id"]), [], uuid.uuid4()), people))


def _over() -> Scene:
    scene = _seated("arrecife", 3)
    ruling = {"ruling": "annul", "reason": "request"}
    scene.people["arbiter"].api.post(f"/v1/tables/{scene.room.id}/rulings", ruling)
    return scene


def _hidden(scene: Scene) -> Scene:
    Table.objects.filter(id=scene.room.id).update(visibility="private")
    scene.people["other"] = scene.people["spectator"] = person()
    return scene


SCENES: dict[str | None, Callable[[], Scene]] = {
    "open": _open,
    "over": _over,
    "arrecife": lambda: _seated("arrecife", 3, talk="open"),
    "cthulhu": lambda: _seated("cthulhu", 3),
    "reafan": lambda: _seated("reafan", 2),
    None: lambda: Scene(Room(uuid.uuid4(), [], uuid.uuid4()), {"other": person()}),
}


@pytest.fixture(scope="module")
def scene_of(database: None) -> Callable[[str | None], Scene]:
    """Return the scene of a name, the same each time."""
    return cache(lambda name: SCENES[name]())


def path_of(call: Call, name: str, scene: Scene) -> tuple[str, str]:
    """Return method and address of a request."""
    method, path = OPERATIONS[name]
    fill = {"table_id": scene.room.id, "player": somebody().name, **call.fill}
    return method, path.format(**fill) + call.query


def example_of(method: str, path: str) -> Any:
    """Return the body that the document shows of an operation."""
    told = committed().content["paths"][path][method.lower()]["requestBody"]["content"]["application/json"]
    (example,) = told["examples"].values()
    return example["value"]


def refusal(answer: httpx.Response) -> int:
    """Return the status by which a caller is refused as such, or OK."""
    code = answer.json().get("code") if answer.headers["Content-Type"].endswith("problem+json") else None
    return answer.status_code if code in REFUSED.get(answer.status_code, ()) else OK


@pytest.fixture
def undoing() -> Iterator[None]:
    """Requests of this process stay within the transaction that is open: none closes its connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("undoing")
@pytest.mark.parametrize("name", CALLS)
def test_who_may_call_it(name: str, scene_of: Callable[[str | None], Scene]) -> None:
    call = CALLS[name]
    scene = scene_of(call.scene)
    method, path = path_of(call, name, scene)
    body = example_of(method, OPERATIONS[name][1]) if call.body is EXAMPLE else call.body
    found = {}
    for role in ("anonymous", *scene.people):
        caller = scene.people.get(role)
        with transaction.atomic():
            if caller is not None:
                call.prepare(caller.id)
            if role == "spectator":
                Table.objects.filter(id=scene.room.id).update(visibility="public")
            api = in_process() if caller is None else caller.api
            answer = api.send(method, path, body)
            assert answer.status_code < 500, answer.text
            found[role] = refusal(answer)
            transaction.set_rollback(True)

    assert found == {role: getattr(call.may, role) for role in found}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_what_is_anothers_is_not_there(name: str) -> None:
    ana, berta = person(), person()
    method, path = OPERATIONS[name]
    token = ana.api.get("/v1/me/tokens").json()["items"][0]["id"]
    vacation = Vacation.objects.create(player_id=ana.id, since="2099-01-01T00:00Z", until="2099-01-02T00:00Z")
    endpoint = WebhookEndpoint.objects.create(
        player_id=ana.id, url="https://bot.example/", types=[], salt=b"s" * 32, created_at=vacation.since
    )
    delivery = WebhookDelivery.objects.create(
        message=uuid.uuid4(), endpoint=endpoint, type="endpoint.challenge", occurred_at=vacation.since
    )
    path = path.format(
        token_id=token, vacation_id=vacation.id, endpoint_id=endpoint.id, delivery_id=delivery.message
    )
    body = {"label": "mine"} if method == "PATCH" else None

    callers = (in_process(), berta.api, ana.api)
    assert [refusal(each.send(method, path, body)) for each in callers] == [401, 404, OK]


def test_nothing_of_staff_is_in_the_document() -> None:
    """What staff may do has no route: there is nothing to be let into."""
    assert not [name for name in OPERATIONS if "staff" in name.lower() or "admin" in name.lower()]


@pytest.mark.parametrize("name", LIVE)
def test_who_may_wait_for_it(name: str, scene_of: Callable[[str | None], Scene], services: Services) -> None:
    services.start("valkey", "signer", "live")
    call = LIVE[name]
    scene = scene_of(call.scene)
    _, path = path_of(call, name, scene)

    def asked(token: str | None) -> int:
        with ExitStack() as stack:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            url = services.live_url + path
            answer = stack.enter_context(
                httpx.stream("GET", url, headers=headers, timeout=30, trust_env=False)
            )
            if answer.status_code != 200:
                answer.read()
            return refusal(answer) if answer.status_code != 200 else OK

    found = {role: asked(scene.people[role].api.token) for role in scene.people if role != "spectator"}
    found["anonymous"] = asked(None)
    if "spectator" in scene.people:
        Table.objects.filter(id=scene.room.id).update(visibility="public")
        found["spectator"] = asked(scene.people["spectator"].api.token)
        Table.objects.filter(id=scene.room.id).update(visibility="private")

    assert found == {role: getattr(call.may, role) for role in found}
