"""Bots, asked by the relay called directly: while they are awaited, and once about an optional window."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from engines.audience import name_of
from engines.base import Move
from engines.chance import Chance
from tables import catalogue, commands, playing
from tables.errors import TurnPassed
from tables.models import Outbox
from tables.relay import DEEDS, relay
from tables.shapes import NewTable, SandboxChoice
from tests.probe.messages import Declare, Open

from .rooms import Room, new_player

Answer = Callable[[Room], Move | None]


class Noting:
    """A bot of the probe that notes what it is offered and answers so; it never opens the mark."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.offers: list[tuple[int, int]] = []  # round and seat
        self.room = room_of_bots("probe", 3, "random")

    def __call__(self, view: Any, legal: Sequence[Move], _chance: Chance) -> Move | None:
        if all(isinstance(move, Declare) for move in legal):
            self.offers.append((view.round, view.viewer))
            return self.answer(self.room)
        cards = self.room.host.state.cards
        return next(
            each for each in legal if not (isinstance(each, Open) and cards[each.owner * 3 + each.place])
        )

    def play_on(self, *, rounds: int) -> None:
        """Let the person and the bots play until so many rounds, of three cards each, are over."""
        work()
        while len(self.room.headers("probe.card_opened")) < 3 * rounds:
            self.room.open_blank()
            work()


@pytest.fixture
def noting(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answer], Noting]:
    """Return a way to seat such bots beside a person, all of whom have picked their numbers."""

    def seat(answer: Answer) -> Noting:
        work()  # what other tables wait for, others play
        bot = Noting(answer)
        monkeypatch.setitem(catalogue.game_of("probe").bots, "random", bot)
        bot.room.pick(0)
        return bot

    return seat


@pytest.mark.parametrize(("sandbox", "seconds"), [(None, 60), (SandboxChoice(), 0)], ids=["table", "sandbox"])
def test_bots_take_their_time_where_people_play(
    sandbox: SandboxChoice | None, seconds: int, settings: Settings
) -> None:
    settings.BOT_SECONDS = 60
    before = timezone.now()
    opened = commands.open_table(
        new_player(), NewTable(game="reafan", bots=["greedy"], sandbox=sandbox)
    ).answer
    asked = Outbox.objects.filter(table=opened.id, kind="bot")  # type: ignore[attr-defined]

    assert [each.next_attempt_at - before >= timedelta(seconds=seconds) for each in asked] == [True]
    assert asked.filter(next_attempt_at__lte=before + timedelta(seconds=seconds + 30)).exists()


@pytest.mark.long
def test_a_bot_is_offered_an_optional_window_once_unless_it_is_awaited_then(
    noting: Callable[[Answer], Noting],
) -> None:
    bot = noting(lambda _room: None)
    bot.play_on(rounds=2)

    openers = [header.public["seat"] for header in bot.room.headers("probe.card_opened")[::3]]
    assert sorted(bot.offers) == [
        (number, seat) for number, opener in enumerate(openers, 1) for seat in (1, 2) if seat != opener
    ]
    assert kinds_played(bot.room) == {"pick", "open"}
    assert rows(bot.room, kind="bot_offer") == len(bot.offers)
    assert rows(bot.room, done_at=None) == 0


def test_who_is_awaited_is_asked_before_anybody_is_offered_anything(
    noting: Callable[[Answer], Noting],
) -> None:
    bot = noting(lambda _room: None)
    bot.play_on(rounds=1)

    by_position: dict[int, list[str]] = {}
    for row in Outbox.objects.filter(table=bot.room.id).exclude(kind="notice").order_by("next_attempt_at"):
        by_position.setdefault(row.position, []).append(row.kind)
    assert all(kinds == sorted(kinds) for kinds in by_position.values())  # "bot" < "bot_offer"


def test_what_a_bot_is_asked_again_by_a_repeat_changes_nothing(noting: Callable[[Answer], Noting]) -> None:
    bot = noting(lambda _room: Declare(marks=1))
    work()
    assert bot.offers
    before, offers = bot.room.row.version, list(bot.offers)

    for row in Outbox.objects.filter(table=bot.room.id).exclude(kind="notice"):
        DEEDS[row.kind](bot.room.id, row.audience)

    assert bot.room.row.version == before
    assert bot.offers == offers


def test_an_answer_counts_as_long_as_its_window_is_open_whatever_turn_it_is(
    noting: Callable[[Answer], Noting],
) -> None:
    """The person plays while the bot thinks."""

    def answer(room: Room) -> Move:
        if room.host.awaited() == (0,):
            room.open_blank()
        return Declare(marks=0)

    bot = noting(answer)
    work()
    assert "declare" in kinds_played(bot.room)
    answers = [
        each.public for each in bot.room.headers("table.move_played") if each.public["kind"] == "declare"
    ]
    assert [each["seat"] for each in answers] == [seat for _, seat in bot.offers]


def test_an_answer_to_a_window_that_is_closed_is_refused(noting: Callable[[Answer], Noting]) -> None:
    bot = noting(lambda _room: None)
    work()
    turn = bot.room.row.turn
    bot.play_on(rounds=1)
    before = bot.room.row.version

    with pytest.raises(TurnPassed):
        playing.play_bot(bot.room.id, 1, turn, Declare(marks=0))
    assert bot.room.row.version == before


@pytest.mark.long
def test_bots_of_cthulhu_declare_in_every_round() -> None:
    """Over tables until one has come to its last round; a person plays on without telling anything."""
    rounds = 0
    while rounds < 4:
        room = room_of_bots("cthulhu", 4, "counting")
        work()
        while room.row.status == "playing":
            play_quietly(room)
            work()
        state = room.host.state
        rounds = len(state.deals)
        for number in range(1, rounds):
            assert {1, 2, 3} <= {said.seat for said in state.said if said.round == number}
    assert {1, 2, 3} <= {said.seat for said in state.said if said.round == 4}


def room_of_bots(game: str, seats: int, bot: str) -> Room:
    """Return a table at which a person has seat 0 and bots all others."""
    person, nobody = new_player(), new_player()
    body = NewTable(game=game, seats=seats, bots=[bot] * (seats - 1))
    opened: Any = msgspec.to_builtins(commands.open_table(person, body).answer)
    return Room(uuid.UUID(opened["id"]), [person, *[nobody] * (seats - 1)], nobody)


def play_quietly(room: Room) -> None:
    """Let the person declare nothing in particular, and reveal what harms nobody."""
    state = room.host.state
    legal = room.host.game.legal_moves(state, 0)
    each = len(state.deals[-1]) // state.seats
    move = next(
        (
            move
            for move in legal
            if name_of(type(move)) == "investigate"
            and state.deals[-1][move.target * each + move.place] == "f"
        ),
        legal[0],
    )
    room.send(0, name_of(type(move)), **msgspec.to_builtins(move))


def kinds_played(room: Room) -> set[str]:
    return {header.public["kind"] for header in room.headers("table.move_played")}


def rows(room: Room, **found: Any) -> int:
    """Return how many such rows of the outbox are of a table."""
    return Outbox.objects.filter(table=room.id, **found).exclude(kind="notice").count()


def work() -> None:
    """Do what the outbox says until nothing is due."""
    while relay():
        pass
