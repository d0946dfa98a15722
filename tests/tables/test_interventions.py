"""What staff do at a table: said in the log with a reason, seen by the players, and proved like all else."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from events import store
from events.guards import APPEND
from tables import aside, queries, staff
from tables.interventions import StaffPeeked, Suspended
from tables.models import Seed
from tables.shapes import ClockChoice
from tables.sweeps import BACKOFF_SECONDS, sweep
from tests.notices.people import told
from tests.services import SimulatedClock
from tests.tables.rooms import Room, open_room, running_room

TURN_SECONDS = 60


def run(command: str, room: Room, *arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command(command, str(room.id), *map(str, arguments), stdout=out, **{"reason": "dispute"} | options)
    return out.getvalue()


def suspend(clock: SimulatedClock) -> Room:
    """Return a table that was suspended because its turn cannot be resolved."""
    room = open_room("bomb", seconds=TURN_SECONDS)
    fail(clock)
    assert room.row.suspended_at is not None
    return room


def fail(clock: SimulatedClock) -> None:
    """Let as many attempts fail as it takes."""
    for wait in (TURN_SECONDS, *BACKOFF_SECONDS):
        clock.advance(seconds=wait)
        while sweep("test"):
            pass


# --- Suspension ---------------------------------------------------------------------------------


def test_a_suspension_and_its_end_are_events_with_actor_and_reason(clock: SimulatedClock) -> None:
    room = suspend(clock)
    (suspended,) = room.headers("table.suspended")
    assert (suspended.actor, suspended.public) == ("table", {"reason": "unresolved"})
    assert room.row.version == suspended.seq
    room.prove()
    clock.advance(seconds=3600)

    assert run("resume_table", room, reason="fault") == "The clocks run again.\n"

    reinstated, extended, clocks = room.headers(after=suspended.seq)
    assert (reinstated.type, reinstated.actor) == ("table.reinstated", "staff")
    assert reinstated.public == {"reason": "fault", "since": suspended.at}
    assert (extended.public["since"], extended.public["until"]) == (suspended.at, reinstated.at)
    assert extended.public["reason"] == "suspension"
    assert clocks.type == "clock.deadline_set"
    assert room.row.suspended_at is None
    room.prove()


def test_a_table_is_suspended_even_where_its_log_takes_nothing(
    clock: SimulatedClock, superuser_url: str
) -> None:
    """Nobody may append for a while; what the log could not be told then, the end of it tells."""
    room = open_room(seconds=TURN_SECONDS)
    with psycopg.connect(superuser_url, autocommit=True) as superuser:
        superuser.execute(f"REVOKE EXECUTE ON FUNCTION {APPEND} FROM posta_app".encode())
        try:
            fail(clock)
        finally:
            superuser.execute(f"GRANT EXECUTE ON FUNCTION {APPEND} TO posta_app".encode())
    assert room.row.suspended_at is not None
    assert "table.suspended" not in room.types()

    staff.resume(room.id, "mended")

    assert room.last("table.reinstated")["since"] == room.last("clock.deadline_extended")["since"]
    room.prove()


def test_a_suspension_is_recorded_without_any_snapshot() -> None:
    room = open_room()
    store.drop_snapshots(room.stream)

    aside.append(room.id, Suspended(reason="unresolved"), actor="table")

    assert room.row.version == room.host.version
    assert room.host.table.suspended_at == room.headers("table.suspended")[0].at
    room.prove()


def test_staff_end_a_game_that_is_suspended(clock: SimulatedClock) -> None:
    room = suspend(clock)

    run("end_game", room, annul=True, reason="fault")

    assert room.row.suspended_at is None
    assert room.row.outcome == {"winners": [], "places": [1, 1, 1], "scores": None, "reason": "annulled"}
    room.prove()


# --- Rulings ------------------------------------------------------------------------------------


def test_a_pause_and_its_end_are_said_before_they_are_done(clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    before = room.row.version
    run("pause_table", room, 48)
    room.wait(clock, 3600)
    run("resume_table", room, reason="mended")

    said = [each for each in room.headers(after=before) if each.type != "clock.deadline_set"]
    assert [each.type for each in said] == [
        "table.ruling_made",
        "clock.paused",
        "table.ruling_made",
        "clock.resumed",
    ]
    assert {each.actor for each in said} == {"staff"}
    assert said[0].public == {"by": "staff", "ruling": "pause", "seat": None, "reason": "dispute"}
    assert said[2].public == {"by": "staff", "ruling": "resume", "seat": None, "reason": "mended"}
    room.prove()


@pytest.mark.parametrize(
    "choice",
    [ClockChoice(seconds=600), ClockChoice(kind="budget", initial=600, increment=60)],
    ids=lambda choice: choice.kind,
)
def test_more_time_is_added_to_the_clocks_that_run(clock: SimulatedClock, choice: ClockChoice) -> None:
    room = open_room("arrecife", seats=3, settings={"clock": choice})
    due = room.row.deadline_at
    room.wait(clock, 300)
    assert due is not None

    run("extend_deadline", room, 2)

    extended = room.row.deadline_at
    assert extended is not None
    assert (extended - due).total_seconds() == 7200
    room.wait(clock, 7200 + 299)
    assert "clock.expired" not in room.types()
    room.wait(clock, 2)
    assert "clock.expired" in room.types()
    room.prove()


def test_a_deadline_is_not_put_off_without_end(clock: SimulatedClock) -> None:
    """cases.md R26: however often somebody asks, nobody has more than the longest turn lasts."""
    room = open_room("arrecife", seats=3, seconds=43_200)
    run("extend_deadline", room, 700)
    with pytest.raises(CommandError, match=r"cannot be extended, for its hours: .* 8 or less\."):
        run("extend_deadline", room, 9)
    run("extend_deadline", room, 8)
    room.wait(clock, 7_200)
    run("extend_deadline", room, 1)
    with pytest.raises(CommandError, match=r" 1 or less\."):
        run("extend_deadline", room, 2)
    room.prove()


def test_a_turn_without_end_cannot_be_extended() -> None:
    room = open_room("arrecife", seats=3, seconds=None)
    with pytest.raises(CommandError, match=r"cannot be extended: The open turn has no deadline\."):
        run("extend_deadline", room, 2)


def test_a_game_is_adjudicated_with_a_place_for_each_seat() -> None:
    room = running_room("arrecife", 5, seats=4)

    assert run("end_game", room, places=[2, 1, 2, 4]) == "The game is over.\n"

    ruling, finished, seed = room.headers()[-3:]
    assert ruling.public["ruling"] == "adjudicate"
    assert finished.public == {
        "winners": [1],
        "places": [2, 1, 2, 4],
        "scores": None,
        "reason": "adjudicated",
    }
    assert seed.type == "table.seed_revealed"
    room.prove()


@pytest.mark.parametrize("places", [[1, 2], [1, 2, 2, 3], [2, 2, 3, 4], [1, 1, 2, 3], [0, 1, 2, 3]])
def test_places_that_cannot_be_are_refused(places: list[int]) -> None:
    room = open_room("arrecife", seats=4)
    before = room.row.version
    with pytest.raises(CommandError, match="cannot be ended, for its places"):
        run("end_game", room, places=places)
    assert (room.row.status, room.row.version) == ("playing", before)


def test_a_ruling_at_a_table_that_does_not_play_is_refused() -> None:
    room = running_room("probe", 2)
    run("end_game", room, annul=True)
    for command, *more in (("pause_table", 2), ("extend_deadline", 2), ("remove_player", 0)):
        with pytest.raises(CommandError, match="no game under way"):
            run(command, room, *more)
    with pytest.raises(CommandError, match="no game under way"):
        run("end_game", room, annul=True)


@pytest.mark.parametrize("end", ["staff", "players"])
def test_a_pause_ends_with_its_game(end: str) -> None:
    room = open_room("reafan")
    staff.pause(room.id, "dispute", hours=48)
    if end == "staff":
        staff.annul(room.id, "fault")
    else:
        room.resign(0)
    before = room.row.version

    assert not staff.resume(room.id, "mended")

    assert (room.row.version, room.view(0).pauses) == (before, [])
    room.prove()


def test_the_log_of_a_game_that_is_over_is_closed() -> None:
    room = open_room("reafan")
    room.resign(0)
    before = room.row.version
    with pytest.raises(AssertionError, match="its log is closed"):
        room.host.add(StaffPeeked(seat=None, reason="law"), actor="staff")
    with pytest.raises(AssertionError, match="its log is closed"), transaction.atomic():
        aside.append(room.id, Suspended(reason="unresolved"), actor="table")
    assert len(room.headers()) == before


def test_a_reason_is_one_of_the_list() -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("pause_table", str(open_room().id), "2", "--reason", "because Ana asked")


def test_players_are_told_of_what_staff_do(no_drivers: None, clock: SimulatedClock) -> None:
    room = open_room(seconds=86_400)
    run("extend_deadline", room, 2)
    run("peek", room)
    run("end_game", room, annul=True)
    assert told(room.players[1], room.id)[-3:] == ["time_added", "peeked", "ended_by_ruling"]


def test_players_read_who_decided_what_and_why() -> None:
    room = open_room("arrecife", seats=3)
    run("pause_table", room, 2, reason="law")
    run("peek", room, seat=2)
    sentences = {
        locale: [
            each.sentence for each in queries.narration(room.players[0], room.id, locale, limit=99).items
        ]
        for locale in ("en", "es")
    }
    assert "Ruling of staff: the clocks are stopped (a demand by law)." in sentences["en"]
    assert "Decisión del equipo: se paran los relojes (una exigencia legal)." in sentences["es"]
    assert sentences["en"][-1].startswith("Staff look at what player-")


# --- Peeks --------------------------------------------------------------------------------------


def test_a_peek_is_in_the_log_before_anything_is_shown() -> None:
    room = running_room("reafan", 4)
    shown = [json.loads(line) for line in run("peek", room, seat=1, reason="law").splitlines()]

    (peeked,) = room.headers("table.staff_peeked")
    assert (peeked.actor, peeked.public) == ("staff", {"seat": 1, "reason": "law"})
    ((seat, view),) = [(each["seat"], each["view"]) for each in shown]
    assert seat == 1
    assert view == json.loads(json.dumps(room.view(1).data))
    assert room.row.version == peeked.seq
    room.prove()


def test_a_whole_peek_shows_every_hidden_item_and_never_the_seed() -> None:
    room = running_room("reafan", 4)
    out = run("peek", room)

    shown = [json.loads(line) for line in out.splitlines()]
    assert [each["seat"] for each in shown if "view" in each] == [0, 1]
    items = [each for each in shown if "item" in each]
    assert len({each["item"]["card"] for each in items if "card" in each["item"]}) > 30
    assert bytes(Seed.objects.get(table=room.id).seed).hex() not in out


def test_nothing_is_shown_where_the_log_cannot_be_told(superuser_url: str) -> None:
    room, out = running_room("reafan", 4), StringIO()
    with pytest.raises(
        CommandError, match=r"Nothing is shown, for its seat: This is out of range; possible: from 0 to 1\."
    ):
        call_command("peek", str(room.id), seat=2, reason="law", stdout=out)
    with psycopg.connect(superuser_url) as holder:
        holder.execute("SELECT FROM tables_table WHERE id = %s FOR UPDATE", [room.id])  # for too long
        with pytest.raises(CommandError, match="the database does not take it"):
            call_command("peek", str(room.id), reason="law", stdout=out)
        holder.rollback()
    assert out.getvalue() == ""
    assert "table.staff_peeked" not in room.types()


def test_a_suspended_table_can_be_looked_at(clock: SimulatedClock) -> None:
    room = suspend(clock)
    assert run("peek", room)
    assert room.types()[-1] == "table.staff_peeked"
    room.prove()


def test_of_a_game_that_is_over_nothing_is_hidden() -> None:
    room = running_room("probe", 2)
    run("end_game", room, annul=True)
    with pytest.raises(CommandError, match="Nothing is shown: There is no game under way"):
        run("peek", room)
