"""The label of a draw decides what comes of it: a server that could choose it could choose the result.

Each forgery follows from seed and label as it tells them, and is chained and signed anew.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from engines.chance import KeyedChance
from engines.reafan.cards import DECK
from engines.registry import GAMES
from events import canonical
from tests.verify.javascript import VERIFIER, judge_many
from tests.verify.mutants import Lie, chain, sign
from tests.verify.plays import File, Play
from verify.transcript import judge

Event = dict[str, Any]
KINDS, COUNTS = ("futile", "elder_sign", "cthulhu"), ("futile", "elder_signs", "cthulhu")


def vector(name: str) -> File:
    """Return a transcript of the vectors."""
    file: File = json.loads((VERIFIER.parent / "vectors" / "transcripts" / f"{name}.json").read_bytes())
    return file


def chance(file: File, n: int) -> KeyedChance:
    """Return the stream of a game to whose chance nobody adds, from its draw n on."""
    seed = next(each["public"]["seed"] for each in file["events"] if "seed" in each["public"])
    started = next(each["public"] for each in file["events"] if each["type"] == "table.started")
    tid = bytes.fromhex(file["events"][0]["table"])
    nobody = [None] * len(started["seats"])
    return KeyedChance(canonical.stream_key(tid, 0, bytes.fromhex(seed), nobody), n)


def kings_as_a_mulligan() -> tuple[File, Event]:
    """Shuffle the deck by the label of another reason to shuffle it."""
    file = vector("kings-full")
    event = next(each for each in file["events"] if [label for _, label in each["draws"]] == ["kings"])
    own = [each for each in file["openings"] if each["seq"] == event["seq"]]
    cards = sorted((each["payload"]["card"] for each in own), key=list(map(str, DECK)).index)
    order = chance(file, event["draws"][0][0]).shuffle(len(cards), "mulligan")
    for each in own:
        each["payload"]["card"] = cards[order[each["slot"]]]
    event["draws"][0][1] = "mulligan"
    return file, event


def a_closed_board_as_a_time_out() -> tuple[File, Event]:
    """Draw a discard by the other label where the same one comes of it: the game goes on as it did."""
    file = vector("closed-board-full")
    for event in file["events"]:
        for draw in event["draws"]:
            if draw[1] == "closed_board" and _is_same(file, event):
                draw[1] = "time_out"
                return file, event
    raise AssertionError("there is none such")


def _is_same(file: File, event: Event) -> bool:
    hand, n = _hand(file, event), event["draws"][0][0]
    one, other = (chance(file, n).below(hand, label) for label in ("time_out", "closed_board"))
    return hand > 1 and one == other


def _hand(file: File, event: Event) -> int:
    """Return how many cards the mover of an event holds."""
    seat, before = event["public"]["seat"], file["events"][: event["seq"] - 1]
    got = sum(each[2] == seat for past in before for each in past["assigns"])
    played = sum(
        past["type"].startswith("reafan.card_") and bool(past["opens"]) and past["public"]["seat"] == seat
        for past in before
    )
    swapped = sum(past["type"] == "reafan.card_swapped" and past["public"]["seat"] == seat for past in before)
    aside = sum(
        past["type"] == "reafan.hand_laid_aside" and past["public"]["seat"] == seat for past in before
    )
    return got - played + swapped - 3 * aside


def an_amulet_placed_again() -> tuple[File, Event]:
    """Draw once more what is drawn once, for another result."""
    file = Play("arrecife", 31, fairness="server").play().file("full")
    drawn = [each for each in file["events"] if each["draws"]]
    assert [each["type"] for each in drawn] == ["arrecife.amulet_placed"]
    at, again = drawn[0]["seq"], copy.deepcopy(drawn[0])
    seats = next(len(each["public"]["seats"]) for each in file["events"] if each["type"] == "table.started")
    again["draws"] = [[1, "amulet"]]
    again["public"]["seat"] = chance(file, 1).below(seats, "amulet")
    file["events"].insert(at, again)
    Lie(file, file, Random(0)).renumber(lambda seq: seq + (seq > at))
    return file, again


def cards_laid_again() -> tuple[File, Event]:
    """Lay the cards of the last round once more, in another order."""
    file = Play("cthulhu", 32, fairness="server", series=False).play().file("full")
    event = next(each for each in reversed(file["events"]) if each["type"] == "cthulhu.cards_laid")
    (n, _), at = event["draws"][0], event["seq"]
    assert not any(each["draws"] for each in file["events"][at:])
    cards, seats = event["public"]["cards"], event["public"]["counts"]
    own = sorted((each for each in file["openings"] if each["seq"] == at), key=lambda each: each["slot"])
    kinds = sorted((each["payload"]["kind"] for each in own[:cards]), key=KINDS.index)
    laid = [kinds[index] for index in chance(file, n + 1).shuffle(cards, "cards")]
    has = cards // seats
    payloads: list[Any] = [
        {"seat": slot // has, "place": slot % has, "kind": kind} for slot, kind in enumerate(laid)
    ]
    for seat in range(seats):
        hand = laid[seat * has :][:has]
        payloads.append({name: hand.count(kind) for name, kind in zip(COUNTS, KINDS, strict=True)})
    again = copy.deepcopy(event) | {"draws": [[n + 1, "cards"]]}
    file["events"].insert(at, again)
    Lie(file, file, Random(0)).renumber(lambda seq: seq + (seq > at))
    file["openings"] += [
        {
            "seq": at + 1,
            "slot": slot,
            "salt": sha256(f"again {slot}".encode()).hexdigest(),
            "payload": payload,
        }
        for slot, payload in enumerate(payloads)
    ]
    return file, again


@pytest.mark.parametrize(
    "forged", [kings_as_a_mulligan, a_closed_board_as_a_time_out, an_amulet_placed_again, cards_laid_again]
)
def test_a_draw_by_another_label_is_unfair(forged: Callable[[], tuple[File, Event]]) -> None:
    file, event = forged()
    chain(file)
    sign(file)
    data = json.dumps(file).encode()
    ours, (theirs,) = judge(data, GAMES), judge_many([data])

    for verdict in ("receipts", "integrity"):
        assert ours.verdicts[verdict].status == theirs["verdicts"][verdict]["status"] == "proved"
    assert ours.verdicts["fairness"].findings[0].position == event["seq"]
    assert [each["position"] for each in theirs["verdicts"]["fairness"]["findings"]] == [event["seq"]]
