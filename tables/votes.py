"""Votes of those who play: to abandon the game, to replace a holder, to pause the clocks.

Whoever calls a vote is for it.  Only persons who play may vote; those a motion is about may not.
"""

from __future__ import annotations

from math import ceil

from tables import absences, gathering, lifecycle, messages
from tables.clock import DAY_MS
from tables.errors import AlreadyVoted, NoVote, VoteNotPossible, VoteOpen
from tables.hosting import Host

LASTS_MS = 3 * DAY_MS
"""How long a vote is open at most."""


def call(host: Host, by: int, motion: str, *, seat: int | None = None, seconds: int | None = None) -> None:
    """Call a vote.  Raises TableNotPlaying, VoteOpen, VoteNotPossible."""
    lifecycle.require_playing(host.table)
    if host.table.vote is not None:
        raise VoteOpen(vote=host.table.vote.called.vote)
    voters = tuple(each for each in host.table.persons() if each != seat or motion != "replace")
    if by not in voters or not _is_possible(host, motion, seat, voters):
        raise VoteNotPossible()
    called = messages.VoteCalled(
        vote=host.table.votes + 1,
        motion=motion,
        seat=seat,
        seconds=seconds,
        by=by,
        seats=voters,
        needed=needed(motion, len(voters)),
        until=host.now + LASTS_MS,
    )
    host.add(called, actor=f"seat:{by}")
    _decide_if_clear(host)


def cast(host: Host, number: int, seat: int, *, in_favour: bool) -> None:
    """Vote.  Raises NoVote where it is not open, or not for this seat; AlreadyVoted."""
    vote = host.table.vote
    may_vote = vote is not None and seat in vote.called.seats and seat in host.table.persons()
    if vote is None or vote.called.vote != number or not may_vote:
        raise NoVote()
    if seat in vote.ayes + vote.noes:
        raise AlreadyVoted()
    host.add(messages.VoteCast(vote=number, seat=seat, in_favour=in_favour), actor=f"seat:{seat}")
    _decide_if_clear(host)


def decide(host: Host, *, passed: bool) -> None:
    """Close the open vote, and do what it was about if it has passed."""
    vote = host.table.vote
    if vote is None:
        raise AssertionError("only an open vote is decided")
    called = vote.called
    host.add(messages.VoteDecided(vote=called.vote, passed=passed))
    if not passed:
        return
    if called.motion == "abandon":
        host.abandon("abandoned_by_vote")
    elif called.motion == "replace" and called.seat in host.table.persons():
        absences.replace(host, called.seat, "voted", bot=absences.stand_in(host))
        gathering.go_on_without(host)
    elif called.motion == "pause":
        host.pause("agreement", (called.seconds or 0) * 1000)


def needed(motion: str, voters: int) -> int:
    """Return how many must be for it: all for a pause, two thirds to abandon, more than half to replace."""
    return {"pause": voters, "abandon": ceil(voters * 2 / 3)}.get(motion, voters // 2 + 1)


def _is_possible(host: Host, motion: str, seat: int | None, voters: tuple[int, ...]) -> bool:
    """Whether there is something to vote about: a single player removes nobody, no clock is no pause."""
    if motion == "replace":
        return seat in host.table.persons() and len(voters) > 1
    return motion != "pause" or host.table.deadline_at is not None


def _decide_if_clear(host: Host) -> None:
    vote = host.table.vote
    if vote is not None and (verdict := vote.verdict) is not None:
        decide(host, passed=verdict)
