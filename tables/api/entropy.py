"""Adding to the chance of a game: commitments first, then what they stand for."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from events import canonical
from tables import contributions
from tables.api import sample_tables, samples
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.shapes import EntropyCommitment, EntropyReveal, TableAnswer

_VALUE = "5a" * 32
_COMMIT = canonical.entropy_commit(uuid.UUID(samples.TABLE).bytes, 0, 0, bytes.fromhex(_VALUE)).hex()
"""Of seat 0, so that a client may try its own reckoning on the examples."""


class Commitment(ApiView):
    """What a seat seals before anybody shows anything."""

    @operation(
        id="commitEntropy",
        tag="tables",
        summary="Commit to entropy",
        description=(
            "At a table whose `fairness` is not `server`, each player's client draws 32 random bytes and"
            " commits to them, once it has a seat; in a series again before each further game. A full table"
            " waits until all have committed, at most until `entropy.until` of the view. Then seating is"
            " closed: nobody leaves before the start. The same again changes nothing; a seat that is given"
            " back takes its commitment along. Keep the bytes: they are to be revealed."
        ),
        body=EntropyCommitment,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {
            "body": {"epoch": 0, "commit": _COMMIT},
            "200": sample_tables.table(fairness="players"),
        },
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Commit."""
        body, value = read(request, EntropyCommitment)
        key = idempotency_of(request, value)
        return done(contributions.commit(caller_of(request).id, table_id, body, idempotency=key))


class Reveal(ApiView):
    """What a seat shows once everybody has committed."""

    @operation(
        id="revealEntropy",
        tag="tables",
        summary="Reveal entropy",
        description=(
            "Send the bytes that you have committed to, once `entropy.stage` of the view is `reveal`. They"
            " are public from then on. The game begins with the last of them, or at `entropy.until` without"
            " those that are missing; a table with `players_strict` is closed instead, or its series ends"
            " without a result."
        ),
        body=EntropyReveal,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {
            "body": {"epoch": 0, "entropy": _VALUE},
            "200": sample_tables.playing(fairness="players"),
        },
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Reveal."""
        body, value = read(request, EntropyReveal)
        key = idempotency_of(request, value)
        return done(contributions.reveal(caller_of(request).id, table_id, body, idempotency=key))
