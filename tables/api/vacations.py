"""Being away: the caller's vacations."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from tables import vacations
from tables.api import rendering, samples
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.shapes import NewVacation, VacationAnswer, VacationList


class Vacations(ApiView):
    """The caller's vacations."""

    @operation(
        id="listVacations",
        tag="accounts",
        summary="List the own vacations",
        description="Past, present and booked vacations, the latest first, and what is left of this year's.",
        answers={200: VacationList},
        conditional=True,
        examples=lambda: {"200": {"items": [samples.VACATION], "seconds_left": 1_382_400}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the vacations."""
        return rendering.conditional(request._request, vacations.of(caller_of(request).id))

    @operation(
        id="bookVacation",
        tag="accounts",
        summary="Book a vacation",
        description=(
            "Be away, at once or from a moment on: the own clocks stand still at every table that allows"
            " vacations. There are 30 days a calendar year, at most 14 in a row; what goes beyond is cut off."
        ),
        body=NewVacation,
        body_required=False,
        answers={201: VacationAnswer},
        located=True,
        problems=(409,),
        examples=lambda: {"body": {}, "201": samples.VACATION},
    )
    def post(self, request: Request) -> HttpResponse:
        """Book a vacation."""
        body, value = read(request, NewVacation, may_be_empty=True)
        key = idempotency_of(request, value)
        result = vacations.book(caller_of(request).id, body, idempotency=key)
        return done(result, f"/v1/me/vacations/{getattr(result.answer, 'id', '')}")


class OneVacation(ApiView):
    """One of the caller's vacations."""

    @operation(
        id="endVacation",
        tag="accounts",
        summary="End a vacation",
        description="Be back from now on, or cancel what has not begun; what was used up stays used up.",
        answers={204: None},
        problems=(404,),
    )
    def delete(self, request: Request, vacation_id: uuid.UUID) -> HttpResponse:
        """End the vacation."""
        vacations.end(caller_of(request).id, vacation_id)
        return HttpResponse(status=204)
