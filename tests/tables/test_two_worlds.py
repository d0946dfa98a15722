"""Two tables that differ only in what a viewer may not know answer that viewer alike, byte for byte.

The stories and their differences are those of ``tests.engines.worlds``; here each world is a
table in the database, and what is compared is everything the queries give out.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest
from django.db import transaction

from engines.base import Batch, Game
from events import canonical
from tables import answers, catalogue, hosting, lifecycle, messages, queries
from tables import turns as home
from tables.errors import NotYourEyes
from tables.folding import EMPTY
from tables.hosting import Host
from tables.live import feeds, streams
from tables.models import Outbox, Seed, Table, Tenure, WebhookDelivery, WebhookEndpoint
from tables.players import Caller, create_token
from tables.shapes import WEBHOOK_TYPES
from tables.webhooks import announcing, delivering
from tables.webhooks.delivering import Claimed
from tests import probe
from tests.engines.plays import ALL_GAMES, Act, do, setting
from tests.engines.stories import Difference, Retold, Story, act_in, differences, retelling, told
from tests.engines.worlds import agreements
from tests.probe.state import State
from tests.probe.view import View

from .rooms import new_player

ACTS = 10
"""Enough to begin every game, and quick."""

SEED = bytes(32)
HASHES = re.compile(rb'"(c|prev|head|sig|seed|seed_commit|hash|salt)":"[0-9a-f]*"')
TIMES = re.compile(rb'"(server_time|created_at|seconds_left)":("[^"]*"|[0-9]+)')


class ToldHost(Host):
    """A table at which chance, and the table itself, answer as a story says."""

    story: Story
    difference: Difference | None
    told_game: Game[Any]

    def batch(self) -> Batch[Any]:
        chance = Retold(self.story, self.difference, self.table.drawn)
        return Batch(game=self.told_game, state=self.state, chance=chance, position=self.version + 1)


@dataclass(frozen=True, slots=True)
class TableWorld:
    """One world of a story as a table; the same people sit at the tables of all worlds."""

    id: uuid.UUID
    host: ToldHost
    difference: Difference | None

    def tell(self, number: int, act: Act) -> None:
        """Record and store one more act, at a time that is the same in every world."""
        self.host.now += 1000
        with transaction.atomic():
            batch = self.host.batch()
            do(batch, act_in(self.difference, number, act))
            self.host.take(batch)
            self.host.save()

    def seen_by(self, player: uuid.UUID, seat: int | None) -> dict[str, bytes]:
        """Return the bytes of everything that a player can ask for, names of the table taken out."""
        version = Table.objects.get(id=self.id).version
        assert queries.view_etag(player, self.id) == answers.etag(self.id, seat, version)
        listed = [each for each in queries.tables(player, limit=10).items if each.id == str(self.id)]
        turns = [each for each in home.turns(player, with_views=True).items if each.table_id == str(self.id)]
        found: dict[str, Any] = {
            "view": queries.view(player, self.id),
            "first view": queries.view(player, self.id, at=max(1, version - 1)),
            "events": queries.events(player, self.id, limit=1000),
            "narration": queries.narration(player, self.id, "en", limit=1000),
            "table": queries.table(player, self.id),
            "list": listed,
            "turns": turns,
            "turn positions": queries.turn_positions(player, self.id),
            "other eyes": [self._through(wish, player) for wish in (1, "full")],
            "former eyes": self._formerly(player),
            "head": queries.head(player, self.id),
            "transcript": self._transcript(player),
            "notices": self._notices(),
            "webhooks": self._webhooks(player),
            "stream": asyncio.run(self._streamed(caller_of(player), version)),
            "my events": [
                each for each in feeds.my_events(player, {}, 1000).items if each.table_id == str(self.id)
            ],
        }
        return {name: self._plain(answer) for name, answer in found.items()}

    def _transcript(self, player: uuid.UUID) -> dict[str, Any]:
        transcript = queries.transcript(player, self.id)
        return {**transcript, "openings": [{**each, "salt": ""} for each in transcript["openings"]]}

    def _through(self, wish: Any, player: uuid.UUID) -> Any:
        """Return what a player is shown, or refused, who asks for a seat's eyes, or for all."""
        try:
            return queries.view(player, self.id, wish=wish)
        except NotYourEyes as refusal:
            return refusal.facts

    def _formerly(self, player: uuid.UUID) -> Any:
        """Return what seat 0 shows to whoever held it at the beginning alone, cut off where that ended."""
        try:
            return queries.events(player, self.id, limit=1000, wish=0), queries.view(
                player, self.id, at=2, wish=0
            )
        except NotYourEyes as refusal:
            return refusal.facts

    async def _streamed(self, caller: Caller, version: int) -> list[Any]:
        """Return the fields of what a stream tells from the first event to the last."""
        told: list[Any] = []
        async with aclosing(streams.of_table(caller, self.id, 0)) as stream:
            async for frame in stream:
                fields = dict(line.split(": ", 1) for line in frame.decode().splitlines() if line)
                told.append({**fields, "data": msgspec.json.decode(fields.get("data", "null"))})
                if fields.get("id") == str(version):
                    return told
        raise AssertionError(told)

    def _notices(self) -> list[Any]:
        """Return what all are told of this table, and when: public facts alone, so everybody may compare."""
        rows = Outbox.objects.filter(table=self.id, kind="notice").order_by("position", "key")
        return list(rows.values_list("position", "audience", "next_attempt_at", "detail"))

    def _webhooks(self, player: uuid.UUID) -> list[Any]:
        """Return the bodies of what an endpoint of a player is sent of this table, and when."""
        rows = WebhookDelivery.objects.filter(table=self.id, endpoint__player=player).order_by("id")
        columns = ("id", "message", "type", "table_id", "position", "occurred_at")
        at_endpoint = ("https://bot.example.net", bytes(32), None, None)
        told = [Claimed(*row, *at_endpoint) for row in rows.values_list(*columns)]
        bodies = [delivering.letter_of(each).body.decode() for each in told]
        return list(zip(bodies, rows.values_list("next_attempt_at", flat=True), strict=True))

    def _plain(self, answer: Any) -> bytes:
        """Return an answer without what names this very table, or commits to what is hidden."""
        told = msgspec.json.encode(answer)
        for own in (str(self.id), self.id.hex, Table.objects.get(id=self.id).invite_code):
            told = told.replace(own.encode(), b"own")
        told = re.sub(rb'"etag":"[^,]*"', b'"etag":""', told)
        return TIMES.sub(rb'"\1":""', HASHES.sub(rb'"\1":""', told))


@cache
def caller_of(player: uuid.UUID) -> Caller:
    """Return a player as one of its tokens knows it."""
    caller = Caller(player, "", "en", token_id=player)
    return replace(caller, token_id=uuid.UUID(create_token(caller, "").details.id))


def follow(player: uuid.UUID) -> None:
    """Have an endpoint of a player told everything that endpoints are told."""
    WebhookEndpoint.objects.create(
        player_id=player,
        url="https://bot.example.net",
        types=list(WEBHOOK_TYPES),
        status="active",
        salt=bytes(32),
        created_at="2026-01-01T00:00Z",
        busy_until="9999-01-01T00:00Z",
    )


def table_of(
    story: Story, difference: Difference | None, players: list[uuid.UUID], former: uuid.UUID, now: int
) -> TableWorld:
    """Return a table at which the players sit, ``former`` sat before, and nothing has been played yet."""
    game = story.setting.game
    host = ToldHost(uuid.uuid4(), now, 0, bytes(32), EMPTY)
    host.story, host.difference, host.told_game = story, difference, retelling(story, difference)
    options = msgspec.to_builtins(story.setting.options)
    with transaction.atomic():
        Table.objects.create(
            id=host.id,
            game=game.id,
            visibility="public",
            invite_code=host.id.hex,
            host_id=players[0],
            status="open",
            seats=len(players),
        )
        Seed.objects.create(table_id=host.id, epoch=0, seed=SEED)
        commit = canonical.seed_commit(host.id.bytes, 0, SEED).hex()
        host.add(
            messages.Opened(seed_commit=commit, seed_policy="server", kid=""),
            messages.SettingsChosen(
                game=game.id,
                rules_version=game.rules_version,
                options=options,
                seats=len(players),
                clock=messages.Clock(kind="per_turn", seconds=86400),
                max_timeouts=2,
                absentee="bot",
                vacations=True,
                visibility="public",
                starts="when_full",
            ),
        )
        for seat, player in enumerate(players):
            pseudonym = f"{seat:032x}"
            host.add(lifecycle.join(host.table, seat, pseudonym), actor=f"seat:{seat}")
            Tenure.objects.create(
                table_id=host.id, seat=seat, player_id=player, pseudonym=pseudonym, since=host.version
            )
        Tenure.objects.create(
            table_id=host.id, seat=0, player_id=former, pseudonym=32 * "f", since=1, until=2, ended="absent"
        )
        host.add(lifecycle.start(host.table, catalogue.digest_of(game)))
        host.save()
    return TableWorld(host.id, host, difference)


def compared(game: Game[Any], seed: int, worlds: int) -> int:
    """Compare tables of one story; return how often a viewer was shown alike what differs."""
    story = told(setting(game, Random(seed)), seed, absence=0.2)
    players = [new_player() for _ in range(story.setting.seats)]
    former = new_player()
    viewers = [*enumerate(players), (None, former), (None, new_player())]
    for _, player in viewers:
        follow(player)
    now, count = hosting.now_ms(), 0
    for difference in differences(story, Random(seed), worlds):
        agreed = {each.viewer: each for each in agreements(story, difference)}
        here = table_of(story, None, players, former, now)
        there = table_of(story, difference, players, former, now)
        for number, act in enumerate(story.acts[: min(ACTS, max(each.acts for each in agreed.values()))]):
            here.tell(number, act)
            there.tell(number, act)
            for viewer, player in viewers:
                if number >= agreed[viewer].acts or (number not in agreed[viewer].differing):
                    continue
                seen = there.seen_by(player, viewer)
                for name, told_here in here.seen_by(player, viewer).items():
                    assert told_here == seen[name], f"{name} of viewer {viewer}"
                assert here.seen_by(player, viewer)["notices"] != b"[]"
                assert viewer is None or here.seen_by(player, viewer)["webhooks"] != b"[]"
                count += 1
    return count


@pytest.mark.long
@pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.id)
def test_every_answer_of_a_table_is_the_same_where_only_secrets_differ(game: Game[Any]) -> None:
    """security.md C1 to C3, C8, C9, C13, C19, C34: view, past view, events, lists, transcript."""
    assert sum(compared(game, seed, worlds=3) for seed in (1, 2)) >= 20


def view_with_the_mark(state: State, viewer: int | None) -> View:
    seen = probe.GAME.view(state, viewer)
    return replace(seen, rounds=1 + state.cards.index(True) % 3) if state.cards else seen


@pytest.mark.long
def test_a_leak_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view, on its way out of the tables, that tells where the mark lies."""
    monkeypatch.setitem(catalogue.games(), "probe", replace(probe.GAME, view=view_with_the_mark))

    with pytest.raises(AssertionError, match="view of viewer"):
        compared(probe.GAME, seed=1, worlds=20)


@pytest.mark.long
def test_a_leak_by_webhooks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more that is sent, depending on where the mark lies."""
    news = announcing._news

    def leaking(host: Host) -> Iterator[announcing._News]:
        yield from news(host)
        if host.state.cards and host.state.cards.index(True) % 2:
            yield announcing._News(announcing.CHANGED, host.version, -host.version, host.first)

    monkeypatch.setattr(announcing, "_news", leaking)

    with pytest.raises(AssertionError, match="webhooks of viewer"):
        compared(probe.GAME, seed=1, worlds=20)
