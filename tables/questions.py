"""What players are asked beside moves: their part of chance, whether they are there, their vote.  Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tables.state import TableState


class Question(NamedTuple):
    """Something that a seat is asked, by the operation that answers, until a time in milliseconds."""

    kind: str
    until: int


def questions_of(table: TableState, seat: int) -> Iterator[Question]:
    """Return what a table asks a seat that has not answered yet."""
    given, presence, vote = table.entropy, table.presence, table.vote
    persons = table.persons()
    if table.is_over or seat not in persons:
        return
    if presence is not None and seat not in presence.seats:
        yield Question("confirm_presence", presence.until)
    if given.until is not None and not given.is_closed and seat in given.uncommitted(persons):
        yield Question("commit_entropy", given.until)
    if given.until is not None and given.is_closed and seat in given.unrevealed(persons):
        yield Question("reveal_entropy", given.until)
    if vote is not None and seat in vote.called.seats and seat not in vote.ayes + vote.noes:
        yield Question("cast_vote", vote.called.until)
