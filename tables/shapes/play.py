"""What the API answers of tables and of the games played at them."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tables.shapes.arbiters import ArbiterAnswer
from tables.shapes.fields import Answer, Deadline, Moment, Status, Uuid, known
from tables.shapes.server import SigningKey


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


class RematchAnswer(Answer):
    """Who of a finished table wants to play again."""

    agreed: Annotated[list[int], Meta(description="Seats that have agreed.")]
    missing: Annotated[list[int], Meta(description="Seats that have not; bots always agree.")]
    games: Annotated[
        int, Meta(description="How many games these seats have played in a row, this one included.")
    ]
    wins: Annotated[list[int], Meta(description="How many of them each seat has won.")]
    table_id: Annotated[str | None, Meta(description="The new table, once all have agreed.")]


class TablePage(Answer):
    """A page of tables, in the order that was asked for."""

    items: list[TableAnswer]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `cursor` for the next page; null at the end.")
    ]
    previous_cursor: Annotated[str | None, Meta(description="The page before; null at the beginning.")]


class LegalMove(Answer):
    """A move that the caller may send now."""

    kind: str
    params: Annotated[dict[str, Any], Meta(description="To be sent as they are.")]


class AwaitedSeat(Answer):
    """A seat that the table waits for."""

    seat: int
    kinds: Annotated[list[str], Meta(description="The kinds of move awaited.")]


class SeatClock(Answer):
    """The clock of a seat."""

    seat: int
    seconds_left: Annotated[int, Meta(description="At `server_time`, rounded down.")]
    is_running: bool
    due_at: Annotated[Moment | None, Meta(description="When a running clock is at its end.")]


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
        list[SeatClock], Meta(description="Of the awaited seats; with a `budget` of all. Empty: no deadline.")
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


class EventAnswer(Answer):
    """Something that happened at a table, as the caller learned it."""

    position: Annotated[int, Meta(ge=1, description="1, 2, 3 and so on, the same for every viewer.")]
    type: Annotated[
        str, Meta(description="`table.…`, `clock.…` or `<game>.…`; clients ignore types they do not know.")
    ]
    occurred_at: Moment
    actor_seat: Annotated[int | None, Meta(description="The seat whose doing it was; null for the table.")]
    data: Annotated[
        dict[str, Any],
        Meta(description="By the event's schema; null stands for what the caller may not know."),
    ]


class MyEvent(EventAnswer):
    """Something that happened at one of the caller's tables."""

    table_id: Uuid


class MyEventPage(Answer):
    """Events of the caller's tables: in order for each table, in none between tables."""

    items: list[MyEvent]
    cursor: Annotated[str, Meta(description="Send it as `after` for what follows.")]
    has_more: bool


class EventPage(Answer):
    """Events after a position, oldest first."""

    items: list[EventAnswer]
    last_position: Annotated[int, Meta(description="Send it as `after` for what follows.")]
    has_more: bool


class Receipt(Answer):
    """The server's signature under the log as it stands (Ed25519, `ttx v1`)."""

    v: int
    table: Annotated[str, Meta(description="The table's id in hex.")]
    seq: Annotated[int, Meta(description="The position up to which the log is signed.")]
    head: Annotated[str, Meta(description="The hash of that event.")]
    at: Annotated[int, Meta(description="The event's time in milliseconds since 1970.")]
    kid: Annotated[str, Meta(description="The signing key, see `/v1/keys`; zeros while there is none.")]
    sig: Annotated[
        str | None, Meta(description="The signature in hex; null while pending: ask for the head later.")
    ]


class MoveReceipt(Answer):
    """What a move did."""

    receipt: Receipt
    events: Annotated[
        list[EventAnswer],
        Meta(description="What followed, as the caller may see it; the move itself comes first."),
    ]
    turn: Annotated[int, Meta(description="The turn open afterwards.")]
    version: Annotated[int, Meta(description="The position of the last of these events.")]
    etag: Annotated[str, Meta(description="The `ETag` of the caller's view afterwards.")]


class VacationAnswer(Answer):
    """A time in which the player is away."""

    id: Uuid
    since: Moment
    until: Moment


class VacationList(Answer):
    """The caller's vacations, the latest first, and what is left of this year's."""

    items: list[VacationAnswer]
    seconds_left: Annotated[int, Meta(description="Of this calendar year, in the caller's time zone.")]


class TurnAnswer(Answer):
    """A table that waits for the caller."""

    table_id: Uuid
    game: str
    title: str
    seat: int
    turn: Annotated[int, Meta(description="The `turn` to send with the move.")]
    deadline_at: Deadline | None
    kinds: Annotated[
        list[str], Meta(description="The kinds of move awaited; empty where this server lacks the rules.")
    ]
    view: Annotated[
        ViewAnswer | None,
        Meta(description="With `expand=view` what the caller sees of the table, of the first 50; else null."),
    ]


class TurnList(Answer):
    """The tables whose game waits for the caller, the most urgent first."""

    items: list[TurnAnswer]
    etag: Annotated[str, Meta(description="The `ETag` of this list.")]
    server_time: Moment


class Opening(Answer):
    """A hidden item with the salt that opens its commitment."""

    seq: Annotated[int, Meta(description="The position of the event that the item is part of.")]
    slot: Annotated[int, Meta(description="Which of the `slots` of that event, from 0.")]
    salt: Annotated[str, Meta(description="32 bytes in hex.")]
    payload: Annotated[dict[str, Any], Meta(description="The item, as it was committed to.")]


class Engine(Answer):
    """The rules that a game is played by, as `table.started` names them."""

    game: str
    rules_version: int
    digest: Annotated[str, Meta(description="SHA-256 over the code of the game, in hex; informational.")]


class TranscriptAnswer(Answer):
    """The record of a table, for an offline verifier (`ttx v1`)."""

    format: Annotated[str, known("The format of the record.", "ttx/transcript/v1")]
    view: Annotated[
        str,
        Meta(
            description=("Whose openings these are: `public`, `seat:N`, or `full` once the seed is revealed.")
        ),
    ]
    events: Annotated[
        list[dict[str, Any]],
        Meta(description="Every event's header, oldest first, byte for byte what was hashed once canonical."),
    ]
    openings: Annotated[
        list[Opening], Meta(description="What the caller may know of what was hidden, by event and slot.")
    ]
    receipts: Annotated[
        list[Receipt], Meta(description="The server's signature under the last event; none while pending.")
    ]
    keys: Annotated[list[SigningKey], Meta(description="As `/v1/keys`.")]
    engine: Annotated[Engine | None, Meta(description="The rules in force; null before the start.")]
