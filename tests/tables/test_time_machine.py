"""A table looked at again: any position, by any eyes that one may have, by turn and by what was known."""

from __future__ import annotations

import uuid
from typing import Any

import msgspec
import pytest

from engines.audience import COMMITTED, fields_of
from engines.base import Game
from events import store
from events.codec import FULL, learned
from tables import catalogue, commands, history, queries, staff
from tables.errors import BadField, NotFound, NotYourEyes, TableNotFinished
from tables.eyes import Eyes, Wish
from tables.folding import replay
from tables.models import Table
from tables.narration import entry_of
from tables.shapes import ClockChoice, TakeOver
from tests.services import SimulatedClock
from verify.holdings import held

from .rooms import Room, new_player, open_room, running_room

GAMES = ("probe", "reafan", "arrecife", "cthulhu")


def finished(game: str, moves: int = 6) -> Room:
    """Return a table whose game went on for some moves, and then to its end."""
    room = running_room(game, moves)
    for seat in range(len(room.players)):
        if room.row.status == "playing":
            room.resign(seat)
    return room


@pytest.fixture(scope="module")
def over() -> Room:
    """A finished game of three seats that hides numbers, places and hints."""
    return finished("probe")


def told(room: Room, player: uuid.UUID, wish: Wish, at: int) -> dict[str, Any]:
    answer = msgspec.to_builtins(queries.view(player, room.id, at=at, wish=wish))
    return {**answer, "server_time": ""}


# Whose eyes


@pytest.mark.parametrize("wish", [1, 2, 7, FULL])
def test_during_the_game_nobody_looks_through_anothers_eyes(wish: Wish) -> None:
    room = open_room()
    for player in (room.players[0], room.stranger):
        for look in (queries.view, queries.events):
            with pytest.raises(NotYourEyes) as refused:
                look(player, room.id, wish=wish)
            assert refused.value.facts == {}
        with pytest.raises(NotYourEyes):
            queries.narration(player, room.id, "en", wish=wish)


def test_during_the_game_the_own_seat_and_a_spectator_look_at_every_position() -> None:
    room = running_room("probe", 4)
    player = room.players[1]
    for at in range(1, room.row.version + 1):
        assert told(room, player, 1, at) == told(room, player, None, at)
        assert told(room, player, "public", at) == told(room, room.stranger, None, at)
    assert queries.events(player, room.id, wish="public") == queries.events(room.stranger, room.id)


def test_a_view_has_another_tag_once_it_is_past() -> None:
    room = open_room()
    at = room.row.version
    present = queries.view(room.players[1], room.id)
    assert queries.view(room.players[1], room.id, at=at).etag == present.etag
    room.pick(0)
    past = queries.view(room.players[1], room.id, at=at)
    assert present.legal_moves
    assert not past.legal_moves
    assert past.etag != present.etag


@pytest.mark.parametrize(
    "game", [GAMES[0], *(pytest.param(each, marks=pytest.mark.long) for each in GAMES[1:])]
)
def test_after_the_game_everybody_looks_through_every_eye(game: str) -> None:
    room = finished(game)
    for seat, player in enumerate(room.players):
        assert queries.events(room.stranger, room.id, limit=200, wish=seat) == queries.events(
            player, room.id, limit=200
        )
        for at in range(2 + seat, room.row.version + 1, 4):
            seen = told(room, room.stranger, seat, at)
            assert seen == told(room, player, None, at)
            assert seen["viewer"] == seat
    with pytest.raises(BadField):
        queries.view(room.stranger, room.id, wish=len(room.players))


def test_whoever_sees_all_sees_what_each_seat_does(over: Room) -> None:
    at = next(each.seq for each in over.headers("clock.deadline_set") if each.public["turn"] == 2)
    seen = told(over, over.stranger, FULL, at)
    assert seen["data"] == told(over, over.stranger, "public", at)["data"]
    assert seen["seat_data"] == [told(over, over.stranger, seat, at)["data"] for seat in range(3)]
    assert len({str(each) for each in seen["seat_data"]}) == 3
    assert told(over, over.stranger, 0, at)["seat_data"] == []
    tags = {queries.view(over.stranger, over.id, at=at, wish=wish).etag for wish in (0, "public", FULL)}
    assert len(tags) == 3


def test_whoever_sees_all_learns_every_item_when_it_is_hidden(over: Room) -> None:
    events = queries.events(over.stranger, over.id, limit=200, wish=FULL).items
    (laid, *_) = [each for each in events if each.type == "probe.cards_laid"]
    assert sum(each["is_mark"] for each in laid.data["cards"]) == 1
    assert all(each is not None for each in laid.data["hints"])
    (pick, *_) = [each for each in events if each.data.get("kind") == "pick"]
    assert pick.data["params"]["number"] is not None


def test_a_hidden_table_is_hidden_from_all_eyes() -> None:
    room = open_room()
    Table.objects.filter(id=room.id).update(visibility="private")
    for look in (queries.view, queries.events):
        with pytest.raises(NotFound):
            look(room.stranger, room.id, wish="public")
    with pytest.raises(NotFound):
        queries.turn_positions(room.stranger, room.id)


# Tenures


def replaced(clock: SimulatedClock) -> tuple[Room, int, uuid.UUID]:
    """Return a table at which seat 0 was absent, since when, and who has taken the seat over."""
    room = open_room(settings={"max_timeouts": 1})
    room.pick(1, 2)
    room.let_time_pass(clock)
    until = room.headers("table.seat_replaced")[-1].seq
    heir = new_player()
    commands.take_over(heir, room.id, 0, TakeOver())
    return room, until, heir


def test_a_former_holder_sees_what_it_could_until_its_tenure_ended(clock: SimulatedClock) -> None:
    room, until, heir = replaced(clock)
    former = room.players[0]
    sat = range(room.headers("table.seat_taken")[0].seq, until + 1)
    seen = {at: told(room, former, 0, at) for at in sat}
    for at in (until + 1, room.row.version, None):
        with pytest.raises(NotYourEyes):
            queries.view(former, room.id, at=at, wish=0)
    assert queries.view(former, room.id).viewer is None
    page = queries.events(former, room.id, limit=200, wish=0)
    assert page.items == queries.events(heir, room.id, limit=until).items
    assert (page.last_position, page.has_more) == (until, False)
    assert queries.events(former, room.id, after=until, wish=0).items == []
    assert queries.narration(former, room.id, "en", limit=200, wish=0).last_position == until
    staff.annul(room.id, "fault")
    assert seen == {at: told(room, room.stranger, 0, at) for at in sat}


def test_a_new_holder_does_not_look_behind_the_beginning_of_its_tenure(clock: SimulatedClock) -> None:
    room, _, heir = replaced(clock)
    since = room.headers("table.seat_replaced")[-1].seq
    for at in range(1, since):
        assert told(room, heir, None, at) == told(room, heir, 0, at) == told(room, heir, "public", at)
    assert queries.view(heir, room.id, at=since).viewer == 0
    assert queries.view(heir, room.id).data != queries.view(heir, room.id, wish="public").data
    staff.annul(room.id, "fault")
    assert queries.view(heir, room.id, at=since - 1).viewer == 0


def test_who_comes_back_looks_at_the_own_tenures_and_not_at_those_between() -> None:
    eyes = Eyes(0, None, [(3, 8), (12, None)])
    assert [eyes.viewer_at(at) for at in (2, 3, 8, 9, 11, 12, 99)] == [None, 0, 0, None, None, 0, 0]


def test_a_former_holder_of_one_seat_has_no_eyes_of_another(clock: SimulatedClock) -> None:
    room, until, _ = replaced(clock)
    for wish in (1, 2, FULL):
        with pytest.raises(NotYourEyes):
            queries.view(room.players[0], room.id, at=until, wish=wish)


# Step by step


def test_turns_tell_where_to_stop(over: Room) -> None:
    page = queries.turn_positions(over.stranger, over.id, limit=200)
    assert [each.turn for each in page.items] == list(range(1, len(page.items) + 1))
    for each in page.items:
        assert told(over, over.stranger, None, each.position)["turn"] == each.turn
        assert replay(over.id, upto=each.position - 1).table.turn == each.turn - 1
    assert queries.turn_positions(over.players[0], over.id, limit=200) == page
    first = queries.turn_positions(over.stranger, over.id, limit=1)
    rest = queries.turn_positions(over.stranger, over.id, after=first.last_position, limit=200)
    assert (first.items + rest.items, first.has_more, rest.has_more) == (page.items, True, False)


def test_a_clock_set_anew_is_no_turn() -> None:
    room = open_room(settings={"clock": ClockChoice(kind="budget", initial=86400, increment=60, cap=86400)})
    room.pick(0, 1)
    assert len(room.headers("clock.deadline_set")) > 1
    assert [each.turn for each in queries.turn_positions(room.stranger, room.id).items] == [1]


# Who knew what, when


def test_what_was_known_is_told_after_the_game_alone() -> None:
    room = open_room()
    for player in (*room.players, room.stranger):
        with pytest.raises(TableNotFinished):
            queries.knowledge(player, room.id, "en")


@pytest.mark.parametrize("game", GAMES)
def test_knowledge_is_what_the_events_made_known(game: str) -> None:
    """Held against ``learned``, by which events and transcripts are redacted."""
    room = finished(game)
    headers = room.headers()
    known = held(headers)
    assert known.keys() == store.openings(room.stream).keys()
    for viewer in (None, *range(len(room.players))):
        since: dict[tuple[int, int], int] = {}
        for header in headers:
            for ref in learned(header, viewer):
                since.setdefault(ref, header.seq)
        for ref, who in known.items():
            assert who.public_since is not None
            own = who.public_since if viewer is None else who.seats.get(viewer, who.public_since)
            assert since.get(ref, headers[-1].seq) == min(own, who.public_since)


@pytest.mark.parametrize("game", GAMES)
def test_every_hidden_item_reads_as_a_sentence_in_both_languages(game: str) -> None:
    room = finished(game)
    english, spanish = (
        queries.knowledge(room.stranger, room.id, each, limit=200).items for each in ("en", "es")
    )
    count = 0
    for one, other in zip(english, spanish, strict=True):
        for told_, said in zip(one.items, other.items, strict=True):
            assert (told_.payload, told_.seats) == (said.payload, said.seats)
            assert told_.sentence != said.sentence
            for text in (told_.sentence, said.sentence):
                assert not set("{}[]_") & set(text), text
                assert "None" not in text, text
            count += 1
    assert count == len(store.openings(room.stream)) > 0


def test_who_knew_a_card_reads_well() -> None:
    room = finished("reafan", 5)
    (shuffled, *_) = room.headers("reafan.shuffled")
    (dealt, *_) = room.headers("reafan.dealt")
    page = queries.knowledge(room.stranger, room.id, "en", limit=1)
    assert (page.items[0].position, page.has_more) == (shuffled.seq, True)
    first, last = page.items[0].items[0], page.items[0].items[-1]
    name = history.names_at(dealt.seq, history.holders(room.row))[dealt.public["seat"]]
    assert [(each.seat, each.since) for each in first.seats] == [(dealt.public["seat"], dealt.seq)]
    assert first.sentence.startswith("Place 0 of the deck, from the top: ")
    assert f". {name} knew it from position {dealt.seq} on. Everybody knew it" in first.sentence
    assert last.seats == []
    assert last.public_since == room.row.version
    assert last.sentence.endswith(f"No seat knew it before position {room.row.version}.")
    rest = queries.knowledge(room.stranger, room.id, "en", after=page.last_position, limit=200)
    assert all(each.position > shuffled.seq for each in rest.items)


def test_every_item_that_a_game_hides_has_words() -> None:
    for game in catalogue.games().values():
        for field, texts in hidden_fields(game):
            assert texts, f"{game.id} {field}"


def hidden_fields(game: Game[Any]) -> list[tuple[str, Any]]:
    return [
        (f"{name}.{field.name}", entry_of(game, name, {}).get("items", {}).get(field.name))
        for name, event in catalogue.event_types(game).items()
        for field in fields_of(event)
        if field.audience is COMMITTED
    ]


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_narrated_to_whoever_sees_all(game: str) -> None:
    room = finished(game)
    sentences = [
        each.sentence for each in queries.narration(room.stranger, room.id, "en", limit=200, wish=FULL).items
    ]
    assert len(sentences) == min(200, room.row.version)
    assert not [each for each in sentences if "in secret about" in each or "None" in each or "you" in each]
