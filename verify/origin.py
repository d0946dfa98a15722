"""The log of a table from which others go on, judged first, and then decided again up to there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from engines.base import Game
from events.audit import LinkLike, OpeningLike, Ref
from events.canonical import event_hash
from events.codec import read_header
from verify import fairness
from verify.continuing import OriginLike, TakenOver, items_at, turns_opened
from verify.expected import Undecided
from verify.redecide import Redecision
from verify.verdicts import Report
from verify.verifier import verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A whole log with all its openings; ``origins`` are those that it may go on from itself, by id.

    It is judged once, and decided again once for each position that is asked for: both ask the next
    origin, so that of a chain of forks each would cost twice as much as the one before.
    """

    tid: bytes
    events: Sequence[LinkLike]
    openings: Mapping[Ref, OpeningLike]
    games: Mapping[str, Game[Any]]
    origins: Mapping[str, OriginLike]
    _taken: dict[int, TakenOver] = field(default_factory=dict, init=False, repr=False, compare=False)
    _reports: list[Report] = field(default_factory=list, init=False, repr=False, compare=False)

    def taken_over(self, position: int) -> TakenOver:
        """Return what a fork at a position begins with.

        Raises Undecided where this log is not proved, or no turn opens at the position.
        """
        if position not in self._taken:
            self._taken[position] = self._decided(position)
        return self._taken[position]

    def _report(self) -> Report:
        if not self._reports:
            report = verify(self.tid, self.events, self.openings, games=self.games, origins=self.origins)
            self._reports.append(report)
        return self._reports[0]

    def _decided(self, position: int) -> TakenOver:
        if not self._report().is_replayed:
            raise Undecided(f"the log of table {self.tid.hex()}, from which it goes on, is not proved")
        headers = [read_header(each.header) for each in self.events]
        if position not in turns_opened(headers).values():
            raise Undecided(f"no turn opens at position {position} of table {self.tid.hex()}")
        before = headers[:position]
        chances = fairness.examine(self.tid, headers, {})
        again = Redecision(before, self.events[:position], self.openings, self.games, chances, self.origins)
        again.run()
        items = items_at(before, again.continued)
        return TakenOver(
            settings=again.settings,
            head=event_hash(self.events[position - 1].header).hex(),
            base=position + (again.continued.base if again.continued else 0),
            items=items,
            payloads=tuple(orjson.loads(self.openings[each.place].payload) for each in items),
            abandoned=tuple(sorted(again.abandoned)),
            state=again.state,
            is_sandbox=self._report().is_sandbox,
        )
