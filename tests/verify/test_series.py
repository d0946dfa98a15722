"""Each game of a series has a seed of its own: committed before the last one's is told, proved for itself."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from events.codec import Opening, learned, read_header
from tables import catalogue, rows
from tests.verify.logs import Log, Ref, failed_at
from tests.verify.series import GAME, GAMES, Series

OpenSeries = Callable[..., Series]


@pytest.fixture
def open_series(monkeypatch: pytest.MonkeyPatch) -> OpenSeries:
    """A function that opens a series with options."""
    monkeypatch.setitem(catalogue.games(), GAME.id, GAME)
    given = {"rounds": 1}
    return lambda **options: Series(lambda *each: monkeypatch.setattr(rows, *each), **(given | options))


@pytest.fixture
def series(open_series: OpenSeries) -> Series:
    """A whole series."""
    series = open_series()
    series.play()
    return series


@pytest.fixture
def log(series: Series) -> Log:
    """The log of a whole series, to be forged."""
    return series.log()


def epoch_event(log: Log, type_: str, epoch: int) -> dict[str, Any]:
    return log.last(type_, lambda each: each["public"]["epoch"] == epoch)


def held_by(log: Log, view: str) -> dict[Ref, Opening]:
    """Return what a view may hold: what it learned, and all of the epochs that are over."""
    seat = None if view == "public" else int(view.removeprefix("seat:"))
    headers = [read_header(each.header) for each in log.chained()]
    over = [each["public"]["epoch"] for each in log.headers if each["type"] == "table.seed_revealed"]
    begins = [1, *(each["seq"] for each in log.headers if each["type"] == "table.epoch_opened")]
    known = {ref for header in headers for ref in learned(header, seat)}
    return {
        ref: opening
        for ref, opening in log.openings().items()
        if ref in known or sum(begin <= ref[0] for begin in begins) - 1 in over
    }


@pytest.mark.parametrize("on_timeout", ["auto", "forfeit"])
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_series_is_proved_without_any_secret(
    open_series: OpenSeries, seed: int, on_timeout: str
) -> None:
    series = open_series(rounds=1 + seed % 3, on_timeout=on_timeout)
    series.play(seed=seed, absence=0.1 if on_timeout == "auto" else 0.02)
    log = series.log()

    report = log.verify(knows_seed=False)

    assert series.host.table.status == "finished"
    assert report.is_proved, dict(report)
    assert len(report.epochs) == len(series.seeds)
    assert seed or len(series.seeds) == GAMES


def test_a_seat_left_in_one_game_is_played_by_the_table_in_the_next(open_series: OpenSeries) -> None:
    series = open_series()
    series.play(until_epoch=1)
    series.resign(2)
    series.play()

    assert series.host.table.epoch == GAMES - 1
    assert series.log().verify(knows_seed=False).is_proved


def test_a_spectator_of_a_running_series_proves_the_games_that_are_over(open_series: OpenSeries) -> None:
    series = open_series()
    series.play(until_epoch=2)
    log = series.log()

    report = log.verify_as("public", held_by(log, "public"))

    assert report.integrity.status == "proved"
    assert str(report.replay) == "not provable from this view: the seed of epoch 2 is not published yet"
    assert [each.status for each in report.epochs] == ["proved", "proved", "not_provable"]
    assert str(report.fairness) == str(report.replay)


def test_items_of_a_later_game_are_not_public_yet(open_series: OpenSeries) -> None:
    series = open_series()
    series.play(until_epoch=1)
    series.let_time_pass()
    log = series.log()
    position = log.last("series.cards_laid")["seq"]
    held = held_by(log, "public")

    report = log.verify_as("public", held | {(position, 0): log.openings()[position, 0]})

    assert failed_at(report) == {"integrity": position}
    assert log.verify_as("public", held).integrity.status == "proved"


def test_a_game_that_is_over_and_not_opened_is_not_provable(log: Log) -> None:
    laid = next(each["seq"] for each in log.headers if each["type"] == "series.cards_laid")
    held = {ref: each for ref, each in held_by(log, "public").items() if ref != (laid, 4)}

    report = log.verify_as("public", held)

    assert str(report.replay) == f"not provable from this view: slot 4 of event {laid} is not open"
    assert report.integrity.status == "proved"


# --- Forgeries whose chain holds ----------------------------------------------------------------


@pytest.mark.parametrize("epoch", range(GAMES))
def test_another_seed_is_unfair_in_its_game_alone(log: Log, epoch: int) -> None:
    revealed = epoch_event(log, "table.seed_revealed", epoch)
    revealed["public"]["seed"] = bytes(32).hex()

    report = log.verify(knows_seed=False)

    assert report.epochs[epoch].findings[0].position == revealed["seq"]
    assert [each.status for each in report.epochs[:epoch]] == ["proved"] * epoch
    assert not any(each.findings for each in report.epochs[epoch + 1 :])


def test_another_commitment_is_found(log: Log) -> None:
    opened = epoch_event(log, "table.epoch_opened", 1)
    opened["public"]["seed_commit"] = bytes(32).hex()

    report = log.verify()

    assert failed_at(report) == {"fairness": opened["seq"]}
    assert [each.status for each in report.epochs] == ["proved", "failed", "not_provable"]


@pytest.mark.parametrize("commit", ["", "00", None, 7])
def test_a_commitment_that_is_none_is_found_before_any_seed_is_told(
    open_series: OpenSeries, commit: object
) -> None:
    series = open_series()
    series.play(until_epoch=1)
    log = series.log()
    opened = epoch_event(log, "table.epoch_opened", 1)
    opened["public"]["seed_commit"] = commit

    assert failed_at(log.verify(knows_seed=False))["fairness"] == opened["seq"]


def test_a_seed_told_before_the_next_is_sealed_is_found(log: Log) -> None:
    at = epoch_event(log, "table.epoch_opened", 1)["seq"] - 1
    log.headers[at], log.headers[at + 1] = log.headers[at + 1], log.headers[at]
    log.headers[at]["seq"], log.headers[at + 1]["seq"] = at + 1, at + 2

    assert failed_at(log.verify())["replay"] == at + 1


def test_a_game_with_the_number_of_another_is_found(log: Log) -> None:
    opened = epoch_event(log, "table.epoch_opened", 2)
    opened["public"]["epoch"] = 3

    assert failed_at(log.verify()) == {"fairness": opened["seq"], "replay": opened["seq"]}


def test_a_seed_of_another_game_is_found(log: Log) -> None:
    revealed = epoch_event(log, "table.seed_revealed", 1)
    revealed["public"]["epoch"] = 7

    assert failed_at(log.verify()) == {"fairness": revealed["seq"], "replay": revealed["seq"]}
    assert failed_at(log.verify_as("public", {}))["replay"] == revealed["seq"]


def test_draws_that_are_counted_on_are_found(log: Log) -> None:
    opened = epoch_event(log, "table.epoch_opened", 1)["seq"]
    drawn = next(each for each in log.headers[opened:] if each["draws"])
    drawn["draws"][0][0] = 2

    report = log.verify()

    assert failed_at(report) == {"fairness": drawn["seq"], "replay": drawn["seq"]}
    assert report.epochs[0].status == "proved"


def test_a_mark_laid_elsewhere_is_unfair_in_its_game_alone(log: Log) -> None:
    laid = log.last("series.cards_laid")["seq"]
    marked = next(slot for slot in range(9) if log.payloads[laid, slot]["is_mark"])
    log.payloads[laid, marked]["is_mark"] = False
    log.payloads[laid, (marked + 1) % 9]["is_mark"] = True

    report = log.verify()

    assert failed_at(report)["fairness"] == laid
    assert [each.status for each in report.epochs] == ["proved", "proved", "failed"]


def test_a_game_that_begins_before_the_last_is_over_is_found(log: Log) -> None:
    """An opening of an epoch to which no move leads."""
    moved = log.last("table.move_played")["seq"]
    extra = copy.deepcopy(epoch_event(log, "table.epoch_opened", 1)) | {"seq": moved}
    extra["public"]["epoch"] = 3
    log.headers[moved - 1 :] = [extra]
    log.payloads = {ref: each for ref, each in log.payloads.items() if ref[0] < moved}

    report = log.verify()

    assert failed_at(report)["replay"] == moved
    assert "follows from no decision" in str(report.replay)
