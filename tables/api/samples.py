"""The examples of the document: invented people, and games played by chance from a fixed key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

import msgspec

from engines import base
from engines.audience import name_of
from engines.base import Batch, Game
from engines.chance import KeyedChance
from tables import catalogue, wording

TABLE = "0197a3c2-5b1e-4d40-9c1f-2f6d8e4b7a10"
OTHER_TABLE = "0197a3c2-6d80-4a13-8e52-91c4b7f03d6e"
PLAYER = "5f0c2f6e-3b0a-4c59-8f6e-6a1d2c9b7e44"
SECRET = "posta_" + "0" * 42
NOW = "2026-01-05T18:00:00.000Z"
LATER = "2026-01-07T18:00:00.000Z"
REQUEST_ID = "6f1c0b9a4e7d2853"
ETAG = 'W/"2f0c7c1de5a94b0b8d3e6a71"'

PLAYER_ANSWER = {
    "id": PLAYER,
    "name": "Ana",
    "locale": "es",
    "zone": "Europe/Madrid",
    "quiet_hours": {"start": "23:00", "end": "08:00"},
    "reliability": 97,
    "guest": False,
}
TOKEN = {
    "id": "c1d8a0f4-92b7-4d38-a6a3-0e5b7c2f9d61",
    "kind": "session",
    "label": "sign-in",
    "scopes": None,
    "created_at": NOW,
    "expires_at": "2026-04-05T18:00:00.000Z",
    "last_used_on": None,
}
BOT = {
    **TOKEN,
    "kind": "personal",
    "label": "my bot",
    "scopes": ["moves:write", "tables:read"],
}
APPLICATION = {
    **TOKEN,
    "id": "0d6f3a52-8f0e-4c55-9a3e-6b1d7c9e2f48",
    "kind": "oauth",
    "label": "Posta for phones",
    "scopes": ["moves:write", "profile:read", "tables:read"],
    "last_used_on": "2026-01-05",
}
SESSION = {"token": SECRET, "details": TOKEN, "player": PLAYER_ANSWER}
NEW_PLAYER = {**PLAYER_ANSWER, "zone": "UTC", "quiet_hours": None, "reliability": None}
SIGNED_UP = {**SESSION, "details": {**TOKEN, "label": "sign-up"}, "player": NEW_PLAYER}
GUEST = {
    **SESSION,
    "details": {**TOKEN, "label": "guest"},
    "player": {**NEW_PLAYER, "name": "guest-7k2mxq4d", "guest": True},
}
EXPORT = {
    "exported_at": NOW,
    "sections": {
        "account": [{"id": PLAYER, "name": "Ana", "locale": "es", "zone": "Europe/Madrid"}],
        "notes": [{"table": TABLE, "text": "Beatriz keeps the ace", "changed_at": NOW}],
        "seats": [{"table": TABLE, "seat": 0, "since": 2, "until": None}],
        "tables": [{"id": TABLE, "title": "Friday evenings", "transcript": f"/v1/tables/{TABLE}/transcript"}],
    },
}
RECEIPT = {
    "v": 1,
    "table": TABLE.replace("-", ""),
    "seq": 12,
    "head": "9b" * 32,
    "at": 1767636000000,
    "kid": "k1",
    "sig": "5a" * 64,
}
EVENT = {
    "position": 12,
    "type": "clock.deadline_set",
    "occurred_at": NOW,
    "actor_seat": None,
    "data": {
        "turn": 2,
        "deadline_at": 1767808800000,
        "clocks": [{"seat": 1, "left": 172800000, "due_at": 1767808800000}],
        "banks": [],
    },
}
CURSOR = "mAZejwlsefUCcHy9tjkt6EAAAAAw"
EVENTS = {"items": [EVENT], "last_position": 12, "has_more": False}
TURN_POSITIONS = {
    "items": [{"turn": 2, "position": 12, "occurred_at": NOW}],
    "last_position": 12,
    "has_more": False,
}
KNOWLEDGE = {
    "items": [
        {
            "position": 8,
            "type": "table.move_played",
            "items": [
                {
                    "slot": 0,
                    "payload": {"kind": "mulligan", "params": {"take": False}},
                    "seats": [{"seat": 0, "since": 8}],
                    "public_since": 11,
                    "sentence": (
                        "Ana decides in secret to keep the hand. Ana knew it from position 8 on. Everybody"
                        " knew it from position 11 on."
                    ),
                }
            ],
        }
    ],
    "last_position": 8,
    "has_more": False,
}
MESSAGE = {
    "position": 3,
    "seat": 0,
    "player": "Ana",
    "said_at": NOW,
    "game_position": 12,
    "text": "Good luck, everybody!",
    "hidden": None,
    "erased": False,
    "muted": False,
}
MESSAGES = {"items": [MESSAGE], "last_position": 3, "has_more": False, "last_read": 2, "unread": 1}
REPORT = {"position": 3, "reason": "An insult.", "reported_at": NOW}
MUTE = {"player": "Berta", "since": NOW}
PLAYER_REPORT = {"player": "Berta", "reason": "Lets clocks run out when losing.", "reported_at": NOW}
SUMMARY = {"name": "Berta", "guest": False, "since": NOW}
NOTICE_CHOICES = {
    "mail": "immediate",
    "daily_at": 8,
    "kinds": [{"kind": "message", "mail": "daily"}],
    "tables": [{"table_id": TABLE, "mail": "hourly"}],
}
EMAIL = {"email": "ana@example.org", "confirmed": True}
NOTE = {"text": "Berta bluffs.", "changed_at": NOW}
STATUS = {
    "version": "0.1.0",
    "feature_level": 1,
    "server_time": NOW,
    "live_url": "http://127.0.0.1:8001",
}
KEYS = {"items": [{"kid": "k1", "public": "3d" * 32, "from": 0, "until": None}]}


def tags() -> list[tuple[str, str]]:
    """Return the tags of the document with what they gather, in its order."""
    return [
        ("accounts", "Signing up, signing in, tokens."),
        ("players", "Other players: finding them, what is known of them, blocking and reporting them."),
        ("catalogue", "The games on offer, with texts and schemas."),
        ("tables", "Opening, finding, joining and leaving tables."),
        ("play", "Views, moves and events in the shape common to all games."),
        ("talk", "Messages at a table, and what a player keeps for itself: mutes and notes."),
        (
            "live",
            "Waiting for news, at the address `live_url` of `GET /v1/status`: long-polls, and streams of"
            " server-sent events.",
        ),
        ("notices", "What a player is told about its tables: the list, which of it is mailed, and where to."),
        (
            "webhook-endpoints",
            "Where a player's programs are told what happens at its tables: endpoints, their secrets, and the"
            " log of what was sent.",
        ),
        ("webhooks", "What endpoints are sent, by Standard Webhooks: requests of the server's, signed."),
        ("server", "The server itself."),
        *(
            (game.id, f"Moves and views of {catalogue.names_of(game)['game']['en']}, fully typed.")
            for game in catalogue.games().values()
        ),
    ]


def problem(code: str, status: int, path: str) -> dict[str, Any]:
    """Return an example of a problem."""
    errors = []
    if code == "bad_request":
        errors = [
            {"pointer": "#/turn", "code": "missing_field", "detail": wording.FIELDS["missing_field"][0]}
        ]
    facts = {"scope": "moves:write"} if code == "insufficient_scope" else {}
    return {
        "type": f"/docs/errors#{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status,
        "code": code,
        "detail": wording.worded(wording.DETAILS, code, "en", **facts),
        "instance": path.replace("{table_id}", TABLE),
        "errors": errors,
        "facts": facts,
        "request_id": REQUEST_ID,
    }


def profile() -> dict[str, Any]:
    """Return a player who has played the first game."""
    results = {"game": first_game().id, "played": 12, "won": 5, "left": 1}
    return {**SUMMARY, "reliability": 97, "played": 12, "results": [results]}


def first_game() -> Game[Any]:
    """Return the game of the examples that are not of one game."""
    return next(iter(catalogue.games().values()))


def move_receipt(game_id: str, kind: str) -> dict[str, Any]:
    """Return what is answered to a move of the examples."""
    sample = moves_of(game_id).get(kind, {"turn": 1, "seat": 0, "params": {}})
    data = {"seat": sample["seat"], "window": sample["turn"], "kind": kind, "params": sample["params"]}
    played = {
        **EVENT,
        "position": 11,
        "type": "table.move_played",
        "actor_seat": sample["seat"],
        "data": data,
    }
    return {"receipt": RECEIPT, "events": [played, EVENT], "turn": 2, "version": 12, "etag": ETAG}


def notices() -> dict[str, Any]:
    """Return a page of notices: a turn at a table of the first game."""
    notice = {
        "id": "b7c3e0d2-4a51-4f0e-8a43-6c1c7f2f9a15",
        "number": 7,
        "kind": "your_turn",
        "what": "your_turn",
        "table_id": TABLE,
        "table": f"“Friday evenings” ({catalogue.names_of(first_game())['game']['en']})",
        "turn": 2,
        "created_at": NOW,
        "read": False,
        "title": "Your turn",
        "text": "It is your turn, until 7 January 2026, 19:00 (Europe/Madrid).",
    }
    return {"items": [notice], "unread": 1, "next_cursor": None, "previous_cursor": None}


VACATION = {"id": "5f6d1c2e-8a45-4c0c-9d1b-0e2f7a3b4c5d", "since": NOW, "until": LATER}


def turns() -> dict[str, Any]:
    """Return a list of tables that wait."""
    view = view_of(first_game().id)
    item = {
        "table_id": TABLE,
        "game": first_game().id,
        "title": "Friday evenings",
        "seat": view["viewer"],
        "turn": view["turn"],
        "deadline_at": LATER,
        "kinds": view["awaited"][0]["kinds"],
        "view": view,
    }
    asked = {name: item[name] for name in ("game", "title")} | {"table_id": OTHER_TABLE, "seat": 1}
    questions = [{**asked, "kind": "commit_entropy", "until": LATER}]
    return {"items": [item], "questions": questions, "etag": ETAG, "server_time": NOW}


def my_events() -> dict[str, Any]:
    """Return a page of the events of a player's tables."""
    return {"items": [{**EVENT, "table_id": TABLE}], "cursor": CURSOR, "has_more": False}


def stream(last: int | str) -> str:
    """Return the beginning of a stream."""
    event = EVENT if isinstance(last, int) else {**EVENT, "table_id": TABLE}
    data = msgspec.json.encode(event).decode()
    begin = "" if isinstance(last, int) else f"id: {last}\n\n"
    return f"retry: 3000\n\n{begin}id: {last}\nevent: {EVENT['type']}\ndata: {data}\n\n:\n\n"


@cache
def moves_of(game_id: str) -> Mapping[str, dict[str, Any]]:
    """Return a legal move of each kind that a few random games come upon: turn and params."""
    game = catalogue.game_of(game_id)
    found: dict[str, dict[str, Any]] = {}
    for key in range(8):
        for batch, seat, move in _random_game(game, key):
            params = msgspec.to_builtins(move)
            found.setdefault(name_of(type(move)), {"turn": batch.state.turn, "seat": seat, "params": params})
        if len(found) == len(game.moves):
            break
    return found


@cache
def view_of(game_id: str) -> dict[str, Any]:
    """Return what seat 0 sees in the middle of a random game, with the moves that it may send."""
    game = catalogue.game_of(game_id)
    half = sum(1 for _ in _random_game(game, 0)) // 2
    batch, seat, _ = next(islice(_random_game(game, 0), half, None))
    state = batch.state
    return {
        "table_id": TABLE,
        "game": game.id,
        "status": "playing",
        "version": batch.position - 1,
        "turn": state.turn,
        "etag": ETAG,
        "viewer": seat,
        "awaited": [
            {"seat": each.seat, "kinds": list(each.kinds)} for each in game.to_act(state) if each.awaited
        ],
        "deadline_at": LATER,
        "clocks": [
            {"seat": each, "seconds_left": 3600, "is_running": True, "due_at": LATER}
            for each in base.awaited(game, state)
        ],
        "pauses": [],
        "strikes": [0] * game.seats[0],
        "vote": None,
        "presence": None,
        "entropy": None,
        "expiring": False,
        "server_time": NOW,
        "legal_moves": [
            {"kind": name_of(type(each)), "params": msgspec.to_builtins(each)}
            for each in game.legal_moves(state, seat)[:2]
        ],
        "outcome": None,
        "data": msgspec.to_builtins(game.view(state, seat)),
        "seat_data": [],
    }


def _random_game(game: Game[Any], key: int) -> Iterator[tuple[Batch[Any], int, Any]]:
    """Play a game by chance, giving each batch before a move, the seat, and the move."""
    choice = KeyedChance(bytes([key]) * 32)
    batch = Batch(
        game=game,
        state=game.empty(game.options(), game.seats[key % len(game.seats)]),
        chance=KeyedChance(bytes([key + 100]) * 32),
        position=4,
    )
    base.begin(batch)
    for _ in range(400):
        windows = [each for each in game.to_act(batch.state) if each.awaited]
        if not windows:
            return
        seat = windows[0].seat
        moves = game.legal_moves(batch.state, seat)
        kinds = sorted({name_of(type(each)) for each in moves})
        kind = kinds[choice.below(len(kinds), "kind")]
        moves = [each for each in moves if name_of(type(each)) == kind]
        move = moves[choice.below(len(moves), "move")]
        yield batch, seat, move
        base.play(batch, seat, move)
