"""Query parameters: the same object tells the document of one and reads it from a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from tables import people, queries
from tables.errors import BadField
from tables.shapes import STATUSES

MOST: Final = 2**31 - 1
_NUMBER = re.compile(r"[0-9]{1,15}")
_EYES = re.compile(r"public|full|[0-9]{1,3}")
V = TypeVar("V")
D = TypeVar("D", int, None)


@dataclass(frozen=True, kw_only=True)
class Parameter(Generic[V]):
    """A query parameter with values of type ``V``; None where it is left out."""

    name: str
    description: str

    def told(self) -> OpenApiParameter:
        """Return what the document says of it."""
        return OpenApiParameter(self.name, self.schema(), description=self.description)

    def read(self, request: Request) -> V | None:
        """Return what a request gives.  Raises BadField."""
        text = request._request.GET.get(self.name)
        return None if text is None else self.value_of(text)

    def schema(self) -> dict[str, Any]:
        """Return the schema of its values."""
        raise NotImplementedError

    def value_of(self, text: str) -> V:
        """Return the value that a text stands for.  Raises BadField."""
        raise NotImplementedError

    def wrong(self, code: str, **facts: str) -> BadField:
        """Return the refusal of a text."""
        return BadField(pointer=f"?{self.name}", code=code, **facts)


@dataclass(frozen=True, kw_only=True)
class Number(Parameter[int], Generic[D]):
    """A number from ``least`` to ``most``; ``default`` where it is left out."""

    least: int
    most: int
    default: D

    def read(self, request: Request) -> int | D:
        found = super().read(request)
        return self.default if found is None else found

    def schema(self) -> dict[str, Any]:
        schema = {"type": "integer", "minimum": self.least, "maximum": self.most}
        return schema if self.default is None else {**schema, "default": self.default}

    def value_of(self, text: str) -> int:
        if not _NUMBER.fullmatch(text):
            raise self.wrong("bad_format")
        if not self.least <= (value := int(text)) <= self.most:
            raise self.wrong("out_of_range", wanted=f"{self.least}..{self.most}")
        return value


@dataclass(frozen=True, kw_only=True)
class Word(Parameter[str]):
    """A text that fits ``pattern`` as a whole."""

    pattern: str

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self.pattern}$"}

    def value_of(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text, re.ASCII):
            raise self.wrong("bad_format")
        return text


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter[V]):
    """One of a few values, by the words for them."""

    values: dict[str, V]

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.values)}

    def value_of(self, text: str) -> V:
        if text not in self.values:
            raise self.wrong("unknown_value", wanted=", ".join(self.values))
        return self.values[text]


@dataclass(frozen=True, kw_only=True)
class Eyes(Parameter[int | Literal["public", "full"]]):
    """A seat, ``public`` or ``full``."""

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^({_EYES.pattern})$"}

    def value_of(self, text: str) -> int | Literal["public", "full"]:
        if not _EYES.fullmatch(text):
            raise self.wrong("bad_format")
        return "public" if text == "public" else "full" if text == "full" else int(text)


LIMIT = Number(name="limit", description="How many items at most.", least=1, most=200, default=50)
CURSOR = Word(
    name="cursor",
    description="The `next_cursor` or `previous_cursor` of a page.",
    pattern="[A-Za-z0-9_=.:+-]{1,200}",
)
CURSOR_OF_NAMES = Word(name="cursor", description=CURSOR.description, pattern="[A-Za-z0-9_-]{1,400}")
GAME = Word(name="game", description="Of this game only.", pattern="[a-z0-9_]{1,40}")
STATUS = Choice(name="status", description="With this status only.", values={each: each for each in STATUSES})
MINE = Choice(
    name="mine",
    description="`true`: only where the caller has a seat; `false`: only elsewhere.",
    values={"true": True, "false": False},
)
SEEKING = Choice(
    name="seeking",
    description="`true`: only where a seat may be taken over from somebody absent; `false`: only elsewhere.",
    values={"true": True, "false": False},
)
SANDBOX = Choice(
    name="sandbox",
    description="`true`: only sandboxes; `false`: only tables that are none.",
    values={"true": True, "false": False},
)
PLAYER = Word(
    name="player",
    description="Only where somebody of this name, in any case, sits or sat.",
    pattern="[^\\x00-\\x1f]{1,40}",
)
SORT_TABLES = Choice(
    name="sort",
    description=(
        "`newest` (when left out) and `oldest` go by when tables were opened; `deadline`: the next deadline"
        " first, only where there is one; `finished`: the last one that ended first, only what is over."
    ),
    values=queries.ORDERS,
)
NAME = Word(
    name="name",
    description="Only whose name begins so, in any case.",
    pattern="[^\\x00-\\x1f]{1,40}",
)
GUEST = Choice(
    name="guest",
    description="`true`: only guests; `false`: only those who have chosen a name.",
    values={"true": True, "false": False},
)
SORT_PLAYERS = Choice(
    name="sort",
    description="`name` when left out; `newest`: the last one to sign up first.",
    values=people.ORDERS,
)
SEATS = Number(
    name="seats",
    description="Only games that so many can play.",
    least=1,
    most=20,
    default=None,
)
EXPAND = Choice(
    name="expand",
    description="`view`: with the view of each table, as `getView` gives it.",
    values={"view": True},
)
AT = Number(
    name="at",
    description=(
        "The view after this position, as it was seen then; the present one when left out. Every position has"
        " one; `listTurns` tells where turns opened."
    ),
    least=1,
    most=MOST,
    default=None,
)
SEAT = Eyes(
    name="seat",
    description=(
        "Through whose eyes: those of a seat, by its number; `public`, a spectator's; `full`, what all seats"
        " and the server knew. The caller's own when left out. Until the game has ended the own seat and"
        " `public` alone; whoever has lost a seat sees through its eyes what it saw until then; a view from"
        " before a tenure, or between two, is a spectator's, while events tell all that the seat knows."
        " Everything else is refused as `not_your_eyes`. After the end all eyes are open, at every position."
    ),
)
WAIT = Number(
    name="wait",
    description="For how many seconds at most to wait for news.",
    least=0,
    most=30,
    default=25,
)
AFTER_ALL = Word(
    name="after",
    description="The `cursor` of the events that the client has; from now on when left out.",
    pattern="m[A-Za-z0-9_-]{0,20000}",
)
AFTER = Number(
    name="after",
    description="The position of the last event that the client has.",
    least=0,
    most=MOST,
    default=0,
)
AFTER_MESSAGE = Number(
    name="after",
    description="The position of the last message that the client has; with `before` those between the two.",
    least=0,
    most=MOST,
    default=0,
)
BEFORE = Number(
    name="before",
    description=(
        "Only before this position, and the newest first; a position that is far ahead, such as 2147483647,"
        " begins with the last."
    ),
    least=1,
    most=MOST,
    default=None,
)
