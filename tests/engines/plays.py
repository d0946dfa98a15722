"""Whole games played by chance, with time-outs and resignations, through the contract alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engines import base
from engines.audience import Item, Ref, about_of, fields_of, name_of
from engines.base import Batch, Game, MovePlayed, Recorded
from engines.chance import Chance, KeyedChance
from engines.registry import GAMES
from events import canonical
from events.codec import Chain, Codec, Header, MessageType, Payload, read_header
from tests import probe

ALL_GAMES: list[Game[Any]] = [*GAMES.values(), probe.GAME]
TID = bytes(range(16))
ACTED_ON = 20_000
"""A game that takes more acts than this does not end."""


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


def next_chance(chance: Chance) -> Chance:
    """Return the chance of the next epoch: a stream of its own; a story goes on from its one list."""
    if isinstance(chance, KeyedChance):
        return KeyedChance(hashlib.sha256(chance._key).digest())
    return chance


def games(
    chosen: Setting, seed: int, *, absence: float = 0.0, leaving: float = 0.0, chance: Chance | None = None
) -> Iterator[tuple[Batch[Any], Act, int]]:
    """Yield (game so far, newest act, number of events before it) after every act of a game.

    ``absence`` is how often a time-out comes before a move, ``leaving`` how often somebody goes.
    """
    random = Random(seed)
    batch = batch_of(chosen, chance or KeyedChance(key_of(seed)))
    gone: set[int] = set()
    act = Act(what="begin")
    for _ in range(ACTED_ON):
        before = len(batch.events)
        do(batch, act)
        yield batch, act, before
        if chosen.game.outcome(batch.state) is not None:
            return
        gone |= {act.seat} if act.what == "leave" else set()
        act = _next_act(chosen, batch.state, random, gone, absence, leaving)
    raise AssertionError(f"{chosen} does not end")


def key_of(seed: int) -> bytes:
    """Return a key of chance."""
    return hashlib.sha256(str(seed).encode()).digest()


def codec_of(game: Game[Any]) -> Codec:
    """Return the codec of a game's own events and moves."""
    return Codec(
        [MessageType(f"{game.id}.{name_of(each)}", each, fields_of(each)) for each in game.events],
        [MessageType(name_of(each), each, fields_of(each)) for each in game.moves],
        move_played=MovePlayed,
        ref=Ref,
        item=Item,
    )


class Log:
    """Events as they are stored: canonical headers, and payloads by (seq, slot)."""

    def __init__(self, game: Game[Any]) -> None:
        self.codec = codec_of(game)
        self.headers: list[Header] = []
        self.payloads: dict[tuple[int, int], Payload] = {}
        self._chain = Chain(TID, 0, canonical.ZERO_HASH, lambda: bytes(32))

    def add(self, recorded: Recorded) -> Header:
        """Store one more event."""
        name, schema = self.codec.name_of(recorded.event)
        parts = self.codec.encode(recorded.event)
        stored = self._chain.add(
            parts, name=name, schema=schema, actor=recorded.actor, at=1, draws=recorded.draws
        )
        header = read_header(stored.header)
        assert header.seq == recorded.position
        self.headers.append(header)
        for slot, opening in enumerate(stored.openings):
            self.payloads[header.seq, slot] = canonical.parse(opening.payload)
        return header

    def event(self, header: Header) -> Any:
        """Return an event as it is read back."""
        return self.codec.decode(header, lambda seq, slot: self.payloads[seq, slot])


def streams() -> str:
    """Return a digest of games of every title, always the same."""
    digest = hashlib.sha256()
    for game in ALL_GAMES:
        for seed in range(3):
            log = Log(game)
            chosen = setting(game, Random(seed))
            *_, (batch, _, _) = games(chosen, seed, absence=0.2, leaving=0.02)
            for recorded in batch.events:
                digest.update(repr(log.add(recorded)).encode())
    return digest.hexdigest()


def _next_act(
    chosen: Setting, state: Any, random: Random, gone: set[int], absence: float, leaving: float
) -> Act:
    game = chosen.game
    if len(gone) < chosen.seats and random.random() < leaving:
        seat = random.choice([seat for seat in range(chosen.seats) if seat not in gone])
        return Act(what="leave", seat=seat, reason=random.choice(("resigned", "removed")))
    if random.random() < absence:
        return Act(what="time_out", seat=random.choice(base.awaited(game, state)))
    able = [seat for seat in range(chosen.seats) if game.legal_moves(state, seat)]
    seat = random.choice(able)
    return Act(what="move", seat=seat, move=random.choice(game.legal_moves(state, seat)))


def _option(hint: Any, default: Any, random: Random) -> Any:
    about = about_of(hint)
    bare = get_args(hint)[0]
    if get_origin(bare) is Literal:
        return random.choice(get_args(bare))
    if bare is bool:
        return random.choice((False, True))
    assert bare is int, f"an option is a choice, a number or yes or no, not {bare}"
    assert about is not None, "an option says what it is"
    assert about.ge is not None, "an option that is a number has bounds"
    assert about.le is not None, "an option that is a number has bounds"
    return random.choice((about.ge, default, about.le))
