"""A series of games at one table, with insanity tokens."""

from __future__ import annotations

from engines.base import Batch, begin, leave, play_default
from engines.chance import KeyedChance, ScriptedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu.messages import GameEnded, RolesDealt, SeatLeft, TokensGiven
from engines.cthulhu.state import State

from .positions import begun, declare, facts, investigate, next_game, random_game, waited_for

SIGNS = "ssfff ssfff ffffc fffff"
FOUND = ("1.0", "0.0", "1.1", "0.1")


def test_r4_when_a_game_ends_nobody_is_awaited_until_the_table_begins_the_next_one() -> None:
    batch = investigate(begun(SIGNS, roles="iicc", series=True), *FOUND)
    assert engine.epoch(batch.state) == 1
    assert engine.to_act(batch.state) == ()
    assert engine.outcome(batch.state) is None
    assert engine.legal_moves(batch.state, 1) == ()


def test_r4_seats_tokens_and_turns_go_on_and_everything_else_is_dealt_anew() -> None:
    batch = investigate(begun(SIGNS, roles="iicc", series=True), *FOUND)
    turn = batch.state.turn
    next_game(batch, "fffff fffsc sssff fffff", roles="ciic", first=2)

    state = batch.state
    assert (state.turn, state.since) == (turn, turn)
    assert (state.tokens, state.active) == ((0, 0, 1, 1), 2)
    assert (state.reveals, len(state.deals)) == ((), 1)
    assert waited_for(batch) == (2,)
    investigate(batch, "1.4")
    assert facts(batch)[-1] == TokensGiven(seats=(1, 2), tokens=(0, 1, 2, 1))


def test_r4_declarations_of_the_next_game_are_of_a_window_of_its_own() -> None:
    batch = random_game(4, 1, declarations="in_order", series=True)
    for seat in range(4):
        declare(batch, seat, 0)
    until_the_end_of_the_game(batch)
    turn = batch.state.turn
    batch.chance = KeyedChance(bytes(32))
    begin(batch)
    assert {each.since for each in engine.to_act(batch.state)} == {turn}


def test_a_finished_game_of_the_series_is_open_to_all() -> None:
    batch = investigate(begun(SIGNS, roles="icic", series=True), *FOUND)
    next_game(batch, SIGNS, roles="ciii")
    view = GAME.view(batch.state, None)

    (game,) = view.past
    assert game.roles == ("investigator", "cultist", "investigator", "cultist")
    assert game.left_over == ("investigator",)
    assert (game.reason, game.side, game.winners) == ("signs_found", "investigators", (0, 2))
    assert game.rounds[0].places is not None
    assert [card.kind for card in game.rounds[0].reveals] == ["elder_sign"] * 4
    assert (view.game, [each.tokens for each in view.seats]) == (2, [0, 1, 0, 1])
    assert [each.role for each in view.seats] == [None] * 4
    assert view.rounds[0].places is None


def test_r4_a_leaver_gets_a_token_for_that_game_and_each_later_one() -> None:
    batch = begun(SIGNS, roles="iicc", series=True)
    leave(batch, 3, "resigned")
    investigate(batch, *FOUND)
    assert facts(batch)[-1] == TokensGiven(seats=(2, 3), tokens=(0, 0, 1, 1))
    next_game(batch, SIGNS, roles="ccii")
    investigate(batch, *FOUND)
    assert facts(batch)[-2] == GameEnded(reason="signs_found", side="investigators", winners=(2,))
    assert facts(batch)[-1] == TokensGiven(seats=(0, 1, 3), tokens=(1, 1, 1, 2))
    next_game(batch, SIGNS, roles="ciic")
    investigate(batch, *FOUND)

    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert batch.state.tokens == (2, 1, 1, 3)
    assert outcome.winners == (1, 2)
    assert outcome.places == (3, 1, 1, 4)


def test_r4_the_fewest_tokens_are_sought_among_owners_still_there() -> None:
    batch = begun(SIGNS, roles="iicc", series=True)
    investigate(batch, *FOUND)
    next_game(batch, SIGNS, roles="iicc")
    investigate(batch, *FOUND)
    next_game(batch, SIGNS, roles="iicc")
    batch.chance = ScriptedChance([0, 0])
    leave(batch, 1, "removed")
    investigate(batch, "1.0", "1.1")

    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert batch.state.tokens == (0, 1, 3, 3)
    assert (outcome.winners, outcome.places) == ((0,), (1, 4, 2, 2))


def test_r4_a_series_that_all_have_left_plays_itself_out_and_nobody_wins() -> None:
    batch = random_game(5, 3, series=True)
    for seat in range(5):
        leave(batch, seat, "resigned")
    while engine.outcome(batch.state) is None:
        batch.chance = KeyedChance(bytes(32))
        begin(batch)

    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert outcome.winners == ()
    assert batch.state.tokens == (3,) * 5
    assert sum(isinstance(each, RolesDealt) for each in facts(batch)) == 3
    assert sum(isinstance(each, SeatLeft) for each in facts(batch)) == 5


def test_the_last_game_of_a_series_opens_no_further_epoch() -> None:
    batch = begun(SIGNS, roles="iicc", series=True)
    for _ in range(2):
        investigate(batch, *FOUND)
        next_game(batch, SIGNS, roles="iicc")
    investigate(batch, *FOUND)
    assert batch.state.tokens == (0, 0, 3, 3)
    assert engine.epoch(batch.state) == 2
    assert engine.outcome(batch.state) is not None
    view = GAME.view(batch.state, 2)
    assert (view.game, len(view.past), view.is_over, view.phase) == (3, 2, True, "over")


def test_without_the_option_a_game_is_one_game() -> None:
    batch = investigate(begun(SIGNS, roles="iicc"), *FOUND)
    assert engine.epoch(batch.state) == 0
    assert batch.state.tokens == (0,) * 4


def until_the_end_of_the_game(batch: Batch[State]) -> None:
    """Let the table play for all."""
    while waited := waited_for(batch):
        play_default(batch, waited[0])
