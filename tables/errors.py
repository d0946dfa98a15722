"""What a request may be refused for; each refusal has a code that never changes its meaning.

The engines' own refusals are ``engines.errors.RuleViolation``.  ``tables.api.problems`` turns
both into answers.
"""

from __future__ import annotations

from typing import Any, ClassVar


class Refusal(Exception):
    """A request that changes nothing.  ``facts`` say why, to the caller alone; ``about`` are their names."""

    code: ClassVar[str]
    status: ClassVar[int]
    about: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **facts: Any) -> None:
        super().__init__(self.code)
        self.facts = facts


class Misshapen(Exception):
    """A part of the body, at ``pointer``, has another shape; ``message`` is msgspec's."""

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(message)
        self.pointer = pointer


class NotFound(Refusal):
    """Absent, or hidden from the caller: the two answer alike.  The facts are about the catalogue."""

    code, status = "not_found", 404
    about = ("game", "kind", "schema")


class RulesMissing(Refusal):
    """This server has not the rules that the table is played by."""

    code, status = "rules_missing", 503
    about = ("game", "rules_version")
    headers: ClassVar = {"Retry-After": "3600"}


class InsufficientScope(Refusal):
    """The token may not be used for this."""

    code, status = "insufficient_scope", 403
    about = ("scope",)

    @property
    def headers(self) -> dict[str, str]:
        """Return what tells the caller what to ask for (RFC 6750, section 3.1)."""
        scope = self.facts["scope"]
        return {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'}


class NotSeated(Refusal):
    """The caller sees the table, and has no seat at it."""

    code, status = "not_seated", 403


class NotYourEyes(Refusal):
    """During the game nobody looks through another's eyes, or through the own ones after the tenure."""

    code, status = "not_your_eyes", 403


class NotHost(Refusal):
    """Only the host of the table may do this."""

    code, status = "not_host", 403


class TurnPassed(Refusal):
    """The window of the move is closed."""

    code, status = "turn_passed", 409
    about = ("turn",)


class AlreadyMoved(Refusal):
    """The seat has answered this window with another move."""

    code, status = "already_moved", 409
    about = ("turn",)


class TurnNotReached(Refusal):
    """The move names a turn that has not come."""

    code, status = "turn_not_reached", 409
    about = ("turn",)


class NotArbiter(Refusal):
    """Only the arbiter of the table, or whoever is asked to be, may do this."""

    code, status = "not_arbiter", 403


class HasArbiter(Refusal):
    """Somebody arbitrates the table already, or is asked to."""

    code, status = "has_arbiter", 409


class Arbitrates(Refusal):
    """Who arbitrates a table, or is asked to, takes no seat at it."""

    code, status = "arbitrates", 409


class NotPaused(Refusal):
    """There is no pause by ruling that could be ended."""

    code, status = "not_paused", 409


class TableNotOpen(Refusal):
    """Seats are taken and left only before the start."""

    code, status = "table_not_open", 409
    about = ("table_status",)


class TableNotPlaying(Refusal):
    """There is no game under way at this table."""

    code, status = "table_not_playing", 409
    about = ("table_status",)


class TableNotFinished(Refusal):
    """This can be done when the game has ended."""

    code, status = "table_not_finished", 409
    about = ("table_status",)


class ForksTooDeep(Refusal):
    """As many tables as may go on from one another lie behind this one."""

    code, status = "forks_too_deep", 409
    about = ("most",)


class HolderGone(Refusal):
    """A holder of a seat has no account any more, so the same seats cannot play again."""

    code, status = "holder_gone", 409


class TableFull(Refusal):
    """Every seat is taken."""

    code, status = "table_full", 409
    about = ("free",)


class AlreadySeated(Refusal):
    """The caller has a seat at this table."""

    code, status = "already_seated", 409


class AlreadyResigned(Refusal):
    """The seat has left the game for good."""

    code, status = "already_resigned", 409


class SeatsMissing(Refusal):
    """The table cannot start before every seat is taken."""

    code, status = "seats_missing", 409
    about = ("free",)


class NoDeadline(Refusal):
    """The open turn has no deadline that could be extended."""

    code, status = "no_deadline", 409


class TableSuspended(Refusal):
    """The table is stopped until staff have looked at it; its clock stands."""

    code, status = "table_suspended", 409


class PresenceNotAsked(Refusal):
    """The table does not ask whether anybody is there."""

    code, status = "presence_not_asked", 409


class EntropyNotAsked(Refusal):
    """The table does not ask this seat to commit, or to reveal, for this epoch now."""

    code, status = "entropy_not_asked", 409
    about = ("epoch",)


class EntropyCommittedAlready(Refusal):
    """The seat has committed to something else."""

    code, status = "entropy_committed", 409


class EntropyMismatch(Refusal):
    """This is not what the seat has committed to."""

    code, status = "entropy_mismatch", 409


class SeatingClosed(Refusal):
    """Players add to the chance of the game: nobody gives a seat back before the start any more."""

    code, status = "seating_closed", 409


class NoBots(Refusal):
    """Bots add nothing to chance, and sit down at no table whose players all must."""

    code, status = "no_bots", 409


class SeatNotSought(Refusal):
    """Nobody is sought for this seat."""

    code, status = "seat_not_sought", 409
    about = ("seeking",)


class PlayedHere(Refusal):
    """Who has, or has had, a seat at this table may not take another's."""

    code, status = "played_here", 403


class ReliabilityTooLow(Refusal):
    """The table asks for more reliable players: ``wanted`` per cent of turns in time."""

    code, status = "reliability_too_low", 403
    about = ("wanted", "reliability")


class VoteOpen(Refusal):
    """A vote is open already."""

    code, status = "vote_open", 409
    about = ("vote",)


class VoteNotPossible(Refusal):
    """There is nothing to vote about, or the caller may not vote on it."""

    code, status = "vote_not_possible", 409


class NoVote(Refusal):
    """This vote is not open, or not to this seat."""

    code, status = "no_vote", 409


class AlreadyVoted(Refusal):
    """The seat has voted."""

    code, status = "already_voted", 409


class NoVacationLeft(Refusal):
    """The year's vacation is used up, or it goes on for too long."""

    code, status = "no_vacation_left", 409
    about = ("days_left",)


class TalkSilent(Refusal):
    """Nobody speaks at this table while the game runs."""

    code, status = "talk_silent", 409


class OwnAccount(Refusal):
    """The caller named itself."""

    code, status = "own_account", 409


class BadInvite(Refusal):
    """The invite code is not that of this table."""

    code, status = "bad_invite", 403


class BadCode(Refusal):
    """The code is not the one that was mailed to the caller's address."""

    code, status = "bad_code", 403


class TooManyWebhooks(Refusal):
    """The caller has as many endpoints of webhooks as a player may."""

    code, status = "too_many_webhooks", 409
    about = ("most",)


class WebhookDisabled(Refusal):
    """The endpoint is not told such a thing now."""

    code, status = "webhook_disabled", 409
    about = ("webhook_status",)


class WebhookVerified(Refusal):
    """The endpoint has sent a challenge back, and is asked no more."""

    code, status = "webhook_verified", 409


class WebhookPending(Refusal):
    """The delivery is being sent, or is about to be."""

    code, status = "webhook_pending", 409


class NameTaken(Refusal):
    """Another player has this name."""

    code, status = "name_taken", 409


class NoGuest(Refusal):
    """The account has name and password already."""

    code, status = "no_guest", 409


class Misdirected(Refusal):
    """This is served by the live process alone."""

    code, status = "misdirected", 421
    about = ("live_url",)


class BadCredentials(Refusal):
    """No such name with this password."""

    code, status = "bad_credentials", 401


class WrongPassword(Refusal):
    """The password that was to confirm this is not the account's."""

    code, status = "wrong_password", 403


class BadField(Refusal):
    """A field of the request is wrong.

    Facts that become one of the problem's ``errors``: pointer, code, and what was wanted.  Those about an
    option of a game stay facts, too.
    """

    code, status = "bad_request", 400
    about = ("option", "wanted", "given")


class PreconditionFailed(Refusal):
    """The settings are others than those that the caller has seen."""

    code, status = "precondition_failed", 412


class IdempotencyKeyReused(Refusal):
    """The key came before with another request."""

    code, status = "idempotency_key_reused", 422


class ClockInDoubt(Refusal):
    """The database's clock has jumped: nothing expires by it until an operator says so."""

    code, status = "clock_in_doubt", 503


class Busy(Refusal):
    """The table is locked by another request for too long; try again."""

    code, status = "busy", 503
