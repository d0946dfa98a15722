"""The worked examples of the rulebook, with the same numbers."""

from __future__ import annotations

from engines.reafan import engine
from engines.reafan.messages import Cover, GameEnded, Place, Swap

from .positions import events_of, hand_of, played, points_of, position, refusal, scored


def test_e1_the_first_card_scores_one_and_a_greater_card_beside_it_two() -> None:
    first = played(position("", hand="7h 3c 4c"), Place(card="7h", x=0, y=0))
    assert first.state.scores == (1, 0)

    second = position("7h", hand="9c")
    assert scored(second, Place(card="9c", x=1, y=0)) == (2, 0)


def test_e2_an_equal_card_in_the_row_spoils_the_score() -> None:
    before = position("7h 9c", hand="9d 10d")
    assert scored(before, Place(card="9d", x=2, y=0)) == (0, 0)
    assert scored(before, Place(card="10d", x=2, y=0)) == (3, 0)


def test_e3_a_row_of_five_takes_no_sixth_card() -> None:
    before = position("3c 4c 5c 6c 7c", hand="8d Qd Ad")
    for card in ("8d", "Qd", "Ad"):
        assert refusal(before, Place(card=card, x=5, y=0)) == "line_too_long"
        assert refusal(before, Place(card=card, x=-1, y=0)) == "line_too_long"


def test_e4_no_card_completes_a_block_of_two_by_two() -> None:
    before = position(
        """
        5c .
        3c 4c
        """,
        hand="8d",
    )
    assert refusal(before, Place(card="8d", x=1, y=1)) == "block_completed"


def test_e5_an_ace_zeroes_its_neighbour_and_counts_its_suit() -> None:
    before = position("Ah 10h", hand="5h 3h")
    assert scored(before, Place(card="5h", x=2, y=0)) == (3, 0)
    assert scored(before, Place(card="3h", x=2, y=0)) == (0, 0)


def test_e6_an_ace_beats_the_card_that_it_zeroes() -> None:
    assert scored(position("4c", hand="Ac"), Place(card="Ac", x=1, y=0)) == (2, 0)


def test_e7_two_aces_side_by_side_zero_each_other() -> None:
    assert scored(position("As", hand="Ah"), Place(card="Ah", x=1, y=0)) == (0, 0)


def test_e8_a_queen_dominates_a_king_and_the_latest_queen_an_older_one() -> None:
    before = position("Qs 5d", hand="Kh Qd")
    assert scored(before, Place(card="Kh", x=-1, y=0)) == (0, 0)
    assert scored(before, Place(card="Qd", x=2, y=0)) == (3, 0)


def test_e9_a_queen_beside_an_ace_has_no_value_but_dominates() -> None:
    assert scored(position("Ac", hand="Qh"), Place(card="Qh", x=1, y=0)) == (2, 0)


def test_e10_a_jack_covers_a_number_but_no_figure_and_stays_away_from_queens_and_kings() -> None:
    assert scored(position("7h 9c", hand="Jd"), Cover(card="Jd", x=1, y=0)) == (2, 0)
    for figure in ("Js", "Qs", "Ks"):
        assert refusal(position(f"7h {figure}", hand="Jd"), Cover(card="Jd", x=1, y=0)) == "jack_cannot_cover"
    for royal in ("Ks", "Qs"):
        beside = position(f"7h {royal}", hand="Jd")
        assert refusal(beside, Place(card="Jd", x=2, y=0)) == "jack_beside_royal"
        assert refusal(beside, Cover(card="Jd", x=0, y=0)) == "jack_beside_royal"


def test_e11_a_king_wants_a_figure_beside_it() -> None:
    assert refusal(position("9c", hand="Kh"), Place(card="Kh", x=1, y=0)) == "king_needs_figure"
    assert scored(position("Jd", hand="Kh"), Place(card="Kh", x=1, y=0)) == (0, 0)


def test_e12_a_two_takes_the_king_and_draws_nothing() -> None:
    before = position(
        """
        .  Jd
        Ac Kd
        """,
        left=-1,
        bottom=-1,
        hand="2h 4s 5s",
    )
    after = played(before, Swap(card="2h", x=0, y=-1)).state

    assert after.board[0, -1] == "2h"
    assert hand_of(after) == {"Kd", "4s", "5s"}
    assert after.drawn == before.drawn
    assert after.scores == (0, 0)


def test_e13_a_two_beside_an_ace_has_no_value() -> None:
    assert scored(position("9c Ah 4s", hand="2h"), Swap(card="2h", x=0, y=0)) == (0, 0)


def test_e14_row_and_column_score_each_for_itself() -> None:
    before = position(
        """
        .  6d 7c
        8s .  6c
        3s 4d 5d
        """,
        hand="9s",
    )
    assert scored(before, Place(card="9s", x=0, y=2)) == (3, 3)
    assert played(before, Place(card="9s", x=0, y=2)).state.scores == (6, 0)


def test_e15_who_holds_no_card_is_passed_over() -> None:
    before = position("9h 3h", hand="4c 2d", other="", deck="")
    swapped = played(before, Swap(card="2d", x=0, y=0))
    assert hand_of(swapped.state) == {"4c", "9h"}
    assert swapped.state.mover == 0

    once = played(swapped.state, Place(card="4c", x=2, y=0))
    assert once.state.mover == 0
    last = played(once.state, Place(card="9h", x=0, y=1))
    assert isinstance(events_of(last)[-1], GameEnded)


def test_e16_of_equal_scores_the_one_reached_first_wins() -> None:
    before = position("9h 3h", hand="4c", other="", deck="", scores=(31, 31), scored_at=(40, 44))
    over = played(before, Place(card="4c", x=2, y=0)).state
    outcome = engine.outcome(over)

    assert outcome is not None
    assert outcome.winners == (0,)
    assert outcome.places == (1, 2)
    assert outcome.scores == (31, 31)
    assert outcome.reason == "first_reached"


def test_a_card_scores_on_a_drawn_board_as_in_play() -> None:
    """The drawing of E14, with the nine in its place."""
    after = """
        9s 6d 7c
        8s .  6c
        3s 4d 5d
        """
    assert points_of(after, (0, 2)) == (3, 3)
