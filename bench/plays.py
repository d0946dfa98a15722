"""Whole games played by chance, with time-outs, absences and resignations, through the contract alone.

Shared by the tests and the soak: it knows no game, and nothing of databases or HTTP.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engines import base
from engines.audience import about_of
from engines.base import Batch, Game, Move, Outcome, Question, Recorded
from engines.chance import Chance, KeyedChance
from events import canonical
from events.codec import Chain, Header, Payload, read_header
from verify.codecs import codec_of

TID = bytes(range(16))
ACTED_ON = 20_000
"""A game that takes more acts than this does not end."""


class Endless(AssertionError):
    """A game takes more acts than any should."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a game was begun with."""

    game: Game[Any]
    seats: int
    options: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What somebody did: ``begin``, ``move``, ``time_out``, or ``leave`` (resigned or removed)."""

    what: str
    seat: int = 0
    move: Any = None
    reason: str = "resigned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How often, before an act: a time-out, somebody leaves for good, somebody goes away.

    Who is away answers nothing any more: every turn of its own is a time-out.
    """

    absence: float = 0.0
    leaving: float = 0.0
    going_away: float = 0.0


@dataclass(slots=True)
class Company:
    """Who of a table is still there."""

    gone: set[int] = field(default_factory=set)
    away: set[int] = field(default_factory=set)


def setting(game: Game[Any], random: Random) -> Setting:
    """Return a number of seats and options, drawn from those that the game declares."""
    hints = get_type_hints(game.options, include_extras=True)
    options = {each.name: _option(hints[each.name], each.default, random) for each in fields(game.options)}
    return Setting(game=game, seats=random.choice(game.seats), options=game.options(**options))


def batch_of(chosen: Setting, chance: Chance, at: int = 1) -> Batch[Any]:
    """Return an empty batch on the empty state."""
    return Batch(
        game=chosen.game, state=chosen.game.empty(chosen.options, chosen.seats), chance=chance, position=at
    )


def do(batch: Batch[Any], act: Act) -> None:
    """Record an act and all that follows from it, the next game of a series included."""
    epoch = batch.game.epoch(batch.state)
    match act.what:
        case "begin":
            base.begin(batch)
        case "move":
            base.play(batch, act.seat, act.move)
        case "time_out":
            if not base.play_default(batch, act.seat):
                base.leave(batch, act.seat, "timeout")
        case _:
            base.leave(batch, act.seat, act.reason)
    while batch.game.epoch(batch.state) > epoch:
        epoch += 1
        batch.chance = next_chance(batch.chance)
        base.begin(batch)


def bots_play(batch: Batch[Any], choose: Callable[[int, Sequence[Move]], Move | None]) -> Outcome:
    """Play a game that has begun, asking bots as a table does, one after the other; return its outcome.

    ``choose`` is given a seat and its legal moves; None passes an offer.
    """
    game, asked, turn = batch.game, deque[Question](), 0
    while (outcome := game.outcome(batch.state)) is None:
        asked.extend(base.questions(game, batch.state, turn))
        turn = batch.state.turn
        move = None
        while move is None:
            question = asked.popleft()
            legal = base.choices(game, batch.state, question)
            move = choose(question.seat, legal) if legal else None
        do(batch, Act(what="move", seat=question.seat, move=move))
    return outcome


def next_chance(chance: Chance) -> Chance:
    """Return the chance of the next epoch: a stream of its own; a story goes on from its one list."""
    if isinstance(chance, KeyedChance):
        return KeyedChance(hashlib.sha256(chance._key).digest())
    return chance


def games(
    chosen: Setting,
    seed: int,
    *,
    absence: float = 0.0,
    leaving: float = 0.0,
    going_away: float = 0.0,
    chance: Chance | None = None,
) -> Iterator[tuple[Batch[Any], Act, int]]:
    """Yield (game so far, newest act, number of events before it) after every act of a game.

    The numbers are those of ``Habits``.  Raises Endless.
    """
    random = Random(seed)  # noqa: S311
    habits = Habits(absence=absence, leaving=leaving, going_away=going_away)
    batch = batch_of(chosen, chance or KeyedChance(key_of(seed)))
    company = Company()
    act = Act(what="begin")
    for _ in range(ACTED_ON):
        before = len(batch.events)
        do(batch, act)
        yield batch, act, before
        if chosen.game.outcome(batch.state) is not None:
            return
        company.gone |= {act.seat} if act.what == "leave" else set()
        act = _next_act(chosen, batch.state, random, company, habits)
    raise Endless(f"{chosen} does not end")


def key_of(seed: int) -> bytes:
    """Return a key of chance."""
    return hashlib.sha256(str(seed).encode()).digest()


class Log:
    """Events as they are stored: canonical headers, and payloads by (seq, slot)."""

    def __init__(self, game: Game[Any]) -> None:
        self.codec = codec_of(game)
        self.headers: list[Header] = []
        self.payloads: dict[tuple[int, int], Payload] = {}
        self._chain = Chain(TID, 0, canonical.ZERO_HASH, lambda: bytes(32))

    def add(self, recorded: Recorded) -> Header:
        """Store one more event.  Raises ValueError for one that is not at its position."""
        name, schema = self.codec.name_of(recorded.event)
        parts = self.codec.encode(recorded.event)
        stored = self._chain.add(
            parts, name=name, schema=schema, actor=recorded.actor, at=1, draws=recorded.draws
        )
        header = read_header(stored.header)
        if header.seq != recorded.position:
            raise ValueError(f"event {header.seq} was recorded at position {recorded.position}")
        self.headers.append(header)
        for slot, opening in enumerate(stored.openings):
            self.payloads[header.seq, slot] = canonical.parse(opening.payload)
        return header

    def event(self, header: Header) -> Any:
        """Return an event as it is read back."""
        return self.codec.decode(header, lambda seq, slot: self.payloads[seq, slot])


def _next_act(chosen: Setting, state: Any, random: Random, company: Company, habits: Habits) -> Act:
    game = chosen.game
    there = [seat for seat in range(chosen.seats) if seat not in company.gone]
    if there and random.random() < habits.leaving:
        return Act(what="leave", seat=random.choice(there), reason=random.choice(("resigned", "removed")))
    if there and habits.going_away and random.random() < habits.going_away:
        company.away.add(random.choice(there))
    awaited = base.awaited(game, state)
    if random.random() < habits.absence or company.away.issuperset(awaited):
        return Act(what="time_out", seat=random.choice(awaited))
    able = [seat for seat in there if seat not in company.away and game.legal_moves(state, seat)]
    seat = random.choice(able)
    return Act(what="move", seat=seat, move=random.choice(game.legal_moves(state, seat)))


def _option(hint: Any, default: Any, random: Random) -> Any:
    about = about_of(hint)
    bare = get_args(hint)[0]
    if get_origin(bare) is Literal:
        return random.choice(get_args(bare))
    if bare is bool:
        return random.choice((False, True))
    if bare is not int:
        raise TypeError(f"an option is a choice, a number or yes or no, not {bare}")
    if about is None or about.ge is None or about.le is None:
        raise TypeError("an option that is a number has bounds")
    return random.choice((about.ge, default, about.le))
