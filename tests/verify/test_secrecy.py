"""What a running game commits to cannot be found by guessing: the spaces are small, the salts are not.

From the public transcript alone, every payload that a hidden slot can have is tried with every salt
that a careless server might have used.
"""

from __future__ import annotations

import hmac
import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import product
from typing import Any

import msgspec
import pytest

from engines.arrecife.kit import KIT
from engines.reafan.cards import DECK
from events import store
from events.canonical import canonical, commitment, event_hash, stream_key
from tables import queries
from tests.tables.rooms import Room, running_room
from tests.tables.test_entropy import hall

Ref = tuple[int, int]
File = dict[str, Any]

SCENES = [
    ("reafan", 1, {}),
    ("reafan", 9, {}),
    ("arrecife", 4, {}),
    ("cthulhu", 2, {"declarations": "any_order"}),
    ("cthulhu", 5, {}),
    ("reafan", 2, {"fairness": "players"}),
]


@pytest.fixture(scope="module", params=SCENES, ids=lambda scene: "-".join(map(str, scene[:2])))
def room(request: pytest.FixtureRequest, database: None) -> Room:
    """A game that goes on, at moments with different things hidden."""
    game, moves, options = request.param
    return _of_players(game, moves) if "fairness" in options else running_room(game, moves, **options)


def _of_players(game: str, moves: int) -> Room:
    """Return a game to whose chance players have added what everybody has seen."""
    table = hall("players", game, seats=2)
    table.commit(0, 1)
    table.reveal(0, 1)
    table.play_on(moves)
    return table


@pytest.fixture(scope="module")
def file(room: Room) -> File:
    """What anybody can have of it."""
    told: File = json.loads(msgspec.json.encode(queries.transcript(room.stranger, room.id)))
    return told


def hidden(file: File) -> Iterator[tuple[Ref, str, list[bytes]]]:
    """Yield each slot that is not open, with its commitment and every payload that it can have."""
    known = {(each["seq"], each["slot"]) for each in file["openings"]}
    for event in file["events"]:
        for slot, each in enumerate(event["slots"]):
            if (event["seq"], slot) not in known:
                payloads = [canonical(payload) for payload in _payloads(event, slot)]
                yield (event["seq"], slot), each["c"], payloads


def _payloads(event: dict[str, Any], slot: int) -> Iterable[dict[str, Any]]:
    public = event["public"]
    match event["type"], public.get("kind"):
        case "reafan.shuffled", _:
            return [{"place": slot, "card": card} for card in DECK]
        case "cthulhu.roles_dealt", _:
            return [{"role": role} for role in ("investigator", "cultist")]
        case "cthulhu.cards_laid", _ if slot < public["cards"]:
            seat, place = divmod(slot, public["cards"] // public["counts"])
            kinds = ("futile", "elder_sign", "cthulhu")
            return [{"seat": seat, "place": place, "kind": kind} for kind in kinds]
        case "cthulhu.cards_laid", _:
            return [
                {"futile": futile, "elder_signs": signs, "cthulhu": cthulhu}
                for futile, signs, cthulhu in product(range(6), range(6), (0, 1))
            ]
        case "table.move_played", "mulligan":
            return [_sealed("mulligan", take=take) for take in (False, True)]
        case "table.move_played", "pick":
            return [_sealed("pick", card=card) for card in KIT]
        case "table.move_played", "ability":
            return [_sealed("ability", ability=ability) for ability in ("ram", "bite")]
        case "table.move_played", "declare":
            said = [(None, None), *product(range(6), (0, 1))]
            return [_sealed("declare", elder_signs=signs, cthulhu=cthulhu) for signs, cthulhu in said]
    raise AssertionError(f"what {event['type']} can hide is not known")


def _sealed(kind: str, **params: Any) -> dict[str, Any]:
    return {"kind": kind, "params": params}


def salts(file: File, seq: int, slot: int) -> Iterator[bytes]:
    """Yield what a careless server might have salted a slot with: constants, and all that is public."""
    table, event = file["events"][0]["table"], file["events"][seq - 1]
    tid, place = bytes.fromhex(table), seq.to_bytes(8, "big") + slot.to_bytes(2, "big")
    yield from (bytes(32), b"\xff" * 32, bytes(range(32)), tid + tid, tid + bytes(16), bytes(16) + tid)
    yield slot.to_bytes(32, "big")
    yield seq.to_bytes(32, "big")
    texts = [table, str(uuid.UUID(table)), f"{table}{seq}{slot}", f"{seq}{slot}", f"{seq}:{slot}", str(slot)]
    yield from (sha256(text.encode()).digest() for text in texts)
    yield from (sha256(data).digest() for data in (b"", tid, tid + place, place, canonical(event["public"])))
    for told in file["events"]:
        yield event_hash(canonical(told))
        yield bytes.fromhex(told["prev"])
        for name in ("seed_commit", "commit", "entropy"):
            yield from [bytes.fromhex(told["public"][name])] if name in told["public"] else ()
    yield from _keys(file)
    yield from (bytes.fromhex(each["c"]) for each in event["slots"])
    for opening in file["openings"]:
        known = bytes.fromhex(opening["salt"])
        yield known
        yield sha256(known).digest()
        yield ((int.from_bytes(known, "big") + 1) % 2**256).to_bytes(32, "big")
        yield ((int.from_bytes(known, "big") - 1) % 2**256).to_bytes(32, "big")


def _keys(file: File) -> Iterator[bytes]:
    """Yield the key of all chance as it would be if the seed were nothing, or what all have seen."""
    tid = bytes.fromhex(file["events"][0]["table"])
    given = [
        bytes.fromhex(each["public"]["entropy"]) for each in file["events"] if "entropy" in each["public"]
    ]
    for seed in (bytes(32), *given):
        key = stream_key(tid, 0, seed, given)
        yield key
        yield from (hmac.digest(key, n.to_bytes(4, "big"), "sha256") for n in range(8))


def guesses(file: File, known: Sequence[bytes] = ()) -> list[Ref]:
    """Return the slots whose payload is found; ``known`` are salts to be tried beside the careless ones."""
    tid = bytes.fromhex(file["events"][0]["table"])
    return [
        (seq, slot)
        for (seq, slot), sealed, payloads in hidden(file)
        if any(
            commitment(salt, tid, seq, slot, payload).hex() == sealed
            for salt in {*salts(file, seq, slot), *known}
            for payload in payloads
        )
    ]


def test_no_hidden_item_can_be_found_by_guessing(file: File) -> None:
    assert len(list(hidden(file))) > 0
    assert guesses(file) == []


def test_the_search_would_find_each_of_them_by_its_salt(room: Room, file: File) -> None:
    """Every payload is among those that are tried, so that the salt alone keeps it."""
    openings = store.openings(room.stream)

    for ref, _, payloads in hidden(file):
        assert openings[ref].payload in payloads
    first, _, _ = next(hidden(file))
    assert first in guesses(file, [openings[first].salt])


def test_the_chance_of_a_game_follows_from_nothing_that_all_have_seen(room: Room, file: File) -> None:
    """What players add is seen by all before the game; the server's seed is what keeps the cards."""
    assert room.host._stream_key() not in {*_keys(file)}
    assert not [each for each in file["events"] if "seed" in each["public"]]


def test_every_salt_is_32_bytes_and_of_its_own(room: Room) -> None:
    openings = store.openings(room.stream).values()

    assert {len(each.salt) for each in openings} == {32}
    assert len({each.salt for each in openings}) == len(openings)
    halves = {each.salt[:16] for each in openings} | {each.salt[16:] for each in openings}
    assert len(halves) == 2 * len(openings)
