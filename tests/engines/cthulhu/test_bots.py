"""The counting bot: what it says, what it believes, and that it wins more than chance does."""

from __future__ import annotations

from typing import Any

import pytest

from bench.plays import bots_play
from bench.strength import Match, contest
from engines.base import Batch
from engines.chance import KeyedChance
from engines.cthulhu import GAME, engine
from engines.cthulhu.beliefs import belief
from engines.cthulhu.bots import counting
from engines.cthulhu.messages import Declare, Investigate
from engines.cthulhu.state import Reveal, State, cards_each

from .positions import begun, declare, investigate, random_game

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


def test_who_looks_where_cthulhu_is_said_to_lie_is_believed_to_be_a_cultist() -> None:
    batch = begun("sffff fsfff ffsff fffsc", roles="iici", first=2, declarations="any_order")
    for seat in range(4):
        declare(batch, seat, 1, int(seat == 3))
    before = belief(GAME.view(batch.state, 0))
    investigate(batch, "3.0")
    after = belief(GAME.view(batch.state, 0))
    assert before.cultist[2] < 0.5 < 0.8 < after.cultist[2]


def test_a_cultist_claims_no_more_signs_than_the_deck_has_or_its_hidden_cards_can_be() -> None:
    """Seat 1 holds all signs of the deck; in another game two of them, and less and less beside."""
    hoard = begun("fffff fssss fffff ffffc", roles="icii", declarations="in_order", first=1)
    assert chosen(hoard, 1) == Declare(elder_signs=4, cthulhu=0)
    batch = begun("ffsff fffff fssff sfffc", "ffff ssff sffc sfff", roles="icii", declarations="any_order")
    for seat in range(4):
        declare(batch, seat, 0)
    investigate(batch, "1.0", "0.0", "1.1", "0.1", "1.2")
    assert chosen(batch, 1) == Declare(elder_signs=3, cthulhu=0)
    investigate(batch, "0.0", "1.3")
    assert chosen(batch, 1) == Declare(elder_signs=2, cthulhu=0)


def test_every_counting_bot_declares_in_every_round_what_is_not_belied_yet() -> None:
    """Asked as a table asks; the last round may end before all have spoken."""
    rounds = 0
    for seed in range(20):
        state = played(seed, "counting")
        rounds = max(rounds, len(state.deals))
        for number in range(1, len(state.deals) + 1):
            said = {each.seat: each for each in state.said if each.round == number}
            assert len(said) == 5 or number == len(state.deals)
            for seat, each in said.items():
                before = reveals_of(state, number)[: each.after]
                shown = [card.letter for card in before if card.target == seat]
                claimed = each.elder_signs or 0
                assert shown.count("s") <= claimed <= cards_each(number) - shown.count("f")
    assert rounds == 4


@pytest.mark.long
def test_each_role_counting_wins_far_more_than_by_chance() -> None:
    """Sides of three to six seats; ``make strength`` plays a thousand games."""
    for place, others in (("investigator", "random"), ("investigator", "counting"), ("cultist", "counting")):
        tally = contest(Match("cthulhu", "counting", "random", others, place), range(150))
        assert tally.gain()[0] > 0, place


@pytest.mark.long
def test_a_single_counting_bot_wins_more_among_its_kind_than_a_random_one() -> None:
    tally = contest(Match("cthulhu", "counting", "random", "counting"), range(300))
    assert tally.gain()[0] > 0


def played(seed: int, bot: str) -> State:
    """Return the end of a game of five seats that a bot plays in all of them."""
    batch = random_game(5, seed)
    chance = KeyedChance(seed.to_bytes(32, "little"))
    bots_play(batch, lambda seat, legal: GAME.bots[bot](GAME.view(batch.state, seat), legal, chance))
    return batch.state


def reveals_of(state: State, number: int) -> tuple[Reveal, ...]:
    """Return the reveals of a round."""
    return state.reveals[(number - 1) * state.seats :][: state.seats]
