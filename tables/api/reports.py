"""What is taken along of games that are over, for paper and for spreadsheets: no JSON, by their nature."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.http import HttpResponse, StreamingHttpResponse
from rest_framework.request import Request

from tables.api import rendering, throttling
from tables.api.base import ApiView, caller_of
from tables.api.parameters import GAME, MINE, SANDBOX
from tables.api.problems import locale_of
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.reports import printed, results

_PAPER = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )
}
_COLUMNS = ", ".join(f"`{each}`" for each in results.COLUMNS)
_TEXT = {"type": "string"}


class Report(ApiView):
    """The report of one game, for paper."""

    limits: ClassVar[dict[str, Limit]] = {"GET": throttling.EXPORTS}
    renderer_classes = (rendering.HtmlRenderer,)

    @operation(
        id="getReport",
        tag="play",
        summary="Get the printable report",
        description=(
            "A game that is over, as a page for paper (HTML): each move with its time, its player and the"
            " deadline, time-outs, what staff and arbiter have decided, the verdict, the last hash and the"
            " key that signs it. Names are those of today."
        ),
        answers={200: _TEXT},
        media=rendering.HTML,
        conditional=True,
        localised=True,
        problems=(404, 409),
        examples=lambda: {"200": "<!doctype html>…"},
    )
    def get(self, request: Request, table_id: uuid.UUID) -> HttpResponse:
        """Return the report."""
        locale = locale_of(request._request)
        page = printed.seen_by(caller_of(request).id, table_id, locale)
        return rendering.conditional_text(
            request._request,
            page,
            rendering.HTML,
            language=locale,
            headers=_PAPER,
        )


class Results(ApiView):
    """The results of games, for spreadsheets."""

    limits: ClassVar[dict[str, Limit]] = {"GET": throttling.EXPORTS}
    renderer_classes = (rendering.CsvRenderer,)

    @operation(
        id="exportResults",
        tag="tables",
        summary="Export results",
        description=(
            "The results of all games that are over and that the caller may see, as CSV (RFC 4180, UTF-8,"
            f" with a head): a line a seat, the newest table first. Columns: {_COLUMNS}. A text"
            " that a spreadsheet would take for a formula begins with an apostrophe."
        ),
        answers={200: _TEXT},
        media=rendering.CSV,
        parameters=(GAME, MINE, SANDBOX),
        examples=lambda: {"200": ",".join(results.COLUMNS) + "\r\n"},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return the results, part by part."""
        found = results.seen_by(
            caller_of(request).id,
            game=GAME.read(request),
            mine=MINE.read(request),
            sandbox=SANDBOX.read(request),
        )
        headers = {
            "Content-Disposition": 'attachment; filename="results.csv"',
            "Cache-Control": "private, no-cache",
            "Vary": "Authorization",
        }
        return StreamingHttpResponse(found, content_type=f"{rendering.CSV}; charset=utf-8", headers=headers)
