"""What follows for a table from the decisions of its game, as it must be recorded.

Where the log alone can say it, as with times, what is recorded is expected; ``Table`` judges it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.base import Outcome
from events.codec import Header, Parts
from verify.expected import Expected
from verify.fairness import EPOCH_OPENED, SEED_REVEALED, Chance
from verify.table import Table


def ended(outcome: Outcome) -> dict[str, Any]:
    """Return what is told of the end of a game by its rules."""
    return {
        "winners": outcome.winners,
        "places": outcome.places,
        "scores": outcome.scores,
        "reason": outcome.reason,
    }


def ended_without_winner(seats: int, reason: str) -> dict[str, Any]:
    """Return what is told of the end of a game that nobody has won."""
    return {"winners": (), "places": (1,) * seats, "scores": None, "reason": reason}


def end(told: dict[str, Any], chance: Chance) -> list[Expected]:
    """Return the end of a game with its seed."""
    return [Expected(type="table.finished", parts=Parts(told)), _seed(chance)]


def next_epoch(chances: Sequence[Chance], over: int) -> list[Expected]:
    """Return how the next game of a series is sealed, and then the seed of the one that is over told.

    What is committed to, ``fairness`` has judged.
    """
    commit = chances[over + 1].commit if over + 1 < len(chances) else None
    opened = {"epoch": over + 1, "seed_commit": commit}
    return [Expected(type=EPOCH_OPENED, parts=Parts(opened)), _seed(chances[over])]


def _seed(chance: Chance) -> Expected:
    return Expected(type=SEED_REVEALED, parts=Parts({"epoch": chance.epoch, "seed": chance.seed.hex()}))


def asked(table: Table, recorded: Header | None) -> Expected:
    """Return how players are asked to add to the chance of the next game."""
    told = {"epoch": table.epoch, "until": told_by(recorded, "until")}
    return Expected(type="table.entropy_asked", parts=Parts(told))


def deadline(turn: int, awaited: Sequence[int], recorded: Header | None) -> Expected:
    """Return the clocks of those who are awaited in a turn."""
    clocks = told_by(recorded, "clocks")
    is_of_awaited = isinstance(clocks, list) and [each.get("seat") for each in clocks] == list(awaited)
    opened = {
        "turn": turn,
        "deadline_at": told_by(recorded, "deadline_at"),
        "clocks": clocks if is_of_awaited else [{"seat": seat} for seat in awaited],
        "banks": told_by(recorded, "banks"),
    }
    return Expected(type="clock.deadline_set", parts=Parts(opened))


def told_by(recorded: Header | None, name: str) -> Any:
    """Return what an event tells, where the log alone can say it; None where there is no event."""
    return None if recorded is None else recorded.public.get(name)
