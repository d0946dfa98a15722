"""Single values that several records share, and the two kinds of record."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tables.wording import LOCALES

STATUSES = ("open", "playing", "finished", "closed")


def known(text: str, *values: str) -> Meta:
    """Describe an open string: a client must accept values that are not listed."""
    return Meta(description=text, extra_json_schema={"x-known-values": list(values)})


Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Moment = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, description="UTC, with milliseconds.")
]
Status = Annotated[
    str,
    known(
        "Where the table stands. `open`: its game has not begun; `playing`; `finished`: the game has ended,"
        " and `outcome` says how; `closed`: it never began.",
        *STATUSES,
    ),
]
Deadline = Annotated[
    str,
    Meta(
        extra_json_schema={"format": "date-time"},
        description="When the open turn ends, UTC; null: nobody is awaited, or there is no limit.",
    ),
]
Name = Annotated[
    str,
    Meta(
        min_length=2,
        max_length=40,
        description="Letters, digits, spaces inside, `-`, `_` and `.`; unique whatever the case.",
    ),
]
Password = Annotated[str, Meta(min_length=10, max_length=200, description="10 to 200 characters.")]
LocaleChoice = Annotated[Literal["en", "es"], Meta(description="The language of texts for this player.")]
Locale = Annotated[str, known("The language of texts for this player.", *LOCALES)]
Label = Annotated[str, Meta(max_length=80, description="What the token is for.")]
Device = Annotated[
    str, Meta(max_length=80, description="What this device is called in the list of the own tokens.")
]
Secret = Annotated[
    str, Meta(description="Send it as `Authorization: Bearer <token>`. It is shown this once; at most 512.")
]


class Request(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A body: nothing is coerced, no unknown field is taken."""


class Answer(msgspec.Struct, kw_only=True):
    """A body of the server's."""
