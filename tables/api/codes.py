"""Which codes the problems of each operation may have, by status: for readers of the document.

Tests hold every refusal that they see against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tables import catalogue, wording
from tables.errors import IdempotencyKeyReused, Refusal

COMMAND: Final = ("table_suspended", "version_conflict")
"""Of every command at a table, beside its own."""
MOVE: Final = (
    "not_seated",
    "turn_passed",
    "turn_not_reached",
    "already_moved",
    "table_not_playing",
    *COMMAND,
)

REFUSALS: Final[dict[str, tuple[str, ...]]] = {
    "signUp": ("name_taken",),
    "signIn": ("bad_credentials",),
    "deleteMe": ("wrong_password",),
    "keepGuest": ("name_taken", "no_guest"),
    "giveEmail": ("wrong_password",),
    "confirmEmail": ("bad_code",),
    "changeMe": ("name_taken",),
    "changePassword": ("wrong_password",),
    "resetPassword": ("bad_code",),
    "mutePlayer": ("own_account",),
    "blockPlayer": ("own_account",),
    "reportPlayer": ("own_account",),
    "bookVacation": ("no_vacation_left",),
    "createWebhookEndpoint": ("too_many_webhooks",),
    "redeliverWebhook": ("webhook_disabled", "webhook_pending", "webhook_verified"),
    "openTable": ("own_account",),
    "joinTable": (
        *(
            "bad_invite",
            "reliability_too_low",
            "table_full",
            "table_not_open",
            "already_seated",
            "arbitrates",
        ),
        *COMMAND,
    ),
    "leaveTable": ("not_seated", "table_not_open", "seating_closed", *COMMAND),
    "startTable": ("not_host", "seats_missing", "table_not_open", *COMMAND),
    "confirmPresence": ("not_seated", "presence_not_asked", *COMMAND),
    "commitEntropy": ("not_seated", "entropy_not_asked", "entropy_committed", *COMMAND),
    "revealEntropy": ("not_seated", "entropy_not_asked", "entropy_mismatch", *COMMAND),
    "takeSeatOver": (
        *("bad_invite", "reliability_too_low", "played_here", "seat_not_sought", "table_not_playing"),
        *("already_seated", "arbitrates", *COMMAND),
    ),
    "offerSeat": (
        *("not_seated", "played_here", "seat_not_sought", "table_not_playing", "already_resigned"),
        *("arbitrates", *COMMAND),
    ),
    "callVote": ("not_seated", "vote_open", "vote_not_possible", "table_not_playing", *COMMAND),
    "castVote": ("not_seated", "no_vote", "already_voted", *COMMAND),
    "resignTable": ("not_seated", "table_not_playing", "already_resigned", *COMMAND),
    "agreeToRematch": ("not_seated", "table_not_finished", "holder_gone", "no_bots", *COMMAND),
    "askArbiter": ("not_host", "has_arbiter", "own_account", "table_not_open", *COMMAND),
    "acceptArbitration": ("not_arbiter", "table_not_playing", *COMMAND),
    "releaseArbiter": ("not_arbiter", "table_not_open", "table_not_playing", *COMMAND),
    "makeRuling": (
        *("not_arbiter", "table_not_playing", "no_deadline", "not_paused", "already_resigned"),
        *COMMAND,
    ),
    "forkTable": ("table_not_finished", "forks_too_deep"),
    "getKnowledge": ("table_not_finished",),
    "getReport": ("table_not_finished",),
    "getView": ("not_your_eyes",),
    "listEvents": ("not_your_eyes",),
    "getNarration": ("not_your_eyes",),
    "listMessages": ("not_seated",),
    "markMessagesRead": ("not_seated",),
    "reportMessage": ("not_seated",),
    "sendMessage": ("not_seated", "talk_silent", "already_resigned", "version_conflict"),
    "getNote": ("not_seated",),
    "writeNote": ("not_seated",),
}
"""By operation: what it refuses beside what every request may meet; ``MOVE`` is what all moves share."""


def table() -> str:
    """Return all codes with what they say, in Markdown; those of the rules of games are in the catalogue."""
    return "\n\n".join(
        [
            "# Codes",
            "`code` of a problem; `names.errors` of `GET /v1/games/{game}` words those of its rules:",
            _rows(wording.DETAILS, "what it says", "`facts`"),
            "`code` of each of its `errors`:",
            _rows(wording.FIELDS, "what it says"),
        ]
    )


def _rows(texts: Mapping[str, tuple[str, str]], *columns: str) -> str:
    """Return a table of codes; the names of their facts are told where there is a column for them."""
    facts = {code: ", ".join(f"`{name}`" for name in each.about) for code, each in refusals().items()}
    rows = [[f"`{code}`", told[0], facts.get(code, "")] for code, told in sorted(texts.items())]
    lines = [["code", *columns], ["---"] * (1 + len(columns)), *rows]
    return "\n".join(f"| {' | '.join(line[: 1 + len(columns)])} |" for line in lines)


def of(operation: str, *, tag: str, path: str, method: str) -> dict[int, list[str]]:
    """Return the codes by status, the most telling first, as far as the status alone does not say them."""
    statuses = {"version_conflict": 409} | {code: each.status for code, each in refusals().items()}
    told = [(statuses.get(code, 422), code) for code in _own(operation, tag, method)]
    told += [(401, "unauthenticated"), (429, "rate_limited"), (503, "busy")]
    if "{table_id}" in path:
        told += [(503, "rules_missing"), (503, "clock_in_doubt")]
    if method == "POST":
        told += [(422, IdempotencyKeyReused.code)]
    if path.startswith("/v1/live/"):
        told += [(429, "too_many_at_once")]
    found: dict[int, list[str]] = {}
    for status, code in dict.fromkeys(told):
        found.setdefault(status, []).append(code)
    return found


def _own(operation: str, tag: str, method: str) -> tuple[str, ...]:
    """Return the codes of one operation; those of a move are also what the rules of its games say."""
    games = catalogue.games()
    if tag in games and method == "GET":
        return REFUSALS["getView"]
    rules = [games[tag]] if tag in games else list(games.values()) if operation == "playMove" else []
    said = [code for game in rules for code in catalogue.names_of(game)["errors"]]
    return (*(MOVE if rules else REFUSALS.get(operation, ())), *(["not_your_turn"] if rules else []), *said)


def refusals() -> dict[str, type[Refusal]]:
    """Return what is refused for by every code of ours; all others are of the rules."""
    found: dict[str, type[Refusal]] = {}
    waiting = [Refusal]
    while waiting:
        for each in waiting.pop().__subclasses__():
            waiting.append(each)
            if hasattr(each, "code"):
                found[each.code] = each
    return found
