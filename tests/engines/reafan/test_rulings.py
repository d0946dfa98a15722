"""The rulings on placing, powers, scoring, discards and the end, each by its number."""

from __future__ import annotations

import pytest

from engines.base import MovePlayed, leave, play, play_default
from engines.chance import KeyedChance, ScriptedChance
from engines.reafan import GAME, engine
from engines.reafan.messages import CardDiscarded, CardDrawn, CardPlaced, Cover, Discard, Place, Swap

from .positions import events_of, hand_of, played, points_of, position, refusal, scored

CLOSED = """
    .  4c .  5c .
    6c 7c 8c 9c 10c
    .  3d .  4d .
    5d 6d 7d 8d 9d
    .  3h .  4h .
    """


def test_r4_the_limit_of_five_holds_for_the_row_and_the_column_of_the_placed_card() -> None:
    before = position(
        """
        8c . .  .  .
        3c . .  .  .
        4c . .  .  .
        5c . .  .  .
        6c . 9d 3d .
        """,
        hand="8d",
    )
    assert refusal(before, Place(card="8d", x=0, y=5)) == "line_too_long"
    assert scored(before, Place(card="8d", x=1, y=0)) == (0, 0)
    assert scored(before, Place(card="8d", x=1, y=2)) == (2, 0)


def test_r5_a_hollow_ring_may_be_closed() -> None:
    before = position(
        """
        .  6d 7c
        8s .  6c
        3s 4d 5d
        """,
        hand="9s 10s",
    )
    assert scored(before, Place(card="9s", x=0, y=2)) == (3, 3)
    assert refusal(before, Place(card="10s", x=1, y=1)) == "block_completed"


def test_r6_a_jack_may_lie_beside_a_jack() -> None:
    assert scored(position("Jc", hand="Jd"), Place(card="Jd", x=1, y=0)) == (0, 0)
    assert scored(position("Jc 5d", hand="Jd"), Cover(card="Jd", x=1, y=0)) == (0, 0)


def test_r6_only_sides_count_as_beside() -> None:
    before = position(
        """
        Qc 5c
        .  6c
        """,
        hand="Jd",
    )
    assert scored(before, Cover(card="Jd", x=1, y=0)) == (0, 2)


def test_r7_a_two_is_always_a_swap_and_never_takes_a_two() -> None:
    before = position("9c 2c", hand="2h")
    assert refusal(before, Place(card="2h", x=2, y=0)) == "two_must_swap"
    assert refusal(before, Swap(card="2h", x=1, y=0)) == "cannot_swap_two"
    assert engine.legal_moves(before, 0) == [Swap(card="2h", x=0, y=0)]


def test_r8_a_two_takes_the_jack_and_what_it_covered_stays_covered() -> None:
    before = position("7h Jd/9c", hand="2h")
    after = played(before, Swap(card="2h", x=1, y=0)).state
    assert hand_of(after) == {"Jd"}
    assert after.board[1, 0] == "2h"
    assert after.covered[1, 0] == ("9c",)


def test_a_jack_may_cover_a_two_that_covers_a_card() -> None:
    after = played(position("7h 2d/9c", hand="Js"), Cover(card="Js", x=1, y=0)).state
    assert after.covered[1, 0] == ("9c", "2d")
    cell = GAME.view(after, None).board[1]
    assert (cell.card, cell.covered) == ("Js", ("9c", "2d"))


def test_r9_who_can_play_no_card_discards_one_and_draws() -> None:
    before = position("5c 6c", hand="Kc Kd Kh", deck="7s 8s")
    assert engine.legal_moves(before, 0) == [Discard(card=card) for card in ("Kc", "Kd", "Kh")]
    batch = played(before, Discard(card="Kd"))

    assert [type(event) for event in events_of(batch)] == [MovePlayed, CardDiscarded, CardDrawn]
    assert hand_of(batch.state) == {"Kc", "Kh", "7s"}
    assert batch.state.discards == ("Kd",)
    assert batch.state.scores == (0, 0)
    assert batch.state.mover == 1


def test_r9_a_discard_is_refused_while_any_play_is_legal() -> None:
    assert refusal(position("5c 6c", hand="Kc Kd 7h"), Discard(card="Kc")) == "play_possible"


def test_r10_an_ace_counts_itself_and_zeroed_cards_but_no_covered_one() -> None:
    """The 9h beside the ace has no value but counts; under a jack it does not count."""
    assert scored(position("Ah 9h", hand="3h"), Place(card="3h", x=2, y=0)) == (0, 0)
    assert scored(position("Ah Jd/9h", hand="3h"), Place(card="3h", x=2, y=0)) == (3, 0)


def test_r10_the_value_of_an_ace_differs_between_its_row_and_its_column() -> None:
    """Three spades in the row, where 2s is the best other; one in the column, where 2d is better."""
    text = """
        .  .  2d
        .  .  5c
        2s 3s As
        """
    assert points_of(text, (2, 0)) == (3, 0)


def test_r11_an_ace_zeroes_what_lies_beside_it_in_both_lines_but_not_when_covered() -> None:
    assert points_of("9c Ah", (0, 0)) == (0, 0)
    assert points_of("9c 2d/Ah", (0, 0)) == (2, 0)
    text = """
        3c .
        9c Ah
        """
    assert points_of(text, (0, 0)) == (0, 0)


def test_r12_a_card_scores_nothing_in_a_line_that_holds_a_queen() -> None:
    before = position("3c Qs", hand="10h")
    assert scored(before, Place(card="10h", x=-1, y=0)) == (0, 0)
    assert scored(before, Place(card="10h", x=0, y=1)) == (0, 2)


def test_r12_a_queen_scores_both_her_lines() -> None:
    before = position(
        """
        .  Kd 7c
        8s .  6c
        3s 4d 5d
        """,
        hand="Qs",
    )
    assert scored(before, Place(card="Qs", x=0, y=2)) == (3, 3)


def test_r13_an_ace_takes_the_value_of_a_queen_but_not_her_power() -> None:
    assert scored(position("Ac", hand="Qh"), Place(card="Qh", x=1, y=0)) == (2, 0)
    assert scored(position("Ac Qh", hand="9d"), Place(card="9d", x=2, y=0)) == (0, 0)


def test_r14_a_queen_swapped_away_dominates_no_more() -> None:
    before = position("3c 4c Qs", hand="2d 9d", other="5h")
    after = played(before, Swap(card="2d", x=2, y=0)).state
    answered = played(after, Place(card="5h", x=3, y=0), seat=1).state
    assert answered.scores == (0, 4)


def test_r14_an_older_queen_that_remains_dominates_on() -> None:
    before = position("Qc 4c Qs", hand="2d 9d", other="5h")
    after = played(before, Swap(card="2d", x=2, y=0)).state
    assert played(after, Place(card="5h", x=3, y=0), seat=1).state.scores == (0, 0)


def test_r15_the_other_goes_on_alone_only_when_a_hand_is_empty() -> None:
    both = position("9h 3h", hand="4c 5c", other="6c", deck="")
    assert played(both, Place(card="4c", x=2, y=0)).state.mover == 1
    alone = position("9h 3h", hand="4c 5c", other="", deck="")
    assert played(alone, Place(card="4c", x=2, y=0)).state.mover == 0


@pytest.mark.parametrize(
    ("scores", "scored_at", "winner", "reason"),
    [
        ((31, 31), (40, 44), 0, "first_reached"),
        ((31, 31), (44, 40), 1, "first_reached"),
        ((30, 31), (40, 44), 1, "deck_out"),
        ((31, 30), (44, 40), 0, "deck_out"),
    ],
)
def test_r16_more_points_win_and_else_the_earlier_last_point(
    scores: tuple[int, int], scored_at: tuple[int, int], winner: int, reason: str
) -> None:
    before = position("9h 3h", hand="4c", other="", deck="", scores=scores, scored_at=scored_at)
    outcome = engine.outcome(played(before, Place(card="4c", x=2, y=0)).state)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((winner,), reason)


def test_r16_the_turn_of_a_point_is_kept_and_a_play_without_points_leaves_it() -> None:
    before = position("7h", hand="9c 3c", turn=33, scored_at=(5, 4))
    assert played(before, Place(card="9c", x=1, y=0)).state.scored_at == (33, 4)
    assert played(before, Place(card="3c", x=1, y=0)).state.scored_at == (5, 4)


def test_r17_two_full_rows_that_cross_two_full_columns_close_the_board() -> None:
    closed = position(CLOSED, hand="9h 10h Qs")
    assert GAME.view(closed, None).is_closed
    assert engine.legal_moves(closed, 0) == [Discard(card=card) for card in ("9h", "10h", "Qs")]
    assert engine.to_act(closed)[0].at_once


def test_r17_a_seat_that_can_cover_or_swap_on_a_closed_board_is_waited_for() -> None:
    for hand in ("Jd 10h", "2s 10h"):
        assert not engine.to_act(position(CLOSED, hand=hand))[0].at_once


def test_r17_a_seat_without_a_play_on_an_open_board_is_waited_for() -> None:
    assert not engine.to_act(position("5c 6c", hand="Kc Kd Kh"))[0].at_once


@pytest.mark.parametrize("policy", ["auto", "forfeit"])
def test_r17_the_table_discards_at_once_for_who_has_no_play_until_somebody_has(policy: str) -> None:
    """Seat 0 covers; seat 1 and then seat 0 have no play; seat 1 has drawn a two."""
    before = position(CLOSED, hand="Jd 10h", other="Qs Qh", deck="9h 2s 10s Ks", on_timeout=policy)
    chance = ScriptedChance([1, 0])
    batch = played(before, Cover(card="Jd", x=0, y=1), chance=chance)

    by_table = [event for event in events_of(batch) if isinstance(event, MovePlayed) and event.by_table]
    assert [(each.seat, each.move) for each in by_table] == [(1, Discard(card="Qs")), (0, Discard(card="9h"))]
    assert [draw.label for each in batch.events for draw in each.draws] == ["closed_board"] * 2
    assert batch.state.mover == 1
    assert "2s" in hand_of(batch.state, 1)


def test_r17_a_closed_board_without_jacks_and_twos_ends_in_one_batch() -> None:
    before = position(CLOSED, hand="Jd 10h", other="Qs Qh", deck="9h 10s", scores=(9, 3))
    batch = played(before, Cover(card="Jd", x=0, y=1), chance=KeyedChance(bytes(32)))
    assert batch.state.reason == "deck_out"
    assert len(batch.state.discards) == 5


def test_a_time_out_plays_any_legal_move_under_auto_and_loses_under_forfeit() -> None:
    before = position("7h", hand="9c Kc")
    batch = played(before, Place(card="9c", x=1, y=0))
    batch.state, batch.chance = before, ScriptedChance([3])
    assert play_default(batch, 0)
    assert Place(card="9c", x=1, y=0) == engine.legal_moves(before, 0)[3]
    assert batch.state.board == {(0, 0): "7h", (1, 0): "9c"}

    strict = position("7h", hand="9c", on_timeout="forfeit")
    batch.state = strict
    assert not play_default(batch, 0)
    assert batch.state is strict


def test_a_time_out_without_a_play_discards_a_card_drawn_by_chance() -> None:
    before = position("5c 6c", hand="Kc Kd Kh")
    assert engine.default_move(before, 0, ScriptedChance([2])) == Discard(card="Kh")


@pytest.mark.parametrize("reason", ["resigned", "removed", "timeout"])
def test_who_leaves_loses_whatever_the_score(reason: str) -> None:
    batch = played(position("7h", hand="9c 3c 4c", scores=(5, 0)), Place(card="9c", x=1, y=0))
    leave(batch, 0, reason)
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert (outcome.winners, outcome.places, outcome.scores) == ((1,), (2, 1), (7, 0))
    assert outcome.reason == reason
    assert engine.to_act(batch.state) == ()


def test_a_card_taken_by_a_two_is_seen_by_all_and_keeps_its_name() -> None:
    before = position("9c 4s", hand="2h 5d 6d")
    batch = played(before, Swap(card="2h", x=0, y=0))
    assert GAME.view(batch.state, 1).seats[0].shown == ("9c",)
    assert GAME.view(batch.state, 1).seats[0].hand is None

    batch.state = position("9c 4s", hand="2h 5d 6d", other="", deck="")
    play(batch, 0, Swap(card="2h", x=0, y=0))
    play(batch, 0, Place(card="9c", x=2, y=0))
    placed = next(event for event in events_of(batch) if isinstance(event, CardPlaced))
    assert placed.card == before.seen["9c"]


def test_no_card_is_drawn_from_an_empty_deck() -> None:
    batch = played(position("7h", hand="9c 3c", deck=""), Place(card="9c", x=1, y=0))
    assert hand_of(batch.state) == {"3c"}


def test_a_king_stays_when_its_figure_is_swapped_away() -> None:
    before = position("9c Jd Kh", hand="2h 5d 6d", other="Ks")
    after = played(before, Swap(card="2h", x=1, y=0)).state
    assert after.board == {(0, 0): "9c", (1, 0): "2h", (2, 0): "Kh"}
    assert Place(card="Ks", x=3, y=0) in engine.legal_moves(after, 1)
