"""What a player gets of its own data: all of it, nothing of others, and no key to the account."""

from __future__ import annotations

import uuid

import msgspec
import pytest
from django.apps import apps
from django.db.models import Model

from tables import commands, exporting, players
from tables.models import Consent, Mailbox, Player, Token, WebhookEndpoint
from tables.shapes import Join, NewTable, TableAnswer
from tests.tables.rooms import new_player, open_room
from tests.tables.test_erasure import PASSWORD, Canary, everywhere

FORGETTABLE = {"events_secret.payload"}
"""Where the texts of messages are, which an export shows in its section of messages."""


def told(player: Canary) -> str:
    return msgspec.json.encode(exporting.export(player.id)).decode()


def entered(one: Canary) -> list[str]:
    said = [one.name, one.title, one.said, one.noted, one.reported, one.label, one.key]
    return [*said, one.address, one.zone]


def of_people() -> set[type[Model]]:
    """Return every model with a row for a player, or for what is a player's."""
    whose = {Player, Mailbox, Consent, WebhookEndpoint}
    found = {
        model
        for model in apps.get_app_config("tables").get_models()
        if any(field.related_model in whose for field in model._meta.concrete_fields)
    }
    return {*found, Player}


def test_every_column_about_a_player_is_shown_or_withheld_by_name() -> None:
    """A new one fails here until somebody has decided."""
    sections = {each.model: each for each in exporting.SECTIONS.values()}
    assert of_people() == {*sections, *exporting.WITHHELD}
    for model, section in sections.items():
        columns = {field.name for field in model._meta.concrete_fields}
        named = {each.split("__")[0] for each in section.shown}
        assert named <= columns
        if section.withheld != ("*",):
            assert named | set(section.withheld) == columns, model
            assert not named & set(section.withheld)


def test_an_export_has_all_that_a_player_entered_and_nothing_of_others() -> None:
    one = Canary(open_room(seats=3))
    friend = Player.objects.get(id=one.friend)
    text = told(one)
    for each in entered(one):
        assert each in text
    for table in (one.room.id, one.open_table):
        assert f"/v1/tables/{table}/transcript" in text
    assert "the other's" not in text
    assert str(friend.id) not in text
    (mute,) = exporting.export(one.id).sections["mutes"]
    assert mute["muted"] == friend.name
    for own in ("muted", "blocked", "reported"):
        text = text.replace(f'"{own}":"{friend.name}"', "")
    assert friend.name not in text
    assert one.name not in msgspec.json.encode(exporting.export(one.friend).sections["tables"]).decode()


def test_an_export_tells_nothing_of_what_became_of_a_private_table_that_was_left() -> None:
    author, heir, friend = (new_player() for _ in range(3))
    wanted = NewTable(game="reafan", title="ours", visibility="private", starts="by_host")
    opened = commands.open_table(author, wanted).answer
    assert isinstance(opened, TableAnswer)
    table_id = uuid.UUID(opened.id)
    commands.join(heir, table_id, Join(invite_code=opened.invite_code))
    (before,) = exporting.export(author).sections["tables"]
    assert (before["status"], before["transcript"]) == ("open", f"/v1/tables/{table_id}/transcript")

    commands.leave(author, table_id)
    commands.join(friend, table_id, Join(invite_code=opened.invite_code))
    commands.start(heir, table_id)

    (after,) = exporting.export(author).sections["tables"]
    assert after["title"] == "ours"
    assert not {"status", "finished_at", "transcript"} & after.keys()


def test_an_export_holds_no_key_to_the_account() -> None:
    one = Canary(open_room(seats=3))
    made = players.sign_up(f"{one.name}-2", PASSWORD, "en")
    for player, token in ((one.id, one.token), (made.player.id, made.token)):
        text = msgspec.json.encode(exporting.export(player)).decode()
        row = Player.objects.get(id=player)
        digests = [bytes(each.digest).hex() for each in Token.objects.filter(player=player)]
        assert digests
        assert all(secret not in text for secret in (token, row.password, *digests))


@pytest.mark.long
def test_what_a_player_entered_is_in_no_column_that_its_export_does_not_know(superuser_url: str) -> None:
    one = Canary(open_room(seats=3))
    known = {
        f"{section.model._meta.db_table}.{section.model._meta.get_field(each.split('__')[0]).column}"
        for section in exporting.SECTIONS.values()
        for each in (*section.shown, *section.withheld)
        if each != "*"
    }
    assert set(everywhere(superuser_url, *entered(one))) <= known | FORGETTABLE
