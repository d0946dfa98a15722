"""What the API answers of tables, as the lobby shows them."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tables.shapes.arbiters import ArbiterAnswer
from tables.shapes.fields import Answer, Deadline, Moment, Status, Uuid, known


class SeatHolder(Answer):
    """One seat of a table."""

    seat: Annotated[int, Meta(ge=0)]
    player: Annotated[
        str | None,
        Meta(description="The player's name; null: free, a bot, or one who is gone or of another server."),
    ]
    bot: Annotated[str | None, Meta(description="The bot that plays here, if one does.")]
    gone: Annotated[bool, Meta(description="Its holder has deleted the account.")]
    seeking: Annotated[
        bool, Meta(description="Its holder is absent: whoever has not played here may take it over.")
    ]


class ClockAnswer(Answer):
    """How time runs at the table, in seconds; null where the kind has no such thing."""

    kind: Annotated[str, known("The kind of clock.", "per_turn", "budget", "none")]
    seconds: Annotated[int | None, Meta(description="For a turn, of `per_turn`.")]
    initial: Annotated[int | None, Meta(description="In a bank at first, of `budget`.")]
    increment: Annotated[int | None, Meta(description="For each own move, of `budget`.")]
    cap: Annotated[int | None, Meta(description="In a bank at most, of `budget`.")]


class OutcomeAnswer(Answer):
    """How the game ended."""

    winners: Annotated[list[int], Meta(description="Seats, ascending; empty when nobody won.")]
    places: Annotated[
        list[int],
        Meta(
            description=(
                "The place of each seat, 1 for the first; equal ones share it. Somebody is first even where"
                " nobody wins."
            )
        ),
    ]
    scores: Annotated[
        list[int] | None, Meta(description="The points of each seat, where the game counts them.")
    ]
    reason: Annotated[str, Meta(description="A code worded in the game's catalogue.")]


class Verification(Answer):
    """What the server found when it verified the whole log of a finished game."""

    verdict: Annotated[
        str,
        known(
            "`proved`: chain, chance and rules all lead to what is recorded. `replayed`: so they do at a"
            " sandbox, of whose chance that proves nothing. `failed`: they do not.",
            "proved",
            "replayed",
            "failed",
        ),
    ]
    at: Annotated[Moment, Meta(description="When it was verified.")]
    position: Annotated[int, Meta(description="The last event of the log that was verified.")]


class ForkOrigin(Answer):
    """Where another table was when this one went on from it."""

    table_id: Uuid
    position: int


class TableAnswer(Answer):
    """A table as the lobby shows it."""

    id: Uuid
    game: str
    rules_version: int
    title: str
    status: Status
    visibility: Annotated[str, known("Who may see it.", "public", "private")]
    starts: Annotated[str, known("When play begins.", "when_full", "by_host")]
    options: Annotated[dict[str, Any], Meta(description="The game's options in force.")]
    talk: Annotated[
        str,
        known("When seats may speak: `open`, always; `silent`, not while the game runs.", "open", "silent"),
    ]
    spectator_talk: Annotated[
        str, known("Whether those without a seat may read messages, or speak too.", "none", "read", "write")
    ]
    clock: ClockAnswer
    max_timeouts: Annotated[
        int, Meta(description="Unanswered turns in a row after which `absentee` decides.")
    ]
    absentee: Annotated[str, known("What becomes of a seat that answers no more.", "bot", "open", "forfeit")]
    vacations: Annotated[bool, Meta(description="Whether the clock of a player on vacation stands still.")]
    fairness: Annotated[
        str,
        known(
            "Who has a part in chance, as in `NewTable`; `chosen`: a sandbox, whose host may know all cards.",
            "server",
            "players",
            "players_strict",
            "chosen",
        ),
    ]
    sandbox: Annotated[
        bool, Meta(description="Opened to try clients out: nothing that happens here counts or is proved.")
    ]
    least_reliability: Annotated[int, Meta(description="Turns in time that players must have, in per cent.")]
    seats: list[SeatHolder]
    host: Annotated[str | None, Meta(description="The host's name.")]
    arbiter: Annotated[
        ArbiterAnswer | None, Meta(description="Who decides disputes, and sees nothing hidden; null: nobody.")
    ]
    my_seat: Annotated[int | None, Meta(description="The caller's seat.")]
    invite_code: Annotated[
        str | None, Meta(description="Lets others take a seat; shown to the host and to those with a seat.")
    ]
    turn: Annotated[int, Meta(description="The decision point now open; 0 before the start.")]
    version: Annotated[int, Meta(description="The position of the last event.")]
    awaited: Annotated[list[int], Meta(description="Seats that the table waits for.")]
    deadline_at: Deadline | None
    suspended: Annotated[
        bool, Meta(description="Something is wrong with the table: its clock stands, staff look into it.")
    ]
    created_at: Moment
    outcome: OutcomeAnswer | None
    origin: Annotated[str | None, Meta(description="The table of which this one is the rematch.")]
    forked_from: Annotated[
        ForkOrigin | None,
        Meta(description="From where its game goes on, unrated: what is hidden may be known from there."),
    ]
    imported_from: Annotated[
        str | None,
        Meta(description="The key of the server where it was played, which alone signs it; null: here."),
    ]
    verification: Annotated[
        Verification | None, Meta(description="Soon after the end of the game; null until then.")
    ]


class TablePage(Answer):
    """A page of tables, in the order that was asked for."""

    items: list[TableAnswer]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null at the end.")
    ]
    previous_cursor: Annotated[str | None, Meta(description="The page before; null at the beginning.")]


class RematchAnswer(Answer):
    """Who of a finished table wants to play again."""

    agreed: Annotated[list[int], Meta(description="Seats that have agreed.")]
    missing: Annotated[list[int], Meta(description="Seats that have not; bots always agree.")]
    games: Annotated[
        int, Meta(description="How many games these seats have played in a row, this one included.")
    ]
    wins: Annotated[list[int], Meta(description="How many of them each seat has won.")]
    table_id: Annotated[str | None, Meta(description="The new table, once all have agreed.")]
