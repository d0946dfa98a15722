"""What goes out by mail, through a real mail server: one mail for all that is due, and once."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest
from pytest_django.fixtures import Settings

from tables import catalogue, commands, hosting, talk
from tables.errors import BadCode
from tables.models import Mailbox, Notice, Outbox, Player, Table, Tenure
from tables.notices import addresses, choices, mailing, reading
from tables.shapes import EmailAnswer, KindChoice, TableChoice
from tests.notices.office import DyingBackend, Office, address_of
from tests.notices.people import body, name, post, settle, subscribe
from tests.services import SimulatedClock
from tests.tables.rooms import Room, open_room

DAY = 86_400


pytestmark = pytest.mark.usefixtures("no_drivers")


@pytest.fixture
def room() -> Room:
    """A game of the probe at which three people have just sat down: all are to pick, within 100 days."""
    return open_room(seconds=2_592_000)


def turns(room: Room, count: int) -> None:
    """Let so many turns pass by random moves at tables of the same people, and tell of them."""
    left = count
    while left > 0:
        before = room.row.turn
        room.play_on(1, seed=left)
        settle(room.id)
        left -= room.row.turn - before
        assert room.row.status == "playing", "the game was too short"


def subject(mail: EmailMessage) -> str:
    return str(mail["Subject"]).strip()


def test_a_turn_is_mailed_after_a_minute_in_text_and_html(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    title = name()
    Table.objects.filter(id=room.id).update(title=title)
    settle(room.id)
    subscribe(room.players[0])
    room.pick(1, 2)
    with commands.locked(room.id) as host:
        host.pause("agreement", 3600_000)
    settle(room.id)
    mailing.mail()
    assert office.to(room.players[0]) == []

    post(clock)

    (mail,) = office.to(room.players[0])
    assert subject(mail) == f"Paused: “{title}” (Probe)"
    assert (mail["From"], mail["To"]) == ("Posta <posta@example.org>", address_of(room.players[0]))
    assert mail["Content-Language"] == "en"
    assert mail["Auto-Submitted"] == "auto-generated"
    for text in (body(mail), body(mail, "html")):
        assert f"“{title}” (Probe)" in text
        assert "The clocks stand still until" in text
    assert '<html lang="en">' in body(mail, "html")
    post(clock)
    assert len(office.to(room.players[0])) == 1


def test_all_that_is_due_is_one_mail_grouped_by_table(office: Office, clock: SimulatedClock) -> None:
    rooms = [open_room(seconds=2_592_000) for _ in range(2)]
    me = rooms[0].players[0]
    for number, room in enumerate(rooms):
        Table.objects.filter(id=room.id).update(title=f"Room {number}")
    Tenure.objects.filter(table=rooms[1].id, seat=1).update(player=me)
    Outbox.objects.filter(table=rooms[1].id).update(done_at="2026-01-01T00:00Z")
    subscribe(me)
    talk.say(rooms[1].players[0], rooms[1].id, "Hello!")
    for room in rooms:
        settle(room.id)
    with commands.locked(rooms[0].id) as host:
        host.pause("staff", 3600_000)
    settle(rooms[0].id)

    post(clock)

    (mail,) = office.to(me)
    assert subject(mail) == "4 notices at your tables"
    assert [line[:20] for line in body(mail).splitlines()[2:9]] == [
        "“Room 0” (Probe)",
        "- The game has begun",
        "- It is your turn, u",
        "- The clocks were st",
        "Open the table: http",
        "",
        "“Room 1” (Probe)",
    ]


@pytest.mark.long
def test_after_an_outage_forty_turns_are_one_digest(office: Office, clock: SimulatedClock) -> None:
    """cases.md R104."""
    room = open_room("arrecife", seats=3, seconds=2_592_000)
    subscribe(*room.players)
    office.close()
    for _ in range(8):
        turns(room, 5)
        post(clock, seconds=2700)
    assert room.row.turn > 40
    assert Notice.objects.filter(mailbox__in=room.players, kind="your_turn").count() >= 40

    office.open()
    for _ in range(3):
        post(clock)

    for player in room.players:
        (mail,) = office.to(player)
        awaited = room.players.index(player) in room.row.awaited
        assert body(mail).count("It is your turn") == awaited


def test_a_turn_that_was_played_meanwhile_is_not_mailed(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    subscribe(room.players[0])
    settle(room.id)
    room.pick(0)
    post(clock)
    (mail,) = office.to(room.players[0])
    assert subject(mail).startswith("The game begins: ")


def test_what_is_read_is_not_mailed_but_reminders_are(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    """cases.md R106: a client that is open somewhere keeps nobody from being reminded."""
    subscribe(room.players[0])
    settle(room.id)
    clock.advance(seconds=0.81 * 2_592_000)
    settle(room.id)
    page = reading.notices(room.players[0], "en")
    assert page.unread == 3
    reading.mark_read(room.players[0], page.items[0].number)

    post(clock)

    (mail,) = office.to(room.players[0])
    assert subject(mail).startswith("Time is running out: ")


def test_nothing_goes_to_an_address_that_is_not_confirmed(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    player = room.players[0]
    assert addresses.give(player, address_of(player)) == EmailAnswer(
        email=address_of(player), confirmed=False
    )
    settle(room.id)
    for _ in range(3):
        post(clock)

    (mail,) = office.to(player)
    assert subject(mail).startswith("Your code for ")
    code = re.search(r"\b[0-9A-Z]{5}-[0-9A-Z]{5}\b", body(mail))
    assert code
    assert code[0] in body(mail, "html")
    assert addresses.confirm(player, code[0].lower().replace("-", "")).confirmed
    with commands.locked(room.id) as host:
        host.pause("staff", 3600_000)
    settle(room.id)
    post(clock)
    assert len(office.to(player)) == 2


def test_a_code_is_of_its_player_its_address_and_its_day(room: Room, clock: SimulatedClock) -> None:
    one, two = room.players[:2]
    addresses.give(one, "one@example.net")
    addresses.give(two, "one@example.net")
    code = addresses.code(Mailbox.objects.get(player=one), hosting.now_ms())
    with pytest.raises(BadCode):
        addresses.confirm(two, code)
    addresses.give(one, "other@example.net")
    with pytest.raises(BadCode):
        addresses.confirm(one, code)
    addresses.give(one, "one@example.net")
    clock.advance(seconds=DAY)
    assert addresses.confirm(one, code).confirmed
    addresses.forget(one)
    addresses.give(one, "one@example.net")
    clock.advance(seconds=DAY)
    with pytest.raises(BadCode):
        addresses.confirm(one, code)


def test_a_mail_sent_twice_after_a_crash_is_known_as_the_same(
    room: Room, office: Office, clock: SimulatedClock, settings: Settings
) -> None:
    """The process ends after the server has taken the mail, and before that is noted."""
    player = room.players[0]
    subscribe(player)
    settle(room.id)
    clock.advance(seconds=61)

    DyingBackend.victim = address_of(player)
    settings.EMAIL_BACKEND = "tests.notices.office.DyingBackend"
    with pytest.raises(SystemExit):
        mailing.mail()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    talk.say(room.players[1], room.id, "Something new meanwhile.")
    settle(room.id)
    clock.advance(seconds=61)
    mailing.mail()
    mailing.mail()

    first, again, *news = office.to(player)
    assert first["Message-ID"] == again["Message-ID"]
    assert body(first) == body(again)
    assert [subject(each)[:12] for each in news] == ["New messages"]


def test_a_refused_address_holds_nobody_up_and_counts_no_more_in_the_end(
    room: Room, office: Office, clock: SimulatedClock, caplog: pytest.LogCaptureFixture
) -> None:
    subscribe(*room.players)
    settle(room.id)
    office.refused.add(address_of(room.players[0]))
    post(clock)
    assert [len(office.to(each)) for each in room.players] == [0, 1, 1]
    assert "was refused: 550" in caplog.text
    assert address_of(room.players[0]) not in caplog.text
    for _ in range(6):
        post(clock, seconds=5 * 3600)
    assert addresses.address(room.players[0]).confirmed is False
    office.refused.clear()
    post(clock, seconds=DAY)
    assert office.to(room.players[0]) == []


def test_what_was_refused_goes_out_with_what_came_since(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    player = room.players[0]
    subscribe(player)
    settle(room.id)
    office.refused.add(address_of(player))
    post(clock)
    office.refused.clear()
    talk.say(room.players[1], room.id, "Hello!")
    settle(room.id)
    post(clock)
    (mail,) = office.to(player)
    assert subject(mail) == "3 notices at your tables"


def test_mails_speak_the_language_of_their_reader(room: Room, office: Office, clock: SimulatedClock) -> None:
    subscribe(room.players[0], locale="es")
    settle(room.id)
    post(clock)
    (mail,) = office.to(room.players[0])
    assert (subject(mail), mail["Content-Language"]) == ("2 avisos de tus mesas", "es")
    assert "La partida ha empezado." in body(mail)
    assert re.search(r"Es tu turno, hasta el \d+ de \w+ de \d{4}, \d\d:\d\d \(UTC\)\.", body(mail))
    assert "No recibir más correos de este tipo" in body(mail, "html")


def test_a_title_is_text_and_no_markup(room: Room, office: Office, clock: SimulatedClock) -> None:
    Table.objects.filter(id=room.id).update(title="<b>&\r\nBcc: all@example.net")
    subscribe(room.players[0], kinds=[KindChoice(kind="your_turn", mail="never")])
    settle(room.id)
    post(clock)
    (mail,) = office.to(room.players[0])
    assert mail["Bcc"] is None
    assert subject(mail) == "The game begins: “<b>& Bcc: all@example.net” (Probe)"
    assert "&lt;b&gt;&amp;" in body(mail, "html")
    assert "<b>&" in body(mail)


def test_a_choice_for_a_table_comes_before_one_for_a_kind(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    clock.advance(seconds=(12 * 60 - hosting.now_ms() // 60_000) % 1440 * 60)  # no digest is near: it is noon
    one, two, three = room.players
    daily_here = [TableChoice(table_id=room.id, mail="daily")]
    subscribe(one, mail="never", tables=[TableChoice(table_id=room.id, mail="immediate")])
    subscribe(two, kinds=[KindChoice(kind="started", mail="immediate")], tables=daily_here)
    subscribe(three, mail="hourly", kinds=[KindChoice(kind="your_turn", mail="immediate")])
    settle(room.id)
    post(clock)
    assert [len(office.to(each)) for each in room.players] == [1, 0, 1]
    assert subject(office.to(three)[0]).startswith("Your turn")
    post(clock, seconds=3600)
    assert [len(office.to(each)) for each in room.players] == [1, 0, 2]
    post(clock, seconds=DAY)
    assert [len(office.to(each)) for each in room.players] == [1, 1, 2]


def test_nobody_is_woken_in_quiet_hours(room: Room, office: Office, clock: SimulatedClock) -> None:
    player = room.players[0]
    subscribe(player)
    minute = hosting.now_ms() // 60_000 % 1440
    Player.objects.filter(id=player).update(
        quiet_from=(minute - 60) % 1440, quiet_until=(minute + 120) % 1440
    )
    settle(room.id)
    post(clock, seconds=3600)
    assert office.to(player) == []
    post(clock, seconds=3700)
    assert len(office.to(player)) == 1


def test_one_click_stops_the_mails_of_a_kind(room: Room, office: Office, clock: SimulatedClock) -> None:
    player = room.players[0]
    subscribe(player, kinds=[KindChoice(kind="started", mail="never")])
    settle(room.id)
    post(clock)
    (mail,) = office.to(player)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = str(mail["List-Unsubscribe"]).strip(" <>")
    assert link in body(mail)
    found = choices.subscription(link.rsplit("/", 1)[1])
    assert found is not None
    assert (found[0].id, found[1]) == (player, ["your_turn"])

    choices.unsubscribe(found[0].id, found[1])

    assert {each.kind: each.mail for each in choices.choices(player).kinds} == {
        "started": "never",
        "your_turn": "never",
    }


def test_a_table_is_called_by_its_game_where_it_has_no_title(
    room: Room, office: Office, clock: SimulatedClock
) -> None:
    subscribe(room.players[0], kinds=[KindChoice(kind="your_turn", mail="never")])
    settle(room.id)
    post(clock)
    (mail,) = office.to(room.players[0])
    assert subject(mail) == f"The game begins: {catalogue.names_of(catalogue.game_of('probe'))['game']['en']}"
