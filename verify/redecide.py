"""Every decision of a log taken again, and compared with what was recorded.

A decision is the start, a move of a seat, a seat left for good, or a time-out; all that follows
up to the next one, the beginning of a series' next game included, must follow from it by the rules
and the stream of chance.  After a difference
the recorded events are believed up to the next decision, so that one forgery is one finding.
Source: transcript format ``ttx v1``, Offline verification, 6 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import orjson

from engines import base
from engines.base import Batch, Game
from engines.chance import KeyedChance
from engines.errors import RuleViolation
from events import audit
from events.audit import Finding, LinkLike, OpeningLike
from events.codec import MOVE_PLAYED, Codec, Header, Parts
from events.continued import Continued
from verify import chosen, consequences, lifecycle
from verify.codecs import codec_of
from verify.consequences import told_by
from verify.continuing import FORKED, OriginLike
from verify.decisions import BEFORE_PLAY, BESIDE_PLAY, BY_RULING, WITHOUT_WINNER, is_decision, is_of_table
from verify.entropy import CHOSEN
from verify.expected import Expected, NotOpen, Undecided, difference
from verify.fairness import EPOCH_BEGUN, Chance
from verify.forms import FORMS, misfit
from verify.table import Table


class Redecision:
    """One log, decided anew.

    ``findings`` are events that do not follow; ``unfair`` those of them in which chance was
    drawn; ``unconfirmed`` the positions of draws that no decision led to.  ``doubt`` says why
    nothing, or nothing more, can be replayed; the table's own events are still looked at then.
    ``state`` is that of the game where the log ends; ``continued`` says how it goes on from an origin.
    """

    def __init__(
        self,
        headers: Sequence[Header],
        events: Sequence[LinkLike],
        openings: Mapping[audit.Ref, OpeningLike],
        games: Mapping[str, Game[Any]],
        chances: Sequence[Chance],
        origins: Mapping[str, OriginLike],
    ) -> None:
        self.findings: list[Finding] = []
        self.unfair: list[Finding] = []
        self.unconfirmed: list[int] = []
        self.doubt: str | None = None
        self._doubted_at = 0
        self._blamed: set[int] = set()
        self._headers = headers
        self._events = events
        self._openings = openings
        self._games = games
        self._chances = chances
        self._origins = origins
        self.continued: Continued | None = None
        self._table = Table()
        self._game: Game[Any]
        self._codec: Codec
        self.state: Any = None
        self._next = 0  # index of the event at hand; its position is one more
        self._decision = 0  # index of the decision that is being taken

    @property
    def abandoned(self) -> set[int]:
        """The seats that have been left for good."""
        return self._table.abandoned

    @property
    def settings(self) -> dict[str, Any]:
        """What the table was set to play."""
        return self._table.settings

    def run(self) -> None:
        """Go through the log to its end, or to where it breaks the rules' code."""
        try:
            while self._next < len(self._headers):
                self._decision = self._next
                try:
                    self._step(self._headers[self._next])
                except Undecided as why:
                    self.doubt, self._doubted_at = str(why), self._next + 1
        except Exception as error:  # forged events may break a game's code anywhere
            self._fail(f"it cannot be replayed: {type(error).__name__}: {error}")
        self.unconfirmed += [header.seq for header in self._headers[self._next :] if header.draws]

    def doubt_before(self, position: int | None) -> str | None:
        """Return the doubt if it began before a position; None stands for the end."""
        return self.doubt if position is None or self._doubted_at < position else None

    def _step(self, header: Header) -> None:
        if self.doubt is not None or header.type in BEFORE_PLAY + BESIDE_PLAY:
            self._take()
        elif header.type == "clock.deadline_set" and header.public["turn"] == self._table.turn:
            self._are_recorded([self._deadline()])
        elif header.type == "table.finished" and header.public["reason"] in (*WITHOUT_WINNER, BY_RULING):
            self._end_beside_the_rules(header.public)
        elif not is_decision(header) or (self.state is None and header.type != "table.started"):
            self._fail(f"{header.type} follows from no decision")
            self._follow()
        elif header.type == "table.started":
            self._begin(header.public)
        elif header.type == EPOCH_BEGUN:
            self._take()
            self._decide(base.begin)
        elif header.type == "table.seat_abandoned":
            self._leave(header)
        elif header.type == "clock.expired":
            self._expire(header)
        else:
            move = self._decoded(header)
            self._decide(partial(base.play, seat=move.seat, move=move.move))

    def _end_beside_the_rules(self, public: dict[str, Any]) -> None:
        """Take the end of a game that no rule of it has brought about: places are as ruled, or nobody's."""
        reason, seats = public["reason"], self._table.settings["seats"]
        told = public if reason == BY_RULING else consequences.ended_without_winner(seats, reason)
        self._are_recorded(consequences.end(told, self._chances[self._table.epoch]))

    # --- The decisions --------------------------------------------------------------------------

    def _begin(self, public: dict[str, Any]) -> None:
        self._take()
        version, newest = public["rules_version"], self._games.get(public["game"])
        if newest is None:
            raise Undecided(f"the game {public['game']} is not known to this verifier")
        if (game := newest.under(version)) is None:
            raise Undecided(f"rules version {version} of {newest.id} is not known to this verifier")
        self._game, self._codec = game, codec_of(game)
        self.state = game.empty(msgspec.convert(public["options"], game.options), len(public["seats"]))
        if self._next < len(self._headers) and self._headers[self._next].type == FORKED:
            self._go_on(self._headers[self._next].public)
        else:
            self._decide(base.begin)

    def _go_on(self, public: dict[str, Any]) -> None:
        """Take over what the game goes on from: it must follow from the log of its origin."""
        origin, position = public["origin"], public["position"]
        if (found := self._origins.get(origin)) is None:
            raise Undecided(
                f"it goes on from position {position} of table {origin}, whose log is not at hand"
            )
        taken, at = found.taken_over(position), self._next + 1
        if (why := chosen.why_not_alike(self._table.settings, taken.settings)) is not None:
            self._fail(why)
            raise Undecided(f"{why}, table {origin}")
        if taken.is_sandbox and self._table.policy != CHOSEN:
            self._fail("it goes on from a sandbox, and is none")
        if not self._are_recorded([Expected(type=FORKED, parts=taken.told(origin, position, at))]):
            raise Undecided(f"it goes on from something else than table {origin} at position {position}")
        self.state = taken.state
        self.continued = taken.continued(at, epochs=self._game.epoch(self.state))
        self._are_recorded([self._deadline()])

    def _leave(self, header: Header) -> None:
        seat, reason = header.public["seat"], header.public["reason"]
        if (header.actor == f"seat:{seat}") != (reason == "resigned"):
            self._fail(f"seat {seat} is {reason} by {header.actor}")
        self._take()
        self._decide(partial(base.leave, seat=seat, reason=reason))

    def _expire(self, header: Header) -> None:
        """Source: clocks.md, all absentees are resolved at one deadline, in ascending seats."""
        turn, seats = self.state.turn, base.awaited(self._game, self.state)
        if header.actor != "table" or header.public["seats"] != list(seats):
            self._fail(f"the time of the seats {header.public['seats']} is up, {list(seats)} are awaited")
        self._take()
        for seat in seats:
            if self.state.turn != turn or seat not in base.awaited(self._game, self.state):
                break
            if not self._time_out(seat):
                return
        for seat in self._table.absentees(seats):
            if self._table.status != "playing" or not self._strike(seat):
                return

    def _strike(self, seat: int) -> bool:
        """Compare what the table's rule does about an absentee; return whether it is recorded so."""
        rule = self._table.settings["absentee"]
        if rule == "bot" and (vote := self._table.vote_about(seat)) is not None:
            over = Expected(type="table.vote_decided", parts=Parts({"vote": vote, "passed": False}))
            if not self._are_recorded([over]):
                return False
        if rule == "forfeit":
            return self._leave_by_time(seat)
        told: dict[str, Any] = {"seat": seat, "reason": "absent"}
        if rule == "bot":
            told |= {"holder": told_by(self._at_hand(), "holder"), "bot": chosen.stand_in(self._game)}
        type_ = "table.seat_replaced" if rule == "bot" else "table.replacement_sought"
        is_recorded = self._are_recorded([Expected(type=type_, parts=Parts(told))])
        if is_recorded and self._table.is_stale:  # the bot has a clock of its own
            return self._are_recorded([self._deadline()])
        return is_recorded

    def _leave_by_time(self, seat: int) -> bool:
        left = Expected(type="table.seat_abandoned", parts=Parts({"seat": seat, "reason": "timeout"}))
        if not self._are_recorded([left]):
            return False
        return self._decide(partial(base.leave, seat=seat, reason="timeout"))

    def _time_out(self, seat: int) -> bool:
        """Compare what a seat's time-out leads to; return whether it is recorded so."""
        batch = self._batch()
        if base.play_default(batch, seat):
            return self._compare(batch)
        return self._leave_by_time(seat)

    def _decide(self, decision: Callable[[Batch[Any]], None]) -> bool:
        """Take a decision at the event at hand; return whether what follows is recorded so."""
        batch = self._batch()
        try:
            decision(batch)
        except RuleViolation as refusal:
            self._fail(f"the rules refuse it: {refusal.code}")
            self._follow()
            return False
        return self._compare(batch)

    def _batch(self) -> Batch[Any]:
        chance = self._chances[self._table.epoch]
        if chance.doubt is not None:
            raise Undecided(chance.doubt)
        return Batch(
            game=self._game,
            state=self.state,
            chance=KeyedChance(chance.key, self._table.drawn),
            position=self._next + 1 + self._base,
        )

    @property
    def _base(self) -> int:
        """What the positions that the game knows are ahead of those of the log."""
        return self.continued.base if self.continued else 0

    # --- Expected against recorded --------------------------------------------------------------

    def _compare(self, batch: Batch[Any]) -> bool:
        """Compare a batch, and what follows from it for the table, with what is recorded."""
        if not self._compare_events(batch):
            return False
        before = self.continued.epochs if self.continued else 0
        while self._game.epoch(self.state) - before > self._table.epoch:
            if not self._are_recorded(consequences.next_epoch(self._chances, self._table.epoch)):
                return False
            if self._table.is_break:
                asked = consequences.asked(self._table, self._at_hand())
                return self._are_recorded([asked]) and self._are_recorded(self._of_table())
            begun = self._batch()
            base.begin(begun)
            if not self._compare_events(begun):
                return False
        return self._are_recorded(self._of_table())

    def _compare_events(self, batch: Batch[Any]) -> bool:
        is_recorded = self._are_recorded([self._of_game(each) for each in batch.events])
        if is_recorded:
            self.state = batch.state
        return is_recorded

    def _are_recorded(self, expected: Sequence[Expected]) -> bool:
        """Go on behind events that are recorded as expected, or else behind all that only follows."""
        for index, each in enumerate(expected, start=self._next):
            if not self._is_recorded(each, index):
                while self._next < index:
                    self._believe()
                self._follow()
                return False
        for _ in expected:
            self._take()
        return True

    def _is_recorded(self, expected: Expected, index: int) -> bool:
        if index >= len(self._headers):
            self._fail(f"{expected.type} should follow, and is missing", index)
            return False
        header = self._headers[index]
        why = difference(expected, header, self._events[index], self._openings)
        if why is None and header.at != self._headers[self._decision].at:
            why = f"{header.type}: at is not that of what it follows from"
        if why is not None:
            self._fail(why, index)
            if expected.draws or header.draws:
                self.unfair.append(Finding(index + 1, why))
        return why is None

    def _of_game(self, recorded: base.Recorded) -> Expected:
        name, schema = self._codec.name_of(recorded.event)
        parts = self._codec.encode(recorded.event)
        return Expected(
            type=name,
            schema=schema,
            actor=recorded.actor,
            parts=parts if self.continued is None else self.continued.outward(parts),
            draws=recorded.draws,
        )

    def _of_table(self) -> list[Expected]:
        """Return the end of the game with its seed, or the deadline of a turn that has opened.

        Between two games, for which players are asked to add to chance, clocks end.
        """
        outcome = self._game.outcome(self.state)
        if outcome is not None:
            return consequences.end(consequences.ended(outcome), self._chances[self._table.epoch])
        if self._table.is_break:
            return [self._deadline()] if self._table.clocks else []
        awaited = base.awaited(self._game, self.state)
        has_answered = self._table.banks and self._table.clocks.keys() - set(awaited)
        return [self._deadline()] if self.state.turn != self._table.turn or has_answered else []

    def _deadline(self) -> Expected:
        awaited = () if self._table.settings["clock"]["kind"] == "none" else self._awaited()
        turn = self._table.turn if self._table.is_break else self.state.turn
        return consequences.deadline(turn, awaited, self._at_hand())

    def _awaited(self) -> tuple[int, ...]:
        return base.awaited(self._game, self.state)

    def _at_hand(self) -> Header | None:
        return None if self._next >= len(self._headers) else self._headers[self._next]

    # --- Going on -------------------------------------------------------------------------------

    def _take(self) -> None:
        """Go on behind the event at hand; the table notes it, or what it tells of it."""
        header = self._headers[self._next]
        if (why := self._objection(header)) is not None:
            self._fail(why)
        self._table.drawn += len(header.draws)
        self._next += 1

    def _objection(self, header: Header) -> str | None:
        """Return why an event cannot stand here, whatever the rules of the game; None if it can."""
        if header.type in FORMS:
            why = misfit(header)
            noted = (
                self._table.note_move(header)
                if header.type == MOVE_PLAYED
                else lifecycle.note(self._table, header)
            )
            return noted or why or chosen.why_not(self._table.settings, header, self._games)
        if is_of_table(header):
            return f"events of the type {header.type} are not known to this verifier"
        playing = self._table.status == "playing"
        return None if playing else f"{header.type} while the table is {self._table.status}"

    def _believe(self) -> None:
        """Go on behind the event at hand, and let the game follow it."""
        header = self._headers[self._next]
        is_of_game = header.type == MOVE_PLAYED or not is_of_table(header)
        if is_of_game and self.state is not None:
            event = self._decoded(header)
            self.state = self._game.evolve(self.state, event, self._next + 1 + self._base)
        self._take()

    def _follow(self) -> None:
        """Believe all events up to the next decision after the one at hand."""
        while self._next < len(self._headers):
            header = self._headers[self._next]
            if self._next != self._decision and is_decision(header):
                return
            if header.draws:
                self.unconfirmed.append(self._next + 1)
            self._believe()

    def _decoded(self, header: Header) -> Any:
        """Return the event or move that a header tells, in the terms of the game."""
        if self.continued is not None:
            header = self.continued.inward(header)
        return self._codec.decode(header, self._payload)

    def _payload(self, seq: int, slot: int) -> Any:
        if (opening := self._openings.get((seq, slot))) is None:
            raise NotOpen(seq, slot)
        return orjson.loads(opening.payload)

    def _fail(self, why: str, index: int | None = None) -> None:
        """Note a finding, the first at its position alone: one forgery is one finding."""
        position = (self._next if index is None else index) + 1
        if position not in self._blamed:
            self._blamed.add(position)
            self.findings.append(Finding(position, why))
