"""Three games of the probe in a row, as one game, played at a table that is never stored."""

from __future__ import annotations

import random
import secrets
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from engines import base
from engines.base import Game, Outcome, Window
from events import canonical
from tables import catalogue, expiry, lifecycle, messages
from tables.folding import EMPTY
from tables.hosting import Host
from tests import probe
from tests.probe import engine
from tests.probe import messages as m
from tests.probe import state as probe_state
from tests.verify.logs import Log, Told

GAMES = 3
MINUTE = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class State(probe_state.State):
    """A game of the series and how many were before it; ``is_begun`` tells whether it has started."""

    over: int = 0
    is_begun: bool = False


def empty(options: m.Options, seats: int) -> State:
    """Return the state before the first event."""
    first = probe_state.empty(options, seats)
    return State(**{each.name: getattr(first, each.name) for each in fields(first)})


def evolve(state: State, event: Any, position: int) -> State:
    """Return the state after ``event``; after a game that is not the last, that before the next."""
    after = engine.evolve(state, event, position)
    assert isinstance(after, State)
    match event:
        case m.FirstDrawn():
            return replace(after, is_begun=True)
        case m.GameEnded(reason=reason) if reason != "deserted" and state.over < GAMES - 1:
            fresh = empty(m.Options(rounds=state.rounds), probe_state.SEATS)
            return replace(
                fresh,
                on_timeout=state.on_timeout,
                turn=state.turn + 1,
                since=state.turn + 1,
                over=state.over + 1,
                scores=state.scores,
                left=state.left,
            )
    return after


def to_act(state: State) -> tuple[Window, ...]:
    """Return the open windows; none between two games."""
    return engine.to_act(state) if state.is_begun else ()


def outcome(state: State) -> Outcome | None:
    """Return how the series ended."""
    return engine.outcome(state)


GAME: Game[Any] = replace(
    probe.GAME,
    id="series",
    state=State,
    empty=empty,
    evolve=evolve,
    to_act=to_act,
    outcome=outcome,
    epoch=lambda state: state.over,
)


class Series:
    """A table of the series, or of another game, as the server plays it; nothing is stored.

    ``replaced`` takes the place of functions of ``tables.rows`` by their names.
    """

    def __init__(self, replaced: Callable[[str, Any], None], game: Game[Any] = GAME, **options: Any) -> None:
        seats = game.seats[0]
        self.id = uuid.uuid4()
        self.seeds = {0: secrets.token_bytes(32)}
        replaced("seed_of", lambda _table, epoch: self.seeds[epoch])
        replaced("keep_seed", lambda _table, epoch, seed: self.seeds.update({epoch: seed}))
        self.host = Host(self.id, 1_000_000, 0, bytes(32), EMPTY)
        commit = canonical.seed_commit(self.id.bytes, 0, self.seeds[0]).hex()
        self.host.add(
            messages.Opened(seed_commit=commit, seed_policy="server", kid="0" * 16),
            messages.SettingsChosen(
                game=game.id,
                rules_version=game.rules_version,
                options=asdict(game.options(**options)),
                seats=seats,
                clock=messages.Clock(kind="per_turn", seconds=60),
                max_timeouts=2,
                absentee="open",
                vacations=True,
                visibility="public",
                starts="when_full",
            ),
        )
        for seat in range(seats):
            self.host.add(lifecycle.join(self.host.table, seat, f"{seat:032x}"), actor=f"seat:{seat}")
        self.host.add(lifecycle.start(self.host.table, catalogue.digest_of(probe.GAME)))
        self._decide(base.begin)

    def play(self, *, until_epoch: int = 99, seed: int = 1, absence: float = 0.0) -> None:
        """Play random moves, and let time pass now and then, up to an epoch or to the end."""
        dice = random.Random(seed)
        while self.host.table.status == "playing" and self.host.table.epoch < until_epoch:
            if dice.random() < absence:
                self.let_time_pass()
                continue
            self.host.now += 1000
            seat, move = dice.choice(
                [
                    (seat, move)
                    for seat in range(len(self.host.table.holders))
                    for move in self.host.game.legal_moves(self.host.state, seat)
                ]
            )
            self._decide(lambda batch, seat=seat, move=move: base.play(batch, seat, move))

    def resign(self, seat: int) -> None:
        """Let a seat be left for good."""
        self.host.add(messages.SeatAbandoned(seat=seat, reason="resigned"), actor=f"seat:{seat}")
        self._decide(lambda batch: base.leave(batch, seat, "resigned"))

    def let_time_pass(self) -> None:
        """Let the open turn run out."""
        self.host.now += MINUTE + 1
        expiry.expire(self.host)

    def log(self) -> Log:
        """Return the log so far."""
        openings = {
            (position, slot): opening
            for position, event in enumerate(self.host.new, start=1)
            for slot, opening in enumerate(event.openings)
        }
        return Log(self.id, Told(self.seeds, [each.header for each in self.host.new], openings))

    def _decide(self, decision: Callable[[Any], None]) -> None:
        batch = self.host.batch()
        decision(batch)
        self.host.take(batch)
