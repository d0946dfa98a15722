"""Whatever people, staff and time do at a table, in any order, clocks hold and the log is proved to its end.

Each life is drawn from a seed: a game, a clock, and what happens next, of all that moves seats or time.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import msgspec
import pytest

from engines.audience import name_of
from engines.errors import RuleViolation
from tables import catalogue, commands, erasure, players, playing, queries, staff, sweeps, vacations
from tables.answers import rfc3339
from tables.clock import DAY_MS, HOUR_MS
from tables.errors import Refusal
from tables.models import Tenure, Vacation
from tables.notices import delivering
from tables.relay import relay
from tables.shapes import (
    Ballot,
    ClockChoice,
    MeChange,
    NewVacation,
    NewVote,
    QuietHoursChoice,
    TakeOver,
)
from tests.services import SimulatedClock
from tests.tables.rooms import new_player, open_room

STEPS = 150
ZONES = ("Europe/Madrid", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "Antarctica/Troll")
HOUR, DAY = 3_600, 86_400
LONGEST = 30 * DAY


class Life:
    """A table and what happens to it; each deed is one that somebody may try at any time."""

    def __init__(self, clock: SimulatedClock, seed: int) -> None:
        self.clock, self.dice, self.was_extended = clock, Random(seed), False
        game = self.dice.choice(("arrecife", "arrecife", "cthulhu", "reafan"))
        settings = {
            "clock": self._drawn_clock(),
            "absentee": self.dice.choice(("bot", "bot", "bot", "open", "forfeit")),
            "max_timeouts": self.dice.choice((1, 2)),
            "vacations": self.dice.random() < 0.8,
        }
        seats = self.dice.choice(list(catalogue.game_of(game).seats))
        self.room = open_room(game, seats=seats, settings=settings)
        self.dreamer = self.room.players[-1]  # seldom moves

    def _drawn_clock(self) -> ClockChoice:
        match self.dice.choice(("per_turn", "per_turn", "budget", "budget", "budget", "none")):
            case "per_turn":
                return ClockChoice(seconds=self.dice.choice((60, 12 * HOUR, LONGEST)))
            case "budget":
                initial, increment = self.dice.choice((60, 4_000)), self.dice.choice((0, 10, HOUR))
                return ClockChoice(kind="budget", initial=initial, increment=increment, cap=2 * DAY)
        return ClockChoice(kind="none")

    def live(self) -> None:
        """Let so much happen, and judge each time what stands; then let time end the game."""
        for _ in range(STEPS):
            (deed,) = self.dice.choices(list(DEEDS), list(DEEDS.values()))
            with suppress(Refusal, RuleViolation):  # not everything may be done at any time
                deed(self)
            self.judge()
            if self.room.row.status != "playing":
                break
        self.room.prove()
        self.resume()
        while (row := self.room.row).status == "playing":
            while relay():
                pass
            assert row.due_at is not None
            self.clock.advance(seconds=max(1.0, row.due_at.timestamp() - self.clock.now_ms() / 1000 + 1))
            self.room.sweep()
        self.room.prove()
        while delivering.deliver():
            pass

    def judge(self) -> None:
        """Somebody is awaited, until a time; nobody has less than nothing, or more than there is."""
        host, row = self.room.host, self.room.row
        seen = queries.view(self.room.stranger, self.room.id)
        settings = host.table.settings
        assert settings is not None
        if host.table.status == "playing" and row.suspended_at is None:
            assert host.awaited()
            assert (row.deadline_at is None) == (settings.clock.kind == "none")
        most = LONGEST if self.was_extended else settings.clock.cap or settings.clock.seconds or 0
        assert all(0 <= each.seconds_left <= most for each in seen.clocks)

    def someone(self) -> uuid.UUID:
        """Return one of those who sit here."""
        held = Tenure.objects.filter(table=self.room.id, until__isnull=True, player__isnull=False)
        return self.dice.choice([*held.order_by("seat").values_list("player", flat=True)] or [new_player()])

    def move(self) -> None:
        player = self.someone()
        host, seat = self.room.host, Tenure.objects.filter(table=self.room.id, player=player).last()
        if player == self.dreamer and self.dice.random() < 0.9:
            return
        if seat is None or not (legal := host.game.legal_moves(host.state, seat.seat)):
            return
        chosen = self.dice.choice(legal)
        params: dict[str, Any] = msgspec.to_builtins(chosen)
        kind = name_of(type(chosen))
        playing.play_move(player, self.room.id, turn=host.table.turn, kind=kind, params=params)

    def let_bots_move(self) -> None:
        relay()

    def wait(self) -> None:
        self.clock.advance(seconds=self.dice.choice((1, 61, HOUR, 8 * HOUR, DAY, 3 * DAY)))

    def wait_for_what_is_due(self) -> None:
        due = self.room.row.due_at
        ahead = 0.0 if due is None else due.timestamp() - self.clock.now_ms() / 1000
        if 1 < ahead < LONGEST:
            self.clock.advance(seconds=ahead + self.dice.choice((-1, 0, 2)))

    def sweep(self) -> None:
        self.room.sweep()

    def go_down(self) -> None:
        self.clock.outage(seconds=self.dice.choice((90, HOUR, 3 * DAY)))

    def tell(self) -> None:
        delivering.deliver()

    def book(self) -> None:
        now = self.clock.now_ms()
        since = self.dice.choice((None, rfc3339(now + 5 * HOUR_MS)))
        until = self.dice.choice((None, rfc3339(now + 8 * HOUR_MS), rfc3339(now + 20 * DAY_MS)))
        vacations.book(self.someone(), NewVacation(since=since, until=until))

    def come_home(self) -> None:
        player = self.someone()
        if (booked := Vacation.objects.filter(player=player).order_by("since").last()) is not None:
            vacations.end(player, booked.id)

    def sleep(self) -> None:
        start, hours = self.dice.randrange(24), self.dice.choice((1, 10))
        quiet = QuietHoursChoice(start=f"{start:02}:00", end=f"{(start + hours) % 24:02}:00")
        players.change(self.someone(), MeChange(zone=self.dice.choice(ZONES), quiet_hours=quiet))

    def call_a_vote(self) -> None:
        seat = self.dice.randrange(len(self.room.players))
        motions = (NewVote(motion="replace", seat=seat), NewVote(motion="pause", seconds=DAY))
        commands.call_vote(self.someone(), self.room.id, self.dice.choice(motions))

    def vote(self) -> None:
        if (open_vote := self.room.host.table.vote) is not None:
            number, ballot = open_vote.called.vote, Ballot(in_favour=self.dice.random() < 0.8)
            commands.cast_vote(self.someone(), self.room.id, number, ballot)

    def take_over(self) -> None:
        if seeking := self.room.row.seeking:
            heir = new_player()
            if self.dice.random() < 0.3:
                vacations.book(heir, NewVacation())
            commands.take_over(heir, self.room.id, self.dice.choice(seeking), TakeOver())

    def come_back(self) -> None:
        absent = Tenure.objects.filter(table=self.room.id, ended="absent", player__isnull=False)
        if found := list(absent.order_by("id")):
            tenure = self.dice.choice(found)
            assert tenure.player_id is not None
            commands.take_over(tenure.player_id, self.room.id, tenure.seat, TakeOver())

    def resign(self) -> None:
        commands.resign(self.someone(), self.room.id)

    def delete_an_account(self) -> None:
        player = self.someone()
        erasure.close(player)
        erasure.erase(player)

    def pause(self) -> None:
        staff.pause(self.room.id, "dispute", hours=self.dice.choice((1, 720)))

    def extend(self) -> None:
        self.was_extended = True
        staff.extend(self.room.id, "dispute", hours=self.dice.choice((1, 30)))

    def fail(self) -> None:
        for _ in sweeps.BACKOFF_SECONDS:
            if self.room.row.suspended_at is None:
                sweeps._count_failure(self.room.id)

    def resume(self) -> None:
        staff.resume(self.room.id, "mended")


DEEDS: dict[Callable[[Life], None], float] = {
    Life.move: 24, Life.let_bots_move: 8, Life.wait: 8, Life.wait_for_what_is_due: 8, Life.sweep: 6,
    Life.go_down: 1, Life.tell: 2, Life.book: 3, Life.come_home: 2, Life.sleep: 2, Life.call_a_vote: 3,
    Life.vote: 5, Life.take_over: 3, Life.come_back: 8, Life.resign: 0.05, Life.delete_an_account: 0.1,
    Life.pause: 0.7, Life.extend: 0.7, Life.fail: 0.5, Life.resume: 2,
}  # fmt: skip
"""What happens, and how often beside the others."""


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_a_life_of_a_table_is_proved(clock: SimulatedClock, seed: int) -> None:
    Life(clock, seed).live()
