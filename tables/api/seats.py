"""Seats whose holders are not there: who is asked, who takes over, who is offered the seat."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import commands
from tables.api import sample_tables, throttling
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import NewOffer, TableAnswer, TakeOver


class Presence(ApiView):
    """Being there when a table that has waited long is about to start."""

    @operation(
        id="confirmPresence",
        tag="tables",
        summary="Say to be there",
        description=(
            "A table that has waited for over a day asks, once it is full, whether everybody is still there"
            " (`presence` of the view). It starts with the last who says so; after a day the others lose"
            " their seats."
        ),
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"200": sample_tables.playing()},
    )
    def post(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Say to be there."""
        key = idempotency_of(request)
        return done(commands.confirm_presence(caller_of(request).id, table_id, idempotency=key))


class Replacement(ApiView):
    """Playing on for somebody who is absent."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.JOINS}

    @operation(
        id="takeSeatOver",
        tag="tables",
        summary="Take a seat over",
        description=(
            "Take the seat of somebody who is absent (`seeking`), and see what it may know. Open to whoever"
            " has never had a seat at this table, and to its own holder, who comes back."
        ),
        body=TakeOver,
        body_required=False,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"body": {}, "200": sample_tables.playing(my_seat=1, absentee="open")},
    )
    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> HttpResponse:
        """Take the seat over."""
        body, value = read(request, TakeOver, may_be_empty=True)
        key = idempotency_of(request, value)
        return done(commands.take_over(caller_of(request).id, table_id, seat, body, idempotency=key))


class Offers(ApiView):
    """Asking somebody to take a seat over."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.JOINS}

    @operation(
        id="offerSeat",
        tag="tables",
        summary="Offer a seat",
        description=(
            "Offer the seat of somebody who is absent (`seeking`) to a player, who sees the table from then"
            " on, and is told. Open to those who play there."
        ),
        body=NewOffer,
        answers={200: TableAnswer},
        problems=(403, 404, 409),
        examples=lambda: {"body": {"player": "Beto"}, "200": sample_tables.seeking()},
    )
    def post(self, request: Request, table_id: uuid.UUID, seat: int) -> HttpResponse:
        """Offer the seat."""
        body, value = read(request, NewOffer)
        key = idempotency_of(request, value)
        return done(commands.offer_seat(caller_of(request).id, table_id, seat, body, idempotency=key))
