"""What the API answers of accounts, of the catalogue, of itself, and of what it refuses."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tables.shapes.fields import Answer, Label, Locale, Moment, Secret, Uuid, known
from tables.wording import FIELDS


class QuietHoursAnswer(Answer):
    """Hours of each day, local time, in which no deadline of the player's own falls."""

    start: Annotated[str, Meta(description="`HH:MM`.")]
    end: Annotated[str, Meta(description="`HH:MM`; before `start`: on the next day.")]


class PlayerAnswer(Answer):
    """An account."""

    id: Uuid
    name: str
    locale: Locale
    zone: Annotated[str, Meta(description="A time zone of the IANA database.")]
    quiet_hours: QuietHoursAnswer | None
    reliability: Annotated[
        int | None,
        Meta(description="Of the last 100 awaited turns those in time, in per cent; null: not enough yet."),
    ]
    guest: Annotated[
        bool,
        Meta(description="Whether nobody has chosen name and password yet: `PUT /v1/me/credentials` does."),
    ]


class ExportAnswer(Answer):
    """Everything that is stored about the caller, but for secrets."""

    exported_at: Moment
    sections: Annotated[
        dict[str, list[dict[str, Any]]],
        Meta(
            description=(
                "Rows by what they are about: `account`, `tokens`, `applications`, `mailbox`, `notices`,"
                " `vacations`, `tables`, `seats`, `arbitrations`, `offers`, `turns`, `messages`, `reports`,"
                " `read`, `mutes`, `notes`, `requests`; there may be more. The columns are the server's own."
                " What was played is in the `transcript` of each table."
            )
        ),
    ]


class TokenAnswer(Answer):
    """Something by which a player is signed in, without its secret."""

    id: Uuid
    kind: Annotated[
        str,
        known(
            "`session`: of a sign-up or sign-in; `personal`: made by `createToken`; `oauth`: an application,"
            " with all tokens that it has got by one consent of the player.",
            "session",
            "personal",
            "oauth",
        ),
    ]
    label: Annotated[Label, Meta(description="The device, what the token is for, or the application.")]
    scopes: Annotated[list[str] | None, Meta(description="What it may be used for; null: everything.")]
    created_at: Moment
    expires_at: Annotated[
        Moment, Meta(description="UTC, with milliseconds; an application's moves on while it is used.")
    ]
    last_used_on: Annotated[
        Annotated[str, Meta(extra_json_schema={"format": "date"})] | None,
        Meta(description="The last day of use (UTC); null before the first."),
    ]
    current: Annotated[bool, Meta(description="In `listTokens`: the one that the request came with.")] = False


class TokenList(Answer):
    """The caller's tokens, the newest first."""

    items: list[TokenAnswer]


class CreatedToken(Answer):
    """A new personal access token with its secret."""

    token: Secret
    details: TokenAnswer


class SessionAnswer(Answer):
    """A player who is signed in."""

    token: Secret
    details: TokenAnswer
    player: PlayerAnswer


class GameSummary(Answer):
    """A game of the catalogue."""

    id: Annotated[str, Meta(description="The game in paths, bodies and event types.")]
    name: Annotated[str, Meta(description="In the language of the answer.")]
    rules_version: Annotated[int, Meta(description="New tables follow these rules; a table keeps its own.")]
    seats_min: int
    seats_max: int
    usual_turns: Annotated[int, Meta(description="How many decision points a game usually has.")]
    clock_seconds: Annotated[int, Meta(description="The time for a turn that suits the game.")]
    talk: Annotated[str, known("When seats may speak.", "open", "silent")]
    credits: Annotated[str, Meta(description="The authors of the original, in the language of the answer.")]


class GameList(Answer):
    """Every game on offer."""

    items: list[GameSummary]


class OptionValue(Answer):
    """A value that an option may take."""

    value: str
    name: Annotated[str, Meta(description="In the language of the answer.")]


class OptionAnswer(Answer):
    """What a table of a game can choose, for a form without the JSON Schema `options`."""

    id: Annotated[str, Meta(description="The name of the option in `options` of a table.")]
    name: Annotated[str, Meta(description="In the language of the answer.")]
    help: Annotated[str, Meta(description="What it does, in the language of the answer.")]
    kind: Annotated[str, known("What its values are.", "choice", "integer", "boolean")]
    default: Annotated[
        Any, Meta(description="The value where it is left out: a text, a number, or a boolean.")
    ]
    minimum: Annotated[int | None, Meta(description="The least value of an `integer`, else null.")]
    maximum: Annotated[int | None, Meta(description="The greatest value of an `integer`, else null.")]
    values: Annotated[list[OptionValue], Meta(description="Every value of a `choice`, else empty.")]


class GameAnswer(GameSummary):
    """A game with its texts."""

    options: Annotated[list[OptionAnswer], Meta(description="What a table can choose.")]
    bots: Annotated[
        list[str], Meta(description="Bots that can take a seat; `terms` of `names` has their names.")
    ]
    moves: Annotated[list[str], Meta(description="Every `kind` of move.")]
    schemas: Annotated[
        list[str], Meta(description="What `/v1/games/{game}/schemas/{name}` knows: `view`, `move.<kind>` …")
    ]
    names: Annotated[
        dict[str, Any],
        Meta(
            description=(
                "Words for the game's codes, in the language of the answer: `game` and `summary`; in `moves`,"
                " `events` (without the game's prefix) and `options` the `name` of each, often `help`, and as"
                " `sentence` what `getNarration` makes sentences of, which is not for clients; in `errors`"
                " and `reasons` (of an outcome) a text for each code; in `terms` names of fields, and of"
                " their values as `<field>_<value>`, such as `bot_random`, or by themselves. A code that has"
                " none is shown."
            )
        ),
    ]
    rulebook: Annotated[str, Meta(description="Markdown, in the language of the answer.")]


class SigningKey(Answer):
    """A public key of the server's (Ed25519)."""

    kid: Annotated[str, Meta(description="As `kid` of a receipt.")]
    public: Annotated[str, Meta(description="32 bytes in hex.")]
    since: Annotated[int, Meta(description="Signs from this time on, in milliseconds since 1970.")] = (
        msgspec.field(name="from")
    )
    until: Annotated[int | None, Meta(description="Signed until this time; null: it signs now.")]


class KeyList(Answer):
    """The keys that receipts were ever signed with."""

    items: list[SigningKey]


class StatusAnswer(Answer):
    """The server."""

    version: Annotated[str, Meta(description="The version of the software.")]
    feature_level: Annotated[int, Meta(description="Grows with every change that a client can notice.")]
    server_time: Moment
    live_url: Annotated[
        str, Meta(description="Where `/v1/live/…` is served: an origin, to which these paths are added.")
    ]


class TimeAnswer(Answer):
    """The time of the server."""

    server_time: Moment


class FieldProblem(Answer):
    """One thing that is wrong in a request."""

    pointer: Annotated[
        str,
        Meta(
            description=(
                "`#` is the whole body, always with `bad_json`, and `#/…` points into it (RFC 6901), `?…`"
                " names a query parameter, and a bare name such as `Idempotency-Key` is that of a header."
            )
        ),
    ]
    code: Annotated[str, known("What is wrong.", *FIELDS)]
    detail: str


class Problem(Answer):
    """Why a request was refused (RFC 9457); `code` never changes its meaning."""

    type: Annotated[
        str, Meta(description="`/docs/errors#<code>`.", extra_json_schema={"format": "uri-reference"})
    ]
    title: Annotated[str, Meta(description="English, the same for every problem of this type.")]
    status: int
    code: Annotated[str, Meta(description="A stable word; clients accept words they do not know.")]
    detail: Annotated[
        str,
        Meta(
            description=(
                "For people, by `Accept-Language`, else in the player's language; where no token is looked"
                " at, as at unknown paths, in English."
            )
        ),
    ]
    instance: Annotated[str, Meta(description="The path of the request.")]
    errors: Annotated[
        list[FieldProblem],
        Meta(description="The first thing that is wrong in the request, if that is it; else empty."),
    ]
    facts: Annotated[dict[str, Any], Meta(description="What the refusal is about, by its code.")]
    request_id: Annotated[str, Meta(description="As the header `X-Request-Id`; quote it in reports.")]
