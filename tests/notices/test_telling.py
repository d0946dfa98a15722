"""Who is told what: each kind of notice once for each receiver, every end of a table once for each seat."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from django.db import connection

from tables import absences, commands, lobby, messages, moderation, private, staff, sweeps, talk, vacations
from tables.models import Notice, Outbox, Player, Table, Tenure
from tables.notices import delivering, reading
from tables.notices.announcing import tell
from tables.notices.endings import ending
from tables.relay import prune
from tables.shapes import Ballot, Join, NewTable, NewVacation, NewVote
from tests.notices.people import settle, told
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room

pytestmark = pytest.mark.usefixtures("no_drivers")


@pytest.fixture
def room() -> Room:
    """A game of the probe at which three people have just sat down: all are to pick."""
    return open_room(seconds=86_400)


def everybody(room: Room) -> list[list[str]]:
    return [told(player, room.id) for player in room.players]


def test_all_are_told_that_the_game_begins_and_that_it_is_their_turn(room: Room) -> None:
    assert everybody(room) == [["started", "your_turn"]] * 3


def test_a_turn_that_was_played_before_is_told_to_nobody(room: Room) -> None:
    room.pick(0)

    assert everybody(room) == [["started"], ["started", "your_turn"], ["started", "your_turn"]]


def test_whose_turn_it_is_is_told_once(room: Room) -> None:
    settle(room.id)
    room.pick(0, 1, 2)
    opener = room.host.state.active
    with commands.locked(room.id) as host:
        host.set_deadline()

    news = [each[2:] for each in everybody(room)]

    assert news == [["your_turn"] if seat == opener else [] for seat in range(3)]


def test_a_reminder_comes_when_a_fifth_of_the_time_is_left(room: Room, clock: SimulatedClock) -> None:
    settle(room.id)
    room.pick(1)
    clock.advance(seconds=0.79 * 86_400)
    assert [each[2:] for each in everybody(room)] == [[], [], []]
    clock.advance(seconds=0.02 * 86_400)
    assert [each[2:] for each in everybody(room)] == [["reminder"], [], ["reminder"]]


def test_reading_the_list_ends_no_reminder(room: Room, clock: SimulatedClock) -> None:
    """cases.md R106: who only looks on misses nothing."""
    settle(room.id)
    page = reading.notices(room.players[0], "en")
    reading.mark_read(room.players[0], page.items[0].number)
    clock.advance(seconds=0.81 * 86_400)
    assert told(room.players[0], room.id)[2:] == ["reminder"]


def test_a_reminder_follows_a_deadline_that_moves(room: Room, clock: SimulatedClock) -> None:
    with commands.locked(room.id) as host:
        host.pause("agreement", 10 * 86_400_000)
    settle(room.id)
    clock.advance(seconds=86_000)
    assert "reminder" not in told(room.players[0], room.id)
    clock.advance(seconds=9.5 * 86_400)
    assert told(room.players[0], room.id)[2:] == ["paused", "resumed"]
    clock.advance(seconds=0.4 * 86_400)
    assert told(room.players[0], room.id)[2:] == ["paused", "resumed", "reminder"]


def test_a_reminder_waits_while_the_table_is_suspended(room: Room, clock: SimulatedClock) -> None:
    settle(room.id)
    Table.objects.filter(id=room.id).update(suspended_at="2026-01-01T00:00Z")
    clock.advance(seconds=0.81 * 86_400)
    assert told(room.players[0], room.id)[2:] == []
    Table.objects.filter(id=room.id).update(suspended_at=None)
    clock.advance(seconds=601)
    assert told(room.players[0], room.id)[2:] == ["reminder"]


def by_the_rules(room: Room) -> None:
    room.play_on()


def by_resigning(room: Room) -> None:
    for seat in range(3):
        if room.row.status == "playing":
            room.resign(seat)


def by_a_vote(room: Room) -> None:
    commands.call_vote(room.players[0], room.id, NewVote(motion="abandon"))
    commands.cast_vote(room.players[1], room.id, 1, Ballot(in_favour=True))


def by_waiting(room: Room) -> None:
    with commands.locked(room.id) as host:
        host.abandon("abandoned_idle")


@pytest.mark.parametrize("end", [by_the_rules, by_resigning, by_a_vote, by_waiting])
def test_every_end_of_a_game_is_told_once_to_each_seat(room: Room, end: Callable[[Room], None]) -> None:
    end(room)
    assert room.row.status == "finished"
    for each in everybody(room):
        assert each.count("finished") == 1
        assert each[-1] == "finished"


def test_the_notice_of_an_end_says_who_has_won(room: Room) -> None:
    by_resigning(room)
    winner = room.row.outcome["winners"]
    name = Player.objects.get(tenures__table=room.id, tenures__seat=winner[0]).name
    settle(room.id)

    for locale, told_so in (("en", f"and won by {name} ("), ("es", f"con victoria de {name} (")):
        assert len(winner) == 1
        for player in room.players:
            last = reading.notices(player, locale).items[0]
            assert (last.what, told_so in last.text) == ("finished", True), last.text


def test_bots_alike_are_told_apart_where_they_have_won() -> None:
    wanted = NewTable(game="arrecife", bots=["reader", "reader", "random"])
    opened = commands.open_table(new_player(), wanted).answer
    table = Table.objects.get(id=opened.id)  # type: ignore[attr-defined]
    table.outcome = {"winners": [1, 2, 3], "ranks": [4, 1, 1, 1], "scores": None, "reason": "last_alive"}

    told = ending(table, "es")

    assert told is not None
    assert "Lector 1, Lector 2" in told
    table.game = "a game that is offered no more"
    assert ending(table, "es") is None


def test_a_winner_who_is_gone_has_no_name_in_the_notice(room: Room) -> None:
    by_resigning(room)
    settle(room.id)
    (seat,) = room.row.outcome["winners"]
    Tenure.objects.filter(table=room.id, seat=seat).update(player=None)
    reader = next(each for at, each in enumerate(room.players) if at != seat)

    assert f"(seat {seat})" in reading.notices(reader, "en").items[0].text


def test_an_end_by_time_outs_is_told_once_to_each_seat(clock: SimulatedClock) -> None:
    room = open_room(seconds=600, on_timeout="forfeit")
    while room.row.status == "playing":
        room.let_time_pass(clock)
    for each in everybody(room):
        assert each.count("finished") == 1
    assert sum(each.count("timed_out") for each in everybody(room)) >= 2


def waiting_table(*more: uuid.UUID, starts: str = "when_full") -> Room:
    host = new_player()
    body = NewTable(game="probe", seats=3, starts=starts)  # type: ignore[arg-type]
    opened: Any = msgspec.to_builtins(commands.open_table(host, body).answer)
    room = Room(uuid.UUID(opened["id"]), [host, *more], new_player())
    for player in more:
        commands.join(player, room.id, Join())
    return room


def test_a_table_that_is_closed_without_a_game_tells_those_who_waited() -> None:
    room = waiting_table(new_player())
    with commands.locked(room.id) as host:
        lobby.stop_waiting(host)
    assert room.row.status == "closed"
    assert everybody(room) == [["closed"], ["closed"]]


def test_who_does_not_say_to_be_there_is_told_first_and_last(clock: SimulatedClock) -> None:
    room = waiting_table(new_player())
    clock.advance(seconds=2 * 86_400)
    last = new_player()
    commands.join(last, room.id, Join())
    assert told(room.players[0], room.id) == ["presence_asked"]
    commands.confirm_presence(room.players[0], room.id)
    clock.advance(seconds=86_401)
    with commands.locked(room.id):
        pass
    assert told(room.players[1], room.id) == ["presence_asked", "seat_lost"]
    assert told(room.players[0], room.id) == ["presence_asked"]


def test_a_seat_that_changes_hands_is_told_to_all_and_to_who_had_it(room: Room) -> None:
    settle(room.id)
    with commands.locked(room.id) as host:
        absences.replace(host, 1, "absent", bot=absences.stand_in(host))
    assert [each[2:] for each in everybody(room)] == [["replaced"], ["replaced_absent"], ["replaced"]]


def test_who_is_absent_is_told_how_the_game_ends(room: Room) -> None:
    settle(room.id)
    with commands.locked(room.id) as host:
        absences.replace(host, 1, "absent", bot=absences.stand_in(host))
    with commands.locked(room.id) as host:
        host.abandon("abandoned_idle")
    assert all(each.count("finished") == 1 for each in everybody(room))


def test_who_was_voted_out_is_told_and_no_more_after_that(room: Room) -> None:
    settle(room.id)
    commands.call_vote(room.players[0], room.id, NewVote(motion="replace", seat=1))
    commands.cast_vote(room.players[2], room.id, 1, Ballot(in_favour=True))
    by_waiting(room)
    assert [each[2:] for each in everybody(room)] == [
        ["replaced", "finished"],
        ["replaced_voted"],
        ["replaced", "finished"],
    ]


def test_a_vote_is_told_to_those_who_may_take_part(room: Room) -> None:
    settle(room.id)
    commands.call_vote(room.players[0], room.id, NewVote(motion="abandon"))
    assert [each[2:] for each in everybody(room)] == [[], ["vote_called"], ["vote_called"]]


@pytest.mark.parametrize(("reason", "prefix"), [("agreement", ""), ("staff", "staff_")])
def test_a_pause_is_told_and_so_is_its_end(
    room: Room, clock: SimulatedClock, reason: str, prefix: str
) -> None:
    settle(room.id)
    with commands.locked(room.id) as host:
        host.pause(reason, 3 * 86_400_000)
    assert [each[2:] for each in everybody(room)] == [[f"{prefix}paused"]] * 3
    clock.advance(seconds=3 * 86_400)
    assert [each[2:4] for each in everybody(room)] == [[f"{prefix}paused", f"{prefix}resumed"]] * 3


def test_a_pause_that_ends_early_ends_once(room: Room, clock: SimulatedClock) -> None:
    settle(room.id)
    with commands.locked(room.id) as host:
        host.pause("staff", 3600_000)
    settle(room.id)
    with commands.locked(room.id) as host:
        host.add(messages.Resumed(reason="staff", seat=None, since=host.table.pauses[0].since), actor="staff")
        host.set_deadline()
    clock.advance(seconds=3601)
    assert told(room.players[0], room.id)[2:] == ["staff_paused", "staff_resumed"]


def test_clocks_that_still_stand_are_not_told_to_run(room: Room, clock: SimulatedClock) -> None:
    """Staff stop the clocks for two days, and the players agree on a day more meanwhile."""
    with commands.locked(room.id) as host:
        host.pause("agreement", 4 * 86_400_000)
        host.pause("staff", 86_400_000, actor="staff")
    settle(room.id)
    room.wait(clock, 86_400 + 60)
    assert "staff_resumed" not in told(room.players[0], room.id)
    room.wait(clock, 3 * 86_400)

    assert told(room.players[0], room.id).count("resumed") == 1


def test_staff_who_let_the_clocks_run_leave_the_end_of_another_pause_to_be_told(
    room: Room, clock: SimulatedClock
) -> None:
    with commands.locked(room.id) as host:
        host.pause("agreement", 4 * 86_400_000)
        host.pause("staff", 6 * 86_400_000, actor="staff")
    settle(room.id)
    staff.resume(room.id, "mended")
    assert told(room.players[0], room.id)[2:] == ["paused", "staff_paused"]
    room.wait(clock, 4 * 86_400 + 60)

    assert told(room.players[0], room.id)[2:] == ["paused", "staff_paused", "resumed"]


def test_that_a_table_is_suspended_is_told_to_those_who_sit_there(clock: SimulatedClock) -> None:
    room = open_room("bomb", seconds=60)
    for wait in (60, *sweeps.BACKOFF_SECONDS):
        room.wait(clock, wait + 1)
    assert room.row.suspended_at is not None

    assert [each.count("suspended") for each in everybody(room)] == [1, 1, 1]
    staff.resume(room.id, "mended")
    assert told(room.players[0], room.id)[-1] == "staff_extended"


def test_a_vacation_is_told_to_the_others_and_its_end_to_who_takes_it(
    room: Room, clock: SimulatedClock
) -> None:
    """cases.md R34: nobody's clock starts again without a word."""
    settle(room.id)
    vacations.book(room.players[1], NewVacation())
    commands.take_up_vacations(room.id)
    assert [each[2:] for each in everybody(room)] == [["away"], [], ["away"]]
    clock.advance(seconds=13 * 86_400 - 60)
    assert told(room.players[1], room.id)[2:] == []
    clock.advance(seconds=120)
    assert told(room.players[1], room.id)[2:] == ["vacation_ends"]


def test_who_comes_back_early_is_not_told_that_the_vacation_ends(room: Room, clock: SimulatedClock) -> None:
    settle(room.id)
    booked: Any = vacations.book(room.players[1], NewVacation()).answer
    commands.take_up_vacations(room.id)
    settle(room.id)
    vacations.end(room.players[1], uuid.UUID(booked.id))
    commands.take_up_vacations(room.id)
    assert [each[2:] for each in everybody(room)] == [["away", "back"], [], ["away", "back"]]
    clock.advance(seconds=13 * 86_400 + 60)
    assert "vacation_ends" not in told(room.players[1], room.id)


def test_of_the_messages_at_a_table_one_is_unread_at_a_time(room: Room) -> None:
    settle(room.id)
    private.mute(room.players[2], str(room.players[0]))
    for text in ("Hello!", "Anybody?"):
        talk.say(room.players[0], room.id, text)
    assert [each[2:] for each in everybody(room)] == [[], ["message"], []]
    talk.say(room.players[1], room.id, "Yes.")
    assert [each[2:] for each in everybody(room)] == [["message"], ["message"], ["message"]]


def test_what_was_read_at_the_table_is_not_told(room: Room) -> None:
    settle(room.id)
    said: Any = talk.say(room.players[0], room.id, "Hello!").answer
    talk.mark_read(room.players[1], room.id, said.position)
    assert told(room.players[1], room.id)[2:] == []


def test_a_message_that_is_hidden_is_told_to_who_said_it(room: Room) -> None:
    settle(room.id)
    said: Any = talk.say(room.players[0], room.id, "Hello!").answer
    moderation.hide(room.id, said.position, "spam")
    assert told(room.players[0], room.id)[2:] == ["message_hidden"]


def test_a_message_waits_for_no_move_and_no_move_for_a_message(room: Room) -> None:
    """The outbox holds no lock of the table's row, though both write to it."""

    def say() -> None:
        try:
            talk.say(room.players[0], room.id, "While a move is being made.")
        finally:
            connection.close()

    with commands.locked(room.id), ThreadPoolExecutor(1) as pool:
        pool.submit(say).result(timeout=10)


def test_the_same_is_written_once(room: Room) -> None:
    for _ in range(2):
        tell(room.players[0], room.id, "invited", position=7, seat=1)
    found = Outbox.objects.filter(table=room.id, detail__what="invited")
    assert found.count() == 1


def test_what_was_told_is_not_told_again(room: Room) -> None:
    """A row that is done again, as after a restore, finds its own notice."""
    settle(room.id)
    before = everybody(room)
    assert Notice.objects.filter(table=room.id).count() == 6
    assert set(Notice.objects.filter(table=room.id).values_list("id", flat=True)) <= set(
        Outbox.objects.filter(table=room.id).values_list("id", flat=True)
    )
    Outbox.objects.filter(table=room.id, detail__what="started").update(done_at=None)
    assert everybody(room) == before


def test_what_was_done_long_ago_is_forgotten_but_not_what_a_running_table_told(room: Room) -> None:
    ended = open_room()
    for seat in range(2):
        ended.resign(seat)
    everybody(room)
    everybody(ended)
    recent = open_room()
    for seat in range(2):
        recent.resign(seat)
    everybody(recent)
    old = Outbox.objects.filter(table__in=[room.id, ended.id])
    before = old.filter(table=room.id).count()
    old.update(done_at=datetime.now(UTC) - timedelta(days=31))

    while prune():
        pass

    assert not old.filter(table=ended.id).exists()
    assert old.filter(table=room.id).count() == before > 0
    assert Outbox.objects.filter(table=recent.id).exists()


def test_what_fails_holds_up_only_its_own_table_and_player(room: Room) -> None:
    mine = Outbox.objects.filter(table=room.id, audience=f"player:{room.players[0]}")
    broken = Outbox.objects.filter(id=mine.get(detail__what="started").id)
    broken.update(detail={"what": "no such thing"})
    while delivering.deliver():
        pass
    assert [list(_told(player, room.id)) for player in room.players] == [
        [],
        ["started", "your_turn"],
        ["started", "your_turn"],
    ]
    assert broken.get().attempts > 0
    broken.update(detail={"what": "started"}, next_attempt_at="2026-01-01T00:00Z")
    assert told(room.players[0], room.id) == ["started", "your_turn"]


def test_many_who_tell_at_once_tell_each_thing_once_and_in_order() -> None:
    rooms = [open_room(seconds=86_400) for _ in range(4)]
    for each in rooms:
        each.pick(0, 1, 2)
        talk.say(each.players[0], each.id, "Hello!")

    def work() -> None:
        try:
            delivering.deliver()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        for each in [pool.submit(work) for _ in range(6)]:
            each.result(timeout=30)
    for room in rooms:
        for seat, player in enumerate(room.players):
            settle(room.id)
            found = Notice.objects.filter(mailbox=player).order_by("number")
            assert [each.number for each in found] == list(range(1, len(found) + 1))
            assert list(_told(player, room.id)) == [
                "started",
                *(["your_turn"] if seat == room.host.state.active else []),
                *(["message"] if seat else []),
            ]


def test_numbers_have_no_gaps(room: Room) -> None:
    everybody(room)
    numbers = Notice.objects.filter(mailbox=room.players[0]).order_by("number")
    assert list(numbers.values_list("number", flat=True)) == [1, 2]


def test_bots_are_told_nothing(room: Room) -> None:
    with commands.locked(room.id) as host:
        absences.replace(host, 1, "absent", bot=absences.stand_in(host))
    bots = Tenure.objects.filter(table=room.id, player__isnull=True)
    assert bots.exists()
    receivers = set(Outbox.objects.filter(table=room.id, kind="notice").values_list("audience", flat=True))
    assert receivers == {f"player:{each}" for each in room.players}


def _told(player: uuid.UUID, table: uuid.UUID) -> list[str]:
    found = Notice.objects.filter(mailbox=player, table=table).order_by("number")
    return list(found.values_list("what", flat=True))
