"""A mail leads to where its reader is awaited: each table has its address in the client, if it is seen."""

from __future__ import annotations

import re
import uuid

import pytest
from pytest_django.fixtures import Settings

from tables import commands, hosting
from tables.clock import moment
from tables.models import Mailbox, Notice, Outbox, Player, Table, Tenure
from tables.notices import words, writing
from tables.shapes import Join, NewOffer, NewTable
from tables.wording import LOCALES
from tests.notices.office import Office
from tests.notices.people import body, post, settle, subscribe
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room
from tests.tables.test_absences import vanish

pytestmark = pytest.mark.usefixtures("no_drivers")

SITE = "https://posta.example.org"


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.PUBLIC_URL = SITE


def link(table_id: uuid.UUID) -> str:
    """Return the address at which ``web/app.js`` shows a table."""
    return f"{SITE}/#/table/{table_id}"


@pytest.fixture(scope="module")
def room(database: None) -> Room:
    """A game of the probe that has just begun; nothing moves it."""
    return open_room(seconds=2_592_000)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("what", words.NOTICES)
def test_each_mail_of_one_notice_leads_to_its_table(room: Room, what: str, locale: str) -> None:
    player = room.players[0]
    Player.objects.filter(id=player).update(locale=locale)
    Mailbox.objects.get_or_create(player_id=player)
    mailbox = Mailbox.objects.select_related("player").get(player=player)
    facts = {"seat": 0, "turn": 1, "until": hosting.now_ms()}
    notice = Notice(
        id=uuid.uuid4(), mailbox=mailbox, table=room.row, number=1, kind=words.NOTICES[what].kind, what=what,
        facts=facts, created_at=moment(hosting.now_ms()),
    )  # fmt: skip

    mail = writing.notices_mail(mailbox, uuid.uuid4(), [notice])

    opens = {"en": "Open the table", "es": "Abrir la mesa"}[locale]
    assert f"\n{opens}: {link(room.id)}\n" in str(mail.body)
    ((html, _),) = mail.alternatives  # type: ignore[attr-defined]
    assert re.search(rf'<a href="{re.escape(link(room.id))}"[^>]*>{opens}</a>', html)


def test_a_digest_leads_to_each_of_its_tables(office: Office, clock: SimulatedClock) -> None:
    rooms = [open_room(seconds=2_592_000) for _ in range(2)]
    me = rooms[0].players[0]
    Tenure.objects.filter(table=rooms[1].id, seat=1).update(player=me)
    Outbox.objects.filter(table=rooms[1].id).update(done_at="2026-01-01T00:00Z")
    subscribe(me)
    for each in rooms:
        with commands.locked(each.id) as host:
            host.pause("staff", 3600_000)
        settle(each.id)

    post(clock)

    (mail,) = office.to(me)
    for text in (body(mail), body(mail, "html")):
        assert [text.count(link(each.id)) for each in rooms] == [1, 1]


def test_a_seat_offered_at_a_private_table_can_be_looked_at(office: Office, clock: SimulatedClock) -> None:
    room = open_room("arrecife", seats=3)
    Table.objects.filter(id=room.id).update(visibility="private")
    vanish(room, clock, 1)
    friend = new_player()
    subscribe(friend, locale="es")
    commands.offer_seat(room.players[0], room.id, 1, NewOffer(player=Player.objects.get(id=friend).name))
    settle(room.id)

    post(clock)

    (mail,) = office.to(friend)
    assert f"Abrir la mesa: {link(room.id)}" in body(mail).splitlines()
    assert link(room.id) in body(mail, "html")


def test_no_link_leads_to_a_table_that_its_reader_does_not_see(office: Office, clock: SimulatedClock) -> None:
    """Who has lost a seat at a private table before the start would find nothing there."""
    host, guest = new_player(), new_player()
    subscribe(guest)
    opened = commands.open_table(host, NewTable(game="probe", visibility="private")).answer
    table_id = uuid.UUID(opened.id)  # type: ignore[attr-defined]
    code = Table.objects.get(id=table_id).invite_code
    clock.advance(seconds=90_000)
    for each in (guest, new_player()):
        commands.join(each, table_id, Join(invite_code=code))
    settle(table_id)
    post(clock)
    clock.advance(seconds=90_000)
    Room(table_id, [host, guest], host).sweep()
    settle(table_id)

    post(clock)

    asked, lost = office.to(guest)
    assert link(table_id) in body(asked)
    assert "your seat is free again" in body(lost)
    assert "#/table/" not in body(lost) + body(lost, "html")
