"""Talk in process: its stream and its rules, who hears what, what staff can do; and private notes."""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import uuid
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from engines.registry import GAMES
from events import canonical, store
from events.audit import check_chain
from events.codec import read_header
from tables import catalogue, moderation, private, queries, talk
from tables.errors import (
    AlreadyResigned,
    BadField,
    IdempotencyKeyReused,
    NotFound,
    NotSeated,
    OwnAccount,
    TalkSilent,
)
from tables.folding import stream_of
from tables.idempotency import Idempotency
from tables.management.commands.verify_streams import audit
from tables.models import Message, Note, Player, Table, Tenure
from tables.shapes import MessageAnswer, MessagePage
from tests.tables.rooms import Room, new_player, open_room


@pytest.fixture
def room() -> Room:
    """A game of the probe that has just begun; its talk is open."""
    return open_room()


def say(room: Room, seat: int | None, text: str = "Hello!", idempotency: Idempotency | None = None) -> int:
    """Let a seat, or the stranger, say something; return the position of the message."""
    player = room.stranger if seat is None else room.players[seat]
    answer: Any = talk.say(player, room.id, text, idempotency).answer
    return int(answer.position)


def heard(room: Room, seat: int | None, after: int = 0, limit: int = 50) -> MessagePage:
    player = room.stranger if seat is None else room.players[seat]
    return talk.messages(player, room.id, after=after, limit=limit)


def texts(page: MessagePage) -> list[str | None]:
    return [each.text for each in page.items]


def only(page: MessagePage) -> MessageAnswer:
    (item,) = page.items
    return item


def set_table(room: Room, **values: Any) -> None:
    Table.objects.filter(id=room.id).update(**values)


def key(name: str = "k", fingerprint: bytes = bytes(31) + b"x") -> Idempotency:
    return Idempotency(key=name, scope="POST /v1/tables/x/messages", fingerprint=fingerprint)


def chain_of(room: Room) -> tuple[list[store.StoredEvent], Any]:
    stream = talk.stream_of(room.id)
    return store.read(stream), store.openings(stream)


# --- The stream -----------------------------------------------------------------------------------


def test_a_message_is_an_event_of_the_talk_with_its_text_apart(room: Room) -> None:
    position = say(room, 1, "¿Quién va?\n\tYo.")

    (stored,), openings = chain_of(room)
    header = read_header(stored.header)
    tenure = Tenure.objects.get(table=room.id, seat=1)
    assert (header.type, header.schema, header.actor) == ("talk.message_sent", 1, "seat:1")
    assert header.public == {
        "seat": 1,
        "holder": tenure.pseudonym,
        "game_position": room.row.version,
        "text": 1,
    }
    assert canonical.parse(openings[position, 0].payload) == {"text": "¿Quién va?\n\tYo."}
    assert openings[position, 0].to == "server"
    assert "Quién" not in stored.header.decode()
    assert check_chain(room.id.bytes, *chain_of(room), complete=True) == []


def test_talk_never_moves_the_table(room: Room) -> None:
    before = room.row.version, room.row.turn, room.row.deadline_at, room.view(0).etag, room.view(None).etag
    head = store.head_of(room.stream)

    for seat in (0, 1, 2, 1):
        say(room, seat)

    after = room.row.version, room.row.turn, room.row.deadline_at, room.view(0).etag, room.view(None).etag
    assert after == before
    assert store.head_of(room.stream) == head


def test_nothing_of_talk_is_in_the_transcript_or_the_events(room: Room) -> None:
    mark = f"canary-{secrets.token_hex(8)}"
    say(room, 0, mark)
    room.play_on()

    for player in (*room.players, room.stranger):
        told = json.dumps(queries.transcript(player, room.id))
        assert mark not in told
        assert "talk." not in told
        events = queries.events(player, room.id, limit=200).items
        assert not [each for each in events if each.type.startswith("talk.")]


def test_a_message_tells_the_position_of_the_game_at_which_it_was_said(room: Room) -> None:
    say(room, 0)
    room.pick(0)
    say(room, 1)
    room.pick(1)
    say(room, 2)

    told = [each.game_position for each in heard(room, 0).items]
    versions = [each.seq for each in room.headers("table.move_played")]
    assert told == sorted(told)
    assert told[0] < versions[0] <= told[1] < versions[1] <= told[2] <= room.row.version


def test_order_and_pages_go_by_position(room: Room) -> None:
    said = [f"message {number}" for number in range(7)]
    for number, text in enumerate(said):
        say(room, number % 3, text)

    found: list[str | None] = []
    after, pages = 0, 0
    while True:
        page = heard(room, 0, after=after, limit=3)
        found += texts(page)
        pages += 1
        assert page.last_position == (page.items[-1].position if page.items else after)
        after = page.last_position
        if not page.has_more:
            break
    assert (found, pages) == (said, 3)
    assert heard(room, 0, after=after).items == []
    assert heard(room, 0, after=after).last_position == after


def test_a_request_with_a_key_says_it_once_and_keeps_no_text(room: Room) -> None:
    first = talk.say(room.players[0], room.id, "once", key())
    again = talk.say(room.players[0], room.id, "once", key())

    assert (first.replayed, again.replayed) == (False, True)
    assert again.answer == first.answer
    assert texts(heard(room, 1)) == ["once"]
    with pytest.raises(IdempotencyKeyReused):
        talk.say(room.players[0], room.id, "twice", key(fingerprint=bytes(32)))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \n\t\u3000", "blank_text"),
        ("\u200b\u200d", "blank_text"),
        ("a\x07b", "control_character"),
        ("a\r\nb", "control_character"),
        ("a\x85b", "control_character"),
        ("\x1b[31mred", "control_character"),
    ],
)
def test_a_text_that_is_none_is_refused(room: Room, text: str, code: str) -> None:
    with pytest.raises(BadField) as refused:
        say(room, 0, text)
    assert (refused.value.facts["pointer"], refused.value.facts["code"]) == ("#/text", code)
    assert heard(room, 0).items == []


# --- Who may speak, and who hears -----------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_the_policy_of_the_game_or_of_its_option_holds_while_it_runs(game: str) -> None:
    """R61: the server enforces it."""
    options = catalogue.game_of(game).options()
    policies = ("open", "silent") if hasattr(options, "talk") else (catalogue.game_of(game).talk,)
    for policy in policies:
        chosen = {"talk": policy} if hasattr(options, "talk") else {}
        room = open_room(game, **chosen)
        if policy == "silent":
            with pytest.raises(TalkSilent):
                say(room, 0)
            assert heard(room, 0).items == []
        else:
            assert say(room, 0) == 1


def test_where_talk_is_silent_everybody_speaks_before_the_start_and_after_the_end(room: Room) -> None:
    silent = {**room.row.settings, "options": {**room.row.settings["options"], "talk": "silent"}}
    set_table(room, settings=silent, status="open")
    say(room, 0)
    set_table(room, status="playing")
    for seat in (0, 1, 2):
        with pytest.raises(TalkSilent):
            say(room, seat)
    set_table(room, status="finished")
    say(room, 1)

    assert [each.seat for each in heard(room, 2).items] == [0, 1]


def test_whoever_resigned_reads_and_speaks_again_after_the_end(room: Room) -> None:
    room.resign(1)
    say(room, 0)

    with pytest.raises(AlreadyResigned):
        say(room, 1)
    assert len(heard(room, 1).items) == 1
    room.play_on()
    assert say(room, 1) == 2


@pytest.mark.parametrize(("allowed", "reads", "speaks"), [("none", 0, 0), ("read", 1, 0), ("write", 1, 1)])
def test_spectators_hear_and_speak_by_the_table(room: Room, allowed: str, reads: int, speaks: int) -> None:
    """R50, R61."""
    set_table(room, spectator_talk=allowed)
    position = say(room, 0)
    if reads:
        assert texts(heard(room, None)) == ["Hello!"]
    else:
        for refused in (
            lambda: heard(room, None),
            lambda: talk.mark_read(room.stranger, room.id, position),
        ):
            with pytest.raises(NotSeated):
                refused()
    if speaks:
        say(room, None, "I only watch.")
        told = heard(room, 1).items[1]
        assert (told.seat, told.text) == (None, "I only watch.")
        assert told.player == Player.objects.get(id=room.stranger).name
        assert read_header(chain_of(room)[0][1].header).public["holder"] is None
        set_table(room, settings={**room.row.settings, "options": {"talk": "silent"}})
        with pytest.raises(TalkSilent):
            say(room, None)
    else:
        with pytest.raises(NotSeated):
            say(room, None)


def test_a_former_player_hears_what_was_said_in_its_time_alone(room: Room) -> None:
    """The seat is given to somebody else in the middle of the game."""
    say(room, 0, "in your time")
    room.pick(0)
    until, heir = room.row.version, new_player()
    former = room.players[1]
    Tenure.objects.filter(table=room.id, seat=1).update(until=until)
    Tenure.objects.create(table_id=room.id, seat=1, player_id=heir, pseudonym="11" * 16, since=until)
    say(room, 0, "after it")

    page = talk.messages(former, room.id)
    assert texts(page) == ["in your time"]
    assert page.unread == 1
    assert texts(talk.messages(heir, room.id)) == ["in your time", "after it"]
    with pytest.raises(NotSeated):
        talk.say(former, room.id, "Hello?")
    with pytest.raises(BadField):
        talk.mark_read(former, room.id, 2)


def test_a_seat_that_changed_hands_shows_who_spoke_then(room: Room) -> None:
    heir, former = new_player(), room.players[1]
    say(room, 1, "the first holder")
    Tenure.objects.filter(table=room.id, seat=1).update(until=room.row.version)
    Tenure.objects.create(
        table_id=room.id, seat=1, player_id=heir, pseudonym="11" * 16, since=room.row.version
    )
    talk.say(heir, room.id, "the second")

    names = [Player.objects.get(id=each).name for each in (former, heir)]
    assert [(each.seat, each.player) for each in heard(room, 0).items] == [(1, names[0]), (1, names[1])]


def test_an_account_that_is_gone_leaves_its_words_without_a_name(room: Room) -> None:
    set_table(room, spectator_talk="write")
    say(room, None, "I was here.")
    Player.objects.filter(id=room.stranger).delete()

    told = only(heard(room, 0))
    assert (told.player, told.text) == (None, "I was here.")
    assert check_chain(room.id.bytes, *chain_of(room), complete=True) == []


@pytest.mark.parametrize("ask", ["say", "messages", "note", "write_note"])
def test_a_private_table_is_absent_for_strangers(room: Room, ask: str) -> None:
    set_table(room, visibility="private", spectator_talk="write")
    say(room, 0)
    asked = {
        "say": lambda: say(room, None),
        "messages": lambda: heard(room, None),
        "note": lambda: private.note(room.stranger, room.id),
        "write_note": lambda: private.write_note(room.stranger, room.id, "x"),
    }
    with pytest.raises(NotFound):
        asked[ask]()


# --- Unread and muted -----------------------------------------------------------------------------


def test_unread_counts_what_others_said_after_the_mark(room: Room) -> None:
    for seat in (0, 1, 1, 0, 2):
        say(room, seat)
    assert (heard(room, 0).last_read, heard(room, 0).unread) == (0, 3)

    marked = talk.mark_read(room.players[0], room.id, 3)

    assert (marked.last_read, marked.unread) == (3, 1)
    assert (heard(room, 0).last_read, heard(room, 0).unread) == (3, 1)
    assert heard(room, 1).unread == 3
    assert talk.mark_read(room.players[0], room.id, 0).unread == 3
    with pytest.raises(BadField):
        talk.mark_read(room.players[0], room.id, 6)


def test_a_muted_player_is_silent_for_oneself_alone(room: Room) -> None:
    loud = Player.objects.get(id=room.players[1])
    say(room, 1, "LOUD")
    say(room, 2, "quiet")

    private.mute(room.players[0], loud.name.upper())

    told = heard(room, 0)
    assert [(each.text, each.muted) for each in told.items] == [(None, True), ("quiet", False)]
    assert told.items[0].player == loud.name
    assert told.unread == 1
    assert texts(heard(room, 2)) == texts(heard(room, 1)) == ["LOUD", "quiet"]
    private.mute(room.players[0], str(loud.id))
    assert [each.player for each in private.mutes(room.players[0]).items] == [loud.name]
    private.unmute(room.players[0], loud.name)
    assert texts(heard(room, 0)) == ["LOUD", "quiet"]
    assert private.mutes(room.players[0]).items == []


@pytest.mark.parametrize("name", ["nobody of this name", "\x00", str(uuid.UUID(int=7)), ""])
def test_nobody_is_muted_who_is_not_there(room: Room, name: str) -> None:
    with pytest.raises(NotFound):
        private.mute(room.players[0], name)
    with pytest.raises(NotFound):
        private.unmute(room.players[0], name)


def test_nobody_mutes_itself(room: Room) -> None:
    with pytest.raises(OwnAccount):
        private.mute(room.players[0], str(room.players[0]))


# --- Staff ----------------------------------------------------------------------------------------


def run(command: str, *arguments: object) -> str:
    out = io.StringIO()
    call_command(command, *(str(each) for each in arguments), stdout=out)
    return out.getvalue()


def test_a_hidden_message_leaves_a_trace(room: Room) -> None:
    position = say(room, 1, "rude")
    later = say(room, 0)

    assert run("hide_message", room.id, position, "abuse") == "The message is hidden.\n"
    assert run("hide_message", room.id, position, "spam") == "The message was hidden before.\n"

    for seat in (0, 1):
        told = heard(room, seat).items[0]
        assert (told.text, told.hidden, told.seat, told.erased) == (None, "abuse", 1, False)
    events, openings = chain_of(room)
    header = read_header(events[-1].header)
    assert (header.type, header.schema, header.actor) == ("talk.message_hidden", 1, "staff")
    assert header.public == {"message": position, "reason": "abuse"}
    assert len(events) == 3
    assert say(room, 0) == 4
    assert [each.position for each in heard(room, 0).items] == [position, later, 4]
    assert check_chain(room.id.bytes, events, openings, complete=True) == []


def test_staff_are_told_what_is_reported_until_it_is_hidden(room: Room) -> None:
    say(room, 1, "rude")
    say(room, 1, "ruder")
    for position in (1, 2):
        moderation.report(room.players[0], room.id, position, "An insult.")

    lines = [line for line in run("message_reports").splitlines() if str(room.id) in line]
    assert [line.split(",")[0] for line in lines] == [f"{room.id} 1", f"{room.id} 2"]
    assert lines[0].endswith("'An insult.' of 'rude'")
    run("hide_message", room.id, 1, "abuse")
    run("erase_message", room.id, 2)
    (line,) = [line for line in run("message_reports").splitlines() if str(room.id) in line]
    assert line.endswith("of None")


def test_an_erased_text_leaves_its_commitment_and_the_chain_verifies(room: Room) -> None:
    position = talk_position(room)
    (before, *_), _ = chain_of(room)

    assert run("erase_message", room.id, position) == "The text is erased.\n"
    assert run("erase_message", room.id, position) == "The text was erased before.\n"

    events, openings = chain_of(room)
    assert events[0] == before
    assert read_header(events[0].header).slots[0].c
    assert (position, 0) not in openings
    assert check_chain(room.id.bytes, events, openings) == []
    told = only(heard(room, 0))
    assert (told.text, told.erased, told.hidden) == (None, True, None)
    assert audit(room.id).findings == []


def talk_position(room: Room) -> int:
    return say(room, 0, "forget me")


def test_the_request_of_an_erased_text_cannot_be_sent_again(room: Room) -> None:
    """Nor does its hash stay, by which a guess could be tried."""
    sent = Idempotency(key="k", scope=f"POST /v1/tables/{room.id}/messages", fingerprint=bytes(31) + b"x")
    position = say(room, 0, "forget me", sent)

    run("erase_message", room.id, position)

    with pytest.raises(IdempotencyKeyReused):
        say(room, 0, "forget me", sent)
    assert texts(heard(room, 0)) == [None]


def test_staff_are_told_of_a_message_that_is_none(room: Room) -> None:
    say(room, 0)
    run("hide_message", room.id, 1, "spam")
    for command, *arguments in (
        ("hide_message", 2, "spam"),
        ("hide_message", 7, "spam"),
        ("erase_message", 2),
    ):
        with pytest.raises(CommandError, match=r"There is no such message\."):
            run(str(command), room.id, *arguments)


def test_a_superuser_who_edits_a_text_is_found(room: Room, superuser_url: str) -> None:
    say(room, 0, "I never said so")
    assert audit(room.id).findings == []
    stream = talk.stream_of(room.id)
    change = "UPDATE events_secret SET payload = convert_to(%s, 'UTF8') WHERE stream = %s"
    with psycopg.connect(superuser_url) as superuser:
        for payload, wrong in (('{"text":"I did"}', True), ('{"text":"I never said so"}', False)):
            superuser.execute("ALTER TABLE events_secret DISABLE TRIGGER events_secret_keep")
            superuser.execute(change, [payload, stream])
            superuser.execute("ALTER TABLE events_secret ENABLE ALWAYS TRIGGER events_secret_keep")
            superuser.commit()
            assert [each.check for each in audit(room.id).findings] == ["talk"] * wrong


def test_the_walk_over_all_tables_does_not_take_talk_for_a_table(room: Room) -> None:
    say(room, 0)
    out = io.StringIO()
    with contextlib.suppress(SystemExit):  # tests leave streams that are no tables
        call_command("verify_streams", json=True, stdout=out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert str(room.id) not in [line.get("table") for line in lines]
    assert lines[-1]["tables"] >= Table.objects.count()


# --- Notes ----------------------------------------------------------------------------------------


def test_a_note_is_its_writers_alone(room: Room) -> None:
    assert private.note(room.players[0], room.id).text == ""
    private.write_note(room.players[0], room.id, "seat 2 bluffs")
    private.write_note(room.players[1], room.id, "mine")

    assert private.note(room.players[0], room.id).text == "seat 2 bluffs"
    assert private.note(room.players[1], room.id).text == "mine"
    assert private.note(room.players[2], room.id).text == ""
    assert private.write_note(room.players[0], room.id, "").text == ""
    with pytest.raises(NotSeated):
        private.note(room.stranger, room.id)
    with pytest.raises(NotSeated):
        private.write_note(room.stranger, room.id, "x")
    with pytest.raises(BadField):
        private.write_note(room.players[0], room.id, "a\x00b")


def test_a_later_holder_of_the_seat_does_not_find_the_note(room: Room) -> None:
    heir = new_player()
    private.write_note(room.players[1], room.id, "secret plans")
    Tenure.objects.filter(table=room.id, seat=1).update(until=room.row.version)
    Tenure.objects.create(
        table_id=room.id, seat=1, player_id=heir, pseudonym="11" * 16, since=room.row.version
    )

    assert private.note(heir, room.id).text == ""
    private.write_note(heir, room.id, "new plans")
    assert private.note(room.players[1], room.id).text == "secret plans"


def test_notes_are_not_in_any_stream(room: Room) -> None:
    private.write_note(room.players[0], room.id, "quiet")

    assert store.read(talk.stream_of(room.id)) == []
    assert not Message.objects.filter(table=room.id).exists()
    assert Note.objects.filter(table=room.id).count() == 1
    assert stream_of(room.id) == room.stream
