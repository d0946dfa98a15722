"""What holds in every game: against a slow second reading of the rules, and card by card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.base import Recorded, awaited
from engines.chance import KeyedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu import messages as m
from engines.cthulhu.messages import Declare, Investigate
from engines.cthulhu.state import State
from tests.engines.plays import Act, Setting, bots_play, do, games

from . import slow
from .positions import random_game

SEATS = st.integers(3, 6)
SEED = st.integers(0, 2**32)
OPTIONS = st.builds(
    GAME.options, declarations=st.sampled_from(["in_order", "any_order", "none"]), series=st.booleans()
)


@dataclass
class Facts:
    """A game as its events tell it, read without the engine."""

    first: int = 0
    roles: list[str] = field(default_factory=list)
    deals: list[slow.Rows] = field(default_factory=list)
    counts: list[dict[str, int]] = field(default_factory=list)
    reveals: list[slow.Reveal] = field(default_factory=list)
    ended: m.GameEnded | None = None
    given: m.TokensGiven | None = None
    gone: set[int] = field(default_factory=set)


def told(events: list[Recorded], seats: int) -> list[Facts]:
    """Return the games that a stream tells."""
    found: list[Facts] = []
    laid: dict[tuple[int, int], m.Card] = {}
    gone: set[int] = set()
    for recorded in events:
        event: Any = recorded.event
        match event:
            case m.RolesDealt():
                found.append(Facts(roles=[item.value.role for item in event.tokens][:seats], gone=set(gone)))
            case m.FirstActive():
                found[-1].first = event.seat
            case m.CardsLaid():
                laid = {(recorded.position, slot): item.value for slot, item in enumerate(event.cards)}
                rows: slow.Rows = [[] for _ in range(seats)]
                for card in laid.values():
                    assert len(rows[card.seat]) == card.place
                    rows[card.seat].append(card.kind)
                found[-1].deals.append(rows)
                found[-1].counts = [vars_of(item.value) for item in event.counts]
            case m.CardRevealed():
                card = laid[event.card]
                assert (card.seat, card.place) == (event.target, event.place)
                found[-1].reveals.append((event.seat, event.target, event.place, card.kind))
            case m.SeatLeft():
                gone.add(event.seat)
                found[-1].gone = set(gone)
            case m.GameEnded():
                found[-1].ended = event
            case m.TokensGiven():
                found[-1].given = event
    return found


def vars_of(counts: m.Counts) -> dict[str, int]:
    return {"futile": counts.futile, "elder_sign": counts.elder_signs, "cthulhu": counts.cthulhu}


def played(options: m.Options, seats: int, seed: int, **how: float) -> Iterator[tuple[Any, Act]]:
    """Yield (batch, act) through a game played by chance."""
    for batch, act, _ in games(Setting(game=GAME, seats=seats, options=options), seed, **how):
        yield batch, act


property_of_games = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@property_of_games
@given(options=OPTIONS, seats=SEATS, seed=SEED)
def test_a_slow_second_reading_agrees_on_ends_winners_tokens_and_who_is_active(
    options: m.Options, seats: int, seed: int
) -> None:
    batch = None
    for batch, _ in played(options, seats, seed, absence=0.15, leaving=0.01):  # noqa: B007
        pass
    assert batch is not None
    stories = told(batch.events, seats)
    results = []
    for story in stories:
        ending = slow.how_it_ended(seats, story.reveals)
        assert ending is not None
        assert story.ended is not None
        side, winners = slow.winners(story.roles, ending, story.gone)
        assert (story.ended.reason, story.ended.side, list(story.ended.winners)) == (ending, side, winners)
        for number, (who, target, _, _) in enumerate(story.reveals):
            assert who == slow.active(story.first, story.reveals[:number])
            assert who != target
        results.append({"winners": winners, "gone": story.gone})
        if options.series:
            assert story.given is not None
            assert list(story.given.tokens) == slow.series(results, seats)[0]
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert list(outcome.winners) == (slow.series(results, seats)[1] if options.series else winners)
    assert len(stories) == 1 + engine.epoch(batch.state)
    assert len(stories) == 1 or options.series


@property_of_games
@given(options=OPTIONS, seats=SEATS, seed=SEED)
def test_cards_are_conserved_and_dealt_evenly_in_every_round(
    options: m.Options, seats: int, seed: int
) -> None:
    for batch, _ in played(options, seats, seed):
        for story in told(batch.events, seats):
            for number, rows in enumerate(story.deals):
                before = [kind for *_, kind in story.reveals[: number * seats]]
                assert sorted(before + [kind for row in rows for kind in row]) == slow.whole_deck(seats)
                assert {len(row) for row in rows} == {5 - number}
            for seat, counts in enumerate(story.counts):
                assert counts == {kind: story.deals[-1][seat].count(kind) for kind in counts}


@property_of_games
@given(options=OPTIONS, seats=SEATS, seed=SEED)
def test_a_slow_second_reading_agrees_on_places_counts_and_legal_picks(
    options: m.Options, seats: int, seed: int
) -> None:
    for batch, _ in played(options, seats, seed, absence=0.1):
        state = batch.state
        if state.reason is not None:
            continue
        story = told(batch.events, seats)[-1]
        for seat in range(seats):
            view = GAME.view(state, seat)
            assert [list(each.face_down) for each in view.seats] == slow.face_down(
                story.deals, story.reveals, seats
            )
            mine = view.seats[seat].remaining
            assert mine is not None
            assert vars_of(mine) == slow.remaining(story.deals, story.reveals, seats, seat)
            legal = [move for move in engine.legal_moves(state, seat) if isinstance(move, Investigate)]
            is_active = view.phase == "investigating" and view.active == seat
            wanted = slow.legal(story.deals, story.reveals, seats, seat) if is_active else set()
            assert {(move.target, move.place) for move in legal} == wanted
            assert len(legal) == len(wanted)
        assert view.round == slow.round_of(len(story.reveals), seats)


@property_of_games
@given(options=OPTIONS, seats=SEATS, seed=SEED)
def test_nothing_about_a_place_hints_at_its_kind(options: m.Options, seats: int, seed: int) -> None:
    """The cards face down before each seat change places: nobody, their owner included, notices."""
    random = Random(seed)
    for batch, _ in played(options, seats, seed):
        state = batch.state
        if state.reason is not None:
            continue
        other = replace(state, deals=(*state.deals[:-1], mixed(state, random)))
        for viewer in (*range(seats), None):
            assert GAME.view(other, viewer) == GAME.view(state, viewer)
        assert engine.to_act(other) == engine.to_act(state)
        for seat in range(seats):
            assert engine.legal_moves(other, seat) == engine.legal_moves(state, seat)


def mixed(state: State, random: Random) -> str:
    """Return the last deal with the cards face down before each seat in another order."""
    deal = list(state.deals[-1])
    each = len(deal) // state.seats
    for seat, places in enumerate(state.face_down):
        slots = [seat * each + place for place in places]
        letters = [deal[slot] for slot in slots]
        random.shuffle(letters)
        for slot, letter in zip(slots, letters, strict=True):
            deal[slot] = letter
    return "".join(deal)


@property_of_games
@given(seats=SEATS, seed=SEED)
def test_who_is_waited_for_depends_on_nothing_hidden(seats: int, seed: int) -> None:
    """Cases R56: roles and all cards are otherwise, and the windows are the same."""
    for batch, _ in played(GAME.options(), seats, seed):
        state = batch.state
        if state.reason is not None:
            return
        roles = tuple(reversed(state.roles))
        deal = state.deals[-1][::-1]
        other = replace(state, roles=roles, deals=(*state.deals[:-1], deal))
        assert engine.to_act(other) == engine.to_act(state)
        assert GAME.view(other, None).seats == GAME.view(state, None).seats


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_declarations_change_neither_turn_nor_window_of_the_active_seat_later(seats: int) -> None:
    random = Random(seats)
    for seed in range(10):
        batch = random_game(seats, seed, declarations="any_order")
        while engine.outcome(batch.state) is None:
            state = batch.state
            seat = random.randrange(seats)
            legal = engine.legal_moves(state, seat)
            if not legal:
                continue
            move = random.choice(legal)
            do(batch, Act(what="move", seat=seat, move=move))
            if isinstance(move, Declare) and not state.is_declaring:
                assert batch.state.turn == state.turn
                assert awaited(GAME, batch.state) == awaited(GAME, state) == (state.active,)


@pytest.mark.parametrize("bot", sorted(GAME.bots))
@pytest.mark.parametrize("seats", [3, 6])
def test_a_bot_plays_a_whole_series_from_views_and_legal_moves(bot: str, seats: int) -> None:
    chance = KeyedChance(bytes(32))
    batch = random_game(seats, 1, series=True)
    bots_play(batch, lambda seat, legal: GAME.bots[bot](GAME.view(batch.state, seat), legal, chance))
    assert max(batch.state.tokens) == 3
