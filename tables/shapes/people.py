"""What the API takes and answers of other players: the directory, profiles, blocks, reports."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tables.shapes.fields import Answer, Moment, Request

_PlayerName = Annotated[str, Meta(description="The player's name, which names them in paths and bodies.")]
_Guest = Annotated[bool, Meta(description="Nobody has chosen name and password of it yet.")]


class NewPlayerReport(Request):
    """Why staff should look at what a player does."""

    reason: Annotated[str, Meta(min_length=1, max_length=500, description="In the caller's own words.")]


class PlayerSummary(Answer):
    """A player, in a list."""

    name: _PlayerName
    guest: _Guest
    since: Moment


class PlayerPage(Answer):
    """A page of players."""

    items: list[PlayerSummary]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null at the end.")
    ]
    previous_cursor: Annotated[str | None, Meta(description="The page before; null at the beginning.")]


class GameResults(Answer):
    """How a player has fared in one game."""

    game: Annotated[str, Meta(description="An `id` of the catalogue.")]
    played: Annotated[int, Meta(description="Games that are over.")]
    won: Annotated[int, Meta(description="Those of them won, alone or with others.")]
    left: Annotated[int, Meta(description="Those of them in which another had the seat at the end.")]


class ProfileAnswer(PlayerSummary):
    """A player as everybody sees them, by games at public tables that are over and had a result."""

    reliability: Annotated[
        int | None,
        Meta(description="Of the last 100 awaited turns those in time, in per cent; null: not enough yet."),
    ]
    played: Annotated[int, Meta(description="Games in all; neither sandboxes nor forks count.")]
    results: Annotated[list[GameResults], Meta(description="By game, in the order of the catalogue.")]


class BlockAnswer(Answer):
    """A player whom the caller has blocked."""

    player: _PlayerName
    since: Moment


class BlockList(Answer):
    """The players whom the caller has blocked, by name."""

    items: list[BlockAnswer]


class PlayerReportAnswer(Answer):
    """A report to staff about a player."""

    player: _PlayerName
    reason: str
    reported_at: Moment
