"""What endpoints are told, in which order, and what becomes of those that do not answer."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable

import psycopg
import pytest
from django.db import connection
from pytest_django.fixtures import Settings
from standardwebhooks import WebhookVerificationError

from events import store
from tables import commands, hosting, peeks
from tables.clock import milliseconds, moment
from tables.errors import WebhookPending, WebhookVerified
from tables.messages import ReplacementSought
from tables.models import Table, Tenure, WebhookDelivery, WebhookEndpoint
from tables.shapes import Join, NewTable, WebhookSecretAnswer
from tables.webhooks import deliveries, delivering, endpoints, sending, signing
from tables.webhooks.sending import Outcome
from tests.notices.people import told as notices_of
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room
from tests.webhooks.people import Subscription, create, subscribe
from tests.webhooks.receiver import Got, Receiver

pytestmark = pytest.mark.usefixtures("no_drivers")

TURN, STARTED, FINISHED, CHANGED = "turn.awaited", "table.started", "table.finished", "table.changed"
DAY = 86_400


def seated(player: uuid.UUID, seats: int = 3) -> Room:
    """Return a table at which a player has seat 1 and play has just begun: all are to pick."""
    host, last = new_player(), new_player()
    opened = commands.open_table(host, NewTable(game="probe", seats=seats))
    room = Room(uuid.UUID(str(getattr(opened.answer, "id", ""))), [host, player, last], new_player())
    for each in room.players[1:]:
        commands.join(each, room.id, Join())
    return room


def told(got: Iterable[Got]) -> list[tuple[str, int]]:
    return [(each.type, each.position) for each in got]


def settle(clock: SimulatedClock, one: Subscription, *, most: int = 20) -> list[int]:
    """Let time go from one attempt to the next until nothing waits; return the waits, in milliseconds."""
    waits: list[int] = []
    for _ in range(most):
        first = WebhookDelivery.objects.filter(endpoint=one.id, status="pending").order_by("id").first()
        if first is None:
            return waits
        assert first.next_attempt_at is not None
        due = max(first.next_attempt_at, one.row.busy_until or first.next_attempt_at)
        waits.append(milliseconds(due) - hosting.now_ms())
        clock.advance(seconds=waits[-1] / 1000 + 0.001)
        delivering.deliver()
    raise AssertionError(one.log("status", "attempts", "next_attempt_at"))


# --- What is told ----------------------------------------------------------------------------------


def test_a_delivery_is_thin_and_signed(receiver: Receiver) -> None:
    """api.md 3.8."""
    one = subscribe(new_player(), receiver)
    room = seated(one.player)

    delivering.deliver()

    (started,) = (each for each in receiver.at() if each.type == STARTED)
    (header,) = room.headers("table.started")
    assert list(started.told) == ["type", "timestamp", "data"]
    assert started.told["data"] == {"table_id": str(room.id), "position": header.seq}
    assert started.headers["content-type"] == "application/json"
    assert started.told["timestamp"].endswith("Z")
    for each in receiver.got:
        each.verify(one.secret)
    with pytest.raises(WebhookVerificationError):
        Got("/hook", started.headers, started.body.replace(b"started", b"stopped")).verify(one.secret)


def test_what_happens_at_a_table_in_the_order_of_its_log(receiver: Receiver) -> None:
    one = subscribe(new_player(), receiver)
    room = seated(one.player)
    at_start = room.row.version
    room.pick(0)
    room.pick(1, 2)
    commands.resign(room.players[0], room.id)
    commands.resign(room.players[2], room.id)

    delivering.deliver()

    (started,), (over,) = room.headers(STARTED), room.headers(FINISHED)
    deadlines = [each.seq for each in room.headers("clock.deadline_set")]
    got = told(receiver.at())
    assert got[:4] == [
        (CHANGED, got[0][1]),
        (STARTED, started.seq),
        (TURN, deadlines[0]),
        (CHANGED, at_start),
    ]
    assert [position for _, position in got] == sorted(position for _, position in got)
    assert got[-2:] == [(FINISHED, over.seq), (CHANGED, room.row.version)]
    assert [each for each in got if each[0] == TURN] == [(TURN, deadlines[0])] + [
        (TURN, each) for each in deadlines[1:] if (TURN, each) in got
    ]
    batches = {each.batch for each in store.read(room.stream, after=got[0][1])}
    assert [type_ for type_, _ in got].count(CHANGED) == len(batches) + 1
    assert len({each.id for each in receiver.at()}) == len(got)


def test_a_turn_is_told_once_and_to_who_is_awaited(receiver: Receiver) -> None:
    """A deadline that is set anew, for a pause, opens no turn."""
    one = subscribe(new_player(), receiver, TURN)
    room = seated(one.player)
    (opened,) = one.log("position")
    with commands.locked(room.id) as host:
        host.pause("staff", 3_600_000)
    assert len(room.headers("clock.deadline_set")) == 2
    assert one.log("position") == [opened]

    room.pick(0, 1, 2)

    *_, second = room.headers("clock.deadline_set")
    expected = [opened, second.seq] if 1 in room.row.awaited else [opened]
    assert one.log("position") == expected
    assert room.row.turn == 2


def test_who_is_awaited_next_is_told(receiver: Receiver) -> None:
    room = open_room()
    followers = [subscribe(each, receiver, TURN) for each in room.players]
    room.pick(0, 1, 2)
    (active,) = room.row.awaited
    assert [len(each.log("id")) for each in followers] == [int(seat == active) for seat in range(3)]


def test_only_what_is_followed_where_one_sits(receiver: Receiver) -> None:
    one = subscribe(new_player(), receiver, FINISHED)
    room, elsewhere = seated(one.player), open_room()
    for each in (room, elsewhere):
        commands.resign(each.players[0], each.id)
        commands.resign(each.players[2], each.id)

    delivering.deliver()

    assert [(each.type, each.told["data"]["table_id"]) for each in receiver.at()] == [
        (FINISHED, str(room.id))
    ]


def test_who_loses_a_seat_is_told_of_it_and_of_nothing_after(receiver: Receiver) -> None:
    player = new_player()
    room = seated(player)
    one = subscribe(player, receiver, CHANGED)
    with commands.locked(room.id) as host:
        host.add(ReplacementSought(seat=1, reason="absent"))
        position = host.version
        Tenure.objects.filter(table=room.id, seat=1).update(until=position)
        host.pause("staff", 3_600_000)
    room.pick(0)

    assert one.log("position") == [position]


def test_staff_who_look_are_told_of_too(receiver: Receiver) -> None:
    player = new_player()
    room = seated(player)
    one = subscribe(player, receiver, CHANGED)

    peeks.tell(room.id, "dispute", seat=None)

    assert one.log("position") == [room.row.version]
    assert room.types()[-1] == "table.staff_peeked"


def test_no_move_fails_or_waits_for_an_endpoint_that_is_being_deleted(
    receiver: Receiver, superuser_url: str
) -> None:
    one = subscribe(new_player(), receiver, CHANGED)
    room = seated(one.player)
    before = one.log("position")
    with psycopg.connect(superuser_url) as other:
        other.execute("SELECT FROM tables_webhookendpoint WHERE id = %s FOR UPDATE", [one.id])
        room.pick(0)
    assert one.log("position") == before

    room.pick(1)

    assert one.log("position") == [*before, room.row.version]


def test_what_an_endpoint_is_sent_waits_for_no_move(receiver: Receiver) -> None:
    """A command that has written a delivery, and is not over, keeps nobody from sending those before it."""
    one = subscribe(new_player(), receiver, STARTED, CHANGED)
    room = seated(one.player)
    waiting = len(one.log("id"))
    with commands.locked(room.id) as host:
        host.pause("staff", 3_600_000)
        host.save()
        sender = threading.Thread(target=_deliver_apart)
        sender.start()
        sender.join()
        assert len(receiver.at()) == waiting


# --- Whose it is -----------------------------------------------------------------------------------


def test_nothing_is_told_before_the_challenge_has_come_back(receiver: Receiver) -> None:
    receiver.is_honest = False
    one = create(new_player(), receiver.url())
    seated(one.player)
    delivering.deliver()
    (asked,) = receiver.got
    assert asked.type == "endpoint.challenge"
    asked.verify(one.secret)
    assert (one.row.status, one.log("type")) == ("unverified", [])
    (entry,) = deliveries.deliveries(one.player, one.id).items
    assert (entry.status, entry.error, entry.response_status) == ("pending", "no_challenge", 204)

    receiver.is_honest = True
    WebhookDelivery.objects.filter(endpoint=one.id).update(next_attempt_at=moment(0))
    WebhookEndpoint.objects.filter(id=one.id).update(busy_until=None)
    delivering.deliver()

    assert one.row.status == "active"
    assert receiver.got[0].id == receiver.got[1].id
    room = seated(one.player)
    assert one.log("type")[1:] == [STARTED, TURN, CHANGED]
    assert room.row.status == "playing"


def test_a_challenge_that_came_too_early_is_sent_again_on_demand(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    """The receiver was not up yet: its owner does not wait for the next attempt."""
    receiver.is_honest = False
    one = create(new_player(), receiver.url())
    delivering.deliver()
    clock.advance(seconds=10)
    delivering.deliver()
    (asked,) = deliveries.deliveries(one.player, one.id).items
    assert (asked.status, asked.attempts) == ("pending", 2)
    receiver.is_honest = True
    clock.advance(seconds=30)
    delivering.deliver()
    assert one.row.status == "unverified", "the next attempt is minutes away"

    deliveries.redeliver(one.player, one.id, uuid.UUID(asked.id))
    with pytest.raises(WebhookPending):
        deliveries.redeliver(one.player, one.id, uuid.UUID(asked.id))
    delivering.deliver()

    assert one.row.status == "active"
    with pytest.raises(WebhookVerified):
        deliveries.redeliver(one.player, one.id, uuid.UUID(asked.id))


def test_a_delivery_that_is_hastened_keeps_the_attempts_that_it_has_left(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    receiver.answer = lambda _: 500
    seated(one.player)
    for seconds in (0, 10):
        clock.advance(seconds=seconds)
        delivering.deliver()
    assert one.log("status", "attempts") == [("pending", 2)]
    clock.advance(seconds=30)
    deliveries.redeliver(one.player, one.id, uuid.UUID(receiver.at()[0].id))
    delivering.deliver()

    assert one.log("status", "attempts") == [("pending", 3)]


def test_an_endpoint_that_moves_is_asked_anew_and_what_waited_is_dropped(receiver: Receiver) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    seated(one.player)
    one.change(url=receiver.url("/moved"), label="new")
    assert (one.row.status, one.row.label, one.log("status")) == ("unverified", "new", ["dropped"])

    delivering.deliver()
    seated(one.player)
    delivering.deliver()

    assert one.row.status == "active"
    assert (len(receiver.at()), len(receiver.at("/moved"))) == (0, 1)


def test_an_answer_from_before_a_move_verifies_nothing(receiver: Receiver) -> None:
    """The challenge is on its way to the old address while the endpoint moves."""
    one = create(new_player(), receiver.url("/slow"))
    receiver.hold.clear()
    pass_ = threading.Thread(target=_deliver_apart)
    pass_.start()
    _until_asked(receiver, 1)
    one.change(url="http://127.0.0.1:9/nobody")
    receiver.hold.set()
    pass_.join()

    assert one.row.status == "unverified"


def _open_transactions() -> int:
    """Return how many sessions hold a transaction open, and do nothing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"
            " AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def _deliver_apart() -> None:
    try:
        delivering.deliver()
    finally:
        connection.close()


def _until_asked(receiver: Receiver, count: int) -> None:
    while len(receiver.got) < count:
        threading.Event().wait(0.01)


def test_an_endpoint_is_switched_off_and_on_by_its_owner(receiver: Receiver) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    seated(one.player)
    one.change(enabled=False)
    seated(one.player)
    delivering.deliver()
    assert (one.row.status, one.row.reason, one.log("status")) == ("disabled", "owner", ["dropped"])
    assert receiver.at() == []

    one.change(enabled=True)
    assert one.row.status == "unverified"
    delivering.deliver()
    seated(one.player)
    delivering.deliver()

    assert (one.row.status, len(receiver.at())) == ("active", 1)


# --- What fails ------------------------------------------------------------------------------------


def test_a_failure_is_tried_again_for_three_days_under_the_same_id(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    receiver.answer = lambda _: 500
    seated(one.player)
    delivering.deliver()

    waits = settle(clock, one)

    expected = [5, 300, 1800, *(each * 3600 for each in (2, 5, 10, 14, 20, 24))]
    assert len(waits) == len(expected)
    for wait, seconds in zip(waits, expected, strict=True):
        assert seconds * 1000 - 60_000 <= wait <= max(seconds * 1200, 300_000)
    assert one.log("status", "attempts", "error", "response_status") == [("failed", 10, "bad_status", 500)]
    assert len({each.id for each in receiver.at()}) == 1
    assert len({each.body for each in receiver.at()}) == 1
    for each in receiver.at():
        each.verify(one.secret)
    assert one.row.status == "active"


def test_a_table_keeps_its_order_while_others_go_on(receiver: Receiver, clock: SimulatedClock) -> None:
    """What comes after a failure waits for it; another table does not."""
    one = subscribe(new_player(), receiver, CHANGED)
    first, second = seated(one.player), seated(one.player)
    bad = str(first.id)
    receiver.answer = lambda got: 500 if got.told["data"]["table_id"] == bad else 204
    first.pick(0)
    second.pick(0)
    for _ in range(3):
        delivering.deliver()
        clock.advance(seconds=21)
    delivering.deliver()
    good = [each.position for each in receiver.at() if each.told["data"]["table_id"] != bad]
    tried = {each.position for each in receiver.at() if each.told["data"]["table_id"] == bad}
    assert good == sorted(good)
    assert good[-1] == second.row.version
    assert len(tried) == 1

    receiver.answer = lambda _: 204
    clock.advance(seconds=400)
    delivering.deliver()

    assert set(one.log("status")) == {"delivered"}
    got = [each.position for each in receiver.at() if each.told["data"]["table_id"] == bad]
    assert sorted(got) == got
    assert got[-1] == first.row.version


def test_gone_is_switched_off_at_once_and_the_owner_is_told(receiver: Receiver) -> None:
    one = subscribe(new_player(), receiver)
    room = seated(one.player)
    receiver.answer = lambda _: 410

    delivering.deliver()

    assert len(receiver.at()) == 1
    assert (one.row.status, one.row.reason) == ("disabled", "gone")
    first, *others = one.log("status", "error")
    assert first == ("failed", "bad_status")
    assert others
    assert {status for status, _ in others} == {"dropped"}
    assert "webhook_off" in notices_of(one.player, room.id)
    seated(one.player)
    assert len(one.log("status")) == 1 + len(others)


@pytest.mark.long
def test_who_fails_for_five_days_is_switched_off_and_told(receiver: Receiver, clock: SimulatedClock) -> None:
    one = subscribe(new_player(), receiver, CHANGED)
    receiver.answer = lambda _: 503
    room = seated(one.player)
    delivering.deliver()
    began = hosting.now_ms()

    settle(clock, one, most=60)

    assert (one.row.status, one.row.reason) == ("disabled", "failing")
    assert hosting.now_ms() - began >= 5 * DAY * 1000
    assert notices_of(one.player, room.id).count("webhook_off") == 1
    assert notices_of(room.players[0], room.id).count("webhook_off") == 0


def test_a_success_in_between_begins_the_five_days_anew(receiver: Receiver, clock: SimulatedClock) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    for answer in (503, 204, 503):
        receiver.answer = lambda _, status=answer: status  # type: ignore[misc]
        clock.advance(seconds=3 * DAY)
        seated(one.player)
        delivering.deliver()
    assert one.row.status == "active"
    assert one.row.failing_since is not None
    assert one.row.failing_since > moment(hosting.now_ms() - 1000 * DAY)


def test_an_endpoint_that_fails_is_left_alone_for_a_while(receiver: Receiver, clock: SimulatedClock) -> None:
    """However many tables have something for it."""
    one = subscribe(new_player(), receiver, STARTED)
    receiver.answer = lambda _: 500
    for _ in range(6):
        seated(one.player)
    delivering.deliver()
    assert len(receiver.at()) == 1
    clock.advance(seconds=6)
    delivering.deliver()
    assert len(receiver.at()) == 2
    clock.advance(seconds=6)
    delivering.deliver()
    assert len(receiver.at()) == 2


def test_a_slow_endpoint_holds_up_nobody(receiver: Receiver) -> None:
    """Neither others, nor its own table's lock, nor a transaction."""
    slow = subscribe(new_player(), receiver, STARTED, CHANGED, path="/slow")
    quick = subscribe(new_player(), receiver, STARTED, path="/quick")
    receiver.hold.clear()
    room = seated(slow.player)
    pass_ = threading.Thread(target=_deliver_apart)
    pass_.start()
    while not receiver.at("/slow"):
        threading.Event().wait(0.01)
    room.pick(0, 1)
    seated(quick.player)

    receiver.wait_for(1, "/quick")

    assert len(receiver.at("/slow")) == 1
    while _open_transactions():  # of the pass, which looks for more; not for as long as somebody is called
        threading.Event().wait(0.01)
    receiver.hold.set()
    pass_.join()
    assert set(slow.log("status")) == {"delivered"}


def test_two_who_send_at_once_send_nothing_twice(receiver: Receiver) -> None:
    """Celery and the daemon."""
    one = subscribe(new_player(), receiver)
    room = seated(one.player)
    room.pick(0, 1, 2)
    passes = [threading.Thread(target=_deliver_apart) for _ in range(3)]
    for each in passes:
        each.start()
    for each in passes:
        each.join()

    assert told(receiver.at()) == one.log("type", "position")
    assert set(one.log("attempts")) == {1}


def test_who_dies_while_sending_leaves_an_attempt_that_is_made_again(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    """At least once, under the same id; nobody else tries before the lease is over."""
    one = subscribe(new_player(), receiver, STARTED)
    seated(one.player)
    (claimed,) = delivering._claim(is_failing=False, most=10)
    delivering.deliver()
    assert receiver.at() == []

    clock.advance(seconds=delivering.LEASE_SECONDS + 1)
    delivering.deliver()

    assert [each.id for each in receiver.at()] == [str(claimed.message)]
    assert one.log("status", "attempts") == [("delivered", 2)]
    delivering._record(claimed.id, Outcome("timeout"), 10_000)  # the dead one was only slow
    assert one.log("status") == ["delivered"]


def test_a_local_address_is_refused_where_the_settings_do_not_allow_it(
    receiver: Receiver, settings: Settings
) -> None:
    """An endpoint of a time when they did."""
    one = subscribe(new_player(), receiver, STARTED)
    settings.WEBHOOKS_TO_LOOPBACK = False
    seated(one.player)
    delivering.deliver()
    assert receiver.at() == []
    assert one.log("status", "error") == [("pending", "bad_address")]


# --- Secrets, and once more ------------------------------------------------------------------------


def test_two_signatures_while_a_secret_is_replaced(receiver: Receiver, clock: SimulatedClock) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    rotated = endpoints.rotate(one.player, one.id).answer
    assert isinstance(rotated, WebhookSecretAnswer)
    seated(one.player)
    delivering.deliver()
    (both,) = receiver.at()
    both.verify(one.secret)
    both.verify(rotated.secret)
    assert len(both.headers["webhook-signature"].split(" ")) == 2

    clock.advance(seconds=signing.OVERLAP_HOURS * 3600 + 1)
    seated(one.player)
    delivering.deliver()

    _, later = receiver.at()
    later.verify(rotated.secret)
    assert len(later.headers["webhook-signature"].split(" ")) == 1
    with pytest.raises(WebhookVerificationError):
        later.verify(one.secret)


def test_a_copy_of_the_database_holds_no_secret(receiver: Receiver, settings: Settings) -> None:
    one = create(new_player(), receiver.url())
    salt = bytes(one.row.salt)
    assert signing.secret_of(salt) == one.secret
    settings.SECRET_KEY = "another server's"
    assert signing.secret_of(salt) != one.secret


def test_a_delivery_is_sent_once_more_under_its_id_and_not_tried_again(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    one = subscribe(new_player(), receiver, STARTED)
    seated(one.player)
    delivering.deliver()
    (first,) = receiver.at()

    again = deliveries.redeliver(one.player, one.id, uuid.UUID(first.id))
    assert getattr(again.answer, "status", "") == "pending"
    delivering.deliver()
    assert [each.id for each in receiver.at()] == [first.id] * 2
    assert one.log("status", "attempts") == [("delivered", 2)]

    receiver.answer = lambda _: 500
    deliveries.redeliver(one.player, one.id, uuid.UUID(first.id))
    delivering.deliver()
    assert one.log("status", "attempts") == [("failed", 3)]
    clock.advance(seconds=DAY)
    delivering.deliver()
    assert len(receiver.at()) == 3


def test_what_was_settled_a_month_ago_is_forgotten_but_an_open_turn(
    receiver: Receiver, clock: SimulatedClock
) -> None:
    one = subscribe(new_player(), receiver)
    room = seated(one.player)
    delivering.deliver()
    clock.advance(seconds=31 * DAY)
    while delivering.prune():
        pass
    assert one.log("type") == [TURN]

    Table.objects.filter(id=room.id).update(status="finished")
    while delivering.prune():
        pass

    assert TURN not in one.log("type")


def test_the_bounds_of_an_attempt_are_shorter_than_the_lease() -> None:
    assert sending.CONNECT_SECONDS == 3
    assert sending.TOTAL_SECONDS == 10
    assert delivering.LEASE_SECONDS >= 2 * sending.TOTAL_SECONDS
    assert delivering.MOST_SECONDS + sending.TOTAL_SECONDS < 50  # the task's soft limit
