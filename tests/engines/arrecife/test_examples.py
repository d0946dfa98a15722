"""The worked examples of the rulebook, with the same numbers."""

from __future__ import annotations

from engines.arrecife import engine
from engines.arrecife.messages import DuelBegan, GameEnded, SeatFell, WormRose

from .positions import events_of, lost, played, position, resolved, sums, the

FULL = [30, 30, 30, 30, 30, 30]
DUEL = [30, 0, 30]  # X is seat 0, the worm seat 1, Y seat 2


def test_e1_a_greater_minority_inverts_the_damage_onto_the_majority() -> None:
    before = position(FULL[:5])
    after = played(before, "A3+ A4- A2+ B5+ B4+")
    assert resolved(after).majority == (0, 1, 2)
    assert sums(after) == (1, 9)
    assert resolved(after).verdict == "inverted"
    assert lost(before, after) == (1, 1, 1, 0, 0)


def test_e2_a_sum_above_the_number_of_players_strikes_the_majority() -> None:
    before = position(FULL[:5])
    after = played(before, "A3+ A4+ A1- B2- B2+")
    assert sums(after) == (6, 0)
    assert resolved(after).verdict == "above"
    assert lost(before, after) == (6, 6, 6, 0, 0)


def test_e3_equal_teams_are_settled_by_the_amulet_and_a_sum_of_0_heals_the_minority() -> None:
    before = position([20, 29, 25, 25], amulet=2)
    after = played(before, "A2+ A1- B4+ B4-")
    assert resolved(after).majority == (2, 3)
    assert resolved(after).settled_by == "amulet_tie"
    assert sums(after) == (0, 1)
    assert after.state.hp == (22, 30, 25, 25)


def test_e4_all_in_one_team_put_the_amulet_alone_into_the_minority() -> None:
    before = position(FULL[:4], amulet=2)
    after = played(before, "A1+ A2+ A3+ A4+")
    assert resolved(after).settled_by == "amulet_alone"
    assert resolved(after).minority == (2,)
    assert sums(after) == (7, 3)
    assert lost(before, after) == (7, 7, 0, 7)


def test_e5_equal_sums_invert_nothing() -> None:
    before = position(FULL[:3])
    after = played(before, "A4+ A3- B1+")
    assert sums(after) == (1, 1)
    assert lost(before, after) == (0, 0, 1)


def test_e6_the_damage_inverted_is_the_sum_of_the_majority() -> None:
    before = position(FULL)
    after = played(before, "A1+ A1+ A1+ A1+ B5- B5-")
    assert sums(after) == (4, 10)
    assert lost(before, after) == (4, 4, 4, 4, 0, 0)


def test_e7_the_worm_counts_as_a_player_in_the_duel() -> None:
    before = position(DUEL, worm=1)
    after = played(before, "A2- A4+ B1+")
    assert resolved(after).hands == 3
    assert sums(after) == (2, 1)
    assert lost(before, after) == (0, 0, 2)


def test_e8_damage_that_would_fall_on_the_worm_alone_rebounds_onto_both() -> None:
    before = position(DUEL, worm=1)
    after = played(before, "A1+ B1+ A2+")
    assert sums(after) == (3, 1)
    assert resolved(after).minority == (1,)
    assert resolved(after).is_rebound
    assert lost(before, after) == (3, 0, 3)


def test_e9_the_worm_in_a_struck_team_takes_nothing() -> None:
    before = position(DUEL, worm=1, amulet=0)
    after = played(before, "A3+ A1- A2+")
    assert resolved(after).minority == (0,)
    assert sums(after) == (1, 3)
    assert not resolved(after).is_rebound
    assert lost(before, after) == (0, 0, 1)


def test_e10_of_several_fallen_the_nearest_to_the_amulet_is_the_worm() -> None:
    before = position([6, 30, 30, 6, 30], amulet=1)
    after = played(before, "A3+ B1+ A1- A4+ B1-")
    assert sums(after) == (6, 0)
    assert [event.seat for event in events_of(after) if isinstance(event, SeatFell)] == [0, 3]
    assert the(WormRose, after).seat == 0
    assert after.state.alive == (1, 2, 4)
    assert after.state.worm == 0


def test_e11_a_rammed_player_counts_in_the_other_team() -> None:
    before = position([30, 30, 30, 30, 0], worm=4)
    after = played(before, "A4+ B1+ B1- A4+ .", ram=3)
    assert resolved(after).majority == (1, 2, 3)
    assert resolved(after).minority == (0,)
    assert sums(after) == (4, 4)
    assert lost(before, after) == (4, 0, 0, 0, 0)


def test_e12_the_one_left_straight_from_three_has_won_without_a_duel() -> None:
    before = position([1, 1, 9])
    after = played(before, "A2+ A1- B2-")
    assert resolved(after).verdict == "inverted"
    assert after.state.hp == (0, 0, 9)
    assert the(GameEnded, after) == GameEnded(winners=(2,), reason="last_alive", places=(2, 2, 1))
    assert not any(isinstance(event, DuelBegan | WormRose) for event in events_of(after))
    outcome = engine.outcome(after.state)
    assert outcome is not None
    assert (outcome.winners, outcome.scores) == ((2,), (0, 0, 9))
