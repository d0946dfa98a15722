"""What the API answers of a game that is played, by what the caller may see of it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tables.shapes.fields import Answer, Deadline, Moment, Status, Uuid, known
from tables.shapes.tables import OutcomeAnswer


class LegalMove(Answer):
    """A move that the caller may send now."""

    kind: str
    params: Annotated[dict[str, Any], Meta(description="To be sent as they are.")]


class AwaitedSeat(Answer):
    """A seat that the table waits for."""

    seat: int
    kinds: Annotated[
        list[str],
        Meta(description="What it may answer with; `legal_moves` tells which of them are possible now."),
    ]


class SeatClock(Answer):
    """The clock of a seat."""

    seat: int
    seconds_left: Annotated[int, Meta(description="At `server_time`, rounded down.")]
    is_running: Annotated[
        bool, Meta(description="Whether the table waits for the seat, and no pause stops its clock.")
    ]
    due_at: Annotated[
        Moment | None,
        Meta(description="When it is at its end, after pauses and quiet hours; null: nobody waits for it."),
    ]


class PauseAnswer(Answer):
    """A time in which clocks stand still."""

    reason: Annotated[str, known("Why.", "agreement", "vacation", "staff", "outage", "suspension")]
    seat: Annotated[int | None, Meta(description="Whose clock; null: everybody's.")]
    since: Moment
    until: Moment


class VoteAnswer(Answer):
    """A vote that is open."""

    vote: Annotated[int, Meta(description="Its number at this table.")]
    motion: Annotated[str, known("What is voted on.", "abandon", "replace", "pause")]
    seat: Annotated[int | None, Meta(description="Whom to replace.")]
    seconds: Annotated[int | None, Meta(description="For how long to pause.")]
    by: Annotated[int, Meta(description="The seat that has called it.")]
    seats: Annotated[list[int], Meta(description="Who may vote.")]
    needed: Annotated[int, Meta(description="How many must be in favour.")]
    ayes: list[int]
    noes: list[int]
    until: Moment


class PresenceAnswer(Answer):
    """A full table asks, after a long wait, who is still there; it starts when all are."""

    until: Moment
    confirmed: Annotated[list[int], Meta(description="Seats that have said so; bots always have.")]


class EntropyAnswer(Answer):
    """What players add to the chance of the game that is about to begin."""

    epoch: Annotated[int, Meta(description="Of the game in its series, from 0; send it.")]
    stage: Annotated[
        str,
        known("`commit`: seats may commit. `reveal`: those in `committed` may reveal.", "commit", "reveal"),
    ]
    until: Annotated[
        Moment | None, Meta(description="When this stage ends at the latest; null before it has begun.")
    ]
    committed: Annotated[list[int], Meta(description="Seats that have committed.")]
    revealed: Annotated[list[int], Meta(description="Seats that have revealed.")]


class ViewAnswer(Answer):
    """What the caller sees of a game, in a shape common to all games."""

    table_id: Uuid
    game: str
    status: Status
    version: Annotated[int, Meta(description="The position of the last event that this view tells.")]
    turn: Annotated[
        int, Meta(description="The decision point now open; send it with a move. 0 before the game.")
    ]
    etag: Annotated[str, Meta(description="The `ETag` of this view.")]
    viewer: Annotated[int | None, Meta(description="The seat whose eyes these are; null for a spectator.")]
    awaited: Annotated[
        list[AwaitedSeat],
        Meta(description="Whom the table waits for: one seat or several at once; nobody before the game."),
    ]
    deadline_at: Deadline | None
    clocks: Annotated[
        list[SeatClock],
        Meta(description="Of the seats in `awaited`; with a `budget` of all. Empty: no deadline."),
    ]
    pauses: list[PauseAnswer]
    strikes: Annotated[
        list[int], Meta(description="Of each seat: the last turns in a row that it has not answered.")
    ]
    vote: VoteAnswer | None
    presence: PresenceAnswer | None
    entropy: Annotated[
        EntropyAnswer | None,
        Meta(description="Before a game at a table of another `fairness` than `server`; else null."),
    ]
    expiring: Annotated[bool, Meta(description="The deadline has passed, and the turn is being resolved.")]
    server_time: Moment
    legal_moves: Annotated[
        list[LegalMove],
        Meta(
            description=(
                "Every move the caller may send now. Those of kinds that `awaited` does not name for it are"
                " optional: nobody waits for them."
            )
        ),
    ]
    outcome: OutcomeAnswer | None
    data: Annotated[
        dict[str, Any],
        Meta(description="The game's own view, by its view schema; empty before a game is dealt."),
    ]
    seat_data: Annotated[
        list[dict[str, Any]],
        Meta(description="With `seat=full`, what each seat sees, in the shape of `data`; else empty."),
    ]


class TurnAnswer(Answer):
    """A table that waits for the caller."""

    table_id: Uuid
    game: str
    title: str
    seat: int
    turn: Annotated[int, Meta(description="The `turn` to send with the move.")]
    deadline_at: Deadline | None
    kinds: Annotated[
        list[str], Meta(description="As in `awaited` of the view; empty where this server lacks the rules.")
    ]
    view: Annotated[
        ViewAnswer | None,
        Meta(description="With `expand=view` what the caller sees of the table, of the first 50; else null."),
    ]


class QuestionAnswer(Answer):
    """Something that a table asks the caller beside moves."""

    table_id: Uuid
    game: str
    title: str
    seat: int
    kind: Annotated[
        str,
        known(
            "What is asked: the operation of that name answers it, and the view says more, in `entropy`,"
            " `presence` or `vote`.",
            "commit_entropy",
            "reveal_entropy",
            "confirm_presence",
            "cast_vote",
        ),
    ]
    until: Annotated[Moment, Meta(description="When the table goes on without an answer.")]


class TurnList(Answer):
    """The tables whose game waits for the caller, the most urgent first."""

    items: list[TurnAnswer]
    questions: Annotated[
        list[QuestionAnswer],
        Meta(description="What else the caller is asked, the most urgent first; no moves are awaited there."),
    ]
    etag: Annotated[str, Meta(description="The `ETag` of this list.")]
    server_time: Moment
