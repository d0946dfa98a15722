"""What a run has shown, as tables: goals met and missed, the lateness of time-outs, what was found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from faults.checker import LATEST_SECONDS, histogram, percentile
from faults.session import Judgement, Options

SHOWN = 10  # findings of each kind
BAR = 40  # characters
DISTURBED = 0.2
MET_FROM, FAILS_BELOW = 0.9, 0.5  # of the rate of commands that was asked for
PROMISES = {
    "lost": "acknowledged calls lost",
    "doubled": "calls done twice",
    "unasked": "refused or never sent, yet in the log",
    "rewritten": "receipts that the log contradicts",
    "two winners": "turns with two winners",
    "early": "time-outs before their deadline",
    "overtime": "moves after their deadline",
    "late": f"deadlines more than {LATEST_SECONDS:g} s late",
    "suspended": "tables suspended",
    "untold": "webhooks lost",
    "disordered": "tables whose webhooks came in another order",
    "unproved": "findings of verify_streams",
}
"""What each kind of finding counts; none may occur."""


class Line(NamedTuple):
    """A figure and its goal; ``met`` is None where there is none.

    ``borne`` tells that the goal, when it is missed, does not fail the run.
    """

    name: str
    figure: str
    goal: str = ""
    met: bool | None = None
    borne: bool = False

    @property
    def verdict(self) -> str:
        """What a reader is told of the goal, in the markup of rich."""
        if self.met is None:
            return ""
        return "[green]met[/]" if self.met else "[yellow]short[/]" if self.borne else "[bold red]MISSED[/]"


@dataclass(frozen=True, slots=True)
class Report:
    """The lines of a drill, and what they are founded on."""

    lines: list[Line]
    judged: Judgement

    @property
    def missed(self) -> list[str]:
        """The names of the goals whose miss fails the run."""
        return [line.name for line in self.lines if line.met is False and not line.borne]

    @property
    def short(self) -> list[str]:
        """The names of the goals that were missed, but do not fail the run."""
        return [line.name for line in self.lines if line.met is False and line.borne]


def lines_of(judged: Judgement, options: Options, *, is_loaded: bool = True) -> list[Line]:
    """Return the lines that every drill has; ``is_loaded`` where players sent at the rate asked for."""
    outcomes = Counter(call.outcome for call in judged.calls)
    told = ", ".join(f"{outcomes[each]:,} {each}" for each in ("ok", "failed", "unknown"))
    counted = Counter(finding.what for finding in judged.findings)
    lines = [
        Line("calls", told, "some ok", outcomes["ok"] > 0),
        Line("time-outs decided", f"{len(judged.lateness):,}", "some", bool(judged.lateness)),
    ]
    if is_loaded:
        lines.append(_load(judged, options.rate))
    lines += [Line(name, str(counted[what]), "0", not counted[what]) for what, name in PROMISES.items()]
    lines.append(Line("webhooks that came", f"{judged.webhooks:,}", "some", judged.webhooks > 0))
    verified = f"{judged.tables:,} tables, {judged.decisions:,} turns; {judged.restarts} restarts"
    foreign = (
        f"{judged.foreign:.0%}{': figures of time are worse for it' if judged.foreign > DISTURBED else ''}"
    )
    return [*lines, Line("verified", verified), Line("taken by others of this machine", foreign)]


def _load(judged: Judgement, wanted: float) -> Line:
    """Return how many commands a second were acknowledged, of those wanted; a busy machine may fall short."""
    seconds = [call.seconds for call in judged.calls if call.outcome == "ok"]
    rate, slow = len(seconds) / judged.seconds, percentile(seconds, 0.99)
    figure = f"{rate:.1f} of the {wanted:g} a second wanted; p99 with retries {slow:.1f} s"
    goal = f"≥ {MET_FROM * wanted:g}; fails the run below {FAILS_BELOW * wanted:g}"
    return Line("acknowledged", figure, goal, rate >= MET_FROM * wanted, rate >= FAILS_BELOW * wanted)


def show(report: Report, console: Console) -> None:
    """Print a report."""
    _show_lateness(report.judged.lateness, console)
    table = Table()
    for title in ("what", "figure", "goal", "verdict"):
        table.add_column(title)
    for line in report.lines:
        table.add_row(line.name, line.figure, line.goal, line.verdict)
    console.print(table)
    shown: Counter[str] = Counter()
    for finding in report.judged.findings:
        shown[finding.what] += 1
        if shown[finding.what] <= SHOWN:
            console.print(f"{finding.what}: {finding.told}", markup=False, soft_wrap=True)


def _show_lateness(seconds: list[float], console: Console) -> None:
    counted = histogram(seconds)
    most = max(1, *(count for _, count in counted))
    console.print("Lateness of time-outs:")
    for name, count in counted:
        console.print(f"  {name:>8} {count:>7,} {'█' * round(BAR * count / most)}", markup=False)
    shares = ", ".join(f"p{share:g} {percentile(seconds, share / 100):.2f}" for share in (50, 95, 99))
    console.print(f"  {shares}, max {max(seconds, default=0.0):.2f} s")
