"""Three weeks at one table: five people play Arrecife, each with a life of their own.

Ana answers in the evening.  Beto goes on vacation for five days.  Carla sleeps from 22 to 8 in Santiago
and gets deadlines at no other time.  Diego vanishes on the third day and somebody takes over; Elsa
vanishes on the sixth, and a bot plays on.  On the tenth day the server is down for a whole day.
"""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import datetime
from random import Random
from zoneinfo import ZoneInfo

import msgspec
import pytest

from engines.audience import name_of
from tables import commands, playing, queries, vacations
from tables.answers import rfc3339
from tables.clock import moment
from tables.models import Notice, Player
from tables.notices import mailing
from tables.relay import relay
from tables.shapes import ClockChoice, NewVacation, TakeOver
from tests.notices.office import Office
from tests.notices.people import settle, subscribe
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room

HOUR, DAY = 3_600, 86_400
ANA, BETO, CARLA, DIEGO, ELSA = range(5)
SANTIAGO = ZoneInfo("America/Santiago")
VACATION = range(4, 9)
DIEGO_GONE, ELSA_GONE, OUTAGE = 3, 6, 10
STEP_HOURS = 6


class Table:
    """The table, and what each person does when it is awake."""

    def __init__(self, clock: SimulatedClock) -> None:
        self.clock = clock
        here = datetime.fromtimestamp(clock.now_ms() / 1000, SANTIAGO)
        clock.advance(seconds=(9 * 60 - here.hour * 60 - here.minute) % 1440 * 60)  # Carla has got up
        settings = {"clock": ClockChoice(seconds=DAY), "absentee": "bot", "max_timeouts": 2}
        self.room: Room = open_room("arrecife", seats=5, settings=settings, starting_hp=60)
        self.start = clock.now_ms()
        self.heir = new_player()
        self.dice = Random(20)
        Player.objects.filter(id=self.room.players[CARLA]).update(
            zone="America/Santiago", quiet_from=22 * 60, quiet_until=8 * 60
        )
        subscribe(*self.room.players, self.heir)

    @property
    def day(self) -> float:
        return (self.clock.now_ms() - self.start) / 1000 / DAY

    def is_there(self, seat: int) -> bool:
        """Tell whether somebody looks at the table now, and would move; when time is short, all would."""
        day, hour = self.day, datetime.fromtimestamp(self.clock.now_ms() / 1000, SANTIAGO).hour
        gone = {DIEGO: day >= DIEGO_GONE, ELSA: day >= ELSA_GONE, BETO: int(day) in VACATION}
        awake = 8 <= hour < 22 if seat == CARLA else True
        return awake and not gone.get(seat, False) and (self.dice.random() < 0.2 or self._is_urgent(seat))

    def _is_urgent(self, seat: int) -> bool:
        clocks = {each.seat: each.seconds_left for each in self.room.view(None).clocks}
        return seat == CARLA or clocks.get(seat, DAY) < 12 * HOUR  # she does not put off what might wait

    def play(self, player: uuid.UUID, seat: int) -> None:
        host = self.room.host
        if seat in host.awaited():
            move = self.dice.choice(host.game.legal_moves(host.state, seat))
            params = msgspec.to_builtins(move)
            playing.play_move(
                player, self.room.id, turn=host.table.turn, kind=name_of(type(move)), params=params
            )

    def everybody(self) -> None:
        """Let all who are there play, the bots as well, and all be told."""
        for seat, player in enumerate(self.room.players):
            plays = self.room.host.table.status == "playing" and self.is_there(seat)
            if plays and queries.view(player, self.room.id).viewer == seat:
                self.play(player, seat)
        if self.room.host.table.status == "playing":
            seat = queries.view(self.heir, self.room.id).viewer
            if seat is not None and (self.dice.random() < 0.2 or self._is_urgent(seat)):
                self.play(self.heir, seat)
        while relay():
            pass
        settle(self.room.id)
        mailing.mail()


@pytest.fixture
def table(clock: SimulatedClock, no_drivers: None, office: Office) -> Table:
    return Table(clock)


@pytest.mark.long
def test_three_weeks_end_fairly_and_everybody_was_told(
    table: Table, clock: SimulatedClock, office: Office
) -> None:
    room = table.room
    away = [day * DAY * 1000 + table.start for day in (VACATION.start, VACATION.stop)]
    vacations.book(room.players[BETO], NewVacation(since=rfc3339(away[0]), until=rfc3339(away[1])))
    was_down = False
    while room.row.status == "playing":
        table.everybody()
        if table.day >= OUTAGE and not was_down:
            was_down = True
            clock.outage(seconds=DAY)
        else:
            clock.advance(seconds=STEP_HOURS * HOUR)
        room.sweep()
        if DIEGO in room.row.seeking:
            commands.take_over(table.heir, room.id, DIEGO, TakeOver())
        assert table.day < 120, "the game does not end"
    table.everybody()

    assert table.day > 21, "it was to last for three weeks"
    _nobody_lost_by_time_who_was_there(table)
    _carla_slept(table)
    _the_outage_did_not_count(table)
    outcome = room.row.outcome
    assert outcome["reason"] in ("last_alive", "sea", "max_rounds"), "by the rules, whoever fell (R10)"
    assert not room.host.table.abandoned
    _everybody_was_told(table, office)
    room.prove()


def _nobody_lost_by_time_who_was_there(table: Table) -> None:
    """Only who had vanished ran out of time; one was replaced, one became a bot."""
    replaced = [each.public for each in table.room.headers("table.seat_replaced")]
    changes = sorted((each["seat"], each["reason"]) for each in replaced)
    assert changes == [(DIEGO, "absent"), (DIEGO, "taken_over"), (ELSA, "absent")], _told(table)
    for seat in range(5):
        changed = [each for each in table.room.headers("table.seat_replaced") if each.public["seat"] == seat]
        gone_at = changed[0].seq if changed else None
        missed = [
            each
            for each in table.room.headers("clock.expired")
            if seat in each.public["seats"] and (gone_at is None or each.seq < gone_at)
        ]
        assert len(missed) == (2 if seat in (DIEGO, ELSA) else 0), _told(table)
    away = [each.public for each in table.room.headers("clock.paused")]
    assert [(each["reason"], each["seat"]) for each in away] == [("vacation", BETO)]


def _told(table: Table) -> str:
    """Return what happened with seats and clocks, for whoever looks into a failure."""
    kinds = ("clock.expired", "table.seat_replaced", "clock.paused", "clock.deadline_extended")
    told = [each for each in table.room.headers() if each.type in kinds]
    return "\n".join(f"{(each.at - table.start) / 1000 / DAY:.2f} {each.type} {each.public}" for each in told)


def _carla_slept(table: Table) -> None:
    """No deadline of hers fell into her night, once she had told her hours."""
    for each in table.room.headers("clock.deadline_set")[1:]:
        for clock in each.public["clocks"]:
            if clock["seat"] == CARLA:
                due = moment(clock["due_at"]).astimezone(SANTIAGO)
                assert 8 <= due.hour < 22, due


def _the_outage_did_not_count(table: Table) -> None:
    (extended,) = [each.public for each in table.room.headers("clock.deadline_extended")] or [None]
    assert extended is not None
    assert extended["reason"] == "outage"
    assert extended["until"] - extended["since"] == pytest.approx(DAY * 1000, abs=STEP_HOURS * HOUR * 1000)


def _everybody_was_told(table: Table, office: Office) -> None:
    """Begin, end and own turns once each; nobody a turn of a seat that another has."""
    room = table.room
    for seat, player in enumerate([*room.players, table.heir]):
        found = list(Notice.objects.filter(mailbox=player, table=room.id).values_list("what", "facts"))
        kinds = Counter(what for what, _ in found)
        turns = Counter(facts["turn"] for what, facts in found if what == "your_turn")
        assert kinds["finished"] == (seat != DIEGO), (seat, kinds)  # another has his seat
        assert kinds["replaced_you"] == (seat == DIEGO)
        assert kinds["started"] == (player != table.heir)
        assert set(turns.values()) <= {1}
        assert kinds["reminder"] <= kinds["your_turn"] + 2
        assert office.to(player)
    for mail in office.to(room.players[ANA]):
        text = mail.as_string()
        for secret in ("team_a", "worm", "amulet", "seed"):
            assert secret not in text
