"""The counting bot: what it says, what it believes, and that it wins more than chance does."""

from __future__ import annotations

from typing import Any

from engines.base import Batch, awaited, play
from engines.chance import KeyedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu.beliefs import belief
from engines.cthulhu.bots import counting
from engines.cthulhu.messages import Declare, Investigate
from engines.cthulhu.state import State

from .positions import begun, declare, random_game

CHANCE = KeyedChance(bytes(32))
DEAL = "sffff fsfff ffsff fffsc"


def chosen(batch: Batch[State], seat: int) -> Any:
    return counting(GAME.view(batch.state, seat), engine.legal_moves(batch.state, seat), CHANCE)


def test_an_investigator_tells_the_truth_and_a_cultist_one_sign_too_many() -> None:
    batch = begun(DEAL, roles="icii", declarations="in_order")
    assert chosen(batch, 0) == Declare(elder_signs=1, cthulhu=0)
    assert chosen(batch, 1) == Declare(elder_signs=2, cthulhu=0)
    assert chosen(batch, 3) == Declare(elder_signs=1, cthulhu=1)


def test_an_investigator_looks_where_the_signs_add_up_and_never_where_cthulhu_is_said_to_lie() -> None:
    batch = begun("sffff fssff fffff fffsc", roles="iiic", declarations="any_order")
    for seat, signs, cthulhu in ((0, 1, 0), (1, 2, 0), (2, 0, 0), (3, 1, 1)):
        declare(batch, seat, signs, cthulhu)
    move = chosen(batch, 0)
    assert isinstance(move, Investigate)
    assert move.target == 1


def test_who_is_caught_lying_is_believed_to_be_a_cultist() -> None:
    """Seat 1 claims the four signs of which seat 0 holds two."""
    batch = begun("ssfff fffff ffsff fffsc", roles="iici", declarations="any_order")
    for seat, signs in ((0, 2), (1, 4), (2, 1), (3, 1)):
        declare(batch, seat, signs, int(seat == 3))
    found = belief(GAME.view(batch.state, 0))
    assert found.cultist[1] > 0.8
    assert found.cultist[1] > max(found.cultist[2:])


def test_beliefs_are_chances_and_the_own_pile_is_known() -> None:
    batch = begun(DEAL, roles="iici", declarations="in_order")
    found = belief(GAME.view(batch.state, 0))
    assert found.cultist[0] == 0
    assert abs(found.sign[0] - 1 / 5) < 1e-9
    assert found.cthulhu[0] == 0
    for chances in (found.cultist, found.sign, found.cthulhu):
        assert all(0 <= each <= 1 for each in chances)


def test_a_side_of_counting_bots_wins_far_more_than_a_random_one() -> None:
    """Against counting opponents, five seats, the same 60 deals."""
    clever = sum(investigators_win(seed, "counting", "random") for seed in range(60))
    aimless = sum(investigators_win(seed, "random", "random") for seed in range(60))
    deceived = sum(investigators_win(seed, "counting", "counting") for seed in range(60))
    assert clever > aimless + 15
    assert deceived < clever - 15


def investigators_win(seed: int, investigators: str, cultists: str) -> bool:
    """Play one game with a bot for each role; tell whether the investigators won."""
    batch = random_game(5, seed)
    chance = KeyedChance(seed.to_bytes(32, "little"))
    while engine.outcome(batch.state) is None:
        state = batch.state
        ahead = [each.seat for each in engine.to_act(state) if not each.awaited and not each.answered]
        seat = ahead[0] if ahead else awaited(GAME, state)[0]
        name = investigators if state.roles[seat] == "investigator" else cultists
        play(batch, seat, GAME.bots[name](GAME.view(state, seat), engine.legal_moves(state, seat), chance))
    return batch.state.side == "investigators"
