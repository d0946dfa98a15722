"""Tables played from a seed, byte for byte alike each time, with neither server nor database.

Everything a table can see comes about now and then: time-outs, absentees, votes, pauses, leavings.
What is recorded follows ``tables.lifecycle`` and ``tables.timekeeping``, as on the server.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from random import Random
from typing import Any

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bench.plays import setting
from engines import base
from engines.base import Batch, MovePlayed, Recorded
from engines.chance import KeyedChance
from engines.registry import GAMES
from events import canonical
from events.codec import Chain, NewEvent, learned, read_header
from events.continued import Continued
from events.receipts import SigningKey
from tables import entropy, interventions, lifecycle, messages, timekeeping
from tables.state import TableState
from verify.codecs import codec_of
from verify.holdings import of_epochs_over

SERVER = SigningKey(Ed25519PrivateKey.from_private_bytes(sha256(b"server").digest()))
FORGER = SigningKey(Ed25519PrivateKey.from_private_bytes(sha256(b"forger").digest()))
HOUR = 3_600_000

File = dict[str, Any]


def listed(key: SigningKey) -> dict[str, Any]:
    """Return a key as files and servers list it."""
    return {"kid": key.kid, "public": key.public.hex(), "from": 0, "until": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How often, before a move: a turn runs out, somebody leaves for good, there is a vote, staff step in."""

    absence: float = 0.0
    leaving: float = 0.0
    voting: float = 0.0
    ruling: float = 0.0


class Play:
    """One table, opened and filled.

    ``ends`` are the positions at which a command ended: what a transcript may end with.  ``fairness`` is
    as chosen or follows from the seed; of ``players``, one at least adds nothing to the first game.
    """

    def __init__(self, game: str, seed: int, *, fairness: str | None = None, **options: Any) -> None:
        self.name = f"{game} {seed}"
        self.random = Random(self.name)
        self.fairness = fairness or ("players", "server", "players_strict", "server")[seed % 4]
        self._whims = Random(f"{self.name} entropy")
        chosen = setting(GAMES[game], self.random)
        self.game, self.seats = chosen.game, chosen.seats
        self.options = asdict(chosen.options) | options
        self.tid = uuid.UUID(bytes=self._secret("table")[:16], version=4).bytes
        self.now = 1_800_000_000_000
        self.table = TableState()
        self.state: Any = None
        self.continued: Continued | None = None
        self.events: list[NewEvent] = []
        self.ends: list[int] = []
        self.pseudonyms = 0
        self.stepped_in, self.has_arbiter = self._secret("interventions")[0], False
        self._codec = codec_of(self.game, messages.EVENTS)
        self._chain = Chain(self.tid, 0, bytes(32), self._salt)
        self._open()

    @property
    def is_over(self) -> bool:
        """Whether nothing can follow."""
        return self.table.status != "playing"

    def play(self, habits: Habits = Habits(), most: int = 100_000) -> Play:
        """Play to the end, or so many commands; return the table."""
        while not self.is_over and most:
            most -= 1
            self._wait()
            whim = self.random.random()
            if self.is_over:
                break
            if self.table.is_gathering:
                self._gather()
                self.add(messages.EpochBegun(epoch=self.table.epoch))
                self._decide(base.begin)
            elif whim < habits.absence:
                self._expire()
            elif whim < habits.absence + habits.voting:
                self._vote()
            elif whim < habits.absence + habits.voting + habits.leaving:
                self._leave(self.random.choice(self._present()), "resigned")
            elif whim < habits.absence + habits.voting + habits.leaving + habits.ruling:
                self._intervene()
            else:
                self._move()
            self._end()
        return self

    def file(self, view: str, upto: int | None = None) -> File:
        """Return the transcript of a view, as it was after an event; the last one by default."""
        stored = self.events[:upto]
        headers = [read_header(each.header) for each in stored]
        started = next((each.public for each in headers if each.type == "table.started"), None)
        seat = int(view.removeprefix("seat:")) if view.startswith("seat:") else None
        held = {ref for header in headers for ref in learned(header, seat)} | of_epochs_over(headers)
        openings = {
            (position, slot): each
            for position, event in enumerate(stored, start=1)
            for slot, each in enumerate(event.openings)
        }
        last = headers[-1]
        head = canonical.event_hash(stored[-1].header)
        return {
            "format": "ttx/transcript/v1",
            "view": view,
            "events": [orjson.loads(each.header) for each in stored],
            "openings": [
                {"seq": seq, "slot": slot, "salt": each.salt.hex(), "payload": orjson.loads(each.payload)}
                for (seq, slot), each in openings.items()
                if view == "full" or (seq, slot) in held
            ],
            "receipts": [dict(SERVER.receipt(self.tid, seq=last.seq, head=head, at=last.at))],
            "keys": [listed(SERVER)],
            "engine": started
            and {
                "game": started["game"],
                "rules_version": started["rules_version"],
                "digest": started["engine"],
            },
        }

    # --- What is done ---------------------------------------------------------------------------

    def _open(self) -> None:
        budget = {"kind": "budget", "initial": 86_400, "increment": 3_600, "cap": 172_800}
        clocks: list[dict[str, Any]] = [{"kind": "per_turn", "seconds": 43_200}, budget, {"kind": "none"}]
        self._choose(
            clock=messages.Clock(**self.random.choices(clocks, [6, 2, 1])[0]),
            max_timeouts=self.random.choice([1, 2, 3]),
            absentee=self.random.choice(["bot", "open", "forfeit"]),
        )
        for seat in range(self.seats):
            self._wait()
            bot = next(iter(self.game.bots)) if seat and self.random.random() < 0.1 else None
            bot = None if self.fairness == entropy.STRICT else bot
            actor = "table" if bot else f"seat:{seat}"
            self.add(lifecycle.join(self.table, seat, self._pseudonym(), bot), actor=actor)
            if seat < self.seats - 1:
                self._end()
        if self.fairness != "server":
            self._gather()
        self.add(lifecycle.start(self.table, self._secret("engine").hex()))
        self._decide(base.begin)
        self._end()

    def _choose(
        self,
        *,
        clock: messages.Clock,
        max_timeouts: int,
        absentee: str,
        vacations: bool = True,
        visibility: str = "public",
    ) -> None:
        commit = canonical.seed_commit(self.tid, 0, self._seed(0)).hex()
        self.add(messages.Opened(seed_commit=commit, seed_policy=self.fairness, kid=SERVER.kid))
        self.add(
            messages.SettingsChosen(
                game=self.game.id,
                rules_version=self.game.rules_version,
                options=self.options,
                seats=self.seats,
                clock=clock,
                max_timeouts=max_timeouts,
                absentee=absentee,
                vacations=vacations,
                visibility=visibility,
                starts="when_full",
            )
        )

    def _gather(self) -> None:
        """Have the players add to the chance of the next game, in any order, some of them too late."""
        epoch, persons = self.table.epoch, self.table.persons()
        drawn = {seat: self._secret(f"entropy {epoch} {seat}") for seat in persons}
        late = {seat for seat in persons if self._whims.random() < 0.2}
        if not epoch and not late:
            late = {self._whims.choice(persons)}
        late = set() if self.fairness == entropy.STRICT else late
        silent = {seat for seat in late if self._whims.random() < 0.5}
        if self.table.status == "open":
            self.add(messages.EntropyAsked(epoch=epoch, until=self._until()))
        self._end()
        for seat in self._whims.sample(persons, len(persons)):
            if seat not in silent:
                self.now += self._whims.randrange(60_000)
                commit = canonical.entropy_commit(self.tid, epoch, seat, drawn[seat]).hex()
                self.add(
                    messages.EntropyCommitted(epoch=epoch, seat=seat, commit=commit), actor=f"seat:{seat}"
                )
                self._end()
        self._wait_for_entropy(silent)
        seats = tuple(seat for seat in persons if seat not in silent)
        self.add(messages.SeatingClosed(epoch=epoch, seats=seats, until=self._until()))
        for seat in self._whims.sample(seats, len(seats)):
            if seat not in late:
                self._end()
                self.now += self._whims.randrange(60_000)
                value = drawn[seat].hex()
                self.add(
                    messages.EntropyRevealed(epoch=epoch, seat=seat, entropy=value), actor=f"seat:{seat}"
                )
        self._wait_for_entropy(late - silent)
        if missing := self.table.entropy.missing():
            self.add(messages.EntropyMissing(epoch=epoch, seats=missing))

    def _wait_for_entropy(self, seats: set[int]) -> None:
        """Let the time for entropy run out where seats stay silent."""
        if seats and self.table.entropy.until is not None:
            self._end()
            self.now = self.table.entropy.until + self._whims.randrange(5_000)

    def _until(self) -> int:
        assert self.table.settings is not None
        return self.now + entropy.span(self.table.settings.clock)

    def _move(self) -> None:
        able = [
            (seat, move)
            for seat in range(self.seats)
            if seat not in self.table.abandoned
            for move in self.game.legal_moves(self.state, seat)
        ]
        seat, move = self.random.choice(able)
        self._decide(lambda batch: base.play(batch, seat, move))

    def _leave(self, seat: int, reason: str) -> None:
        actor = f"seat:{seat}" if reason == "resigned" else "table"
        self.add(messages.SeatAbandoned(seat=seat, reason=reason), actor=actor)
        self._decide(lambda batch: base.leave(batch, seat, reason))

    def _vote(self) -> None:
        """Call a vote, and let everybody answer it."""
        voters = self.table.persons()
        motion = self.random.choice(["pause", "abandon", "pause"])
        if not voters or self.table.vote or (motion == "pause" and self.table.deadline_at is None):
            return
        needed = {"pause": len(voters), "abandon": -(-2 * len(voters) // 3)}[motion]
        number, first = self.table.votes + 1, voters[0]
        seconds = 7_200 if motion == "pause" else None
        called = messages.VoteCalled(
            vote=number,
            motion=motion,
            seat=None,
            seconds=seconds,
            by=first,
            seats=tuple(voters),
            needed=needed,
            until=self.now + 72 * HOUR,
        )
        self.add(called, actor=f"seat:{first}")
        for seat in voters[1:]:
            if self._voted() is None:
                answer = messages.VoteCast(vote=number, seat=seat, in_favour=self.random.random() < 0.4)
                self.add(answer, actor=f"seat:{seat}")
        passed = bool(self._voted())
        self.add(messages.VoteDecided(vote=number, passed=passed))
        if passed and motion == "abandon":
            nobody = base.Outcome(
                winners=(), places=(1,) * self.seats, scores=None, reason="abandoned_by_vote"
            )
            self._finish(nobody)
        elif passed:
            until = self.now + 7_200_000
            self.add(messages.Paused(reason="agreement", seat=None, since=self.now, until=until))
            self._set_deadline()

    def _intervene(self) -> None:
        """Let staff, or an arbiter who is named first, do something."""
        self.stepped_in += 1
        by, seat = self.random.choice(["staff", "arbiter"]), self.random.choice(self._present())
        done = ["peek", "pause", "extend", "suspend", "remove", "end"][self.stepped_in % 6]
        if done in ("pause", "extend") and self.table.deadline_at is None:
            done = "peek"
        if by == "arbiter" and not self.has_arbiter and done not in ("peek", "suspend"):
            self.has_arbiter = True
            self.add(interventions.ArbiterNamed(arbiter=self._pseudonym()), actor="staff")
        if done == "peek":
            self.add(interventions.StaffPeeked(seat=seat, reason="dispute"), actor="staff")
        elif done == "suspend":
            self._suspend()
        elif done == "pause":
            self._say(by, "pause")
            until = self.now + 7_200_000
            self.add(messages.Paused(reason="staff", seat=None, since=self.now, until=until), actor="staff")
            self._set_deadline()
        elif done == "extend":
            self._say(by, "extend")
            self.add(interventions.TimeAdded(turn=self.table.turn, added=3 * HOUR), actor="staff")
            self._set_deadline()
        elif done == "remove":
            self._say(by, "remove", seat)
            self.add(messages.SeatAbandoned(seat=seat, reason="removed"), actor="staff")
            self._decide(lambda batch: base.leave(batch, seat, "removed"))
        else:
            self._say(by, "adjudicate")
            places = (1, *[2] * (self.seats - 1))
            self._finish(base.Outcome(winners=(0,), places=places, scores=None, reason="adjudicated"))

    def _suspend(self) -> None:
        self.add(interventions.Suspended(reason="unresolved"))
        since = self.now
        self.now += HOUR
        self.add(interventions.Reinstated(reason="mended", since=since), actor="staff")
        told = messages.DeadlineExtended(
            turn=self.table.turn, reason="suspension", since=since, until=self.now
        )
        self.add(told, actor="staff")
        self._set_deadline()

    def _say(self, by: str, ruling: str, seat: int | None = None) -> None:
        said = interventions.RulingMade(by=by, ruling=ruling, seat=seat, reason="dispute")
        self.add(said, actor="staff")

    def _voted(self) -> bool | None:
        assert self.table.vote is not None
        return self.table.vote.verdict

    def _expire(self) -> None:
        """Let the open turn run out."""
        turn, due, absent = self.table.turn, self.table.deadline_at, self._awaited()
        if due is None:
            return self._move()
        self.now = due + self.random.randrange(5_000)
        self.add(messages.Expired(turn=turn, deadline_at=due, decided_at=self.now, seats=absent))
        for seat in absent:
            if self.is_over or self.state.turn != turn:
                break
            if seat in self._awaited():
                self._time_out(seat)
        for seat in absent:
            if not self.is_over:
                self._strike(seat)
        return None

    def _time_out(self, seat: int) -> None:
        batch = self._batch()
        if base.play_default(batch, seat):
            self._take(batch)
        else:
            self._leave(seat, "timeout")

    def _strike(self, seat: int) -> None:
        table, settings = self.table, self.table.settings
        assert settings is not None
        if seat not in table.persons() or table.strikes[seat] < settings.max_timeouts:
            return
        if settings.absentee == "forfeit":
            self._leave(seat, "timeout")
        elif settings.absentee == "bot":
            bot = list(self.game.bots)[-1]
            holder = self._pseudonym()
            self.add(messages.SeatReplaced(seat=seat, holder=holder, bot=bot, reason="absent"))
            if table.banks and seat in self._awaited():
                self._set_deadline()
        elif seat not in table.seeking:
            self.add(messages.ReplacementSought(seat=seat, reason="absent"))

    # --- What is recorded -----------------------------------------------------------------------

    def add(self, event: Any, *, actor: str = "table") -> None:
        """Record an event of the table itself."""
        self._record(Recorded(self._chain.version + 1, event, actor, ()))

    def _decide(self, decision: Callable[[Batch[Any]], None]) -> None:
        batch = self._batch()
        decision(batch)
        self._take(batch)

    def _batch(self) -> Batch[Any]:
        epoch = self.table.epoch
        key = canonical.stream_key(self.tid, epoch, self._seed(epoch), self.table.entropy.mixed())
        chance = KeyedChance(key, self.table.drawn)
        position = self._chain.version + 1 + (self.continued.base if self.continued else 0)
        return Batch(game=self.game, state=self.state, chance=chance, position=position)

    def _take(self, batch: Batch[Any]) -> None:
        for each in batch.events:
            self._record(each)
        while (epoch := self.game.epoch(self.state)) > self.table.epoch:
            commit = canonical.seed_commit(self.tid, epoch, self._seed(epoch)).hex()
            self.add(messages.EpochOpened(epoch=epoch, seed_commit=commit))
            self.add(messages.SeedRevealed(epoch=epoch - 1, seed=self._seed(epoch - 1).hex()))
            if self.fairness != "server":
                self._ask()
                break
            begun = self._batch()
            base.begin(begun)
            for each in begun.events:
                self._record(each)
        if (outcome := self.game.outcome(self.state)) is not None:
            self._finish(outcome)
        elif self.table.is_gathering:
            return
        elif self.state.turn != self.table.turn:
            self._set_deadline()
        elif self.table.banks and {each.seat for each in self.table.clocks} - set(self._awaited()):
            self._set_deadline(not_before=self.table.deadline_at or 0)

    def _ask(self) -> None:
        """Ask the players to add to the chance of the next game of a series; their clocks end meanwhile."""
        self.add(messages.EntropyAsked(epoch=self.table.epoch, until=self._until()))
        if self.table.clocks:
            last = self.table.turn
            self.add(timekeeping.deadline_set(self.table, now=self.now, turn=last, awaited=(), quiet={}))

    def _finish(self, outcome: base.Outcome) -> None:
        told = {name: getattr(outcome, name) for name in ("winners", "places", "scores", "reason")}
        self.add(messages.Finished(**told))
        self.add(messages.SeedRevealed(epoch=self.table.epoch, seed=self._seed(self.table.epoch).hex()))

    def _set_deadline(self, not_before: int = 0) -> None:
        self.add(
            timekeeping.deadline_set(
                self.table,
                now=self.now,
                turn=self.state.turn,
                awaited=self._awaited(),
                quiet={},
                not_before=not_before,
            )
        )

    def _record(self, recorded: Recorded) -> None:
        event = recorded.event
        name, schema = self._codec.name_of(event)
        parts = self._codec.encode(event)
        self.events.append(
            self._chain.add(
                parts if self.continued is None else self.continued.outward(parts),
                name=name,
                schema=schema,
                actor=recorded.actor,
                at=self.now,
                draws=recorded.draws,
            )
        )
        is_move = isinstance(event, MovePlayed)
        is_own = type(event) in messages.EVENTS.values()
        if is_own:
            self.table = lifecycle.evolve(self.table, event, self.now)
        elif is_move and recorded.actor != "table":
            self.table = lifecycle.moved(self.table, event.seat, self.now)
        if isinstance(event, messages.Started):
            self.state = self.game.empty(self.game.options(**self.options), self.seats)
        elif not is_own:
            self.state = self.game.evolve(self.state, event, recorded.position)
        drawn = self.table.drawn + len(recorded.draws)
        self.table = replace(self.table, at=self.now, drawn=drawn)

    def _awaited(self) -> tuple[int, ...]:
        return () if self.is_over else base.awaited(self.game, self.state)

    def _present(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat not in self.table.abandoned]

    def _wait(self) -> None:
        """Let some time pass, though never all of a turn's."""
        self.now += self.random.randrange(1, 60_000)
        if not self.is_over and self.table.deadline_at is not None and self.now >= self.table.deadline_at:
            self._expire()
            self._end()
            if not self.is_over:
                self._wait()

    def _end(self) -> None:
        if not self.ends or self.ends[-1] < self._chain.version:
            self.ends.append(self._chain.version)

    def _pseudonym(self) -> str:
        self.pseudonyms += 1
        return self._secret(f"pseudonym {self.pseudonyms}")[:16].hex()

    def _seed(self, epoch: int) -> bytes:
        return self._secret(f"seed {epoch}")

    def _salt(self) -> bytes:
        self._salts = getattr(self, "_salts", 0) + 1
        return self._secret(f"salt {self._salts}")

    def _secret(self, name: str) -> bytes:
        return sha256(f"{self.name} {name}".encode()).digest()


def played(game: str, seed: int) -> Play:
    """Return a whole game, now calm, now with everything that can happen at a table."""
    habits = Habits() if seed % 3 == 0 else Habits(absence=0.06, leaving=0.004, voting=0.01, ruling=0.02)
    return Play(game, seed).play(habits)


def files(game: str, seed: int) -> list[File]:
    """Return the transcripts of one table: of the whole game, and of every view of it as it went on."""
    table = played(game, seed)
    started = next(at for at, each in enumerate(table.events, start=1) if each.type == "table.started")
    running = [end for end in table.ends[:-1] if end > started]
    if not running:
        return [table.file("full")]
    views = ["public", *(f"seat:{seat}" for seat in range(table.seats))]
    return [
        table.file("full"),
        *(table.file(view, table.random.choice(running)) for view in views),
        table.file("public", table.random.randrange(1, started)),
    ]
