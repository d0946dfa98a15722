"""Votes of those who play: to abandon the game, to replace a holder, to pause."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from tables import commands
from tables.api import sample_tables
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.shapes import Ballot, NewVote, TableAnswer


class Votes(ApiView):
    """Calling a vote."""

    @operation(
        id="callVote",
        tag="tables",
        summary="Call a vote",
        description=(
            "Put a motion to those who play; whoever calls the vote is for it. It is decided as soon as it is"
            " clear, and fails after three days. The view's `vote` tells its number and how it stands."
        ),
        body=NewVote,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"body": {"motion": "pause", "seconds": 86_400}, "200": sample_tables.playing()},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Call a vote."""
        body, value = read(request, NewVote)
        key = idempotency_of(request, value)
        return done(commands.call_vote(caller_of(request).id, table_id, body, idempotency=key))


class OneVote(ApiView):
    """Voting."""

    @operation(
        id="castVote",
        tag="tables",
        summary="Vote",
        description="Vote on the motion that is open, once and for all; the view's `vote` has its number.",
        body=Ballot,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"body": {"in_favour": True}, "200": sample_tables.playing()},
    )
    def post(self, request: Request, table_id: uuid.UUID, vote: int) -> HttpResponse:
        """Vote."""
        body, value = read(request, Ballot)
        key = idempotency_of(request, value)
        return done(commands.cast_vote(caller_of(request).id, table_id, vote, body, idempotency=key))
