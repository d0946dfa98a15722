"""Which events of a log are decisions, and which happen at a table without a decision of its game."""

from __future__ import annotations

from events.codec import MOVE_PLAYED, Header
from verify.fairness import EPOCH_BEGUN

BEFORE_PLAY = (
    "table.opened",
    "table.settings_chosen",
    "table.seat_taken",
    "table.seat_left",
    "table.presence_asked",
    "table.presence_confirmed",
    "table.presence_lapsed",
    "table.entropy_asked",
    "table.entropy_committed",
    "table.seating_closed",
    "table.entropy_revealed",
    "table.entropy_missing",
    "table.closed",
)
BESIDE_PLAY = (
    "table.seat_replaced",
    "table.vote_called",
    "table.vote_cast",
    "table.vote_decided",
    "clock.paused",
    "clock.resumed",
    "clock.deadline_extended",
    "table.suspended",
    "table.reinstated",
    "table.staff_peeked",
    "table.arbiter_named",
    "table.ruling_made",
    "clock.time_added",
)
"""What happens at a table without a decision of its game; ``Table`` judges it alone."""
WITHOUT_WINNER = ("abandoned_by_vote", "abandoned_idle", "abandoned_entropy", "annulled")
BY_RULING = "adjudicated"
"""Why a game may end that no rule of it has ended."""
_LEAVING = ("resigned", "removed")  # a seat lost by time-out follows from that
_AREAS = ("table", "clock")


def is_of_table(header: Header) -> bool:
    """Whether an event is of a table or its clocks, whatever the game."""
    return header.type.partition(".")[0] in _AREAS


def is_decision(header: Header) -> bool:
    """Whether an event was decided from outside, so that others follow from it."""
    if header.type == MOVE_PLAYED:
        return header.actor != "table"
    if header.type == "table.seat_abandoned":
        return header.public.get("reason") in _LEAVING
    return header.type in ("table.started", EPOCH_BEGUN, "clock.expired")
