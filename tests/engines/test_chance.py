"""Chance is a keyed stream: labelled, counted, without bias, and told again from its key."""

from __future__ import annotations

from collections import Counter

import pytest

from engines.chance import WORD, Draw, KeyedChance, ScriptedChance

KEY = bytes(range(32))


def test_a_stream_goes_on_at_any_draw_without_those_before() -> None:
    whole = KeyedChance(KEY)
    first = [whole.shuffle(9, "deck"), whole.below(6, "d6"), whole.below(6, "d6")]
    later = KeyedChance(KEY, drawn=1)

    assert [later.below(6, "d6"), later.below(6, "d6")] == first[1:]


def test_a_draw_depends_on_its_label_and_its_number() -> None:
    answers = {
        KeyedChance(KEY, drawn=drawn).below(WORD, label) for drawn in range(3) for label in ("deck", "d6")
    }
    assert len(answers) == 6


def test_draws_are_taken_once_in_their_order() -> None:
    chance = KeyedChance(KEY, drawn=4)
    chance.below(2, "coin")
    chance.shuffle(3, "deck")

    assert chance.taken() == (Draw(4, "coin"), Draw(5, "deck"))
    assert chance.taken() == ()
    assert chance.drawn == 6


@pytest.mark.parametrize("count", [0, 1])
def test_a_shuffle_of_nothing_to_order_is_a_draw_all_the_same(count: int) -> None:
    chance = KeyedChance(KEY)

    assert chance.shuffle(count, "deck") == tuple(range(count))
    assert chance.taken() == (Draw(0, "deck"),)


def test_every_order_is_as_likely_as_any_other() -> None:
    """Chi-square of 12,000 shuffles of 4 items, 23 degrees of freedom: beyond 50 once in a thousand."""
    chance = KeyedChance(KEY)
    seen = Counter(chance.shuffle(4, "deck") for _ in range(12_000))

    assert len(seen) == 24
    assert sum((each - 500) ** 2 / 500 for each in seen.values()) < 50


def test_a_word_beyond_the_last_whole_multiple_is_passed_over() -> None:
    """A bound of more than half the words: without rejection a third of the numbers came twice as often."""
    bound = WORD // 4 * 3
    chance = KeyedChance(KEY)
    low = sum(chance.below(bound, "big") < WORD // 4 for _ in range(3000))

    assert 900 < low < 1100


def test_a_script_is_followed_to_the_letter_and_counts_its_draws() -> None:
    chance = ScriptedChance([2, [1, 0]], drawn=7)

    assert (chance.below(3, "d3"), chance.shuffle(2, "deck")) == (2, (1, 0))
    assert chance.taken() == (Draw(7, "d3"), Draw(8, "deck"))


@pytest.mark.parametrize("outcome", [3, -1, [0, 1]])
def test_a_script_refuses_a_number_that_does_not_fit(outcome: int | list[int]) -> None:
    with pytest.raises(ValueError, match="d3"):
        ScriptedChance([outcome]).below(3, "d3")


@pytest.mark.parametrize("outcome", [1, [0, 0], [0, 1, 2]])
def test_a_script_refuses_an_order_that_does_not_fit(outcome: int | list[int]) -> None:
    with pytest.raises(ValueError, match="deck"):
        ScriptedChance([outcome]).shuffle(2, "deck")


def test_a_script_that_has_run_out_says_so() -> None:
    with pytest.raises(ValueError, match="no outcome left"):
        ScriptedChance().below(6, "d6")
