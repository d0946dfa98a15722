"""The clocks of tables as they run: budgets, quiet hours, vacations, outages, suspensions, jumps."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tables import commands, queries, vacations
from tables.answers import rfc3339
from tables.clock import milliseconds
from tables.errors import BadField, ClockInDoubt, NotFound, NoVacationLeft
from tables.models import Heartbeat, Outage, Player, Tenure
from tables.relay import relay
from tables.shapes import ClockChoice, NewVacation, NewVote
from tables.sweeps import sweep
from tests.notices.people import subscribe, told
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room
from tests.tables.test_absences import answer, answer_all

HOUR, DAY = 3_600, 86_400


def due_ms(room: Room) -> int:
    assert room.row.deadline_at is not None
    return milliseconds(room.row.deadline_at)


def left(room: Room) -> dict[int, int]:
    return {each.seat: each.seconds_left for each in room.view(None).clocks}


def away(room: Room, seat: int, *, days: float, clock: SimulatedClock) -> uuid.UUID:
    """Let a player go on vacation now; return the vacation."""
    until = rfc3339(clock.now_ms() + int(days * DAY * 1000))
    booked = vacations.book(room.players[seat], NewVacation(until=until)).answer
    while relay():
        pass
    return uuid.UUID(booked.id)  # type: ignore[attr-defined]


def test_a_seat_that_has_answered_has_no_clock_while_others_are_awaited() -> None:
    room = open_room("arrecife", seats=3)
    assert left(room).keys() == {0, 1, 2}
    answer(room, 0)

    seen = room.view(0)
    assert [each.seat for each in seen.clocks] == [each.seat for each in seen.awaited] == [1, 2]
    assert seen.deadline_at is not None
    past = queries.view(room.players[0], room.id, at=seen.version - 1)
    assert [each.seat for each in past.clocks] == [0, 1, 2]


BUDGET = {"clock": ClockChoice(kind="budget", initial=1000, increment=100, cap=1050)}


def test_a_budget_runs_while_its_seat_is_awaited_and_gains_with_each_move(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, settings=BUDGET)
    room.wait(clock, 300)
    answer(room, 0)
    first = left(room)
    assert 790 <= first[0] <= 800
    assert (first[1], first[2]) == (first[0] - 100, first[0] - 100)
    room.wait(clock, 10)
    answer(room, 1)
    answer(room, 2)

    told = left(room)
    assert 790 <= told[0] <= 800, "the clock of a seat that has answered stands"
    assert 770 <= told[1] <= 790
    room.prove()


def test_a_bank_is_never_above_its_cap_and_stops_at_nothing(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, settings=BUDGET | {"absentee": "open"})
    answer(room, 0)
    assert left(room)[0] == 1050
    answer(room, 1)
    room.wait(clock, 1001)

    assert room.last("clock.expired")["seats"] == [2]
    banks = room.host.table.banks
    assert banks[2] == 0
    assert banks[0] == 1_050_000
    assert min(left(room).values()) == 0
    room.prove()


def test_no_deadline_falls_into_quiet_hours(clock: SimulatedClock) -> None:
    room = open_room("reafan")
    answer_all(room)
    (seat,) = room.host.awaited()
    now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    start = (now.hour * 60 + now.minute + 5) % 1440  # the ten minutes of the turn end within them
    Player.objects.filter(id=room.players[1 - seat]).update(
        quiet_from=start, quiet_until=(start + 480) % 1440
    )
    answer(room, seat)

    due = datetime.fromtimestamp(due_ms(room) / 1000, UTC)
    assert (due.hour * 60 + due.minute, due.second) == ((start + 480) % 1440, 0)
    room.prove()


def test_a_zone_that_is_not_known_here_stops_no_table(clock: SimulatedClock) -> None:
    """Another host of the installation may have newer zones."""
    room = open_room("arrecife", seats=3)
    subscribe(room.players[1])
    Player.objects.filter(id=room.players[1]).update(zone="Mars/Olympus", quiet_from=0, quiet_until=600)
    answer_all(room)
    room.wait(clock, 601)

    assert "clock.expired" in room.types()
    assert "your_turn" in told(room.players[1], room.id)
    room.prove()


def test_a_vacation_of_who_sits_elsewhere_too_is_of_the_right_seat(clock: SimulatedClock) -> None:
    one, two = open_room("arrecife", seats=3), open_room("arrecife", seats=3)
    Tenure.objects.filter(table=two.id, seat=2).update(player=one.players[0])
    away(one, 0, days=1, clock=clock)

    assert [room.last("clock.paused")["seat"] for room in (one, two)] == [0, 2]
    assert [room.types().count("clock.paused") for room in (one, two)] == [1, 1]


def test_a_vacation_stops_the_own_clock_and_nobody_elses(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    before = due_ms(room)
    room.wait(clock, 200)
    away(room, 1, days=3, clock=clock)

    dues = {each.seat: each.due_at for each in room.view(None).clocks}
    assert dues[0] == dues[2] == rfc3339(before)
    assert due_ms(room) - before == pytest.approx(3 * DAY * 1000, abs=2000)
    room.wait(clock, 2 * DAY)
    assert "clock.expired" not in room.types()
    answer_all(room, without=[1])
    room.wait(clock, DAY + 300)
    assert "clock.expired" not in room.types()
    room.wait(clock, 200)
    assert room.last("clock.expired")["seats"] == [1]
    room.prove()


def test_who_comes_back_early_has_the_time_that_was_left(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    room.wait(clock, 200)
    booked = away(room, 1, days=5, clock=clock)
    room.wait(clock, DAY)
    vacations.end(room.players[1], booked)
    while relay():
        pass

    assert room.last("clock.resumed")["seat"] == 1
    assert 390 <= left(room)[1] <= 400
    with pytest.raises(NotFound):
        vacations.end(room.players[1], booked)
    room.prove()


def test_a_booked_vacation_that_is_cancelled_leaves_the_present_one_alone(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    away(room, 1, days=2, clock=clock)
    later = [rfc3339(clock.now_ms() + days * DAY * 1000) for days in (5, 6)]
    booked = vacations.book(room.players[1], NewVacation(since=later[0], until=later[1])).answer
    while relay():
        pass
    assert [each.reason for each in room.host.table.pauses] == ["vacation"] * 2
    vacations.end(room.players[1], uuid.UUID(booked.id))  # type: ignore[attr-defined]
    while relay():
        pass

    (left_over,) = room.host.table.pauses
    assert left_over.until - left_over.since == pytest.approx(2 * DAY * 1000, abs=5000)
    assert left(room)[1] > 590
    room.prove()


def test_a_vacation_that_starts_before_the_deadline_is_seen_by_whoever_resolves_the_turn(
    clock: SimulatedClock,
) -> None:
    """clocks.md: it cannot lose a race against its own deadline, whoever is late in telling the table."""
    room = open_room("arrecife", seats=3)
    until = rfc3339(clock.now_ms() + 2 * DAY * 1000)
    for seat in range(3):
        vacations.book(room.players[seat], NewVacation(until=until))
    clock.advance(seconds=700)
    room.sweep()

    assert "clock.expired" not in room.types()
    assert room.types().count("clock.paused") == 3
    room.prove()


def test_a_table_without_vacations_lets_the_clock_run(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, settings={"vacations": False})
    away(room, 1, days=3, clock=clock)
    room.wait(clock, 601)

    assert room.last("clock.expired")["seats"] == [0, 1, 2]
    room.prove()


def test_a_vacation_booked_before_the_game_is_known_to_it(clock: SimulatedClock) -> None:
    player = new_player()
    until = rfc3339(clock.now_ms() + 2 * DAY * 1000)
    vacations.book(player, NewVacation(until=until))
    room = open_room("arrecife", seats=3)
    assert "clock.paused" not in room.types()
    room.wait(clock, 601)
    room.wait(clock, 601)
    assert room.row.seeking

    commands.take_over(player, room.id, room.row.seeking[0], commands.TakeOver())

    assert room.last("clock.paused")["reason"] == "vacation"
    room.prove()


def test_vacations_have_a_budget(clock: SimulatedClock) -> None:
    """cases.md R36."""
    player = new_player()
    found = vacations.of(player)
    assert (found.items, found.seconds_left) == ([], 30 * DAY)
    first = vacations.book(player, NewVacation()).answer
    since, until = (datetime.fromisoformat(getattr(first, name)) for name in ("since", "until"))
    assert (until - since).days <= 14
    with pytest.raises(BadField):
        vacations.book(player, NewVacation())
    clock.advance(seconds=(until - since).total_seconds() + 60)
    with pytest.raises(NoVacationLeft):
        vacations.book(player, NewVacation())
    with pytest.raises(BadField):
        vacations.book(player, NewVacation(since="tomorrow"))
    with pytest.raises(BadField):
        vacations.book(player, NewVacation(since="2020-01-01T00:00:00"))
    with pytest.raises(BadField):
        vacations.book(player, NewVacation(until=rfc3339(clock.now_ms() - 1000)))


def test_a_deadline_that_fell_into_an_outage_is_extended_by_its_length(clock: SimulatedClock) -> None:
    """cases.md R39: whoever comes first gives the credit, here a request."""
    sweep("celery")
    room = open_room("arrecife", seats=3)
    before = due_ms(room)
    clock.outage(seconds=3 * HOUR)
    room.view(0)

    extended = room.last("clock.deadline_extended")
    gained = extended["until"] - extended["since"]
    assert extended["reason"] == "outage"
    assert gained == pytest.approx(3 * HOUR * 1000, abs=5000)
    assert due_ms(room) - before == pytest.approx(gained, abs=5000)
    assert "clock.expired" not in room.types()
    sweep("celery")
    assert Outage.objects.exists()
    assert room.types().count("clock.deadline_extended") == 1, "it is credited once"
    room.wait(clock, 601)
    assert "clock.expired" in room.types()
    room.prove()


def test_an_outage_of_three_days_is_credited_with_one(clock: SimulatedClock) -> None:
    sweep("celery")
    room = open_room("arrecife", seats=3)
    sweep("celery")
    clock.outage(seconds=3 * DAY)
    room.sweep("celery")

    extended = room.last("clock.deadline_extended")
    assert extended["until"] - extended["since"] == DAY * 1000
    assert room.last("clock.expired")
    room.prove()


def test_a_deadline_in_the_second_day_of_an_outage_is_credited_too(clock: SimulatedClock) -> None:
    """The turn opens just after the last look at deadlines, and the outage outlasts it."""
    sweep("celery")
    room = open_room("arrecife", seats=3, seconds=DAY)
    clock.outage(seconds=DAY + HOUR)
    room.sweep("celery")

    extended = room.last("clock.deadline_extended")
    assert extended["until"] - extended["since"] == pytest.approx(DAY * 1000, abs=60_000)
    assert "clock.expired" not in room.types()
    room.prove()


def test_a_deadline_that_waits_for_the_morning_waits_out_an_outage(clock: SimulatedClock) -> None:
    """The clock runs out in the night, the server is down when the player gets up."""
    room = open_room("reafan", seconds=HOUR)
    now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    start = (now.hour * 60 + now.minute) % 1440
    Player.objects.filter(id__in=room.players).update(quiet_from=start, quiet_until=(start + 600) % 1440)
    answer_all(room)
    waits_until = room.row.deadline_at
    assert waits_until is not None
    room.wait(clock, 9 * HOUR)
    clock.outage(seconds=4 * HOUR)
    room.sweep("celery")

    later = room.row.deadline_at
    assert later is not None
    assert "clock.expired" not in room.types()
    assert (later - waits_until).total_seconds() == pytest.approx(4 * HOUR, abs=120)
    room.wait(clock, HOUR + 120)
    assert "clock.expired" in room.types()
    room.prove()


def test_nothing_expires_by_a_clock_that_has_jumped_until_an_operator_says_so(
    clock: SimulatedClock, caplog: pytest.LogCaptureFixture
) -> None:
    sweep("celery")
    room = open_room("arrecife", seats=3)
    try:
        clock.jump(seconds=2 * HOUR)
        with pytest.raises(ClockInDoubt):
            answer(room, 0)
        assert sweep("celery") == 0
        assert "has jumped" in caplog.text
        assert "clock.expired" not in room.types()
        assert sweep("daemon") == 0, "the word of one driver holds for all"
    finally:
        out = StringIO()
        call_command("trust_clock", stdout=out)
    sweep("celery")

    assert not Heartbeat.objects.filter(jumped=True).exists()
    assert room.row.status == "playing"
    room.prove()


def test_staff_pause_a_table_and_resume_it(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    out = StringIO()
    call_command("pause_table", str(room.id), "48", reason="dispute", stdout=out)
    assert room.headers("clock.paused")[-1].actor == "staff"
    room.wait(clock, DAY)
    call_command("resume_table", str(room.id), stdout=out)
    call_command("resume_table", str(room.id), stdout=out)

    assert "The clocks run again.\nThe table is neither" in out.getvalue()
    assert max(left(room).values()) <= 600
    room.wait(clock, 601)
    assert "clock.expired" in room.types()
    room.prove()


def test_staff_remove_a_player(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=4)
    out = StringIO()
    call_command("remove_player", str(room.id), "2", reason="conduct", stdout=out)

    assert room.last("table.seat_abandoned") == {"seat": 2, "reason": "removed"}
    assert room.headers("table.seat_abandoned")[-1].actor == "staff"
    for seat in ("2", "9"):
        with pytest.raises(CommandError):
            call_command("remove_player", str(room.id), seat, reason="conduct")
    room.prove()


def test_new_quiet_hours_give_nothing_to_who_is_out_of_time(clock: SimulatedClock) -> None:
    """A player moves its quiet hours along, and has its clocks set anew, over and over."""
    room = open_room("reafan")
    answer_all(room)
    (seat,) = room.host.awaited()
    player = room.players[seat]
    for _ in range(8):
        now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
        start = (now.hour * 60 + now.minute) % 1440
        Player.objects.filter(id=player).update(quiet_from=start, quiet_until=(start + 600) % 1440)
        ahead = [rfc3339(clock.now_ms() + days * DAY * 1000) for days in (20, 21)]
        booked = vacations.book(player, NewVacation(since=ahead[0], until=ahead[1])).answer
        while relay():
            pass
        vacations.end(player, uuid.UUID(booked.id))  # type: ignore[attr-defined]
        while relay():
            pass
        room.wait(clock, 5 * HOUR)

    assert room.types().count("clock.expired") >= 1
    room.prove()


def test_news_of_a_vacation_takes_no_credit_for_an_outage_away(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    room.sweep("celery")
    ahead = [rfc3339(clock.now_ms() + days * DAY * 1000) for days in (20, 21)]
    vacations.book(room.players[0], NewVacation(since=ahead[0], until=ahead[1]))
    clock.outage(seconds=3 * HOUR)
    room.sweep("celery")

    assert "clock.deadline_extended" in room.types()
    assert "clock.expired" not in room.types()
    room.prove()


def test_who_looks_on_during_an_outage_ends_no_credit(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    room.sweep("celery")
    clock.outage(seconds=660)
    room.view(None)
    assert room.types().count("clock.deadline_extended") == 1
    clock.outage(seconds=3 * HOUR)
    room.sweep("celery")

    assert "clock.expired" not in room.types()
    room.prove()


def test_a_clock_in_doubt_closes_no_table_and_fails_no_vote(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, seconds=30 * DAY)
    room.sweep("celery")
    commands.call_vote(room.players[0], room.id, NewVote(motion="abandon"))
    version = room.row.version
    try:
        clock.jump(seconds=4 * DAY)
        room.view(0)
        assert sweep("celery") == 0
        assert room.row.version == version
    finally:
        call_command("trust_clock", stdout=StringIO())


def test_of_several_who_run_out_of_time_none_gains_the_increment(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3, settings=BUDGET | {"absentee": "open"})
    room.wait(clock, 1001)

    assert room.last("clock.expired")["seats"] == [0, 1, 2]
    assert room.host.table.banks == (0, 0, 0)
    room.prove()
