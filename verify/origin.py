"""The log of a table from which others go on, judged first, and then decided again up to there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from verify.verifier import verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A whole log with all its openings; ``origins`` are those that it may go on from itself, by id."""

    tid: bytes
    events: Sequence[LinkLike]
    openings: Mapping[Ref, OpeningLike]
    games: Mapping[str, Game[Any]]
    origins: Mapping[str, OriginLike]

    def taken_over(self, position: int) -> TakenOver:
        """Return what a fork at a position begins with.

        Raises Undecided where this log is not proved, or no turn opens at the position.
        """
        report = verify(self.tid, self.events, self.openings, games=self.games, origins=self.origins)
        if not report.is_proved:
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
            head=event_hash(self.events[position - 1].header).hex(),
            base=position + (again.continued.base if again.continued else 0),
            items=items,
            payloads=tuple(orjson.loads(self.openings[each.place].payload) for each in items),
            abandoned=tuple(sorted(again.abandoned)),
            state=again.state,
        )
