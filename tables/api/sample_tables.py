"""The tables of the document's examples, as the operation that answers them leaves them."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from tables.api import samples

_NAMES: Final = ("Ana", "Berta", "Carla", "Diana", "Elena", "Fátima", "Gala")
_UNDER_WAY: Final = {"turn": 2, "version": 12, "awaited": [1], "deadline_at": samples.LATER}


def new_table() -> dict[str, Any]:
    """Return a wish for a table."""
    return {"game": samples.first_game().id, "title": "Friday evenings", "visibility": "public"}


def table(status: str = "open", **facts: Any) -> dict[str, Any]:
    """Return a table as its host, in seat 0, sees it; ``facts`` are what is otherwise."""
    game = samples.first_game()
    seats = game.seats[0]
    taken = {"open": 1, "closed": 0}.get(status, seats)
    return {
        "id": samples.TABLE,
        "game": game.id,
        "rules_version": game.rules_version,
        "title": "Friday evenings",
        "status": status,
        "visibility": "public",
        "starts": "when_full",
        "options": msgspec.to_builtins(game.options()),
        "talk": game.talk,
        "spectator_talk": "none",
        "clock": {
            "kind": "per_turn",
            "seconds": game.clock_seconds,
            "initial": None,
            "increment": None,
            "cap": None,
        },
        "max_timeouts": 2,
        "absentee": "forfeit",
        "vacations": True,
        "fairness": "server",
        "sandbox": False,
        "least_reliability": 0,
        "seats": [seat(number, _NAMES[number] if number < taken else None) for number in range(seats)],
        "host": _NAMES[0],
        "arbiter": None,
        "my_seat": 0 if taken else None,
        "invite_code": "Zq3v9XbT1nM0c7Ks",
        "turn": 0,
        "version": 3,
        "awaited": [],
        "deadline_at": None,
        "suspended": False,
        "created_at": samples.NOW,
        "outcome": None,
        "origin": None,
        "forked_from": None,
        "imported_from": None,
        "verification": None,
        **facts,
    }


def playing(**facts: Any) -> dict[str, Any]:
    """Return a table whose game is under way, and waits for seat 1."""
    return table("playing", **{**_UNDER_WAY, **facts})


def resigned() -> dict[str, Any]:
    """Return a table whose game ended when its host resigned."""
    seats = samples.first_game().seats[0]
    places = [seats, *range(1, seats)]
    outcome = {"winners": [1], "places": places, "scores": None, "reason": "resigned"}
    return table("finished", outcome=outcome, turn=2, version=15)


def seeking() -> dict[str, Any]:
    """Return a table at which the holder of seat 1 is absent, and others may take it."""
    told = playing(absentee="open")
    return {**told, "seats": [{**each, "seeking": each["seat"] == 1} for each in told["seats"]]}


def forked() -> dict[str, Any]:
    """Return a table that has just gone on from another, with bots in all seats but the caller's."""
    told = playing(title="", visibility="private", absentee="bot", version=9, deadline_at=None)
    bot = min(samples.first_game().bots)
    return {
        **told,
        "id": samples.OTHER_TABLE,
        "clock": {**told["clock"], "kind": "none", "seconds": None},
        "seats": [each if each["seat"] == 0 else seat(each["seat"], None, bot=bot) for each in told["seats"]],
        "forked_from": {"table_id": samples.TABLE, "position": 12},
    }


def seat(number: int, player: str | None, **facts: Any) -> dict[str, Any]:
    """Return a seat, free where nobody holds it."""
    return {"seat": number, "player": player, "bot": None, "gone": False, "seeking": False, **facts}


def arbitrated(*, is_me: bool) -> dict[str, Any]:
    """Return what is otherwise at a table that Beto is asked to arbitrate, or arbitrates and looks at."""
    told = {"arbiter": {"player": "Beto", "accepted": is_me, "is_me": is_me}}
    return {**told, "my_seat": None, "invite_code": None} if is_me else told
