"""What holds in every round and in every game: against a slow second reading of the rules, and act by act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.arrecife import GAME, bots, engine
from engines.arrecife.kit import KIT
from engines.arrecife.messages import (
    Ability,
    AbilityName,
    AbilityTurned,
    DuelBegan,
    Options,
    Pick,
    RoundBegan,
    RoundResolved,
    SeatFell,
    SeatLeft,
    WormRose,
)
from engines.arrecife.state import State
from engines.base import Batch, MovePlayed, awaited, begin, play
from engines.chance import KeyedChance
from tests.engines.plays import Act, Setting, games, setting

from . import slow
from .positions import batch_on, events_of, played, position, resolved

seeds = st.integers(0, 2**64)
options = st.fixed_dictionaries(
    {
        "ram_effect": st.sampled_from(("switch_team", "flip_sign")),
        "bite_damage": st.integers(1, 5),
        "starting_hp": st.integers(15, 20),
    }
)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[State, str, dict[str, int]]:
    """Draw the start of a round at any size, the cards of all, and what the worm lays before whom."""
    seats = draw(st.integers(3, 7))
    hp = draw(st.lists(st.integers(0, 15), min_size=seats, max_size=seats))
    for seat in draw(st.permutations(range(seats)))[:2]:
        hp[seat] = hp[seat] or 1
    alive = [seat for seat in range(seats) if hp[seat]]
    dead = [seat for seat in range(seats) if not hp[seat]]
    worm = draw(st.sampled_from(dead)) if dead else None
    state = position(hp, amulet=draw(st.sampled_from(alive)), worm=worm, options=draw(options))
    highest = 5 if len(alive) >= 5 else 4
    words = ["."] * seats
    for seat in state.players:
        hand = [draw(st.sampled_from("AB")), str(draw(st.integers(1, highest))), draw(st.sampled_from("+-"))]
        words[seat] = "".join(draw(st.permutations(hand)))
    laid = {}
    if worm is not None and not state.is_duel:
        laid[draw(st.sampled_from(("ram", "bite")))] = draw(st.sampled_from(alive))
    return state, " ".join(words), laid


@settings(max_examples=500, deadline=None)
@given(chosen=rounds())
def test_a_round_resolves_as_a_slow_second_reading_says(chosen: tuple[State, str, dict[str, int]]) -> None:
    before, cards, laid = chosen
    after = played(before, cards, ram=laid.get("ram"), bite=laid.get("bite"))
    wanted = slow.resolve(
        {seat: word for seat, word in enumerate(cards.split()) if word != "."},
        list(before.hp),
        amulet=before.amulet,
        duel_worm=before.worm if before.is_duel else None,
        ability=next(iter(laid), None),
        target=next(iter(laid.values()), None),
        options=msgspec.to_builtins(before.options),
    )
    assert_resolved(resolved(after), wanted)
    events = events_of(after)
    assert {event.seat for event in events if isinstance(event, SeatFell)} == wanted["fallen"]
    outcome = engine.outcome(after.state)
    left = set(before.alive) - wanted["fallen"]
    if len(left) <= 1:
        assert outcome is not None
        assert outcome.winners == tuple(left)
        assert outcome.reason == ("last_alive" if left else "sea")
        return
    assert outcome is None
    rose = [event.seat for event in events if isinstance(event, WormRose)]
    assert rose == ([] if wanted["new_worm"] is None else [wanted["new_worm"]])
    assert after.state.amulet == slow.next_amulet(before.amulet, left, len(before.hp))
    assert after.state.is_duel == (len(left) == 2)


def assert_resolved(event: RoundResolved, wanted: dict[str, Any]) -> None:
    assert set(event.majority) == wanted["majority"]
    assert set(event.minority) == wanted["minority"]
    assert (event.majority_sum, event.minority_sum) == wanted["sums"]
    assert set(event.struck) == wanted["loses"]
    assert set(event.healed) == wanted["regains"]
    assert list(event.hp) == wanted["hp"]
    for seats in (event.majority, event.minority, event.struck, event.healed):
        assert list(seats) == sorted(seats)


def whole_games(count: int, **how: Any) -> Iterator[tuple[Setting, Batch[State], Act]]:
    """Yield every act of random games of all sizes and options."""
    for seed in range(count):
        chosen = setting(GAME, Random(seed))
        for batch, act, _ in games(chosen, seed, **how):
            yield chosen, batch, act


@pytest.mark.parametrize("how", [{}, {"absence": 0.2, "leaving": 0.01}], ids=["calm", "rough"])
def test_every_round_of_whole_games_agrees_with_the_slow_reading(how: dict[str, Any]) -> None:
    """From the events alone, as somebody would follow the game at a table."""
    checked = 0
    for seed in range(150):
        chosen = setting(GAME, Random(seed))
        *_, (batch, _, _) = games(chosen, seed, **how)
        checked += follow(chosen, batch)
    assert checked > 1500


def follow(chosen: Setting, batch: Batch[State]) -> int:
    """Follow a game with pen and paper; return how many rounds were checked."""
    told = msgspec.to_builtins(chosen.options)
    hp = [chosen.options.starting_hp] * chosen.seats
    worm: int | None = None
    table: dict[int, str] = {}
    laid: Ability | None = None
    wanted: dict[str, Any] = {}
    fallen: set[int] = set()
    amulet: int = -1  # before the first round
    is_duel, checked = False, 0
    for event in (recorded.event for recorded in batch.events):
        alive = {seat for seat in range(chosen.seats) if hp[seat] > 0}
        match event:
            case DuelBegan():
                assert len(alive) == 2
                assert event.worm == worm
                is_duel = True
            case RoundBegan():
                if amulet >= 0:
                    assert event.amulet == slow.next_amulet(amulet, alive, chosen.seats)
                assert set(event.players) == (alive | {worm} if is_duel else alive)
                assert event.highest_value == (5 if len(alive) >= 5 else 4)
                assert fallen == wanted.get("fallen", set())
                amulet, table, laid, fallen = event.amulet, {}, None, set()
            case MovePlayed(move=Ability() as laid):
                assert event.seat == worm
                assert not is_duel
                assert laid.target in alive
            case MovePlayed(move=Pick(card=card)):
                shown = table.get(event.seat, "")
                is_fixed = chosen.options.card_order == "fixed"
                assert event.seat in alive or (is_duel and event.seat == worm)
                assert card in slow.cards_allowed(shown, len(alive), is_fixed=is_fixed)
                table[event.seat] = shown + card
            case RoundResolved():
                wanted = slow.resolve(
                    table,
                    hp,
                    amulet=amulet,
                    duel_worm=worm if is_duel else None,
                    ability=laid.ability if laid else None,
                    target=laid.target if laid else None,
                    options=told,
                )
                assert_resolved(event, wanted)
                hp = wanted["hp"]
                checked += 1
            case SeatFell():
                assert event.seat in wanted["fallen"]
                fallen.add(event.seat)
            case WormRose():
                assert event.seat == wanted["new_worm"]
                worm = event.seat
    assert tuple(hp) == batch.state.hp
    return checked


def test_hp_worm_players_and_cards_are_in_order_after_every_act() -> None:
    for chosen, batch, _ in whole_games(60, absence=0.1, leaving=0.01):
        state = batch.state
        assert all(0 <= hp <= chosen.options.starting_hp for hp in state.hp)
        assert state.alive == tuple(seat for seat, hp in enumerate(state.hp) if hp > 0)
        assert state.worm is None or state.worm not in state.alive
        assert state.round <= chosen.options.max_rounds
        if state.reason is not None:
            continue
        assert state.amulet in state.alive
        assert (state.worm is None) == (len(state.alive) == chosen.seats)
        assert len(state.alive) >= 2
        assert state.is_duel == (len(state.alive) == 2)
        for window in engine.to_act(state):
            assert window.seat in (state.worm, *state.alive)
            assert window.seat not in state.left
        assert_kits(state)


def assert_kits(state: State) -> None:
    """What lies on the table and what is in hand make up one kit; nobody else holds cards."""
    view = GAME.view(state, None)
    for seat in view.seats:
        if seat.seat not in state.players:
            assert (seat.shown, seat.hand) == ((), ())
            continue
        assert len(seat.shown) == state.reveals
        for kind in ("AB", "12345"[: view.highest_value], "+-"):
            shown = [card for card in seat.shown if card in kind]
            in_hand = [card for card in seat.hand if card in kind]
            assert len(shown) == 1 or not shown
            assert in_hand == ([] if shown else list(kind))


def test_nobody_acts_after_being_out() -> None:
    for seed in range(40):
        chosen = setting(GAME, Random(seed))
        *_, (batch, _, _) = games(chosen, seed, absence=0.2, leaving=0.01)
        out: set[int] = set()
        worm: int | None = None
        for event in (recorded.event for recorded in batch.events):
            match event:
                case MovePlayed():
                    assert event.seat not in out or event.seat == worm
                case SeatFell():
                    assert event.seat not in out, "nobody falls twice"
                    out.add(event.seat)
                case WormRose():
                    assert event.seat in out
                    worm = event.seat


def test_every_seat_has_one_place_and_whoever_fell_later_has_the_better_one() -> None:
    for seed in range(60):
        chosen = setting(GAME, Random(seed))
        *_, (batch, _, _) = games(chosen, seed, leaving=0.01 * (seed % 2))
        out: dict[int, int] = {}
        round_ = 0
        for event in (recorded.event for recorded in batch.events):
            if isinstance(event, RoundBegan):
                round_ = event.round
            elif isinstance(event, SeatFell | SeatLeft):
                out.setdefault(event.seat, round_)
        outcome = engine.outcome(batch.state)
        assert outcome is not None
        for one, one_out in out.items():
            for other, other_out in out.items():
                if one_out == other_out:
                    assert outcome.places[one] == outcome.places[other]
                if one_out > other_out:
                    assert outcome.places[one] < outcome.places[other]
        assert all(outcome.places[seat] > 1 for seat in out) or outcome.winners == ()


@settings(max_examples=60, deadline=None)
@given(chosen=rounds(), order=st.randoms(use_true_random=False))
def test_in_whatever_order_the_picks_come_the_round_is_the_same(
    chosen: tuple[State, str, dict[str, int]], order: Random
) -> None:
    before, cards, laid = chosen
    one = played(before, cards, ram=laid.get("ram"), bite=laid.get("bite"))
    other = batch_on(before)
    for name, target in laid.items():
        assert before.worm is not None
        play(other, before.worm, Ability(ability=name, target=target))  # type: ignore[arg-type]
    for reveal in range(3):
        seats = list(before.players)
        order.shuffle(seats)
        for seat in seats:
            play(other, seat, Pick(card=cards.split()[seat][reveal]))  # type: ignore[arg-type]
    assert one.state == other.state
    assert one.position == other.position


@pytest.mark.long
@pytest.mark.parametrize("how", [{}, {"absence": 0.3, "leaving": 0.01}], ids=["calm", "rough"])
def test_nobody_is_told_what_another_has_laid_face_down(how: dict[str, Any]) -> None:
    """Every sealed card and ability put otherwise: views, moves and turns of all others stay."""
    compared = 0
    for number, (_, batch, _) in enumerate(whole_games(12, **how)):
        state = batch.state
        if state.reason is not None or number % 7:
            continue
        for knower, other in otherwise(state):
            for viewer in (*range(len(state.hp)), None):
                if viewer is None or viewer != knower:
                    assert GAME.view(other, viewer) == GAME.view(state, viewer)
                    compared += 1
            assert engine.to_act(other) == engine.to_act(state)
            for seat in range(len(state.hp)):
                assert engine.legal_moves(other, seat) == engine.legal_moves(state, seat)
    assert compared > 1000


def otherwise(state: State) -> Iterator[tuple[int | None, State]]:
    """Yield the states that differ in one sealed thing, each with the only seat that knows it."""
    for seat, pick in enumerate(state.picks):
        for card in KIT if pick else ():
            assert pick is not None
            if card != pick.card:
                picks = (*state.picks[:seat], pick._replace(card=card), *state.picks[seat + 1 :])
                yield None if pick.by_table else seat, replace(state, picks=picks)
    if state.laid is not None:
        ability: AbilityName = "ram" if state.laid.ability == "bite" else "bite"
        yield (
            None if state.laid.by_table else state.worm,
            replace(state, laid=state.laid._replace(ability=ability)),
        )


def test_a_turned_ability_is_told_at_that_very_event() -> None:
    """Also a view of the past, between two events of one batch."""
    state = GAME.empty(Options(), 4)
    *_, (batch, _, _) = games(Setting(game=GAME, seats=4, options=Options()), 3)
    is_turned, turned = False, 0
    for recorded in batch.events:
        state = GAME.evolve(state, recorded.event, recorded.position)
        turned += isinstance(recorded.event, AbilityTurned)
        is_turned |= isinstance(recorded.event, AbilityTurned)
        is_turned &= not isinstance(recorded.event, RoundBegan)
        laid = GAME.view(state, None).laid
        if laid is not None:
            assert (laid.ability is not None) == is_turned
    assert turned > 0


# Bots


def won(seed: int, seats: int, hero: int) -> bool:
    """Tell whether the reader at seat ``hero`` wins against random players."""
    batch = Batch(
        game=GAME,
        state=GAME.empty(Options(), seats),
        chance=KeyedChance(seed.to_bytes(32, "big")),
        position=1,
    )
    chance = KeyedChance((seed + 1000).to_bytes(32, "big"))
    begin(batch)
    while windows := awaited(GAME, batch.state):
        seat = windows[0]
        bot = bots.reader if seat == hero else bots.random
        play(batch, seat, bot(GAME.view(batch.state, seat), engine.legal_moves(batch.state, seat), chance))
    return hero in batch.state.winners


def test_the_reader_beats_random_players_by_far() -> None:
    """Chance alone would win 10 of 30; measured over 1,000 games it wins 88 of 100."""
    assert sum(won(seed, 3, seed % 3) for seed in range(30)) >= 20


def test_the_reader_chooses_the_same_under_the_same_chance() -> None:
    state = played(position([9, 9, 9, 9, 0], worm=4), "A1+ A2- B1+ B1+ .", ram=0).state
    play(batch := batch_on(state), 4, Ability(ability="ram", target=0))
    for seat, card in enumerate("A3-"):
        play(batch, seat, Pick(card=card))  # type: ignore[arg-type]
    view, legal = GAME.view(batch.state, 3), engine.legal_moves(batch.state, 3)
    chosen = {bots.reader(view, legal, KeyedChance(bytes(32))) for _ in range(3)}
    assert len(chosen) == 1


def test_the_reader_sees_a_trap_at_the_last_reveal() -> None:
    """Five alive: A stands at 6 against 0 without seat 4, so the team B is the safe one."""
    batch = batch_on(position([9] * 5, options={"card_order": "free"}))
    for reveal in range(3):
        for seat, word in enumerate(("A3+", "A4+", "A1-", "B2-", "2+")):
            if reveal < len(word):
                play(batch, seat, Pick(card=word[reveal]))  # type: ignore[arg-type]
    move = bots.reader(GAME.view(batch.state, 4), engine.legal_moves(batch.state, 4), KeyedChance(bytes(32)))
    assert move == Pick(card="B")


def test_the_reader_as_a_worm_bites_the_strongest() -> None:
    state = position([9, 20, 3, 0], worm=3, amulet=0)
    move = bots.reader(GAME.view(state, 3), engine.legal_moves(state, 3), KeyedChance(bytes(32)))
    assert move == Ability(ability="bite", target=1)
