"""The checker names what is planted, and nothing else: else a run that finds nothing proves nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from faults import checker
from faults.checker import Decision, Delivery, Effect, Overdue
from faults.history import Call, History, read
from faults.kills import EVERY_SECONDS, QUIET_SECONDS, available, schedule

MARK = "seat 0 turn 7 step"
OK = Call(id="p0-1", kind="move", table="t", mark=MARK, outcome="ok", position=12, signed=13, head="aa")
UNKNOWN = replace(OK, id="p0-2", outcome="unknown", position=None, signed=None, head="")
FAILED = replace(UNKNOWN, id="p0-3", outcome="failed")
IN_LOG = Effect(kind="move", table="t", mark=MARK, position=12)
TIME_OUT = Decision(table="t", turn=7, seat=0, how="time-out", at=10_400, due=10_000)
MOVE = Decision(table="t", turn=7, seat=0, how="move", at=9_999, due=10_000)


def _names(findings: list[checker.Finding]) -> list[str]:
    return [finding.what for finding in findings]


@pytest.mark.parametrize(
    ("calls", "effects"),
    [
        ([OK], [IN_LOG]),
        ([UNKNOWN], [IN_LOG]),
        ([UNKNOWN], []),
        ([FAILED], []),
        ([FAILED, OK], [IN_LOG]),
        ([], []),
    ],
)
def test_what_may_happen_is_no_finding(calls: list[Call], effects: list[Effect]) -> None:
    """An acknowledged call is there once, an unknown one once or not at all, a refused one not at all."""
    assert checker.calls(calls, effects) == []


def test_a_lost_acknowledged_call_is_named() -> None:
    (found,) = checker.calls([OK], [])
    assert found.what == "lost"
    assert "p0-1" in found.told


def test_a_call_acknowledged_at_another_position_is_lost() -> None:
    assert _names(checker.calls([OK], [replace(IN_LOG, position=11)])) == ["lost"]


@pytest.mark.parametrize("call", [OK, UNKNOWN])
def test_a_doubled_event_is_named(call: Call) -> None:
    found = checker.calls([call], [IN_LOG, replace(IN_LOG, position=15)])
    assert _names(found) == ["doubled"]
    assert "12, 15" in found[0].told


def test_one_event_acknowledged_to_two_calls_is_doubled() -> None:
    assert _names(checker.calls([OK, replace(OK, id="p1-1")], [IN_LOG])) == ["doubled"]


@pytest.mark.parametrize("calls", [[FAILED], []])
def test_an_event_that_was_refused_or_never_sent_is_named(calls: list[Call]) -> None:
    assert _names(checker.calls(calls, [IN_LOG])) == ["unasked"]


def test_calls_of_other_tables_are_told_apart() -> None:
    other = replace(IN_LOG, table="u")
    assert _names(checker.calls([OK], [other])) == ["lost", "unasked"]


def test_a_receipt_that_the_log_contradicts_is_named() -> None:
    assert checker.receipts([OK, UNKNOWN], {("t", 13): "aa"}) == []
    assert _names(checker.receipts([OK], {("t", 13): "bb"})) == ["rewritten"]
    assert _names(checker.receipts([OK], {})) == ["rewritten"]


def test_an_early_time_out_is_named() -> None:
    assert checker.early([TIME_OUT, replace(TIME_OUT, at=10_000), MOVE]) == []
    (found,) = checker.early([replace(TIME_OUT, at=9_999)])
    assert found.what == "early"
    assert "1 ms" in found.told


def test_a_move_at_its_deadline_is_too_late() -> None:
    """clocks.md, "One rule for who wins": there is no hidden grace."""
    assert checker.overtime([MOVE, TIME_OUT, replace(MOVE, due=None)]) == []
    assert _names(checker.overtime([replace(MOVE, at=10_000)])) == ["overtime"]


def test_a_late_time_out_and_a_forgotten_table_are_named() -> None:
    assert checker.late([TIME_OUT, replace(TIME_OUT, at=15_000), MOVE]) == []
    found = checker.late([replace(TIME_OUT, at=15_001)], [Overdue(table="u", seconds=7.0)])
    assert _names(found) == ["late", "late"]
    assert "still waiting" in found[1].told


def test_a_turn_that_both_move_and_time_out_decided_is_named() -> None:
    assert checker.winners([MOVE, replace(TIME_OUT, seat=1), replace(TIME_OUT, turn=8)]) == []
    assert _names(checker.winners([MOVE, TIME_OUT])) == ["two winners"]
    assert _names(checker.winners([TIME_OUT, TIME_OUT])) == ["two winners"]


def test_the_histogram_counts_everything_once() -> None:
    counted = checker.histogram([0.0, 0.25, 0.26, 4.9, 5.0, 5.1])
    assert sum(count for _, count in counted) == 6
    assert counted[-1] == ("> 5 s", 1)


def test_a_history_survives_the_end_of_its_writer(tmp_path: Path) -> None:
    """A call without an end is unknown; half a line is none."""
    history = History(tmp_path / "history.jsonl")
    history.begins(UNKNOWN)
    history.begins(replace(OK, outcome="unknown", position=None))
    history.strikes("beat")
    history.ends(OK)
    with history.path.open("a") as file:
        file.write('{"at": 1, "event": "ok", "id": "p')

    assert read(history.path) == [UNKNOWN, OK]
    history.close()


def test_a_schedule_is_repeatable_even_and_leaves_time_to_recover() -> None:
    names = available()
    planned = schedule(7, 180, names)

    assert planned == schedule(7, 180, names) != schedule(8, 180, names)
    assert len(planned) == 30
    counts = [sum(each.name == name for each in planned) for name in names]
    assert max(counts) - min(counts) <= 1
    gaps = [later.at - earlier.at for earlier, later in pairwise(planned)]
    assert min(gaps) > EVERY_SECONDS / 3
    assert planned[-1].at < 180 - QUIET_SECONDS
    assert "daemon" not in {each.name for each in schedule(7, 180, available(["daemon"]))}


A1, A2, B1 = Delivery("x", "a", 1), Delivery("y", "a", 2), Delivery("z", "b", 1)


@pytest.mark.parametrize("got", [[A1, A2, B1], [B1, A1, A2], [A1, A1, B1, A2, A1]])
def test_webhooks_may_come_twice_and_tables_between_each_other(got: list[Delivery]) -> None:
    assert checker.webhooks([A1, A2, B1], got) == []


@pytest.mark.parametrize(
    ("got", "named"),
    [
        ([A1, A2], ["untold"]),
        ([A2, B1], ["untold"]),
        ([A2, A1, B1], ["disordered"]),
        ([A1, A2, B1, Delivery("w", "a", 3)], ["unasked"]),
        ([A1, Delivery("y", "a", 7), B1], ["untold", "unasked"]),
    ],
)
def test_webhooks_lost_made_up_or_out_of_order_are_found(got: list[Delivery], named: list[str]) -> None:
    assert _names(checker.webhooks([A1, A2, B1], got)) == named
