"""The server itself: its status, and the keys that it signs with."""

from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from tables import queries
from tables.api import rendering, samples
from tables.api.base import PublicView
from tables.api.schema import operation
from tables.shapes import KeyList, StatusAnswer


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
