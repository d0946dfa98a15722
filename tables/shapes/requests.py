"""What the API takes: closed records, for nothing is coerced and no unknown field is let in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from tables.shapes.fields import Label, LocaleChoice, Name, Password, Request
from tables.shapes.talk import SpectatorTalkChoice


class SignUp(Request):
    """A new account."""

    name: Name
    password: Password
    locale: LocaleChoice = "en"


class SignIn(Request):
    """A name and its password, for a token."""

    name: Annotated[str, Meta(max_length=200)]
    password: Annotated[str, Meta(max_length=200)]


class MeChange(Request):
    """What a player changes about the account; what is left out stays."""

    locale: LocaleChoice | UnsetType = UNSET


class NewToken(Request):
    """A wish for a personal access token."""

    label: Label = ""
    days: Annotated[int, Meta(ge=1, le=366, description="Days until it expires.")] = 90


class ClockChoice(Request):
    """How time runs at a table."""

    kind: Annotated[
        Literal["per_turn", "none"],
        Meta(description="`per_turn`: each turn has `seconds`. `none`: no deadline."),
    ] = "per_turn"
    seconds: (
        Annotated[int, Meta(ge=60, le=2_592_000, description="Seconds for a turn; with `per_turn` only.")]
        | None
    ) = None


class NewTable(Request):
    """A table to be opened; the caller is its host and takes its first free seat."""

    game: Annotated[str, Meta(min_length=1, max_length=40, description="An `id` of the catalogue.")]
    title: Annotated[str, Meta(max_length=80, description="Free text shown in the lobby.")] = ""
    seats: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=20,
                description="How many seats; the fewest that hold the host and the bots when left out.",
            ),
        ]
        | None
    ) = None
    options: Annotated[dict[str, Any], Meta(description="The game's options, by its options schema.")] = {}
    clock: ClockChoice | None = None
    visibility: Annotated[
        Literal["public", "private"],
        Meta(
            description=(
                "A private table is seen by its host and by those who have or had a seat;"
                " its invite code lets others take one."
            )
        ),
    ] = "public"
    starts: Annotated[Literal["when_full", "by_host"], Meta(description="When play begins.")] = "when_full"
    spectator_talk: SpectatorTalkChoice = "none"
    bots: Annotated[list[str], Meta(max_length=19, description="Bots of the game to seat, by name.")] = []


class Join(Request):
    """A wish for a seat."""

    seat: (
        Annotated[int, Meta(ge=0, le=19, description="The seat wanted; the first free one when left out.")]
        | None
    ) = None
    invite_code: (
        Annotated[
            str, Meta(max_length=32, description="Needed at a private table that the caller does not see.")
        ]
        | None
    ) = None


class Move(Request):
    """A move of any kind, for clients that play every game."""

    turn: Annotated[
        int, Meta(ge=1, le=2**31 - 1, description="The `turn` of the view that the move answers.")
    ]
    kind: Annotated[str, Meta(min_length=1, max_length=40, description="A `kind` of `legal_moves`.")]
    params: Annotated[dict[str, Any], Meta(description="The parameters of that kind.")] = {}
