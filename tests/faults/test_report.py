"""The verdict on a run is honest: what falls short is said, and what must not be fails it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faults.checker import Finding
from faults.history import Call
from faults.report import Report, lines_of
from faults.session import Judgement, Options

WANTED = 20.0
OPTIONS = Options(drill="kills", seed=1, seconds=10.0, rate=WANTED, tables=60, without=())
CALL = Call(id="p0-1", kind="move", table="t", mark="m", outcome="ok", position=12, signed=13, head="aa")


def _judged(acknowledged: int, *findings: Finding) -> Judgement:
    return Judgement(
        findings=list(findings),
        calls=[CALL] * acknowledged + [replace(CALL, outcome="failed")] * 200,
        lateness=[0.1],
        decisions=1,
        tables=1,
        restarts=0,
        seconds=10.0,
        foreign=0.0,
        webhooks=1,
    )


def _report(judged: Judgement) -> Report:
    return Report(lines_of(judged, OPTIONS), judged)


@pytest.mark.parametrize(
    ("acknowledged", "verdict", "missed", "short"),
    [
        (200, "met", [], []),
        (180, "met", [], []),
        (179, "short", [], ["acknowledged"]),
        (100, "short", [], ["acknowledged"]),
        (99, "MISSED", ["acknowledged"], []),
    ],
)
def test_the_load_is_met_from_nine_tenths_and_fails_a_run_below_a_half(
    acknowledged: int, verdict: str, missed: list[str], short: list[str]
) -> None:
    """Of the rate wanted, in acknowledged commands: refused ones do not count."""
    report = _report(_judged(acknowledged))

    (line,) = [each for each in report.lines if each.name == "acknowledged"]
    assert verdict in line.verdict
    assert line.figure.startswith(f"{acknowledged / 10:.1f} of the 20 a second wanted")
    assert line.goal == "≥ 18; fails the run below 10"
    assert (report.missed, report.short) == (missed, short)


def test_any_finding_fails_a_run() -> None:
    report = _report(_judged(200, Finding("lost", "p0-1")))
    assert report.missed == ["acknowledged calls lost"]


def test_where_nobody_sent_at_a_rate_no_load_is_told() -> None:
    judged = _judged(1)
    names = [line.name for line in lines_of(judged, OPTIONS, is_loaded=False)]
    assert "acknowledged" not in names
