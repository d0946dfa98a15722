"""Tables at which staff and an arbiter do everything that they can."""

from __future__ import annotations

from typing import Any

from engines import base
from tables import interventions, messages
from tests.verify.plays import HOUR, Play


def begun(game: str = "reafan", **options: Any) -> Play:
    """Return a table with a deadline at which a few moves were played."""
    plays = (Play(game, seed, **options).play(most=4) for seed in range(50))
    return next(each for each in plays if each.table.deadline_at is not None and not each.is_over)


def by_both() -> Play:
    """Return a table up to a result by ruling: whatever staff and arbiters do has been done at it."""
    table = begun()
    table.add(interventions.ArbiterNamed(arbiter="ab" * 16), actor="staff")
    table.add(interventions.StaffPeeked(seat=1, reason="law"), actor="staff")
    _pause_and_resume(table)
    table._suspend()
    table._say("staff", "extend")
    table.add(interventions.TimeAdded(turn=table.table.turn, added=3 * HOUR), actor="staff")
    table._set_deadline()
    table._end()
    table.add(interventions.ArbiterNamed(arbiter=None), actor="staff")
    table._say("staff", "adjudicate")
    table._finish(base.Outcome(winners=(0,), places=(1, 2), scores=None, reason="adjudicated"))
    return table


def by_arbiter() -> Play:
    """Return a table whose arbiter stops the clocks and removes a player; it ends by the game's rules."""
    table = begun("cthulhu", series=False)
    table.add(interventions.ArbiterNamed(arbiter="cd" * 16), actor="staff")
    _pause_and_resume(table)
    table._say("arbiter", "remove", 1)
    table.add(messages.SeatAbandoned(seat=1, reason="removed"), actor="staff")
    table._decide(lambda batch: base.leave(batch, 1, "removed"))
    table._end()
    return table.play()


def _pause_and_resume(table: Play) -> None:
    table._say("arbiter", "pause")
    paused = messages.Paused(reason="staff", seat=None, since=table.now, until=table.now + HOUR)
    table.add(paused, actor="staff")
    table._set_deadline()
    table.now += HOUR // 2
    table._say("arbiter", "resume")
    table.add(messages.Resumed(reason="staff", seat=None, since=paused.since), actor="staff")
    table._set_deadline()
