"""The server itself: its status, and the keys that it signs with."""

from __future__ import annotations

from datetime import date

from django.http import HttpResponse
from rest_framework.request import Request

from tables import queries
from tables.api import rendering, samples
from tables.api.base import PublicView
from tables.api.deprecation import Deprecation
from tables.api.schema import operation
from tables.shapes import KeyList, StatusAnswer, TimeAnswer


class Status(PublicView):
    """The server."""

    @operation(
        id="getStatus",
        tag="server",
        summary="Look at the server",
        description="Version, feature level and time of the server, and where its live process is.",
        answers={200: StatusAnswer},
        examples=lambda: {"200": samples.STATUS},
    )
    def get(self, request: Request) -> HttpResponse:  # noqa: ARG002
        """Return the status."""
        return rendering.answer(queries.status(), headers={"Cache-Control": "no-store"})


class Time(PublicView):
    """The server's clock: deprecated from its beginning, so that clients can see how operations go."""

    @operation(
        id="getTime",
        tag="server",
        summary="Look at the server's clock",
        description=(
            "The example of an operation that is to go: it is `deprecated` in this document, and its answers"
            " say so in `Deprecation`, `Sunset` and `Link`. The time is in `getStatus`, too."
        ),
        answers={200: TimeAnswer},
        examples=lambda: {"200": {"server_time": samples.NOW}},
        deprecation=Deprecation(since=date(2026, 12, 1), sunset=date(2028, 12, 1), successor="/v1/status"),
    )
    def get(self, request: Request) -> HttpResponse:  # noqa: ARG002
        """Return the time."""
        found = TimeAnswer(server_time=queries.status()["server_time"])
        return rendering.answer(found, headers={"Cache-Control": "no-store"})


class Keys(PublicView):
    """Public keys."""

    @operation(
        id="listKeys",
        tag="server",
        summary="List the signing keys",
        description="Every public key that receipts of this server were ever signed with.",
        answers={200: KeyList},
        conditional=True,
        examples=lambda: {"200": samples.KEYS},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the keys."""
        return rendering.conditional(request._request, queries.keys())
