"""Clean logs are proved; a forged one fails where it was forged, however well it was chained again."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from engines import registry
from events import canonical
from events.audit import Link
from tables import catalogue
from tests.services import SimulatedClock
from tests.tables.rooms import Room, open_room, running_room
from tests.verify.logs import TABLE_TYPES, Log, failed_at
from verify import lifecycle, verify

GAMES = (*registry.GAMES, "probe")


@pytest.fixture(scope="module")
def finished(database: None) -> Log:
    """A game of Reafan to its end, played by nobody else."""
    room = open_room("reafan")
    room.play_on(seed=7)
    return Log(room.id)


@pytest.fixture
def log(finished: Log) -> Log:
    """The same game, to be forged."""
    return copy.deepcopy(finished)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 5))])
def test_a_whole_game_is_proved_without_any_secret(game: str, seed: int) -> None:
    room = open_room(game)
    room.play_on(seed=seed)

    report = Log(room.id).verify(knows_seed=False)

    assert room.row.status == "finished"
    assert report.is_proved, dict(report)


@pytest.mark.parametrize("game", GAMES)
def test_a_running_game_is_proved_with_its_seed_and_not_without(game: str) -> None:
    log = Log(running_room(game, moves=5).id)

    with_seed, without = log.verify(), log.verify(knows_seed=False)

    assert with_seed.is_proved, dict(with_seed)
    assert {name: verdict.status for name, verdict in without} == {
        "integrity": "proved",
        "fairness": "not_provable",
        "replay": "not_provable",
    }
    assert str(without.fairness) == "not provable from this view: the seed is not published yet"


@pytest.mark.parametrize("game", GAMES)
def test_a_resignation_is_decided_anew(game: str) -> None:
    room = running_room(game, moves=4)
    room.resign(1)

    assert Log(room.id).verify().is_proved


@pytest.mark.parametrize("game", ["reafan", "probe"])
@pytest.mark.parametrize("on_timeout", ["auto", "forfeit"])
def test_time_outs_are_decided_anew(game: str, on_timeout: str, clock: SimulatedClock) -> None:
    room = _timed_out(game, on_timeout, clock)

    report = Log(room.id).verify()

    assert report.is_proved, dict(report)
    assert on_timeout == "auto" or room.row.status == "finished"


def test_a_table_before_its_start_is_proved() -> None:
    room = open_room("reafan")
    log = Log(room.id)
    log.headers = log.headers[:4]
    log.payloads = {}

    assert log.verify().is_proved


def test_the_types_of_a_table_are_the_verifiers() -> None:
    """An event that the server learns to write, the verifier must learn to judge."""
    assert set(lifecycle.TYPES) == TABLE_TYPES


# --- Forgeries whose chain holds ----------------------------------------------------------------


def test_two_cards_swapped_in_the_deck_are_unfair(log: Log) -> None:
    shuffled = log.last("reafan.shuffled")["seq"]
    one, other = log.payloads[shuffled, 40], log.payloads[shuffled, 41]
    one["card"], other["card"] = other["card"], one["card"]

    report = log.verify()

    assert report.integrity.status == "proved"
    assert failed_at(report) == {"fairness": shuffled, "replay": shuffled}
    assert str(report.fairness) == (
        f"FAILED at position {shuffled}: the hidden item in slot 40 is not the one that follows"
    )


def test_points_that_the_rules_do_not_give_are_found(log: Log) -> None:
    placed = log.last("reafan.card_placed")
    placed["public"]["points"] += 1

    report = log.verify()

    assert failed_at(report) == {"replay": placed["seq"]}
    assert report.fairness.status == "proved"


def test_each_of_several_forgeries_is_one_finding(log: Log) -> None:
    """After one, the log is believed up to the next decision, and judged again from there."""
    placed = [each for each in log.headers if each["type"] == "reafan.card_placed"]
    forged = [placed[at] for at in (2, len(placed) // 2, -1)]
    for each in forged:
        each["public"]["points"] += 1

    report = log.verify()

    assert [each.position for each in report.replay.findings] == [each["seq"] for each in forged]
    assert report.fairness.status == "proved"


def test_draws_before_a_forgery_of_the_same_decision_stay_confirmed(log: Log) -> None:
    dealt = log.last("reafan.dealt")
    dealt["public"]["seat"] = 1 - dealt["public"]["seat"]

    report = log.verify()

    assert failed_at(report) == {"replay": dealt["seq"]}
    assert report.fairness.status == "proved"


def test_a_move_that_the_rules_refuse_is_found(log: Log) -> None:
    moved = log.last("table.move_played")
    first = next(each for each in log.headers if "card" in each["public"].get("params", {}))
    moved["public"]["params"]["card"] = first["public"]["params"]["card"]

    report = log.verify()

    assert failed_at(report) == {"replay": moved["seq"]}
    assert str(report.replay).endswith("the rules refuse it: card_not_in_hand")


def test_another_winner_is_found(log: Log) -> None:
    ended = log.last("table.finished")
    ended["public"]["winners"] = [1 - ended["public"]["winners"][0]]

    assert failed_at(log.verify()) == {"replay": ended["seq"]}


def test_an_event_without_a_decision_is_found(log: Log) -> None:
    extra = copy.deepcopy(log.last("reafan.game_ended"))
    extra["seq"] = len(log.headers) + 1
    log.headers.append(extra)

    report = log.verify()

    assert failed_at(report) == {"replay": extra["seq"]}
    assert "follows from no decision" in str(report.replay)


def test_an_unknown_event_of_the_table_is_found(log: Log) -> None:
    extra = copy.deepcopy(log.headers[-1]) | {"seq": len(log.headers) + 1, "type": "table.gift_given"}
    log.headers.append(extra)

    assert failed_at(log.verify()) == {"replay": extra["seq"]}


def test_a_log_that_ends_within_a_decision_is_found(log: Log) -> None:
    log.headers.pop()

    report = log.verify()

    assert failed_at(report) == {"replay": len(log.headers) + 1}
    assert "table.seed_revealed should follow, and is missing" in str(report.replay)


def test_another_seed_is_found(log: Log) -> None:
    revealed = log.headers[-1]
    revealed["public"]["seed"] = bytes(32).hex()

    assert failed_at(log.verify()) == {"fairness": revealed["seq"], "replay": revealed["seq"]}


def test_another_commitment_is_found(log: Log) -> None:
    log.headers[0]["public"]["seed_commit"] = bytes(32).hex()

    report = log.verify()

    assert failed_at(report) == {"fairness": 1}
    assert report.replay.status == "not_provable"


def test_a_draw_that_is_left_out_is_found(log: Log) -> None:
    drawn = log.last("reafan.shuffled")
    drawn["draws"][0][0] += 1

    assert failed_at(log.verify()) == {"fairness": drawn["seq"], "replay": drawn["seq"]}


def test_seats_held_by_others_than_those_who_sat_down_are_found(log: Log) -> None:
    started = log.last("table.started")
    started["public"]["seats"].reverse()

    assert failed_at(log.verify()) == {"replay": started["seq"]}


def test_a_turn_shorter_than_was_agreed_is_found(log: Log) -> None:
    opened = log.last("clock.deadline_set")
    opened["public"]["deadline_at"] -= 1

    assert failed_at(log.verify()) == {"replay": opened["seq"]}


def test_an_expiry_before_the_deadline_is_found(clock: SimulatedClock) -> None:
    log = Log(_timed_out("reafan", "auto", clock).id)
    expired = log.last("clock.expired")
    expired["public"]["decided_at"] = expired["public"]["deadline_at"] - 1

    assert failed_at(log.verify()) == {"replay": expired["seq"]}


def test_an_expiry_of_others_than_the_awaited_is_found(clock: SimulatedClock) -> None:
    log = Log(_timed_out("reafan", "auto", clock).id)
    expired = log.last("clock.expired")
    expired["public"]["seats"] = [1 - expired["public"]["seats"][0]]

    assert failed_at(log.verify()) == {"replay": expired["seq"]}


def test_a_default_move_that_chance_did_not_choose_is_found(clock: SimulatedClock) -> None:
    log = Log(_timed_out("reafan", "auto", clock).id)
    played = log.last("table.move_played", lambda each: bool(each["draws"]))
    played["public"]["params"]["x"] += 1

    report = log.verify()

    assert failed_at(report) == {"fairness": played["seq"], "replay": played["seq"]}


def test_a_move_of_the_table_while_there_is_time_is_found(log: Log) -> None:
    moved = log.last("table.move_played")
    moved["actor"] = "table"

    report = log.verify()

    assert failed_at(report) == {"replay": moved["seq"]}
    assert "follows from no decision" in str(report.replay)


def test_a_move_after_the_deadline_is_found(log: Log) -> None:
    """At the deadline, not after it: the table's own expiry must come first."""
    moved = log.last("table.move_played")
    due = log.last("clock.deadline_set", lambda each: each["seq"] < moved["seq"])["public"]["deadline_at"]
    _put_off(log, moved["seq"], due - 1)
    assert log.verify().is_proved

    _put_off(log, moved["seq"], due)

    report = log.verify()
    assert failed_at(report) == {"replay": moved["seq"]}
    assert str(report.replay).endswith(f"acts at {due}, the turn has expired at {due}")


def test_a_resignation_after_the_deadline_is_found() -> None:
    room = running_room("reafan", moves=4)
    room.resign(1)
    log = Log(room.id)
    left = log.last("table.seat_abandoned")
    _put_off(log, left["seq"], log.last("clock.deadline_set")["public"]["deadline_at"])

    assert failed_at(log.verify()) == {"replay": left["seq"]}


def test_time_that_runs_backwards_is_found(log: Log) -> None:
    log.headers[10]["at"] = log.headers[9]["at"] - 1

    assert failed_at(log.verify())["integrity"] == 11


@pytest.mark.parametrize(
    ("actor", "told"),
    [
        ("seat:1", "seat 1 moves after it was left for good"),
        ("seat:0", "seat:0 moves for seat 1"),
        ("staff", "staff moves for seat 1"),
    ],
)
def test_a_move_for_a_seat_that_was_left_is_found_by_a_spectator(actor: str, told: str) -> None:
    """No secret is needed to know who sits where."""
    room = running_room("probe", moves=0)
    room.resign(1)
    log = Log(room.id)
    moved = log.last("table.move_played", lambda each: each["public"]["seat"] == 1)
    moved["actor"] = actor

    report = log.verify_as("public", {})

    assert failed_at(report) == {"replay": moved["seq"]}
    assert str(report.replay).endswith(told)


def test_a_move_of_nobody_s_seat_is_found_by_a_spectator() -> None:
    log = Log(running_room("probe", moves=2).id)
    moved = log.last("table.move_played")
    moved["public"]["seat"], moved["actor"] = 3, "seat:3"

    assert failed_at(log.verify_as("public", {})) == {"replay": moved["seq"]}


def test_a_move_after_the_end_is_found_by_a_spectator(log: Log) -> None:
    extra = copy.deepcopy(log.last("table.move_played", lambda each: not each["slots"]))
    extra |= {"seq": len(log.headers) + 1, "at": log.headers[-1]["at"]}
    log.headers.append(extra)

    assert failed_at(log.verify_as("public", {})) == {"replay": extra["seq"]}


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_whatever_an_event_of_a_game_tells_must_follow(game: str) -> None:
    """Each public number, reference and hidden item, changed alone and chained again."""
    room = open_room(game)
    room.play_on(seed=3)
    whole = Log(room.id)
    numbers = _numbers(whole)
    for position, *path, last in random.Random(3).sample(numbers, min(60, len(numbers))):
        log = copy.deepcopy(whole)
        holder: Any = log
        for step in path:
            holder = getattr(holder, step) if holder is log else holder[step]
        holder[last] += 1
        report = log.verify()
        assert failed_at(report).get("replay") == position, (path, last, dict(report))


def _numbers(log: Log) -> list[tuple[Any, ...]]:
    """Return where a game's events hold numbers: the position, then the way through the log."""
    found: list[tuple[Any, ...]] = []
    for position, header in enumerate(log.headers, start=1):
        if header["type"] in TABLE_TYPES:
            continue
        way = (position, "headers", position - 1)
        found.append((*way, "schema"))
        found += [(*way, "public", name) for name, value in header["public"].items() if type(value) is int]
        found += [(*way, kind, ref, 1) for kind in ("assigns", "opens") for ref in range(len(header[kind]))]
        found += [(*way, "draws", number, 0) for number in range(len(header["draws"]))]
    for (position, slot), payload in log.payloads.items():
        numbers = [name for name, value in payload.items() if type(value) is int]
        found += [(position, "payloads", (position, slot), name) for name in numbers]
    return found


# --- Less than everything at hand ---------------------------------------------------------------


def test_a_spectator_of_a_running_game_proves_its_integrity_alone() -> None:
    log = Log(running_room("reafan", moves=6).id)
    opened = {tuple(ref) for header in log.headers for ref in header["opens"]}
    openings = {ref: each for ref, each in log.openings().items() if ref in opened}

    report = verify(log.tid, log.chained(), openings, games=catalogue.games(), view="public")

    assert opened
    assert report.integrity.status == "proved"
    assert report.replay.status == "not_provable"


def test_a_spectator_who_holds_a_hidden_card_is_found() -> None:
    room = open_room("reafan")
    log = Log(room.id)
    dealt = log.last("reafan.dealt")
    ref = tuple(dealt["assigns"][0][:2])
    seat = dealt["public"]["seat"]
    openings = {ref: log.openings()[ref]}

    def integrity(view: str) -> str:
        return verify(log.tid, log.chained(), openings, games=catalogue.games(), view=view).integrity.status

    assert integrity("public") == "failed"
    assert integrity(f"seat:{1 - seat}") == "failed"
    assert integrity(f"seat:{seat}") == "proved"


def test_a_game_that_is_not_known_cannot_be_replayed(finished: Log) -> None:
    report = verify(finished.tid, finished.chained(), finished.openings(), games={})

    assert report.integrity.status == "proved"
    assert str(report.replay) == (
        "not provable from this view: the game reafan is not known to this verifier"
    )
    assert report.fairness.status == "not_provable"


def test_a_missing_opening_is_found(log: Log) -> None:
    shuffled = log.last("reafan.shuffled")["seq"]
    del log.payloads[shuffled, 51]
    openings = log.openings()
    log.payloads[shuffled, 51] = {}

    report = verify(log.tid, _as_stored(log), openings, games=catalogue.games())

    assert failed_at(report) == {"integrity": shuffled}
    assert report.replay.status == "not_provable"


def test_bytes_that_are_no_log_are_found_and_break_nothing() -> None:
    for data in (b"", b"{}", b"[]", b"\xff", b'{"v":1}'):
        report = verify(bytes(16), [Link(1, data)], {}, games=catalogue.games())
        assert failed_at(report) == {"integrity": 1, "replay": 1}
    assert not verify(bytes(16), [], {}, games=catalogue.games()).is_proved


def _put_off(log: Log, position: int, at: int) -> None:
    """Let a batch, and all after it, happen no earlier than ``at``; deadlines move along."""
    by = at - log.headers[position - 1]["at"]
    for header in log.headers[position - 1 :]:
        header["at"] += by
        if header["type"] == "clock.deadline_set":
            header["public"]["deadline_at"] += by


def _as_stored(log: Log) -> list[Link]:
    """Return the events with their commitments as they are."""
    data = [canonical.canonical(each) for each in log.headers]
    return [Link(position, each) for position, each in enumerate(data, start=1)]


def _timed_out(game: str, on_timeout: str, clock: SimulatedClock) -> Room:
    """Return a table whose mulligans or picks were made, and then one turn ran out or several."""
    room = running_room(game, moves=catalogue.game_of(game).seats[0], on_timeout=on_timeout)
    for _ in range(3):
        if room.row.status == "playing":
            room.let_time_pass(clock)
    return room
