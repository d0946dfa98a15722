"""What a verification answers: three verdicts, each for itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from events.audit import Finding
from verify.entropy import CHOSEN, Entropy

SEED_CHOSEN = "the seed was chosen by whoever opened the table, a sandbox"
"""Why nothing can be said of the chance of a sandbox, whatever its draws follow from."""
Status = Literal["proved", "not_provable", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found wrong, in the order of positions, or why nothing can be said.

    ``doubt`` is None where everything was at hand.
    """

    findings: tuple[Finding, ...] = ()
    doubt: str | None = None

    @property
    def status(self) -> Status:
        """The verdict in a word.  A failure weighs more than a doubt."""
        if self.findings:
            return "failed"
        return "proved" if self.doubt is None else "not_provable"

    def __str__(self) -> str:
        if self.findings:
            position, what = self.findings[0]
            return f"FAILED at position {position}: {what}"
        return "proved" if self.doubt is None else f"not provable from this view: {self.doubt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The verdicts on one log up to ``length``, the position of its last event.

    Integrity: nothing was altered, and hidden items are what was committed.  Fairness: all chance
    follows from seeds and entropy that were committed before they mattered, see ``epochs`` for each game
    of a series; whose they are, ``policy`` and ``entropies`` tell.  Replay: the rules lead from each
    decision to what is recorded.
    """

    length: int
    integrity: Verdict
    fairness: Verdict
    replay: Verdict
    epochs: tuple[Verdict, ...]
    """The fairness of each game of a series; one where there is no series."""
    policy: str
    entropies: tuple[Entropy, ...]
    """What players added to the chance of each game, as the ``policy`` of the table's seeds lets them."""

    @property
    def is_sandbox(self) -> bool:
        """Whether the log is that of a table to try clients out."""
        return self.policy == CHOSEN

    @property
    def is_replayed(self) -> bool:
        """Whether all is proved, but for the fairness of a sandbox, of which nothing can be."""
        doubts = {verdict.doubt for _, verdict in self} - {None}
        has_findings = any(verdict.findings for _, verdict in self)
        return not has_findings and doubts <= ({SEED_CHOSEN} if self.is_sandbox else set())

    @property
    def is_proved(self) -> bool:
        """Whether all three verdicts are ``proved``."""
        return all(verdict.status == "proved" for _, verdict in self)

    def __iter__(self) -> Iterator[tuple[str, Verdict]]:
        """Yield the verdicts with their names."""
        yield "integrity", self.integrity
        yield "fairness", self.fairness
        yield "replay", self.replay


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings by position, those of one position as they were found."""
    return tuple(sorted(findings, key=lambda finding: finding.position))
