"""Operations that are to go: the document says so, and so does each of their answers, a year before at least.

Sources: RFC 9745 (Deprecation), RFC 8594 (Sunset), api.md 3.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter

GUIDE = "/docs/guides/errors"
"""Where readers are told how operations go."""
_TEXT: Final = {"type": "string"}


@dataclass(frozen=True, kw_only=True)
class Deprecation:
    """Since when an operation is not to be used, when it goes, and the path of what takes its place."""

    since: date
    sunset: date
    successor: str

    def headers(self) -> dict[str, str]:
        """Return what each answer of the operation says."""
        return {
            "Deprecation": f"@{_moment(self.since)}",
            "Sunset": http_date(_moment(self.sunset)),
            "Link": (
                f'<{self.successor}>; rel="successor-version", <{GUIDE}>; rel="deprecation"; type="text/html"'
                f', <{GUIDE}>; rel="sunset"; type="text/html"'
            ),
        }


def told(statuses: list[int]) -> list[OpenApiParameter]:
    """Return what the document says of these headers."""
    return [
        OpenApiParameter(
            name, _TEXT, OpenApiParameter.HEADER, required=True, response=statuses, description=description
        )
        for name, description in (
            ("Deprecation", "`@` and the Unix time since which the operation is deprecated."),
            ("Sunset", "When it goes, as an HTTP date."),
            ("Link", "What takes its place (`successor-version`), and why."),
        )
    ]


def _moment(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
