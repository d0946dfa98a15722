"""The worked examples of the rulebook, with the same numbers."""

from __future__ import annotations

import pytest

from engines.cthulhu import GAME, engine
from engines.cthulhu.messages import CardsLaid, GameEnded, Investigate, RoundEnded, TokensGiven

from .positions import begun, facts, investigate, last_kinds, next_game, picks, random_game, refusal

MARY, THOMAS, PEYTON = 0, 1, 2


def test_e1_twelve_cards_are_revealed_and_peyton_starts_round_4() -> None:
    batch = begun(
        "sffff fsfff sffff fcsff", "ffff ffcf fffs sfff", "cff fff sff fff", "sf fc ff ff", roles="ciic"
    )
    investigate(batch, "1.0", "2.0", "3.0", "0.0")
    assert last_kinds(batch, 4) == ["futile", "elder_sign", "futile", "elder_sign"]
    investigate(batch, "1.0", "2.0", "3.0", "0.1")
    assert last_kinds(batch, 4) == ["futile", "futile", "elder_sign", "futile"]
    assert batch.state.active == MARY
    assert (batch.state.reveals[-1].letter, len(batch.state.reveals)) == ("f", 8)
    assert GAME.view(batch.state, None).revealed.elder_signs == 3
    mary = GAME.view(batch.state, MARY).seats[MARY].remaining
    assert mary is not None
    assert (mary.futile, mary.elder_signs, mary.cthulhu) == (2, 0, 1)

    investigate(batch, f"{THOMAS}.0", f"{MARY}.1", f"{THOMAS}.1", f"{PEYTON}.1")

    assert last_kinds(batch, 4) == ["futile"] * 4
    assert len(batch.state.reveals) == 12
    assert batch.state.active == PEYTON
    ended, laid = facts(batch)[-2:]
    assert ended == RoundEnded(round=3)
    assert isinstance(laid, CardsLaid)
    assert (laid.round, len(laid.cards)) == (4, 8)
    assert batch.state.face_down == ((0, 1),) * 4
    assert GAME.view(batch.state, None).rounds[-1].starter == PEYTON


def test_e2_the_fifth_sign_as_the_last_card_of_round_4_wins_for_the_investigators() -> None:
    batch = begun(
        "sffff fsfff fsfff fsfff fscff", "sfff fsff fsff fsff fcff", "sff fsf fsf fff fcf", "sf fc ff ff sf"
    )
    around = ("1.0", "2.0", "3.0", "4.0", "0.0")
    for _ in range(3):
        investigate(batch, *around)
    assert GAME.view(batch.state, None).revealed.elder_signs == 3
    investigate(batch, *around[:-1])
    assert engine.outcome(batch.state) is None

    investigate(batch, around[-1])

    assert len(batch.state.reveals) == 20
    assert facts(batch)[-1] == GameEnded(reason="signs_found", side="investigators", winners=(0, 1, 2, 3))
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert (outcome.places, outcome.reason) == ((1, 1, 1, 1, 5), "signs_found")


def test_e3_three_investigators_all_lose_to_cthulhu() -> None:
    batch = begun("sffff fcfff ssfff", roles="iii")
    investigate(batch, "1.1")

    assert facts(batch)[-1] == GameEnded(reason="cthulhu_revealed", side=None, winners=())
    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert outcome.winners == ()
    assert outcome.places == (1, 1, 1)


def test_e3_in_a_series_all_three_get_a_token() -> None:
    batch = begun("sffff fcfff ssfff", roles="iii", series=True)
    investigate(batch, "1.1")

    assert facts(batch)[-1] == TokensGiven(seats=(0, 1, 2), tokens=(1, 1, 1))


def test_e4_places_stay_addressable_and_after_the_deal_every_seat_has_four() -> None:
    deal = "fffff fffff sssff sssff fffff ffffc"
    batch = begun(deal, "ffff ffff ffss sssf ffff fffc")
    investigate(batch, "1.0", "0.4", "1.2", "2.3", "1.3")
    assert batch.state.face_down == ((0, 1, 2, 3), (1, 4), (0, 1, 2, 4), *[(0, 1, 2, 3, 4)] * 3)
    assert refusal(batch.state, 1, Investigate(target=0, place=4)) == "already_revealed"

    investigate(batch, "4.0")

    assert batch.state.face_down == ((0, 1, 2, 3),) * 6
    assert batch.state.active == 4


@pytest.mark.parametrize(
    ("code", "target", "place"), [("own_card", 0, 1), ("already_revealed", 1, 0), ("no_such_place", 1, 5)]
)
def test_e5_a_pick_that_is_none_is_refused_and_changes_nothing(code: str, target: int, place: int) -> None:
    batch = investigate(begun("sffff fsfff ffsff fffsc"), "1.0", "0.0")
    assert refusal(batch.state, 0, Investigate(target=target, place=place)) == code


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_e6_in_every_round_there_is_a_legal_pick(seats: int) -> None:
    """The seats look at one another's cards in turn, as few of them as can be, and find no end early."""
    last_rounds = set()
    for seed in range(40):
        batch = random_game(seats, seed, declarations="none")
        while engine.outcome(batch.state) is None:
            state = batch.state
            each, made = 6 - len(state.deals), len(state.reveals) % seats
            legal = list(picks(state))
            assert len(legal) >= (seats - 1) * each - made >= seats - 1 >= 2
            futile = [pick for pick in legal if state.deals[-1][int(pick[0]) * each + int(pick[2])] == "f"]
            investigate(batch, (futile or legal)[0])
        last_rounds.add((len(state.deals), batch.state.reason))
    assert (4, "rounds_over") in last_rounds


def test_e7_a_series_of_four_ends_with_three_tokens_of_seat_3() -> None:
    signs = "ssfff ssfff ffffc fffff"
    batch = begun(signs, roles="icic", series=True)
    investigate(batch, "1.0", "0.0", "1.1", "0.1")
    assert facts(batch)[-1] == TokensGiven(seats=(1, 3), tokens=(0, 1, 0, 1))

    next_game(batch, signs, roles="icii")
    investigate(batch, "2.4")
    assert facts(batch)[-1] == TokensGiven(seats=(0, 2, 3), tokens=(1, 1, 1, 2))

    next_game(batch, signs, roles="ciii")
    investigate(batch, "2.4")
    assert facts(batch)[-1] == TokensGiven(seats=(1, 2, 3), tokens=(1, 2, 2, 3))

    outcome = engine.outcome(batch.state)
    assert outcome is not None
    assert outcome.winners == (0,)
    assert outcome.places == (1, 2, 2, 4)
    assert outcome.reason == "series_over"
    assert engine.epoch(batch.state) == 2
