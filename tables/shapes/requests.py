"""What the API takes: closed records, for nothing is coerced and no unknown field is let in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from tables.scopes import SCOPES
from tables.shapes.fields import Device, Label, LocaleChoice, Name, Password, Request
from tables.shapes.talk import SpectatorTalkChoice

HEX_32 = "^[0-9a-f]{64}$"


class SignUp(Request):
    """A new account."""

    name: Name
    password: Password
    locale: LocaleChoice = "en"
    label: Device = "sign-up"


class NewGuest(Request):
    """A wish to play at once."""

    locale: LocaleChoice = "en"
    label: Device = "guest"


class Credentials(Request):
    """The name and the password by which a guest keeps the account."""

    name: Name
    password: Password


class SignIn(Request):
    """A name and its password, for a token."""

    name: Annotated[str, Meta(max_length=200)]
    password: Annotated[str, Meta(max_length=200)]
    label: Device = "sign-in"


class PasswordChange(Request):
    """Another password, on the word of the present one."""

    password: Annotated[str, Meta(max_length=200, description="The present one.")]
    new_password: Password


class ResetWish(Request):
    """A wish for a code by which to choose another password."""

    account: Annotated[
        str, Meta(min_length=1, max_length=254, description="The account's name, or its e-mail address.")
    ]


class PasswordReset(Request):
    """Another password, by a code that was mailed."""

    name: Annotated[str, Meta(max_length=200, description="The account's name; the mail tells it.")]
    code: Annotated[str, Meta(min_length=1, max_length=40, description="As mailed, in any case.")]
    password: Password


class QuietHoursChoice(Request):
    """Hours of each day in which no deadline of the player's own falls; at most ten."""

    start: Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", description="Local time, `HH:MM`.")]
    end: Annotated[
        str,
        Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", description="Local time; before `start`: next day."),
    ]


class MeChange(Request):
    """What a player changes about the account; what is left out stays."""

    name: Name | UnsetType = UNSET
    locale: LocaleChoice | UnsetType = UNSET
    zone: (
        Annotated[str, Meta(max_length=64, description="A time zone of the IANA database, `Europe/Madrid`.")]
        | UnsetType
    ) = UNSET
    quiet_hours: QuietHoursChoice | UnsetType | None = UNSET


class AccountDeletion(Request):
    """The word of an account's owner that it is to be deleted."""

    password: Annotated[str, Meta(max_length=200, description="Left out by a guest, who has none.")] = ""


MomentChoice = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class NewVacation(Request):
    """A wish to be away: at most 14 days in a row, and 30 days a calendar year."""

    since: Annotated[MomentChoice, Meta(description="RFC 3339; at once when left out.")] | None = None
    until: (
        Annotated[MomentChoice, Meta(description="RFC 3339; as long as the budget lasts when left out.")]
        | None
    ) = None


class NewToken(Request):
    """A wish for a personal access token."""

    label: Label = ""
    days: Annotated[int, Meta(ge=1, le=366, description="Days until it expires.")] = 90
    scopes: (
        Annotated[
            list[Literal[tuple(SCOPES)]],  # type: ignore[valid-type]
            Meta(min_length=1, description="What the token may be used for; everything when left out."),
        ]
        | None
    ) = None


Span = Annotated[int, Meta(ge=2, le=2_592_000)]


class ClockChoice(Request):
    """How time runs at a table; what is left out suits the game."""

    kind: Annotated[
        Literal["per_turn", "budget", "none"],
        Meta(
            description=(
                "`per_turn`: each turn has `seconds`. `budget`: each seat has a bank of `initial` seconds,"
                " gains `increment` with each own move, and never more than `cap`; it runs while the seat is"
                " awaited. `none`: no deadline. Spans are of 60 seconds or more, in a sandbox of 2 or more."
            )
        ),
    ] = "per_turn"
    seconds: Annotated[Span, Meta(description="Seconds for a turn; with `per_turn` only.")] | None = None
    initial: Annotated[Span, Meta(description="Seconds at first; with `budget` only.")] | None = None
    increment: (
        Annotated[int, Meta(ge=0, le=2_592_000, description="Seconds for a move; with `budget` only.")] | None
    ) = None
    cap: Annotated[Span, Meta(description="Seconds in a bank at most; `initial` when left out.")] | None = (
        None
    )


class ScriptedMove(Request):
    """What the bot of a seat is to play, once."""

    seat: Annotated[int, Meta(ge=1, le=19, description="That of the bot: the first one's is 1.")]
    kind: Annotated[str, Meta(min_length=1, max_length=40, description="One of the game's `moves`.")]
    params: Annotated[dict[str, Any], Meta(description="The parameters of that kind.")] = {}


class SandboxChoice(Request):
    """What whoever tries a client out decides beforehand."""

    seed: (
        Annotated[
            str,
            Meta(
                pattern=HEX_32,
                description=(
                    "64 lower-case hex digits: the same seed, settings and moves give the same cards, dice"
                    " and moves of bots. Whoever knows it can compute every card. Any when left out."
                ),
            ),
        ]
        | None
    ) = None
    script: Annotated[
        list[ScriptedMove],
        Meta(
            max_length=500,
            description=(
                "What the bots are to play, each the entries of its seat in order, one a move. Where there is"
                " none left, the bot moves by itself, as it does in place of an entry that is not legal then."
            ),
        ),
    ] = []


class NewTable(Request):
    """A table to be opened; the caller is its host and takes its first free seat."""

    game: Annotated[str, Meta(min_length=1, max_length=40, description="An `id` of the catalogue; else 404.")]
    title: Annotated[str, Meta(max_length=80, description="Free text shown in the lobby, on one line.")] = ""
    seats: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=20,
                description=(
                    "How many seats, from `seats_min` to `seats_max` of the game; the fewest that hold the"
                    " host and the bots when left out."
                ),
            ),
        ]
        | None
    ) = None
    options: Annotated[dict[str, Any], Meta(description="The game's options, by its options schema.")] = {}
    clock: ClockChoice | None = None
    max_timeouts: Annotated[
        int, Meta(ge=1, le=10, description="Unanswered turns in a row after which `absentee` decides.")
    ] = 2
    absentee: (
        Annotated[
            Literal["bot", "open", "forfeit"],
            Meta(
                description=(
                    "What becomes of a seat that answers no more. `bot`: a bot plays on; `open`: others may"
                    " take it, default moves meanwhile; `forfeit`: it is out for good. When left out:"
                    " `forfeit` with two seats, `bot` with more."
                )
            ),
        ]
        | None
    ) = None
    vacations: Annotated[
        bool, Meta(description="Whether the clock of a player on vacation stands still.")
    ] = True
    arbiter: (
        Annotated[
            str, Meta(max_length=40, description="A player who is asked to arbitrate, as by `askArbiter`.")
        ]
        | None
    ) = None
    least_reliability: Annotated[
        int, Meta(ge=0, le=100, description="Turns in time that players must have, in per cent.")
    ] = 0
    fairness: Annotated[
        Literal["server", "players", "players_strict"],
        Meta(
            description=(
                "Whose chance it is. `server`: it follows from a seed that the server fixes before anyone"
                " sits down. `players`: players add to it, see `commitEntropy`; who does not is left out, and"
                " the record says so. `players_strict`: all must, or the table is closed; no bot sits down."
            )
        ),
    ] = "server"
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
    sandbox: (
        Annotated[
            SandboxChoice,
            Meta(
                description=(
                    "Makes a table to try clients out, and may be empty. Its log and all that is told of it"
                    " say so, for ever: nothing counts for anybody. `fairness` is left out, and becomes"
                    " `chosen`; it is `public` like others unless `visibility` says otherwise."
                )
            ),
        ]
        | None
    ) = None
    bots: Annotated[
        list[str],
        Meta(
            max_length=19,
            description=(
                "Bots of the game to seat, by name, in seats 1, 2 and so on, before those that stay free;"
                " named twice, one plays two seats."
            ),
        ),
    ] = []


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


class TakeOver(Request):
    """A wish for the seat of somebody who is absent."""

    invite_code: (
        Annotated[
            str, Meta(max_length=32, description="Needed at a private table that the caller does not see.")
        ]
        | None
    ) = None


class EntropyCommitment(Request):
    """What a seat commits to before anybody shows what they add to the chance of a game."""

    epoch: Annotated[int, Meta(ge=0, le=32_767, description="The `epoch` of `entropy` in the view.")]
    commit: Annotated[
        str,
        Meta(
            pattern=HEX_32,
            description=(
                "64 lower-case hex digits: SHA-256 over `ttx/entropy/v1`, a zero byte, the 16 bytes of the"
                " table's id, the epoch (4 bytes), the seat (2 bytes, both big-endian) and your 32 random"
                " bytes."
            ),
        ),
    ]


class EntropyReveal(Request):
    """What a seat adds to the chance of a game."""

    epoch: Annotated[int, Meta(ge=0, le=32_767, description="The `epoch` of `entropy` in the view.")]
    entropy: Annotated[
        str, Meta(pattern=HEX_32, description="The 32 random bytes committed to: 64 lower-case hex digits.")
    ]


class NewOffer(Request):
    """To whom a seat is offered."""

    player: Annotated[str, Meta(max_length=40, description="The player's name.")]


class NewFork(Request):
    """From where to play on, and as whom."""

    position: Annotated[
        int, Meta(ge=1, le=2**31 - 1, description="The turn open at this position is played anew.")
    ]
    seat: Annotated[int, Meta(ge=0, le=99, description="The caller's; bots play all others.")]


class NewVote(Request):
    """A motion to be voted on."""

    motion: Annotated[
        Literal["abandon", "replace", "pause"],
        Meta(
            description=(
                "`abandon`: end the game without a result, needs two thirds. `replace`: put a bot, and"
                " whoever takes over from it, into a seat, needs more than half of the others. `pause`: stop"
                " all clocks for a time, in which moves are taken as ever, and which nobody ends early; needs"
                " everybody."
            )
        ),
    ]
    seat: Annotated[int, Meta(ge=0, le=19, description="With `replace` only.")] | None = None
    seconds: (
        Annotated[int, Meta(ge=3_600, le=1_209_600, description="With `pause` only: an hour to 14 days.")]
        | None
    ) = None


class Ballot(Request):
    """A vote."""

    in_favour: bool


class Move(Request):
    """A move of any kind, for clients that play every game."""

    turn: Annotated[
        int, Meta(ge=1, le=2**31 - 1, description="The `turn` of the view that the move answers.")
    ]
    kind: Annotated[str, Meta(min_length=1, max_length=40, description="A `kind` of `legal_moves`.")]
    params: Annotated[dict[str, Any], Meta(description="The parameters of that kind.")] = {}
