"""A player who is forgotten: nothing of it is left in columns or logs, and nothing of others changes."""

from __future__ import annotations

import io
import secrets
import threading
import uuid
from typing import Any

import msgspec
import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.functions import Now
from psycopg.sql import SQL, Identifier

from engines.audience import name_of
from tables import blocks, commands, erasure, moderation, players, private, queries, talk, vacations
from tables.auditing import audit
from tables.errors import AlreadyResigned, BadCredentials, NotSeated, TableNotPlaying
from tables.idempotency import Idempotency
from tables.models import (
    Consent,
    MessageReport,
    Outbox,
    Player,
    Table,
    Tenure,
)
from tables.notices import addresses, choices, delivering
from tables.oauth import applications
from tables.relay import relay as do_deeds
from tables.shapes import ChoicesChange, Join, NewTable, NewVacation, NewWebhookEndpoint
from tables.sweeps import sweep
from tables.webhooks import endpoints
from tests.services import SimulatedClock
from tests.tables.rooms import Room, new_player, open_room

PASSWORD = "a long enough password"


def canary() -> str:
    """Return a text that nobody else has entered."""
    return f"kanarie-{secrets.token_hex(6)}"


def erase(player: uuid.UUID) -> None:
    erasure.close(player)
    erasure.erase(player)


def everywhere(superuser_url: str, *wanted: str) -> list[str]:
    """Return each column of the database that holds one of these texts, in text, JSON or bytes."""
    found = []
    with psycopg.connect(superuser_url) as superuser:
        columns = superuser.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        ).fetchall()
        for table, column, kind in columns:
            value = SQL("encode({}, 'escape')") if kind == "bytea" else SQL("{}::text")
            query = SQL(
                "SELECT EXISTS (SELECT FROM {} AS t, unnest(%s::text[]) AS w WHERE strpos({}, w) > 0)"
            )
            told = query.format(Identifier(table), value.format(Identifier("t", column)))
            row = superuser.execute(told, [list(wanted)]).fetchone()
            if row and row[0]:
                found.append(f"{table}.{column}")
    assert len(columns) > 100
    return found


def others(superuser_url: str, *mine: uuid.UUID) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of people other than these, but for what every command may touch.

    What others think of them, blocks and reports, goes with them.
    """
    told: dict[str, list[tuple[Any, ...]]] = {}
    of_people = {
        "tables_player": "id",
        **dict.fromkeys(
            ("tables_token", "tables_vacation", "tables_note", "tables_lastread", "tables_message"),
            "player_id",
        ),
        **dict.fromkeys(("tables_messagereport", "tables_awaitedturn", "tables_offer"), "player_id"),
        **dict.fromkeys(("tables_idempotencyrecord", "tables_mailbox", "tables_tenure"), "player_id"),
        "tables_webhookendpoint": "player_id",
    }
    with psycopg.connect(superuser_url) as superuser:
        for table, column in of_people.items():
            query = SQL("SELECT * FROM {} WHERE NOT {} = ANY(%s) ORDER BY 1")
            told[table] = superuser.execute(
                query.format(Identifier(table), Identifier(column)), [list(mine)]
            ).fetchall()
        for table, column in {"tables_block": "blocked_id", "tables_playerreport": "reported_id"}.items():
            query = SQL("SELECT * FROM {} WHERE NOT ARRAY[player_id, {}] && %s ORDER BY 1")
            told[table] = superuser.execute(
                query.format(Identifier(table), Identifier(column)), [list(mine)]
            ).fetchall()
    return told


# --- Nothing is left -------------------------------------------------------------------------------


class Canary:
    """A player who has entered something unique wherever anything can be entered."""

    def __init__(self, room: Room) -> None:
        self.id, self.friend, self.room = room.players[0], room.players[1], room
        self.name, self.title, self.said, self.noted = canary(), canary(), canary(), canary()
        self.reported, self.label, self.key, self.address = canary(), canary(), canary(), canary()
        self.hook = canary()
        self.zone = "Antarctica/Troll"
        Player.objects.filter(id=self.id).update(name=self.name, zone=self.zone, quiet_from=1, quiet_until=2)
        self._enter()

    @property
    def words(self) -> list[str]:
        """Return what is to be found nowhere."""
        named = [self.name, self.title, self.said, self.noted, self.reported, self.label, self.key]
        return [*named, self.hook, self.address, self.zone, str(self.id), self.id.hex]

    def _enter(self) -> None:
        room = self.room
        caller = players.Caller(self.id, self.name, "en", uuid.uuid4())
        self.token = players.create_token(caller, self.label, idempotency=self._key("tokens")).token
        Consent.objects.create(
            player_id=self.id,
            application=applications.register("An app", ["org.example.app:/done"]),
            scopes=["tables:read"],
            code_digest=secrets.token_bytes(32),
            code_expires_at=Now(),
            redirect_uri="org.example.app:/done",
            challenge="x",
        )
        addresses.give(self.id, f"{self.address}@example.org")
        choices.choose(self.id, ChoicesChange())
        hook = NewWebhookEndpoint(url=f"https://{self.hook}.example.org/", label=self.hook)
        endpoints.create(self.id, hook, self._key("webhooks"))
        vacations.book(self.id, NewVacation())
        talk.say(self.id, room.id, self.said, self._key("messages"))
        talk.say(self.friend, room.id, "the other's words")
        moderation.report(self.id, room.id, 2, self.reported)
        moderation.report(self.friend, room.id, 1, "rude")
        talk.mark_read(self.id, room.id, 2)
        private.write_note(self.id, room.id, self.noted)
        private.write_note(self.friend, room.id, "the other's note")
        private.mute(self.friend, self.name)
        friend = Player.objects.get(id=self.friend).name
        private.mute(self.id, friend)
        moderation.report_player(self.id, friend, self.reported, self._key("report"))
        moderation.report_player(self.friend, self.name, "rude")
        body = NewTable(game="probe", seats=3, title=self.title, visibility="private")
        opened: Any = commands.open_table(self.id, body, self._key("open")).answer
        self.open_table = uuid.UUID(opened.id)
        self.kept = Idempotency("the friend's own", f"POST /v1/tables/{opened.id}/join", bytes(32))
        seat: Any = commands.join(
            self.friend, self.open_table, Join(invite_code=opened.invite_code), self.kept
        ).answer
        assert (seat.host, seat.title) == (self.name, self.title)
        blocks.block(self.id, friend)
        blocks.block(self.friend, self.name)
        room.send(0, "pick", number=0, rival=1)
        while delivering.deliver():
            pass

    def _key(self, scope: str) -> Idempotency:
        return Idempotency(key=self.key, scope=f"POST /{scope}", fingerprint=bytes(32))


@pytest.mark.long
def test_nothing_that_a_player_entered_is_found_in_any_column(superuser_url: str) -> None:
    while do_deeds():  # what other tests have left would be done meanwhile
        pass
    one = Canary(open_room(seats=3))
    assert {each.partition(".")[0] for each in everywhere(superuser_url, *one.words)} >= {
        *(
            "tables_player",
            "tables_consent",
            "tables_token",
            "tables_mailbox",
            "tables_vacation",
            "tables_note",
        ),
        *("tables_messagereport", "tables_idempotencyrecord", "tables_table", "tables_tenure"),
        *("tables_message", "events_secret", "tables_outbox", "tables_mute", "tables_lastread"),
        "tables_webhookendpoint",
    }
    before = others(superuser_url, one.id)

    erase(one.id)
    _sweep(one.id)

    assert everywhere(superuser_url, *one.words) == []
    assert players.authenticate(one.token) is None
    after = others(superuser_url, one.id)
    for table in before:
        if table not in ("tables_idempotencyrecord", "tables_tenure"):
            assert after[table] == before[table], table
    for each in (one.room.id, one.open_table):
        assert audit(each).findings == []


def _sweep(player: uuid.UUID) -> None:
    """Let the last deed come due, and be done."""
    Outbox.objects.filter(audience=f"player:{player}").update(next_attempt_at="2020-01-01T00:00:00Z")
    while do_deeds():
        pass


def test_the_answers_kept_for_others_name_nobody_who_is_gone() -> None:
    one = Canary(open_room(seats=3))
    erase(one.id)

    again: Any = commands.join(one.friend, one.open_table, Join(), one.kept)

    assert again.replayed
    assert (again.answer.host, again.answer.title) == (None, "")
    assert [(each.player, each.gone) for each in again.answer.seats if each.seat == 0] == [(None, True)]


# --- What becomes of the tables --------------------------------------------------------------------


def test_a_running_game_is_resigned_and_goes_on_for_the_others() -> None:
    """cases.md R29: nobody waits for who is gone, and no time is added."""
    room = open_room(seats=3)
    assert 0 in room.row.awaited

    erase(room.players[0])

    row = room.row
    assert row.status == "playing"
    assert 0 not in row.awaited
    assert room.last("table.seat_abandoned") == {"seat": 0, "reason": "resigned"}
    assert not room.headers("clock.deadline_extended")
    room.pick(1, 2)
    room.prove()


def test_a_game_of_two_ends() -> None:
    room = open_room("reafan")
    erase(room.players[0])
    assert room.row.status == "finished"
    assert room.row.outcome is not None
    assert room.row.outcome["winners"] == [1]
    room.prove()


def test_finished_games_stay_and_name_a_player_who_left() -> None:
    """cases.md R92."""
    room = open_room("reafan")
    room.resign(1)
    length = room.row.version

    erase(room.players[0])

    assert room.row.version == length
    holder = queries.table(room.players[1], room.id).seats[0]
    assert (holder.player, holder.bot, holder.gone) == (None, None, True)
    english = [each.sentence for each in queries.narration(room.players[1], room.id, "en").items]
    spanish = [each.sentence for each in queries.narration(room.players[1], room.id, "es").items]
    assert any(each.startswith("A player who left (seat 0)") for each in english), english
    assert any(each.startswith("Alguien que se fue (asiento 0)") for each in spanish), spanish
    assert not any("who left (seat 1)" in each for each in english)
    room.prove()


def test_an_open_table_passes_to_the_next_or_is_closed() -> None:
    host, guest = new_player(), new_player()
    alone: Any = commands.open_table(host, NewTable(game="probe", seats=3, title="mine")).answer
    shared: Any = commands.open_table(host, NewTable(game="probe", seats=3, title="ours")).answer
    commands.join(guest, uuid.UUID(shared.id), Join())

    erase(host)

    assert Table.objects.get(id=alone.id).status == "closed"
    row = Table.objects.get(id=shared.id)
    assert (row.status, row.host_id, row.title) == ("open", guest, "")
    assert [each.player_id for each in Tenure.objects.filter(table=row)] == [guest]


def test_a_title_goes_with_its_author_even_when_another_is_host_by_now() -> None:
    author, guest = new_player(), new_player()
    opened: Any = commands.open_table(author, NewTable(game="probe", seats=3, title="ours")).answer
    commands.join(guest, uuid.UUID(opened.id), Join())
    commands.leave(author, uuid.UUID(opened.id))
    assert Table.objects.get(id=opened.id).title == "ours"

    erase(author)

    assert Table.objects.get(id=opened.id).title == ""


def test_a_suspended_table_holds_nobody_back() -> None:
    room = open_room(seats=3)
    Table.objects.filter(id=room.id).update(suspended_at="2026-01-01T00:00:00Z")

    erase(room.players[0])

    assert room.last("table.seat_abandoned")["seat"] == 0
    assert room.row.suspended_at is not None
    assert not Player.objects.filter(id=room.players[0]).exists()
    Table.objects.filter(id=room.id).update(suspended_at=None)
    room.prove()


@pytest.mark.parametrize("why", ["the clock is in doubt", "the suspension is not in the log"])
def test_nobody_acts_after_a_turn_that_cannot_be_resolved_yet(
    why: str, no_drivers: None, clock: SimulatedClock
) -> None:
    room = open_room(seconds=60)
    sweep("test")
    before = room.row.version
    clock.jump(seconds=3600)
    try:
        if why == "the suspension is not in the log":
            Table.objects.filter(id=room.id).update(suspended_at=Now())
        erase(room.players[0])
    finally:
        clock.jump(seconds=-3600)
    sweep("test")

    assert not Player.objects.filter(id=room.players[0]).exists()
    assert not Tenure.objects.filter(table=room.id, player=room.players[0]).exists()
    assert (room.row.version, room.host.table.abandoned) == (before, ())
    room.prove()
    Table.objects.filter(id=room.id).update(suspended_at=None)
    room.pick(1, 2)
    room.wait(clock, 61)
    assert room.last("clock.expired")["seats"] == [0]
    room.prove()


def test_a_broken_log_keeps_nobodys_name(superuser_url: str) -> None:
    """The row of a table without its log, as a restore may leave it."""
    player = new_player()
    opened: Any = commands.open_table(player, NewTable(game="probe", seats=3)).answer
    lost = uuid.uuid4()
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute("CREATE TEMP TABLE kept AS SELECT * FROM tables_table WHERE id = %s", [opened.id])
        superuser.execute("UPDATE kept SET id = %s, invite_code = %s", [lost, lost.hex])
        superuser.execute("INSERT INTO tables_table SELECT * FROM kept")
    Tenure.objects.create(table_id=lost, seat=0, player_id=player, pseudonym="0" * 32, since=3)

    erase(player)

    assert not Player.objects.filter(id=player).exists()
    assert Tenure.objects.get(table=lost).player_id is None
    Tenure.objects.filter(table=lost).delete()
    with psycopg.connect(superuser_url) as superuser:
        superuser.execute("DELETE FROM tables_table WHERE id = %s", [lost])


def test_what_others_have_said_and_reported_stays() -> None:
    room = open_room(seats=3)
    talk.say(room.players[0], room.id, "erase me")
    talk.say(room.players[1], room.id, "keep me")
    moderation.report(room.players[1], room.id, 1, "rude")

    erase(room.players[0])

    gone, kept = talk.messages(room.players[1], room.id).items
    assert (gone.player, gone.text, gone.erased) == (None, None, True)
    assert (kept.text, kept.erased) == ("keep me", False)
    assert MessageReport.objects.filter(message__table=room.id, player=room.players[1]).count() == 1
    room.prove()


# --- The account -----------------------------------------------------------------------------------


def test_the_name_is_free_again_and_opens_nothing() -> None:
    name = canary()
    first = players.sign_up(name, PASSWORD, "en")
    erase(first.player.id)

    with pytest.raises(BadCredentials):
        players.sign_in(name, PASSWORD)
    second = players.sign_up(name, "another long password", "en")

    assert second.player.id != first.player.id
    assert players.authenticate(first.token) is None


def test_a_closed_account_lets_nobody_in_before_it_is_erased() -> None:
    name = canary()
    secret = players.sign_up(name, PASSWORD, "en")

    erasure.close(secret.player.id)

    assert players.authenticate(secret.token) is None
    with pytest.raises(BadCredentials):
        players.sign_in(name, PASSWORD)
    _sweep(secret.player.id)
    assert not Player.objects.filter(name=name).exists()


def test_what_was_cut_short_is_done_by_the_outbox() -> None:
    """The process died between closing the account and erasing it."""
    room = open_room(seats=3)
    erasure.close(room.players[0])

    _sweep(room.players[0])
    assert Outbox.objects.filter(audience=f"player:{room.players[0]}").count() == 1
    _sweep(room.players[0])

    assert not Player.objects.filter(id=room.players[0]).exists()
    assert not Outbox.objects.filter(audience=f"player:{room.players[0]}").exists()
    assert room.last("table.seat_abandoned")["seat"] == 0


def test_the_operator_erases_by_name() -> None:
    name = canary()
    players.sign_up(name, PASSWORD, "en")
    out = io.StringIO()

    call_command("erase_player", name, stdout=out)

    assert out.getvalue() == "The player is erased.\n"
    with pytest.raises(CommandError, match=r"^There is no player of this name\.$"):
        call_command("erase_player", name)


# --- At the same time ------------------------------------------------------------------------------


def test_who_sits_down_while_being_erased_is_taken_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    player, host = new_player(), new_player()
    opened: Any = commands.open_table(host, NewTable(game="probe", seats=3)).answer
    held = erasure._erase_texts

    def meanwhile(player_id: uuid.UUID) -> None:
        held(player_id)
        if not Tenure.objects.filter(table=opened.id, seat=1).exists() and rounds.pop():
            commands.join(player, uuid.UUID(opened.id), Join())

    rounds = [True, False, False][::-1]
    monkeypatch.setattr(erasure, "_erase_texts", meanwhile)
    erase(player)

    assert not Player.objects.filter(id=player).exists()
    assert [each.seat for each in Tenure.objects.filter(table=opened.id)] == [0]


def test_a_move_in_flight_is_before_or_after_and_never_of_nobody() -> None:
    """Both at once, in two connections, over and over: the log holds, and the game is over or goes on."""
    for _ in range(6):
        room = open_room("reafan")
        seat = room.row.awaited[0]
        move = room.host.game.legal_moves(room.host.state, seat)[0]
        turn, refused = room.row.turn, []

        def play(room=room, seat=seat, move=move, turn=turn, refused=refused) -> None:  # type: ignore[no-untyped-def]
            try:
                room.send(seat, name_of(type(move)), turn=turn, **msgspec.to_builtins(move))
            except (AlreadyResigned, NotSeated, TableNotPlaying) as refusal:
                refused.append(refusal)
            finally:
                connection.close()

        rival = threading.Thread(target=play)
        rival.start()
        erase(room.players[seat])
        rival.join()

        moves = [each for each in room.headers("table.move_played") if each.actor == f"seat:{seat}"]
        assert len(moves) + len(refused) == 1
        assert room.row.status == "finished"
        assert not Player.objects.filter(id=room.players[seat]).exists()
        room.prove()
