"""The arbiter of a table: asked, saying yes, leaving, deciding."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from tables import arbitration
from tables.api import sample_tables
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.shapes import ArbiterChoice, NewRuling, TableAnswer


class Arbiter(ApiView):
    """Who arbitrates."""

    @operation(
        id="askArbiter",
        tag="tables",
        summary="Ask somebody to arbitrate",
        description=(
            "Ask a player without a seat to be the arbiter, by the host, before the start: so whoever sits"
            " down sees who may decide. The player is told, sees the table from then on, and arbitrates once"
            " it has accepted. An arbiter sees what a spectator sees, and takes no seat."
        ),
        body=ArbiterChoice,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {
            "body": {"player": "Beto"},
            "200": sample_tables.table(**sample_tables.arbitrated(is_me=False)),
        },
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Ask."""
        body, value = read(request, ArbiterChoice)
        key = idempotency_of(request, value)
        return done(arbitration.ask(caller_of(request).id, table_id, body, idempotency=key))

    @operation(
        id="releaseArbiter",
        tag="tables",
        summary="Arbitrate no more",
        description=(
            "Leave the table without an arbiter: by the arbiter, until the end; by the host, before the"
            " start. Whoever is asked and has not agreed may decline, and the host take the question back, at"
            " any time."
        ),
        answers={204: None},
        problems=(403, 404, 409),
    )
    def delete(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Let nobody arbitrate."""
        arbitration.release(caller_of(request).id, table_id)
        return HttpResponse(status=204)


class Acceptance(ApiView):
    """Saying yes."""

    @operation(
        id="acceptArbitration",
        tag="tables",
        summary="Agree to arbitrate",
        description="Arbitrate the table from now on, by who was asked; a second time changes nothing.",
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"200": sample_tables.playing(**sample_tables.arbitrated(is_me=True))},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Accept."""
        key = idempotency_of(request)
        return done(arbitration.accept(caller_of(request).id, table_id, idempotency=key))


class Rulings(ApiView):
    """What an arbiter decides."""

    @operation(
        id="makeRuling",
        tag="tables",
        summary="Decide something",
        description=(
            "Decide something at a running game, by its arbiter. Every ruling is an event with its reason,"
            " for all to see, and none changes what was recorded."
        ),
        body=NewRuling,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {
            "body": {"ruling": "pause", "reason": "dispute", "hours": 48},
            "200": sample_tables.playing(**sample_tables.arbitrated(is_me=True)),
        },
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Decide."""
        body, value = read(request, NewRuling)
        key = idempotency_of(request, value)
        return done(arbitration.rule(caller_of(request).id, table_id, body, idempotency=key))
